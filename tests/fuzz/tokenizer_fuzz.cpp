// A vocabulary and a text from the same bytes: whatever they are, encoding and decoding stay within the vocabulary, and
// streams give UTF-8. Where a text is cut into pieces does not show, and no message gives a control token.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "text/pre_tokenizer.h"
#include "text/utf8.h"
#include "text/utf8_stream.h"
#include "text/vocabulary_tokenizer.h"

namespace {

using namespace headroom;

bool has_character_bpe(std::uint8_t kind) { return kind % 128 >= 64; }

// Tokens for all bytes, without which BPE over characters is refused.
void add_byte_tokens(Vocabulary& vocabulary) {
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.types.push_back(TokenType::kByte);
    vocabulary.scores.push_back(0);
    vocabulary.texts.push_back(fmt::format("<0x{:02X}>", byte));
  }
}

// Input: one byte that chooses the kind, then lines. "t<type><score>text" adds a token, "m" a merge; what follows the
// first empty line is the text.
struct Reader {
  std::string_view rest;
  std::string_view line() {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view found = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return found;
  }
};

Vocabulary read_input(Reader& reader) {
  Vocabulary vocabulary;
  const auto kind = static_cast<std::uint8_t>(reader.rest.empty() ? 0 : reader.rest[0]);
  reader.rest.remove_prefix(std::min<std::size_t>(1, reader.rest.size()));
  vocabulary.model = kind % 2 == 0 ? "llama" : "gpt2";
  vocabulary.pre = pre_tokenizer_rows()[kind / 2 % pre_tokenizer_rows().size()].names.front();
  for (std::string_view line = reader.line(); !line.empty(); line = reader.line()) {
    if (line[0] == 't' && line.size() >= 3) {
      vocabulary.types.push_back(static_cast<TokenType>(1 + static_cast<std::uint8_t>(line[1]) % 6));
      vocabulary.scores.push_back(static_cast<float>(static_cast<signed char>(line[2])));
      vocabulary.texts.emplace_back(line.substr(3));
    } else if (line[0] == 'm') {
      vocabulary.merges.emplace_back(line.substr(1));
    }
  }
  if (has_character_bpe(kind)) {
    vocabulary.model = kCharacterBpeModel;
    vocabulary.pre = "default";
    add_byte_tokens(vocabulary);
  }
  if (kind >= 128) {
    vocabulary.special.unknown = 0;
    vocabulary.special.add_space_prefix = kind % 2 == 0;
  }
  return vocabulary;
}

void check_text(std::string_view text) {
  for (std::size_t pos = 0; pos < text.size();) {
    const CodePoint point = read_code_point(text, pos);
    CHECK(point.valid, "a stream gave bytes that are not UTF-8");
    pos += point.n_bytes;
  }
}

// `text` in pieces whose lengths its own bytes say.
std::vector<TextPiece> cut(std::string_view text, TextOrigin origin) {
  std::vector<TextPiece> pieces;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t n_bytes =
        std::min<std::size_t>(1 + static_cast<std::uint8_t>(text[from]) % 7, text.size() - from);
    pieces.push_back({text.substr(from, n_bytes), origin});
    from += n_bytes;
  }
  return pieces;
}

void check_pieces(const Tokenizer& tokenizer, std::string_view text) {
  for (const TextOrigin origin : {TextOrigin::kTemplate, TextOrigin::kMessage})
    CHECK(tokenizer.encode_pieces(cut(text, origin), true) ==
              tokenizer.encode(text, true, origin == TextOrigin::kTemplate),
          "pieces of one origin show in the ids");
  std::vector<TextPiece> mixed = cut(text, TextOrigin::kTemplate);
  for (std::size_t i = 0; i < mixed.size(); i += 2) mixed[i].origin = TextOrigin::kMessage;
  (void)tokenizer.encode_pieces(mixed, false);
  for (const TokenId id : tokenizer.encode(text, false, false))
    CHECK((!tokenizer.is_control(id) && !tokenizer.ends_generation(id)) || tokenizer.special().unknown == id,
          "a message gave a control token");
}

void run(std::string_view input) {
  Reader reader{input};
  Vocabulary vocabulary = read_input(reader);
  const std::string_view text = reader.rest;
  if (!complete_vocabulary(vocabulary)) return;
  const bool may_be_refused = vocabulary.model == kCharacterBpeModel;  // by merges that name no token
  const auto tokenizer = make_tokenizer(std::move(vocabulary));
  if (!tokenizer && may_be_refused) return;
  CHECK(tokenizer.ok(), "every row of ours can be made");
  check_pieces(**tokenizer, text);
  for (const bool parse_special : {false, true}) {
    const auto ids = (*tokenizer)->encode(text, true, parse_special);
    for (const TokenId id : ids) CHECK(id < (*tokenizer)->n_vocab(), "an id beyond the vocabulary");
    Utf8Stream stream;
    std::string streamed;
    for (const TokenId id : ids) streamed += stream.push((*tokenizer)->token_bytes(id, true));
    check_text(streamed + stream.finish());
    (void)(*tokenizer)->decode(ids, false);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n_bytes) {
  run({reinterpret_cast<const char*>(data), n_bytes});
  return 0;
}
