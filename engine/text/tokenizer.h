// Text to token ids and back, as the file's own metadata describes it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "file/model_file.h"
#include "text/token_sink.h"
#include "text/traced_text.h"

namespace headroom {

struct SpecialTokens {
  std::optional<TokenId> bos, eos, unknown, padding, end_of_turn, end_of_message;
  bool add_bos = false, add_eos = false, add_space_prefix = false;
  std::vector<TokenId> end_of_generation;  // all that end an answer: eos, eot, eom and their like, ascending
  std::vector<TokenId> suppressed;         // ascending; no sampler chooses them. The model's probabilities have them
};

// Const after construction; any thread.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual std::uint32_t n_vocab() const = 0;
  virtual const SpecialTokens& special() const = 0;
  virtual std::string_view model() const = 0;  // as the file names it (text/vocabulary.h has the names)

  // The ids of the pieces as one text: where they meet does not show in the ids. Only a control token that stands
  // wholly in what is of the template ("<|im_end|>") becomes its id; one that is in a message, or partly, is plain text
  // and never gives the id of a control token or of a token that ends an answer. Invalid UTF-8 never fails.
  // Takes, beside the text and a copy of it, what a slice of it does (kSliceBytes) and what `sink` keeps.
  virtual void encode_to(TokenSink& sink, std::span<const TextPiece> pieces, bool add_special) const = 0;
  std::vector<TokenId> encode_pieces(std::span<const TextPiece> pieces, bool add_special) const;
  std::vector<TokenId> encode(const TracedText& text, bool add_special) const;
  // A text of one origin: `parse_special` reads it as a template's, otherwise as a message's.
  std::vector<TokenId> encode(std::string_view text, bool add_special, bool parse_special) const;

  // The most bytes of a text that one token stands for.
  virtual std::uint32_t longest_token_bytes() const = 0;
  // A text cannot have fewer tokens than that: its bytes, each token taken for the longest. White space that an added
  // token may swallow and bytes that no token has do not count. Takes no memory, and next to no time.
  virtual std::size_t fewest_tokens(std::string_view text) const = 0;

  // The bytes of one token; may be part of a code point. Control tokens give their text when `show_special`, else
  // nothing.
  virtual std::string token_bytes(TokenId id, bool show_special) const = 0;
  virtual std::string decode(const std::vector<TokenId>& ids, bool show_special) const = 0;

  virtual bool is_control(TokenId id) const = 0;
  bool ends_generation(TokenId id) const;
};

// kBadFile names the missing or contradictory key; kUnsupported names a tokenizer model or pre-tokenizer that this
// build lacks.
Result<std::unique_ptr<const Tokenizer>> read_tokenizer(const ModelFile& file);

// About what read_tokenizer() of this file leaves on the heap, without building it: the sizes of its tables. 0 without
// a tokenizer.
Bytes estimate_tokenizer_bytes(const ModelFile& file);

}  // namespace headroom
