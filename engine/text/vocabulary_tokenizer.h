// What both kinds of tokenizer share: special tokens around and inside the text, and the way back from ids.
#pragma once

#include <string>
#include <vector>

#include "text/added_tokens.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace headroom {

class VocabularyTokenizer : public Tokenizer {
 public:
  std::uint32_t n_vocab() const override { return vocabulary_.n_vocab(); }
  const SpecialTokens& special() const override { return vocabulary_.special; }
  std::string_view model() const override { return vocabulary_.model; }
  std::vector<TokenId> encode_pieces(std::span<const TextPiece> pieces, bool add_special) const override;
  std::string token_bytes(TokenId id, bool show_special) const override;
  std::string decode(const std::vector<TokenId>& ids, bool show_special) const override;
  bool is_control(TokenId id) const override { return id < n_vocab() && vocabulary_.is_special(id); }

 protected:
  explicit VocabularyTokenizer(Vocabulary vocabulary);

  // Appends the ids of a text without added tokens. `starts_anew`: at the beginning of all text, or right after an
  // added token.
  virtual void encode_text(std::string_view text, bool starts_anew, std::vector<TokenId>& ids) const = 0;
  // The bytes that a normal or unused token stands for.
  virtual std::string normal_token_bytes(TokenId id) const = 0;

  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  Vocabulary vocabulary_;
  AddedTokens added_;
};

// The tokenizer that the vocabulary asks for; the vocabulary is complete (complete_vocabulary). kUnsupported names the
// pre-tokenizer.
Result<std::unique_ptr<const Tokenizer>> make_tokenizer(Vocabulary vocabulary);

}  // namespace headroom
