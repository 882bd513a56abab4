// Python's text operations over UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::jinja {

std::size_t count_characters(std::string_view text);
std::vector<std::string_view> characters(std::string_view text);

std::string to_upper(std::string_view text);
std::string to_lower(std::string_view text);
std::string capitalized(std::string_view text);   // str.capitalize
std::string title_case(std::string_view text);    // str.title: every run of letters
std::string filter_title(std::string_view text);  // Jinja's filter: words after blanks, hyphens and opening brackets

bool is_white_space(char32_t value);  // str.isspace
bool is_letter(char32_t value);       // str.isalpha
bool is_number(char32_t value);       // str.isdigit, nearly: the decimal digits of all scripts
bool is_upper(std::string_view text);
bool is_lower(std::string_view text);

// `characters_to_strip` empty: white space.
std::string_view stripped(std::string_view text, std::string_view characters_to_strip, bool left, bool right);
std::string replaced(std::string_view text, std::string_view from, std::string_view to, std::int64_t max_count,
                     std::size_t max_bytes);
std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, std::int64_t max_splits,
                                       bool from_right);
std::vector<std::string_view> split_words(std::string_view text, std::int64_t max_splits, bool from_right);
std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends);

}  // namespace headroom::jinja
