#include "text/tokenizer_character_bpe.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "file/show_name.h"
#include "text/space_marks.h"
#include "text/utf8.h"

namespace headroom {

namespace {

// Files write U+0120 for a space that is part of a merge's half, because a space parts the two halves. Spaces of texts
// are marks when merging begins, so such a merge never happens and may name what is no token.
constexpr std::string_view kSpaceInHalf = "\xC4\xA0";

// The models' own tokenizers read a run of line ends as the longest tokens that it holds. Where that is no work of
// merges, these tokens are added ones there, which converters write as normal: no other way leads to them.
void add_runs_of_line_ends(Vocabulary& vocabulary) {
  std::unordered_set<std::size_t> merged_lengths;
  for (const std::string& merge : vocabulary.merges)
    if (merge.find_first_not_of("\n ") == std::string::npos) merged_lengths.insert(merge.size() - 1);
  for (TokenId id = 0; id < vocabulary.n_vocab(); ++id) {
    const std::string& text = vocabulary.texts[id];
    const bool is_run = text.size() > 1 && text.find_first_not_of('\n') == std::string::npos;
    if (is_run && vocabulary.types[id] == TokenType::kNormal && !merged_lengths.contains(text.size()))
      vocabulary.types[id] = TokenType::kUserDefined;
  }
}

// Token ids by their texts; of a text that stands twice the first.
using TextIndex = std::unordered_map<std::string_view, TokenId>;

struct Merge {
  std::string_view left, right;
  TokenId left_id = 0, right_id = 0, merged_id = 0;
};

// Nothing where one of the three is no token.
std::optional<Merge> find_merge(const TextIndex& by_text, std::string_view text) {
  const std::size_t space = text.find(' ', 1);
  if (space == std::string_view::npos || space + 1 == text.size()) return std::nullopt;
  const std::string_view left = text.substr(0, space), right = text.substr(space + 1);
  const auto left_token = by_text.find(left), right_token = by_text.find(right),
             merged_token = by_text.find(std::string(left).append(right));
  if (left_token == by_text.end() || right_token == by_text.end() || merged_token == by_text.end()) return std::nullopt;
  return Merge{left, right, left_token->second, right_token->second, merged_token->second};
}

}  // namespace

Result<std::unique_ptr<const Tokenizer>> CharacterBpeTokenizer::create(Vocabulary vocabulary) {
  add_runs_of_line_ends(vocabulary);
  const std::vector<std::string> merges = std::exchange(vocabulary.merges, {});
  std::unique_ptr<CharacterBpeTokenizer> tokenizer(new CharacterBpeTokenizer(std::move(vocabulary), merges.size()));
  if (const Status status = tokenizer->read_tokens(); !status) return status.error();
  if (const Status status = tokenizer->read_merges(merges); !status) return status.error();
  tokenizer->measure_tokens();
  return std::unique_ptr<const Tokenizer>(std::move(tokenizer));
}

CharacterBpeTokenizer::CharacterBpeTokenizer(Vocabulary vocabulary_values, std::size_t n_merges)
    : VocabularyTokenizer(std::move(vocabulary_values)), merges_(n_merges) {}

Status CharacterBpeTokenizer::read_tokens() {
  constexpr TokenId kNoToken = ~TokenId{0};
  by_byte_.fill(kNoToken);
  for (TokenId id = 0; id < n_vocab(); ++id) {
    const std::string& text = vocabulary().texts[id];
    if (vocabulary().types[id] == TokenType::kByte) {
      if (const int byte = byte_of_token_text(text); byte >= 0) by_byte_[byte] = id;
    } else if (is_one_character(text) && !vocabulary().is_guarded(id)) {
      by_character_.emplace(read_code_point(text, 0).value, id);
    }
  }
  const auto missing = std::find(by_byte_.begin(), by_byte_.end(), kNoToken);
  if (missing == by_byte_.end()) return ok_status();
  return Error{
      ErrorCode::kBadFile,
      Message::say("metadata 'tokenizer.ggml.tokens': expected a byte token for each of the 256 bytes, found none for "
                   "{}",
                   fmt::format("<0x{:02X}>", missing - by_byte_.begin()))};
}

Status CharacterBpeTokenizer::read_merges(const std::vector<std::string>& merges) {
  TextIndex by_text;
  by_text.reserve(n_vocab());
  for (TokenId id = 0; id < n_vocab(); ++id) by_text.emplace(vocabulary().texts[id], id);
  std::uint32_t rank = 0;
  for (const std::string& text : merges) {
    const std::optional<Merge> merge = find_merge(by_text, text);
    if (!merge && text.find(kSpaceInHalf) == std::string::npos)
      return Error{ErrorCode::kBadFile,
                   Message::say("metadata 'tokenizer.ggml.merges': expected two tokens that make a token, found {}",
                                show_name(text))};
    const auto is_guarded = [&](TokenId id) { return vocabulary().is_guarded(id); };
    if (merge && !is_guarded(merge->left_id) && !is_guarded(merge->right_id) && !is_guarded(merge->merged_id)) {
      merges_.add(merge->left_id, merge->right_id, {rank, merge->merged_id});
      pairs_.add(merge->left.back(), merge->right.front());
    }
    ++rank;
  }
  return ok_status();
}

void CharacterBpeTokenizer::encode_slice(std::string_view slice, PairMerger& merger, TokenSink& sink) const {
  merger.start(slice.size());
  for (std::size_t pos = 0; pos < slice.size();) {
    const CodePoint point = read_code_point(slice, pos);
    const auto character = point.valid ? by_character_.find(point.value) : by_character_.end();
    if (character != by_character_.end()) {
      merger.push(character->second, point.n_bytes);
    } else {
      for (const char c : slice.substr(pos, point.n_bytes)) merger.push(by_byte_[static_cast<std::uint8_t>(c)], 1);
    }
    pos += point.n_bytes;
  }
  merger.merge_all();
  for (const PairMerger::Symbol& symbol : merger.symbols())
    if (symbol.n_bytes != 0) sink.push(symbol.id);
}

void CharacterBpeTokenizer::encode_text(std::string_view text, bool /*starts_anew*/, TokenSink& sink) const {
  PairMerger merger(merges_);
  encode_marked_slices(text, false, pairs_, sink, [&](std::string_view slice) { encode_slice(slice, merger, sink); });
}

std::string CharacterBpeTokenizer::normal_token_bytes(TokenId id) const {
  return without_space_marks(vocabulary().texts[id]);
}

}  // namespace headroom
