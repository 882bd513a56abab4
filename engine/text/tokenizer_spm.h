// SentencePiece-style BPE: the pair whose joined text is the best-scored token merges first; what is no token becomes
// bytes.
#pragma once

#include <array>
#include <unordered_map>

#include "text/slices.h"
#include "text/vocabulary_tokenizer.h"

namespace headroom {

class SpmTokenizer final : public VocabularyTokenizer {
 public:
  explicit SpmTokenizer(Vocabulary vocabulary);

 protected:
  void encode_text(std::string_view text, bool starts_anew, TokenSink& sink) const override;
  bool has_byte(std::uint8_t byte) const override { return by_byte_[byte] != kNoToken; }
  std::string normal_token_bytes(TokenId id) const override;

 private:
  struct Merger;
  static constexpr TokenId kNoToken = ~TokenId{0};

  TokenId find(std::string_view text) const;
  void append_bytes(std::string_view text, TokenSink& sink) const;
  void encode_slice(std::string_view slice, TokenSink& sink) const;

  std::unordered_map<std::string_view, TokenId>
      by_text_;  // views into vocabulary().texts; normal, user-defined and unused tokens
  std::array<TokenId, 256> by_byte_;
  std::size_t max_token_bytes_ = 0;  // with marks for spaces, as the vocabulary has them
  BytePairs pairs_;
};

}  // namespace headroom
