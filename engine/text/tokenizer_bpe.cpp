#include "text/tokenizer_bpe.h"

#include <memory>
#include <utility>

#include "text/pair_merger.h"
#include "text/utf8.h"

namespace headroom {

namespace {

// Files write bytes as printable characters: those of Latin-1 that print stand for themselves, the other 68 follow from
// U+0100 in order (GPT-2).
struct ByteAlphabet {
  std::array<char32_t, 256> character{};
  std::array<std::int16_t, 0x144> byte{};  // -1: no byte's character

  constexpr ByteAlphabet() {
    byte.fill(-1);
    char32_t next = 0x100;
    for (int b = 0; b < 256; ++b) {
      const bool prints = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
      character[b] = prints ? static_cast<char32_t>(b) : next++;
      byte[character[b]] = static_cast<std::int16_t>(b);
    }
  }
};
constexpr ByteAlphabet kAlphabet;

// The bytes that a token's text stands for; characters outside the alphabet stand for themselves.
std::string raw_bytes(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t pos = 0; pos < text.size();) {
    const CodePoint point = read_code_point(text, pos);
    const bool in_alphabet = point.valid && point.value < kAlphabet.byte.size() && kAlphabet.byte[point.value] >= 0;
    if (in_alphabet) {
      bytes += static_cast<char>(kAlphabet.byte[point.value]);
    } else {
      bytes.append(text.substr(pos, point.n_bytes));
    }
    pos += point.n_bytes;
  }
  return bytes;
}

}  // namespace

// Numbers the texts that merges speak of. Only needed while the tokenizer is built.
struct BpeTokenizer::Interner {
  std::unordered_map<std::string_view, SymbolId> by_text;  // tokens: views into the vocabulary
  std::vector<std::unique_ptr<std::string>> others;        // what is no token, at addresses that stay
  SymbolId next = 0;

  explicit Interner(const Vocabulary& vocabulary) : next(vocabulary.n_vocab()) {
    by_text.reserve(vocabulary.texts.size());
    for (TokenId id = 0; id < vocabulary.n_vocab(); ++id)
      if (!vocabulary.is_guarded(id)) by_text.emplace(vocabulary.texts[id], id);
  }

  SymbolId number(std::string_view text) {
    const auto found = by_text.find(text);
    if (found != by_text.end()) return found->second;
    others.push_back(std::make_unique<std::string>(text));
    by_text.emplace(*others.back(), next);
    return next++;
  }
};

BpeTokenizer::BpeTokenizer(Vocabulary vocabulary_values, PreTokenizer pre_tokenizer, bool takes_whole_words)
    : BpeTokenizer(std::exchange(vocabulary_values.merges, {}), std::move(vocabulary_values), std::move(pre_tokenizer),
                   takes_whole_words) {}

BpeTokenizer::BpeTokenizer(const std::vector<std::string>& merges, Vocabulary&& vocabulary_values,
                           PreTokenizer&& pre_tokenizer, bool takes_whole_words)
    : VocabularyTokenizer(std::move(vocabulary_values)),
      pre_tokenizer_(std::move(pre_tokenizer)),
      takes_whole_words_(takes_whole_words),
      merges_(merges.size()) {
  Interner interner(vocabulary());
  for (int byte = 0; byte < 256; ++byte) {
    std::string text;
    append_code_point(text, kAlphabet.character[byte]);
    by_byte_[byte] = interner.number(text);
  }
  std::uint32_t rank = 0;
  for (const std::string_view merge : merges) {
    const std::size_t space = merge.find(' ', 1);  // a half may itself be a space in vocabularies that do not escape it
    if (space != std::string_view::npos) {
      const std::string_view left = merge.substr(0, space), right = merge.substr(space + 1);
      const SymbolId merged = interner.number(std::string(left).append(right));
      merges_.add(interner.number(left), interner.number(right), {rank, merged});
      // What is inside the halves was merged before.
      if (!right.empty()) pairs_.add(raw_bytes(left).back(), raw_bytes(right).front());
    }
    ++rank;
  }
  measure_tokens();
  if (!takes_whole_words_) return;
  whole_words_.reserve(n_vocab());
  for (TokenId id = 0; id < n_vocab(); ++id)
    if (!vocabulary().is_guarded(id) && vocabulary().types[id] != TokenType::kUserDefined)
      whole_words_.emplace(raw_bytes(vocabulary().texts[id]), id);
}

void BpeTokenizer::append_symbol(SymbolId symbol, std::string_view bytes, TokenSink& sink) const {
  if (symbol < n_vocab()) {
    sink.push(symbol);
    return;
  }
  for (const char c : bytes) {  // a merge whose result is no token: its bytes, where they are tokens
    const SymbolId byte = by_byte_[static_cast<std::uint8_t>(c)];
    if (byte < n_vocab()) {
      sink.push(byte);
    } else if (special().unknown) {
      sink.push(*special().unknown);
    }
  }
}

void BpeTokenizer::encode_text(std::string_view text, bool /*starts_anew*/, TokenSink& sink) const {
  PairMerger merger(merges_);
  std::string key;
  pre_tokenizer_.split(text, [&](std::string_view word) {
    if (takes_whole_words_ && word.size() <= longest_token_bytes()) {
      key.assign(word);
      if (const auto found = whole_words_.find(key); found != whole_words_.end()) {
        sink.push(found->second);
        return !sink.is_stopped();
      }
    }
    while (!word.empty() && !sink.is_stopped()) {
      const std::string_view slice = word.substr(0, pairs_.first_slice(word));
      merger.start(slice.size());
      for (const char c : slice) merger.push(by_byte_[static_cast<std::uint8_t>(c)], 1);
      merger.merge_all();
      for (const PairMerger::Symbol& symbol : merger.symbols())
        if (symbol.n_bytes != 0) append_symbol(symbol.id, slice.substr(symbol.from, symbol.n_bytes), sink);
      word.remove_prefix(slice.size());
    }
    return !sink.is_stopped();
  });
}

std::string BpeTokenizer::normal_token_bytes(TokenId id) const { return raw_bytes(vocabulary().texts[id]); }

}  // namespace headroom
