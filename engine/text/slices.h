// Cuts a long text into slices that are merged apart, so that merging takes a fixed amount of memory and can be
// stopped.
#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>

namespace headroom {

// Merging takes some 60 bytes for each byte of a slice. No word of a language is nearly as long.
inline constexpr std::size_t kSliceBytes = std::size_t{1} << 14U;

// Which bytes follow each other within any token. A slice ends where a pair does not: no token crosses that place, so
// the slices' tokens are those of the whole. Example: where no token has a space behind a letter, a text can be cut
// before each space. A run without such a place ("aaaa...") is cut at kSliceBytes all the same, between two characters:
// it has a token more there than it would have as a whole.
class BytePairs {
 public:
  void add(char first, char second) { pairs_.set(index(first, second)); }
  void add_all(std::string_view token) {
    for (std::size_t i = 1; i < token.size(); ++i) add(token[i - 1], token[i]);
  }

  // The bytes of the first slice of a text. Where the text is longer than kSliceBytes it may be the beginning of one.
  std::size_t first_slice(std::string_view text) const {
    if (text.size() <= kSliceBytes) return text.size();
    for (std::size_t at = kSliceBytes; at > 0; --at) {
      if (starts_character(text[at]) && !pairs_.test(index(text[at - 1], text[at]))) return at;
    }
    for (std::size_t at = kSliceBytes; at > kSliceBytes - 4; --at) {
      if (starts_character(text[at])) return at;
    }
    return kSliceBytes;
  }

 private:
  static std::size_t index(char first, char second) {
    return std::size_t{static_cast<std::uint8_t>(first)} << 8U | static_cast<std::uint8_t>(second);
  }
  static bool starts_character(char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0U) != 0x80U; }

  std::bitset<std::size_t{1} << 16U> pairs_;
};

}  // namespace headroom
