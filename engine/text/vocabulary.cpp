#include "text/vocabulary.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "base/c_locale.h"
#include "file/show_name.h"
#include "text/pre_tokenizer.h"
#include "text/space_marks.h"
#include "text/utf8.h"

namespace headroom {

namespace {

// Ids are 32 bits everywhere, and no vocabulary comes near this.
constexpr std::size_t kMaxVocab = std::size_t{1} << 24;

// Texts that end an answer wherever they are tokens, whatever their type. Files often forget to say so: they name one
// end-of-sequence token, and chat templates use another.
constexpr std::array<std::string_view, 13> kEndOfTurnTexts = {
    "<|eot_id|>",      "<|im_end|>",         "<|end|>",
    "<end_of_turn>",   "<|endoftext|>",      "<|end_of_text|>",
    "<|eom_id|>",      "<end_of_utterance>", "<｜end▁of▁sentence｜>",
    "<|return|>",      "<|call|>",           "<turn|>",
    "<|tool_response>"};

// Texts that end an answer unless the file calls them ordinary.
constexpr std::array<std::string_view, 8> kLikelyEndOfTurnTexts = {"<eos>", "<EOT>",     "_<EOT>",    "[EOT]",
                                                                   "[EOS]", "<|flush|>", "<|calls|>", "[e~["};
// Ends one where the file makes it a control token: Gemma 3 has the tags of HTML as user-defined tokens, and an answer
// that strikes text out goes on behind this one.
constexpr std::string_view kEndTag = "</s>";

// Those of them that close a turn rather than a whole text, in order of preference.
constexpr std::array<std::string_view, 9> kTurnTexts = {"<|eot_id|>",    "<|im_end|>", "<|end|>",
                                                        "<end_of_turn>", "<turn|>",    "<EOT>",
                                                        "_<EOT>",        "[EOT]",      "<end_of_utterance>"};

constexpr std::string_view kBosKey = "tokenizer.ggml.bos_token_id", kEosKey = "tokenizer.ggml.eos_token_id",
                           kUnknownKey = "tokenizer.ggml.unknown_token_id",
                           kPaddingKey = "tokenizer.ggml.padding_token_id",
                           kEndOfTurnKey = "tokenizer.ggml.eot_token_id",
                           kEndOfMessageKey = "tokenizer.ggml.eom_token_id",
                           kSuppressedKey = "tokenizer.ggml.suppress_tokens";

Error bad_key(std::string_view key, const Message& expected, const Message& found) {
  return {ErrorCode::kBadFile, Message::say("metadata '{}': expected {}, found {}", key, expected, found)};
}
Error bad_key(const ModelFile& file, std::string_view key, const Message& expected, const Message& found) {
  return in_file(file, bad_key(key, expected, found));
}
Error bad_type(const ModelFile& file, std::string_view key, const Message& expected, const MetaValue* found) {
  return bad_key(file, key, expected, found ? type_words(*found) : Message::say("no such key"));
}

// Integer arrays come signed or unsigned.
std::optional<std::vector<std::int64_t>> as_integers(const MetaValue& value) {
  if (const auto* is_signed = std::get_if<std::vector<std::int64_t>>(&value)) return *is_signed;
  const auto* is_unsigned = std::get_if<std::vector<std::uint64_t>>(&value);
  if (!is_unsigned) return std::nullopt;
  std::vector<std::int64_t> integers;
  integers.reserve(is_unsigned->size());
  for (const std::uint64_t entry : *is_unsigned)
    integers.push_back(static_cast<std::int64_t>(std::min<std::uint64_t>(entry, INT64_MAX)));
  return integers;
}

Result<std::vector<std::string>> read_texts(const ModelFile& file, std::string_view key) {
  const MetaValue* value = file.find(key);
  const auto* texts = std::get_if<std::vector<std::string>>(value);
  if (!texts) return bad_type(file, key, Message::say("an array of strings"), value);
  return *texts;
}

Status read_scores(const ModelFile& file, Vocabulary& vocabulary) {
  constexpr std::string_view kKey = "tokenizer.ggml.scores";
  const MetaValue* value = file.find(kKey);
  if (!value) return bad_type(file, kKey, Message::say("an array of numbers"), value);
  if (const auto* floats = std::get_if<std::vector<double>>(value)) {
    vocabulary.scores.assign(floats->begin(), floats->end());
  } else if (const auto integers = as_integers(*value)) {
    vocabulary.scores.assign(integers->begin(), integers->end());
  } else {
    return bad_type(file, kKey, Message::say("an array of numbers"), value);
  }
  return ok_status();
}

Status read_types(const ModelFile& file, Vocabulary& vocabulary) {
  constexpr std::string_view kKey = "tokenizer.ggml.token_type";
  const MetaValue* value = file.find(kKey);
  if (!value) {
    vocabulary.types.assign(vocabulary.texts.size(), TokenType::kNormal);
    return ok_status();
  }
  const auto integers = as_integers(*value);
  if (!integers) return bad_type(file, kKey, Message::say("an array of integers"), value);
  vocabulary.types.reserve(integers->size());
  for (const std::int64_t number : *integers) {
    const bool is_known = number >= 1 && number <= 6;
    vocabulary.types.push_back(is_known ? static_cast<TokenType>(number)
                                        : TokenType::kNormal);  // 0 is "undefined" in older files
  }
  return ok_status();
}

// An id of a named special token; absent stays as it is.
Status read_id(const ModelFile& file, std::string_view key, std::uint32_t n_vocab, std::optional<TokenId>& id) {
  const auto found = file.find_uint(key);
  if (!found) return found.error();
  if (!found->has_value()) return ok_status();
  if (**found >= n_vocab)
    return bad_key(file, key, Message::say("a token id below {}", n_vocab), Message::say("{}", **found));
  id = static_cast<TokenId>(**found);
  return ok_status();
}

// Padding and unknown are of no use to us, and converters write -1 there for "none": anything that is no id counts as
// absent.
std::optional<TokenId> find_optional_id(const ModelFile& file, std::string_view key, std::uint32_t n_vocab) {
  const MetaValue* value = file.find(key);
  if (!value) return std::nullopt;
  if (const auto* number = std::get_if<std::uint64_t>(value); number && *number < n_vocab)
    return static_cast<TokenId>(*number);
  if (const auto* number = std::get_if<std::int64_t>(value); number && *number >= 0 && *number < n_vocab)
    return static_cast<TokenId>(*number);
  return std::nullopt;
}

void sort_unique(std::vector<TokenId>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

Status read_flag(const ModelFile& file, std::string_view key, bool& flag) {
  const auto found = file.find_bool(key);
  if (!found) return found.error();
  flag = found->value_or(flag);
  return ok_status();
}

Status read_suppressed_tokens(const ModelFile& file, Vocabulary& vocabulary) {
  const MetaValue* value = file.find(kSuppressedKey);
  if (!value) return ok_status();
  const auto ids = as_integers(*value);
  if (!ids) return bad_type(file, kSuppressedKey, Message::say("an array of integers"), value);
  for (const std::int64_t id : *ids) {
    if (id < 0 || id >= vocabulary.n_vocab())
      return bad_key(file, kSuppressedKey, Message::say("token ids below {}", vocabulary.n_vocab()),
                     Message::say("{}", id));
    vocabulary.special.suppressed.push_back(static_cast<TokenId>(id));
  }
  sort_unique(vocabulary.special.suppressed);
  return ok_status();
}

Status read_special_tokens(const ModelFile& file, Vocabulary& vocabulary) {
  SpecialTokens& special = vocabulary.special;
  const std::uint32_t n_vocab = vocabulary.n_vocab();
  if (vocabulary.model == kSentencePieceModel) {  // SentencePiece's own numbering, which files leave unsaid
    special.add_bos = true;
    special.add_space_prefix = true;
    if (n_vocab > 2) {
      special.unknown = 0;
      special.bos = 1;
      special.eos = 2;
    }
  } else if (vocabulary.model == kByteLevelBpeModel) {
    const PreTokenizerRow* row = find_pre_tokenizer_row(vocabulary.pre);
    special.add_bos = row && row->adds_bos;
  }
  const std::array<std::pair<std::string_view, std::optional<TokenId>*>, 3> ids = {{
      {kBosKey, &special.bos},
      {kEosKey, &special.eos},
      {kEndOfTurnKey, &special.end_of_turn},
  }};
  for (const auto& [key, id] : ids)
    if (const Status status = read_id(file, key, n_vocab, *id); !status) return status.error();
  if (const auto id = find_optional_id(file, kUnknownKey, n_vocab)) special.unknown = id;
  special.padding = find_optional_id(file, kPaddingKey, n_vocab);
  special.end_of_message = find_optional_id(file, kEndOfMessageKey, n_vocab);
  if (const Status status = read_flag(file, "tokenizer.ggml.add_bos_token", special.add_bos); !status)
    return status.error();
  if (const Status status = read_flag(file, "tokenizer.ggml.add_eos_token", special.add_eos); !status)
    return status.error();
  // These models were trained on texts that all begin with it, and the first files of them say that it is not added.
  if (vocabulary.model == kCharacterBpeModel) special.add_bos = special.bos.has_value();
  if (const Status status = read_suppressed_tokens(file, vocabulary); !status) return status.error();
  if (vocabulary.model != kSentencePieceModel) return ok_status();  // BPE has no prefix, whatever a file says
  return read_flag(file, "tokenizer.ggml.add_space_prefix", special.add_space_prefix);
}

// GGUF has no key for this property of added tokens, so the one public family that relies on it is known by its name.
Status read_space_swallowers(const ModelFile& file, Vocabulary& vocabulary) {
  const auto name = file.find_string("general.name");
  if (!name) return name.error();
  std::string lower = name->value_or("");
  for (char& c : lower) c = ascii_lower(c);
  if (lower.find("phi-3") == std::string::npos && lower.find("phi3") == std::string::npos) return ok_status();
  for (TokenId id = 0; id < vocabulary.n_vocab(); ++id) {
    const std::string& text = vocabulary.texts[id];
    const bool is_added = vocabulary.is_special(id) || vocabulary.types[id] == TokenType::kUserDefined;
    if (is_added && text != "<unk>" && text != "<s>" && text != "<|endoftext|>")
      vocabulary.swallow_space_after.push_back(id);
  }
  return ok_status();
}

Status check_vocabulary(const Vocabulary& vocabulary) {
  const std::size_t n_vocab = vocabulary.texts.size();
  if (n_vocab == 0 || n_vocab > kMaxVocab)
    return bad_key("tokenizer.ggml.tokens", Message::say("1 to {} entries", kMaxVocab), Message::say("{}", n_vocab));
  if (vocabulary.types.size() != n_vocab)
    return bad_key("tokenizer.ggml.token_type", Message::say("{} entries, one per token", n_vocab),
                   Message::say("{}", vocabulary.types.size()));
  if (vocabulary.model == kSentencePieceModel) {
    if (vocabulary.scores.size() != n_vocab)
      return bad_key("tokenizer.ggml.scores", Message::say("{} entries, one per token", n_vocab),
                     Message::say("{}", vocabulary.scores.size()));
    const bool has_nan =
        std::any_of(vocabulary.scores.begin(), vocabulary.scores.end(), [](float score) { return std::isnan(score); });
    if (has_nan) return bad_key("tokenizer.ggml.scores", Message::say("numbers"), Message::say("not a number"));
  } else if (vocabulary.merges.size() > kMaxVocab) {
    return bad_key("tokenizer.ggml.merges", Message::say("at most {} entries", kMaxVocab),
                   Message::say("{}", vocabulary.merges.size()));
  }
  const SpecialTokens& special = vocabulary.special;
  const std::array<std::pair<std::string_view, std::optional<TokenId>>, 6> ids = {{
      {kBosKey, special.bos},
      {kEosKey, special.eos},
      {kUnknownKey, special.unknown},
      {kPaddingKey, special.padding},
      {kEndOfTurnKey, special.end_of_turn},
      {kEndOfMessageKey, special.end_of_message},
  }};
  for (const auto& [key, id] : ids)
    if (id && *id >= n_vocab)
      return bad_key(key, Message::say("a token id below {}", n_vocab), Message::say("{}", *id));
  if (special.add_bos && !special.bos)
    return bad_key(kBosKey, Message::say("an id, because tokenizer.ggml.add_bos_token is true"),
                   Message::say("no such key"));
  if (special.add_eos && !special.eos)
    return bad_key(kEosKey, Message::say("an id, because tokenizer.ggml.add_eos_token is true"),
                   Message::say("no such key"));
  return ok_status();
}

}  // namespace

namespace {

// Of the text that a normal token stands for: vocabularies write a byte, or a space, as a character.
std::size_t normal_text_bytes(std::string_view text, bool is_byte_level) {
  constexpr char32_t kLastByteCharacter = 0x143;
  std::size_t n_bytes = 0;
  for (std::size_t pos = 0; pos < text.size();) {
    const CodePoint point = read_code_point(text, pos);
    const bool is_one =
        is_byte_level ? point.value <= kLastByteCharacter : text.compare(pos, kSpaceMark.size(), kSpaceMark) == 0;
    n_bytes += is_one ? 1 : point.n_bytes;
    pos += point.n_bytes;
  }
  return n_bytes;
}

}  // namespace

std::uint32_t longest_token_bytes(const ModelFile& file) {
  const MetaValue* const value = file.find("tokenizer.ggml.tokens");
  const auto* texts = value != nullptr ? std::get_if<std::vector<std::string>>(value) : nullptr;
  if (texts == nullptr) return 0;
  const auto model = file.find_string("tokenizer.ggml.model");
  const bool is_byte_level = model.ok() && *model == kByteLevelBpeModel;
  const MetaValue* const types = file.find("tokenizer.ggml.token_type");
  const auto integers = types != nullptr ? as_integers(*types) : std::nullopt;
  std::size_t longest = kLongestCharacter;
  for (std::size_t id = 0; id < texts->size(); ++id) {
    const auto type = integers && id < integers->size() ? static_cast<TokenType>((*integers)[id]) : TokenType::kNormal;
    const bool may_be_added =
        !integers || type == TokenType::kControl || type == TokenType::kUnknown || type == TokenType::kUserDefined;
    const std::string& text = (*texts)[id];
    if (type == TokenType::kByte) continue;
    longest = std::max(longest, may_be_added ? text.size() : normal_text_bytes(text, is_byte_level));
  }
  return static_cast<std::uint32_t>(longest);
}

bool Vocabulary::is_guarded(TokenId id) const {
  return is_special(id) || std::binary_search(guarded_ends.begin(), guarded_ends.end(), id);
}

int byte_of_token_text(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return -1;
  int value = 0;
  for (const char c : text.substr(3, 2)) {
    if (!std::isxdigit(static_cast<unsigned char>(c))) return -1;
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    value = value * 16 + digit;
  }
  return value;
}

namespace {

bool is_end_of_turn_text(std::string_view text, TokenType type) {
  const auto is_in = [&](const auto& texts) { return std::find(texts.begin(), texts.end(), text) != texts.end(); };
  return is_in(kEndOfTurnTexts) || (type != TokenType::kNormal && is_in(kLikelyEndOfTurnTexts)) ||
         (type == TokenType::kControl && text == kEndTag);
}

// A file without types says only by its keys which tokens are special, and by their texts.
void guess_types(Vocabulary& vocabulary) {
  const SpecialTokens& special = vocabulary.special;
  if (special.unknown) vocabulary.types[*special.unknown] = TokenType::kUnknown;
  for (const auto& id : {special.bos, special.eos, special.end_of_turn, special.end_of_message, special.padding})
    if (id) vocabulary.types[*id] = TokenType::kControl;
  for (TokenId id = 0; id < vocabulary.n_vocab(); ++id)
    if (is_end_of_turn_text(vocabulary.texts[id], TokenType::kNormal)) vocabulary.types[id] = TokenType::kControl;
}

}  // namespace

Status complete_vocabulary(Vocabulary& vocabulary) {
  if (const Status status = check_vocabulary(vocabulary); !status) return status.error();
  SpecialTokens& special = vocabulary.special;
  std::vector<TokenId>& ends = special.end_of_generation;
  ends.clear();
  vocabulary.guarded_ends.clear();
  std::size_t best_turn = kTurnTexts.size();
  const auto has = [&](std::string_view text) {
    const auto found = std::ranges::find(vocabulary.texts, text);
    return found != vocabulary.texts.end() &&
           is_end_of_turn_text(text, vocabulary.types[static_cast<std::size_t>(found - vocabulary.texts.begin())]);
  };
  // An answer of gpt-oss or Solar Open is several messages: each ends with <|end|>, the last one with one of the other
  // two.
  const bool has_messages = (has("<|return|>") && has("<|call|>")) || (has("<|flush|>") && has("<|calls|>"));
  for (TokenId id = 0; id < vocabulary.n_vocab(); ++id) {
    const std::string_view text = vocabulary.texts[id];
    if (!is_end_of_turn_text(text, vocabulary.types[id]) || (has_messages && text == "<|end|>")) continue;
    ends.push_back(id);
    if (!vocabulary.is_special(id)) vocabulary.guarded_ends.push_back(id);
    const auto turn =
        static_cast<std::size_t>(std::find(kTurnTexts.begin(), kTurnTexts.end(), text) - kTurnTexts.begin());
    if (turn < best_turn && !special.end_of_turn) best_turn = turn;
  }
  if (best_turn < kTurnTexts.size())
    special.end_of_turn = static_cast<TokenId>(
        std::find(vocabulary.texts.begin(), vocabulary.texts.end(), kTurnTexts[best_turn]) - vocabulary.texts.begin());
  // What the file's keys name ends an answer: GLM 4.5's calls of tools end at the <|observation|> that is to come,
  // which its files name as the end of a message. An ordinary token among them stays one that texts are made of.
  for (const auto& id : {special.eos, special.end_of_turn, special.end_of_message}) {
    if (!id) continue;
    ends.push_back(*id);
    if (vocabulary.types[*id] == TokenType::kUserDefined) vocabulary.guarded_ends.push_back(*id);
  }
  sort_unique(ends);
  sort_unique(vocabulary.guarded_ends);
  return ok_status();
}

Error unknown_model(std::string_view model) {
  return {
      ErrorCode::kUnsupported,
      Message::say("metadata 'tokenizer.ggml.model': expected '{}' (SentencePiece), '{}' (byte-level BPE) or '{}' (BPE "
                   "of characters), found {}",
                   kSentencePieceModel, kByteLevelBpeModel, kCharacterBpeModel, show_name(model))};
}

Result<Vocabulary> read_vocabulary(const ModelFile& file) {
  const auto model = file.find_string("tokenizer.ggml.model");
  if (!model) return model.error();
  if (!model->has_value())
    return bad_key(file, "tokenizer.ggml.model", Message::say("the kind of tokenizer"), Message::say("no such key"));
  Vocabulary vocabulary;
  vocabulary.model = **model;
  constexpr std::array kModels = {kSentencePieceModel, kByteLevelBpeModel, kCharacterBpeModel};
  if (std::find(kModels.begin(), kModels.end(), vocabulary.model) == kModels.end())
    return in_file(file, unknown_model(vocabulary.model));
  auto texts = read_texts(file, "tokenizer.ggml.tokens");
  if (!texts) return texts.error();
  vocabulary.texts = std::move(*texts);
  if (const Status status = read_types(file, vocabulary); !status) return status.error();
  if (vocabulary.model == kSentencePieceModel) {
    if (const Status status = read_scores(file, vocabulary); !status) return status.error();
  } else {
    const auto pre = file.find_string("tokenizer.ggml.pre");
    if (!pre) return pre.error();
    vocabulary.pre = pre->value_or("default");
    auto merges = read_texts(file, "tokenizer.ggml.merges");
    if (!merges) return merges.error();
    vocabulary.merges = std::move(*merges);
  }
  if (const Status status = read_special_tokens(file, vocabulary); !status) return status.error();
  if (const Status status = check_vocabulary(vocabulary); !status) return in_file(file, status.error());
  if (!file.find("tokenizer.ggml.token_type")) guess_types(vocabulary);
  if (const Status status = complete_vocabulary(vocabulary); !status) return in_file(file, status.error());
  if (const Status status = read_space_swallowers(file, vocabulary); !status) return status.error();
  return vocabulary;
}

}  // namespace headroom
