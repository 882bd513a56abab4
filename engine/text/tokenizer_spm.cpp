#include "text/tokenizer_spm.h"

#include <algorithm>
#include <queue>

#include "text/space_marks.h"
#include "text/utf8.h"

namespace headroom {

namespace {

constexpr std::int32_t kNone = -1;

// One stretch of the text while merging: a character first, then whatever it grew to. Absorbed ones have no bytes.
struct Symbol {
  std::uint32_t from = 0, n_bytes = 0;
  std::int32_t previous = kNone, next = kNone;
};

struct Candidate {
  float score = 0;
  std::int32_t left = kNone, right = kNone;
  std::uint32_t n_bytes = 0;  // of both together when it was found: another sum now means that one of them has grown

  // For a max-heap: the best score first, then the leftmost.
  bool operator<(const Candidate& other) const {
    return score != other.score ? score < other.score : left > other.left;
  }
};

}  // namespace

// The work of one slice: symbols as a linked list, candidate pairs in a heap, so n characters take n log n
// steps.
struct SpmTokenizer::Merger {
  const SpmTokenizer& tokenizer;
  std::string_view text;
  std::vector<Symbol> symbols = {};
  std::priority_queue<Candidate> candidates = {};

  std::string_view text_of(const Symbol& symbol) const { return text.substr(symbol.from, symbol.n_bytes); }

  void read_symbols() {
    symbols.reserve(text.size());
    for (std::size_t pos = 0; pos < text.size();) {
      const CodePoint point = read_code_point(text, pos);
      const auto index = static_cast<std::int32_t>(symbols.size());
      symbols.push_back({static_cast<std::uint32_t>(pos), point.n_bytes, index - 1, index + 1});
      pos += point.n_bytes;
    }
    if (!symbols.empty()) symbols.back().next = kNone;
  }

  void consider(std::int32_t left, std::int32_t right) {
    if (left == kNone || right == kNone) return;
    const std::uint32_t n_bytes = symbols[left].n_bytes + symbols[right].n_bytes;
    if (n_bytes > tokenizer.max_token_bytes_) return;
    const TokenId id = tokenizer.find(text.substr(symbols[left].from, n_bytes));
    if (id != kNoToken) candidates.push({tokenizer.vocabulary().scores[id], left, right, n_bytes});
  }

  void merge_all() {
    for (std::int32_t i = 1; i < static_cast<std::int32_t>(symbols.size()); ++i) consider(i - 1, i);
    while (!candidates.empty()) {
      const Candidate best = candidates.top();
      candidates.pop();
      Symbol& left = symbols[best.left];
      Symbol& right = symbols[best.right];
      if (left.n_bytes == 0 || right.n_bytes == 0 || left.n_bytes + right.n_bytes != best.n_bytes) continue;
      left.n_bytes = best.n_bytes;
      left.next = right.next;
      right.n_bytes = 0;
      if (left.next != kNone) symbols[left.next].previous = best.left;
      consider(left.previous, best.left);
      consider(best.left, left.next);
    }
  }
};

SpmTokenizer::SpmTokenizer(Vocabulary vocabulary_values) : VocabularyTokenizer(std::move(vocabulary_values)) {
  by_byte_.fill(kNoToken);
  by_text_.reserve(n_vocab());
  for (TokenId id = 0; id < n_vocab(); ++id) {
    const std::string& text = vocabulary().texts[id];
    if (vocabulary().types[id] == TokenType::kByte) {
      if (const int byte = byte_of_token_text(text); byte >= 0) by_byte_[byte] = id;
    } else if (!vocabulary().is_guarded(id) && !text.empty()) {
      by_text_.emplace(text, id);
      pairs_.add_all(text);
      max_token_bytes_ = std::max(max_token_bytes_, text.size());
    }
  }
  measure_tokens();
}

TokenId SpmTokenizer::find(std::string_view text) const {
  const auto found = by_text_.find(text);
  return found == by_text_.end() ? kNoToken : found->second;
}

void SpmTokenizer::append_bytes(std::string_view text, TokenSink& sink) const {
  bool unknown_stands = false;
  for (const char c : text) {
    const TokenId id = by_byte_[static_cast<std::uint8_t>(c)];
    if (id != kNoToken) {
      sink.push(id);
    } else if (special().unknown && !unknown_stands) {  // one for the whole character
      sink.push(*special().unknown);
      unknown_stands = true;
    }
  }
}

void SpmTokenizer::encode_slice(std::string_view slice, TokenSink& sink) const {
  Merger merger{*this, slice};
  merger.read_symbols();
  merger.merge_all();
  for (const Symbol& symbol : merger.symbols) {
    if (symbol.n_bytes == 0) continue;
    const TokenId id = find(merger.text_of(symbol));
    if (id != kNoToken) {
      sink.push(id);
    } else {
      append_bytes(merger.text_of(symbol), sink);
    }
  }
}

void SpmTokenizer::encode_text(std::string_view text, bool starts_anew, TokenSink& sink) const {
  encode_marked_slices(text, starts_anew && special().add_space_prefix, pairs_, sink,
                       [&](std::string_view slice) { encode_slice(slice, sink); });
}

std::string SpmTokenizer::normal_token_bytes(TokenId id) const { return without_space_marks(vocabulary().texts[id]); }

}  // namespace headroom
