// Cuts text into the words that byte-pair merging must not cross, by the patterns of the model's family.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom {

// One kind of pre-tokenizer: the names files use for it (tokenizer.ggml.pre), and the patterns that are applied one
// after the other. Each pattern cuts the pieces that the one before left: a match is a piece, and so is the text
// between two matches.
struct PreTokenizerRow {
  std::span<const std::string_view> names;
  std::span<const std::string_view> patterns;  // PCRE2, UTF
  bool takes_whole_words = false;              // a word that is a token is taken as it is, without merging
  bool adds_bos = false;                       // what tokenizer.ggml.add_bos_token is when the file does not say
};

// Null for a name that this build lacks.
const PreTokenizerRow* find_pre_tokenizer_row(std::string_view name);
std::span<const PreTokenizerRow> pre_tokenizer_rows();

// Const after construction; any thread.
class PreTokenizer {
 public:
  static Result<PreTokenizer> create(const PreTokenizerRow& row);

  PreTokenizer(PreTokenizer&&) noexcept;
  PreTokenizer& operator=(PreTokenizer&&) noexcept;
  ~PreTokenizer();

  // The words in order; together they are `text`, byte for byte. A run of bytes that are not UTF-8 is a word of its
  // own. Ends early once `take` returns false.
  void split(std::string_view text, const std::function<bool(std::string_view)>& take) const;

 private:
  struct Impl;
  explicit PreTokenizer(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace headroom
