// Numbers, dates and letters as the C locale has them, whatever the user's is. The window's toolkit sets the user's
// locale for the whole process, and then std::strtod() reads "1,5" and not "1.5".
#pragma once

#include <cstddef>
#include <ctime>

namespace headroom {

// std::strtod() and std::strftime() of the C locale. Any thread.
double c_strtod(const char* text, char** end);
std::size_t c_strftime(char* buffer, std::size_t n_bytes, const char* format, const std::tm& time);

// ASCII letters alone change; Turkish has another small letter for I.
constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace headroom
