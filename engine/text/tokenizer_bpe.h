// Byte-level BPE: words by a pre-tokenizer, each byte a symbol, merges by rank.
#pragma once

#include <array>
#include <unordered_map>

#include "text/pair_table.h"
#include "text/pre_tokenizer.h"
#include "text/slices.h"
#include "text/vocabulary_tokenizer.h"

namespace headroom {

class BpeTokenizer final : public VocabularyTokenizer {
 public:
  BpeTokenizer(Vocabulary vocabulary, PreTokenizer pre_tokenizer, bool takes_whole_words);

 protected:
  void encode_text(std::string_view text, bool starts_anew, TokenSink& sink) const override;
  bool has_byte(std::uint8_t byte) const override { return by_byte_[byte] < n_vocab(); }
  std::string normal_token_bytes(TokenId id) const override;

 private:
  // Token texts, and the halves and results of merges that are no tokens, all have numbers: below n_vocab() a token's
  // id, above it the others.
  using SymbolId = std::uint32_t;
  static constexpr SymbolId kNoSymbol = ~SymbolId{0};
  struct Interner;

  // `merges` are the vocabulary's own, which nothing asks for once their table stands.
  BpeTokenizer(const std::vector<std::string>& merges, Vocabulary&& vocabulary, PreTokenizer&& pre_tokenizer,
               bool takes_whole_words);

  void append_symbol(SymbolId symbol, std::string_view bytes, TokenSink& sink) const;

  PreTokenizer pre_tokenizer_;
  bool takes_whole_words_ = false;
  std::array<SymbolId, 256> by_byte_;                     // the symbol of each single byte
  std::unordered_map<std::string, TokenId> whole_words_;  // by raw bytes; filled when takes_whole_words_
  PairTable merges_;
  BytePairs pairs_;
};

}  // namespace headroom
