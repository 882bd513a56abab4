// Python's text operations over UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/traced_text.h"

namespace headroom::jinja {

std::size_t count_characters(std::string_view text);
std::vector<std::string_view> characters(std::string_view text);

TracedText to_upper(const TracedText& text);
TracedText to_lower(const TracedText& text);
TracedText capitalized(const TracedText& text);  // str.capitalize
TracedText title_case(const TracedText& text);   // str.title: every run of letters
TracedText swapped_case(const TracedText& text);
TracedText case_folded(const TracedText& text);
TracedText filter_title(const TracedText& text);  // Jinja's filter: words after blanks, hyphens and opening brackets

bool is_white_space(char32_t value);  // str.isspace
bool is_letter(char32_t value);       // str.isalpha
bool is_number(char32_t value);       // str.isdigit, nearly: the decimal digits of all scripts
bool is_upper(std::string_view text);
bool is_lower(std::string_view text);

// `characters_to_strip` empty: white space.
std::string_view stripped(std::string_view text, std::string_view characters_to_strip, bool left, bool right);
TracedText replaced(const TracedText& text, std::string_view from, const TracedText& to, std::int64_t max_count,
                    std::size_t max_bytes);

// The parts are views into the text that was given.
std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, std::int64_t max_splits,
                                       bool from_right);
std::vector<std::string_view> split_words(std::string_view text, std::int64_t max_splits, bool from_right);
std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends);

}  // namespace headroom::jinja
