// The character that stands for a space inside the tokens of SentencePiece's vocabularies.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "text/slices.h"
#include "text/token_sink.h"

namespace headroom {

inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581

// The text that a token stands for: its marks are spaces.
std::string without_space_marks(std::string_view token);

// Gives `encode` the slices of a text whose spaces are marks, unless the sink is stopped. They become marks on the way:
// no more than a slice and what follows it is held. `starts_with_mark`: a mark stands before the text.
template <class Encode>
void encode_marked_slices(std::string_view text, bool starts_with_mark, const BytePairs& pairs, const TokenSink& sink,
                          const Encode& encode) {
  std::string marked;
  marked.reserve(std::min(text.size() + text.size() / 2, kSliceBytes) + 2 * kSpaceMark.size());
  if (starts_with_mark) marked += kSpaceMark;
  while (!sink.is_stopped()) {
    while (!text.empty() && marked.size() <= kSliceBytes) {
      if (text.front() == ' ') {
        marked += kSpaceMark;
      } else {
        marked += text.front();
      }
      text.remove_prefix(1);
    }
    if (marked.empty()) return;
    const std::size_t n_bytes = pairs.first_slice(marked);
    encode(std::string_view(marked).substr(0, n_bytes));
    marked.erase(0, n_bytes);
  }
}

}  // namespace headroom
