// What all kinds of tokenizers share: special tokens around and inside the text, and the way back from ids.
#pragma once

#include <array>
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
  void encode_to(TokenSink& sink, std::span<const TextPiece> pieces, bool add_special) const override;
  std::uint32_t longest_token_bytes() const override { return longest_; }
  std::size_t fewest_tokens(std::string_view text) const override;
  std::string token_bytes(TokenId id, bool show_special) const override;
  std::string decode(const std::vector<TokenId>& ids, bool show_special) const override;
  bool is_control(TokenId id) const override { return id < n_vocab() && vocabulary_.is_special(id); }

 protected:
  explicit VocabularyTokenizer(Vocabulary vocabulary);
  void measure_tokens();  // once, when the tokenizer is made

  // Pushes the ids of a text without added tokens, unless it is stopped. `starts_anew`: at the beginning of all text,
  // or right after an added token.
  virtual void encode_text(std::string_view text, bool starts_anew, TokenSink& sink) const = 0;
  virtual bool has_byte(std::uint8_t byte) const = 0;  // whether a token stands for it where no other fits
  // The bytes that a normal or unused token stands for.
  virtual std::string normal_token_bytes(TokenId id) const = 0;

  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  Vocabulary vocabulary_;
  AddedTokens added_;
  std::uint32_t longest_ = 0;
  std::array<bool, 256> counts_{};  // bytes that no text can have without having a token for them
};

// The tokenizer that the vocabulary asks for; the vocabulary is complete (complete_vocabulary). kUnsupported names the
// pre-tokenizer.
Result<std::unique_ptr<const Tokenizer>> make_tokenizer(Vocabulary vocabulary);

}  // namespace headroom
