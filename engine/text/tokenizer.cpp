#include "text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "file/show_name.h"
#include "text/pair_table.h"
#include "text/tokenizer_bpe.h"
#include "text/tokenizer_character_bpe.h"
#include "text/tokenizer_spm.h"
#include "text/utf8.h"
#include "text/vocabulary_tokenizer.h"

namespace headroom {

bool Tokenizer::ends_generation(TokenId id) const {
  const std::vector<TokenId>& ends = special().end_of_generation;
  return std::binary_search(ends.begin(), ends.end(), id);
}

std::vector<TokenId> Tokenizer::encode_pieces(std::span<const TextPiece> pieces, bool add_special) const {
  TokenSink sink;
  encode_to(sink, pieces, add_special);
  return sink.take();
}

std::vector<TokenId> Tokenizer::encode(const TracedText& text, bool add_special) const {
  return encode_pieces(text.pieces(), add_special);
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, bool add_special, bool parse_special) const {
  const TextPiece piece{text, parse_special ? TextOrigin::kTemplate : TextOrigin::kMessage};
  return encode_pieces({&piece, 1}, add_special);
}

namespace {

// The pieces behind each other, and where the text is of the template.
struct JoinedText {
  std::string text;
  std::vector<TextRange> of_template;
};

JoinedText joined(std::span<const TextPiece> pieces) {
  JoinedText all;
  std::size_t n_bytes = 0;
  for (const TextPiece& piece : pieces) n_bytes += piece.text.size();
  all.text.reserve(n_bytes);
  for (const TextPiece& piece : pieces) {
    const std::size_t from = all.text.size();
    all.text.append(piece.text);
    if (piece.origin != TextOrigin::kTemplate || piece.text.empty()) continue;
    if (!all.of_template.empty() && all.of_template.back().to == from) {
      all.of_template.back().to = all.text.size();
    } else {
      all.of_template.push_back({from, all.text.size()});
    }
  }
  return all;
}

}  // namespace

VocabularyTokenizer::VocabularyTokenizer(Vocabulary vocabulary)
    : vocabulary_(std::move(vocabulary)), added_(vocabulary_) {}

void VocabularyTokenizer::encode_to(TokenSink& sink, std::span<const TextPiece> pieces, bool add_special) const {
  const JoinedText all = joined(pieces);
  sink.expect(all.text.size() / 3 + 2);
  const SpecialTokens& special_tokens = special();
  if (add_special && special_tokens.add_bos && special_tokens.bos) sink.push(*special_tokens.bos);
  bool starts_anew = true;
  added_.split(all.text, all.of_template, [&](const TextPart& part) {
    if (part.is_token) {
      sink.push(part.id);
    } else {
      encode_text(part.text, starts_anew, sink);
    }
    starts_anew = part.is_token;
    return !sink.is_stopped();
  });
  if (add_special && special_tokens.add_eos && special_tokens.eos) sink.push(*special_tokens.eos);
}

void VocabularyTokenizer::measure_tokens() {
  longest_ = kLongestCharacter;
  for (TokenId id = 0; id < n_vocab(); ++id)
    longest_ = std::max(longest_, static_cast<std::uint32_t>(token_bytes(id, true).size()));
  const bool swallows = !vocabulary_.swallow_space_after.empty();
  for (int byte = 0; byte < 256; ++byte)
    counts_[byte] = (special().unknown || has_byte(static_cast<std::uint8_t>(byte))) &&
                    !(swallows && AddedTokens::may_swallow(static_cast<char>(byte)));
}

std::size_t VocabularyTokenizer::fewest_tokens(std::string_view text) const {
  std::size_t n_bytes = 0;
  for (const char c : text) n_bytes += counts_[static_cast<std::uint8_t>(c)] ? 1 : 0;
  return (n_bytes + longest_ - 1) / longest_;
}

std::string VocabularyTokenizer::token_bytes(TokenId id, bool show_special) const {
  if (id >= n_vocab()) return {};
  if (vocabulary_.is_special(id)) return show_special ? vocabulary_.texts[id] : std::string();
  switch (vocabulary_.types[id]) {
    case TokenType::kUserDefined: return vocabulary_.texts[id];
    case TokenType::kByte:
      if (const int byte = byte_of_token_text(vocabulary_.texts[id]); byte >= 0)
        return std::string(1, static_cast<char>(byte));
      break;
    case TokenType::kNormal:
    case TokenType::kUnknown:
    case TokenType::kControl:
    case TokenType::kUnused: break;
  }
  return normal_token_bytes(id);
}

std::string VocabularyTokenizer::decode(const std::vector<TokenId>& ids, bool show_special) const {
  std::string text;
  bool may_have_prefix =
      special().add_space_prefix;  // the space that encode() put before the first word is not the text's own
  for (const TokenId id : ids) {
    const std::string bytes = token_bytes(id, show_special);
    const bool is_text =
        id < n_vocab() && !vocabulary_.is_special(id) && vocabulary_.types[id] != TokenType::kUserDefined;
    text.append(bytes, may_have_prefix && is_text && bytes.starts_with(' ') ? 1 : 0, std::string::npos);
    if (is_text || !bytes.empty()) may_have_prefix = false;
  }
  return text;
}

namespace {

Error unknown_pre_tokenizer(const std::vector<std::string_view>& known, std::string_view found) {
  return {ErrorCode::kUnsupported, Message::say("metadata 'tokenizer.ggml.pre': expected one of {}, found {}",
                                                fmt::format("{}", fmt::join(known, ", ")), show_name(found))};
}

Result<std::unique_ptr<const Tokenizer>> make_character_bpe(Vocabulary vocabulary) {
  // No words are cut. Files leave the key out, or write either of these for it.
  const std::vector<std::string_view> names = {kCharacterBpeModel, "default"};
  if (std::find(names.begin(), names.end(), vocabulary.pre) == names.end())
    return unknown_pre_tokenizer(names, vocabulary.pre);
  return CharacterBpeTokenizer::create(std::move(vocabulary));
}

Result<std::unique_ptr<const Tokenizer>> make_byte_level_bpe(Vocabulary vocabulary) {
  const PreTokenizerRow* row = find_pre_tokenizer_row(vocabulary.pre);
  if (!row) {
    std::vector<std::string_view> names;
    for (const PreTokenizerRow& each : pre_tokenizer_rows())
      names.insert(names.end(), each.names.begin(), each.names.end());
    return unknown_pre_tokenizer(names, vocabulary.pre);
  }
  auto pre_tokenizer = PreTokenizer::create(*row);
  if (!pre_tokenizer) return pre_tokenizer.error();
  return std::unique_ptr<const Tokenizer>(
      std::make_unique<const BpeTokenizer>(std::move(vocabulary), std::move(*pre_tokenizer), row->takes_whole_words));
}

}  // namespace

Result<std::unique_ptr<const Tokenizer>> make_tokenizer(Vocabulary vocabulary) {
  if (vocabulary.model == kSentencePieceModel)
    return std::unique_ptr<const Tokenizer>(std::make_unique<const SpmTokenizer>(std::move(vocabulary)));
  if (vocabulary.model == kByteLevelBpeModel) return make_byte_level_bpe(std::move(vocabulary));
  if (vocabulary.model == kCharacterBpeModel) return make_character_bpe(std::move(vocabulary));
  return unknown_model(vocabulary.model);
}

Result<std::unique_ptr<const Tokenizer>> read_tokenizer(const ModelFile& file) {
  auto vocabulary = read_vocabulary(file);
  if (!vocabulary) return vocabulary.error();
  auto tokenizer = make_tokenizer(std::move(*vocabulary));
  if (!tokenizer) return in_file(file, tokenizer.error());
  return tokenizer;
}

namespace {

// What an allocation takes, with its header: glibc's rule.
Bytes chunk_bytes(Bytes asked) { return std::max<Bytes>(round_up(asked + 8, 16), 32); }

// A node of an unordered_map, with the pointer that leads to it.
template <class Key>
Bytes map_entry_bytes() {
  return chunk_bytes(sizeof(void*) + sizeof(std::pair<const Key, TokenId>) + sizeof(std::size_t)) + sizeof(void*);
}

const std::vector<std::string>* find_texts(const ModelFile& file, std::string_view key) {
  return std::get_if<std::vector<std::string>>(file.find(key));
}

}  // namespace

Bytes estimate_tokenizer_bytes(const ModelFile& file) {
  const auto* texts = find_texts(file, "tokenizer.ggml.tokens");
  if (texts == nullptr) return 0;
  const Bytes n_vocab = texts->size();
  Bytes bytes = n_vocab * (sizeof(std::string) + sizeof(TokenType));
  const std::size_t inline_chars = std::string().capacity();
  for (const std::string& text : *texts) bytes += text.size() > inline_chars ? chunk_bytes(text.size() + 1) : 0;
  const auto model = file.find_string("tokenizer.ggml.model");
  const auto* merges = find_texts(file, "tokenizer.ggml.merges");
  const std::string kind = model.ok() ? model->value_or("") : "";
  if (merges == nullptr || (kind != kByteLevelBpeModel && kind != kCharacterBpeModel))
    return bytes + n_vocab * (sizeof(float) + map_entry_bytes<std::string_view>());
  if (kind == kCharacterBpeModel) {
    const auto n_characters = static_cast<Bytes>(std::count_if(texts->begin(), texts->end(), is_one_character));
    return bytes + n_characters * map_entry_bytes<char32_t>() + PairTable::bytes_for(merges->size());
  }
  const auto pre = file.find_string("tokenizer.ggml.pre");
  const PreTokenizerRow* row = find_pre_tokenizer_row(pre.ok() ? pre->value_or("default") : "default");
  if (row != nullptr && row->takes_whole_words) bytes += n_vocab * map_entry_bytes<std::string>();
  return bytes + PairTable::bytes_for(merges->size());
}

}  // namespace headroom
