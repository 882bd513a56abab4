// The tokens of a model as plain values: what a file's tokenizer.ggml.* keys say, checked, and nothing computed from it
// but the special tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "file/model_file.h"
#include "text/tokenizer.h"

namespace headroom {

enum class TokenType : std::uint8_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6
};  // as numbered in GGUF

// The kinds of tokenizers, as files name them (tokenizer.ggml.model).
inline constexpr std::string_view kSentencePieceModel = "llama", kByteLevelBpeModel = "gpt2",
                                  kCharacterBpeModel = "gemma4";

struct Vocabulary {
  std::string model;                         // one of the three
  std::string pre;                           // pre-tokenizer of both kinds of BPE; empty for SentencePiece
  std::vector<std::string> texts;            // (n_vocab)
  std::vector<float> scores;                 // (n_vocab), SentencePiece only
  std::vector<TokenType> types;              // (n_vocab)
  std::vector<std::string> merges;           // (n_merges) "left right", best first; both kinds of BPE
  std::vector<TokenId> swallow_space_after;  // special tokens that take the white space after them along, ascending
  SpecialTokens special;
  std::vector<TokenId> guarded_ends;  // ends of an answer that are no special tokens but guarded, ascending

  std::uint32_t n_vocab() const { return static_cast<std::uint32_t>(texts.size()); }
  // By the file's own word.
  bool is_special(TokenId id) const { return types[id] == TokenType::kControl || types[id] == TokenType::kUnknown; }
  // Never the result of merging, and never of a message's text: special tokens, and what ends an answer.
  bool is_guarded(TokenId id) const;
};

// kUnsupported: metadata 'tokenizer.ggml.model' names a tokenizer that this build lacks.
Error unknown_model(std::string_view model);

// kBadFile names the missing, mistyped or contradictory key; kUnsupported a tokenizer model that this build lacks.
Result<Vocabulary> read_vocabulary(const ModelFile& file);

// Checks that the fields agree and collects special.end_of_turn, special.end_of_generation and guarded_ends. Types stay
// as they are: only the file makes a token special. read_vocabulary() has done this; a vocabulary made by hand needs it
// once.
Status complete_vocabulary(Vocabulary& vocabulary);

// An unknown token may stand for a whole character.
inline constexpr std::uint32_t kLongestCharacter = 4;
// The longest_token_bytes() of the tokenizer that this file has, without building it; 0 without one. Where the file
// does not say which tokens are added ones it may be more.
std::uint32_t longest_token_bytes(const ModelFile& file);

// The bytes that a "<0xE3>" token stands for; -1 for any other text.
int byte_of_token_text(std::string_view text);

}  // namespace headroom
