// Python's text operations over UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

#include "text/traced_text.h"

namespace headroom::jinja {

std::size_t count_characters(std::string_view text);
// The bytes of the first so many characters; of all when there are fewer.
std::size_t bytes_of_characters(std::string_view text, std::size_t n_characters);

// The characters of a text one after the other, as views into it; no list is made. What is not UTF-8 is a character
// for each byte.
class Characters {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::string_view*;
    using reference = std::string_view;

    explicit Iterator(std::string_view rest) : rest_(rest) { measure(); }
    std::string_view operator*() const { return rest_.substr(0, n_bytes_); }
    Iterator& operator++() {
      rest_.remove_prefix(n_bytes_);
      measure();
      return *this;
    }
    bool operator==(const Iterator& other) const { return rest_.size() == other.rest_.size(); }

   private:
    void measure();
    std::string_view rest_;
    std::size_t n_bytes_ = 0;
  };

  explicit Characters(std::string_view text) : text_(text) {}
  Iterator begin() const { return Iterator(text_); }
  Iterator end() const { return Iterator(text_.substr(text_.size())); }

 private:
  std::string_view text_;
};
inline Characters characters(std::string_view text) { return Characters(text); }

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

// The parts are views into the text that was given; from the right they come last first. Nothing is kept of them, so
// that whoever keeps them can count what they take.
using TakePart = std::function<void(std::string_view)>;
void split_at(std::string_view text, std::string_view separator, std::int64_t max_splits, bool from_right,
              const TakePart& take);
void split_words(std::string_view text, std::int64_t max_splits, bool from_right, const TakePart& take);
void split_lines(std::string_view text, bool keep_ends, const TakePart& take);

}  // namespace headroom::jinja
