// BPE over characters: spaces are marks, each character is a symbol, merges go by rank and cross the borders of words;
// a character that is no token is its bytes.
#pragma once

#include <array>
#include <unordered_map>

#include "text/pair_merger.h"
#include "text/slices.h"
#include "text/vocabulary_tokenizer.h"

namespace headroom {

class CharacterBpeTokenizer final : public VocabularyTokenizer {
 public:
  // kBadFile: a merge that does not make a token of two tokens, or a byte that has no token.
  static Result<std::unique_ptr<const Tokenizer>> create(Vocabulary vocabulary);

 protected:
  void encode_text(std::string_view text, bool starts_anew, TokenSink& sink) const override;
  bool has_byte(std::uint8_t /*byte*/) const override { return true; }
  std::string normal_token_bytes(TokenId id) const override;

 private:
  CharacterBpeTokenizer(Vocabulary vocabulary, std::size_t n_merges);

  Status read_tokens();
  Status read_merges(const std::vector<std::string>& merges);
  void encode_slice(std::string_view slice, PairMerger& merger, TokenSink& sink) const;

  std::unordered_map<char32_t, TokenId> by_character_;  // tokens of one character, guarded ones left out
  std::array<TokenId, 256> by_byte_{};
  PairTable merges_;
  BytePairs pairs_;
};

}  // namespace headroom
