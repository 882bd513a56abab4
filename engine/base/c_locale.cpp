#include "base/c_locale.h"

#include <clocale>
#include <cstdlib>

#include "base/check.h"

namespace headroom {
namespace {

// Never freed: threads that nobody waits for may still read a number when the program ends.
locale_t c_locale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  CHECK(locale != nullptr, "every system has the C locale");
  return locale;
}

}  // namespace

double c_strtod(const char* text, char** end) { return strtod_l(text, end, c_locale()); }

std::size_t c_strftime(char* buffer, std::size_t n_bytes, const char* format, const std::tm& time) {
  return strftime_l(buffer, n_bytes, format, &time, c_locale());
}

}  // namespace headroom
