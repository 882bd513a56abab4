// Finds the added tokens ("<|im_start|>", user-defined words) that stand in a text as wholes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace headroom {

// A stretch of text: either an added token, or text for the tokenizer proper.
struct TextPart {
  std::string_view text;
  bool is_token = false;
  TokenId id = 0;
};

// Const after construction; any thread. Keeps its own copies, so the vocabulary may move.
class AddedTokens {
 public:
  explicit AddedTokens(const Vocabulary& vocabulary);

  // The parts of `text` in order; at each place the longest token wins. User-defined tokens always count, control and
  // unknown ones only when `parse_special`. White space that a token swallows belongs to no part.
  std::vector<TextPart> split(std::string_view text, bool parse_special) const;

 private:
  struct Entry {
    std::string text;
    TokenId id = 0;
    bool only_special = false, swallows_space = false;
  };
  const Entry* longest_at(std::string_view text, bool parse_special) const;

  std::vector<Entry> entries_;  // by text, bytewise; no text twice
  std::array<std::uint32_t, 257>
      first_by_byte_{};  // entries_ that start with byte b stand in [first_by_byte_[b], first_by_byte_[b + 1])
};

}  // namespace headroom
