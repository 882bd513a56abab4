// Finds the added tokens ("<|im_start|>", user-defined words) that stand in a text as wholes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
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

// From a byte to the one behind the last.
struct TextRange {
  std::size_t from = 0, to = 0;
};

// Const after construction; any thread. Keeps its own copies, so the vocabulary may move.
class AddedTokens {
 public:
  explicit AddedTokens(const Vocabulary& vocabulary);

  // The parts of `text` in order; at each place the longest token wins. User-defined tokens always count; guarded ones
  // (Vocabulary::is_guarded) only where they lie wholly in one of the ranges `of_template`, which ascend and do not
  // touch. White space that a token swallows belongs to no part. Ends early once `take` returns false.
  void split(std::string_view text, std::span<const TextRange> of_template,
             const std::function<bool(const TextPart&)>& take) const;

  // White space that a token may swallow.
  static bool may_swallow(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

 private:
  struct Entry {
    std::string text;
    TokenId id = 0;
    bool is_guarded = false, swallows_space = false;
  };
  // `n_of_template`: how many bytes at the beginning of the text are of the template.
  const Entry* longest_at(std::string_view text, std::size_t n_of_template) const;

  std::vector<Entry> entries_;  // by text, bytewise; no text twice
  std::array<std::uint32_t, 257>
      first_by_byte_{};  // entries_ that start with byte b stand in [first_by_byte_[b], first_by_byte_[b + 1])
};

}  // namespace headroom
