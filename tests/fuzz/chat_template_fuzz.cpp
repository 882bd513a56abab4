// Whatever a file's chat template says: it renders within its bounds, or there is one error, never anything else. And
// whatever it does with a message, what came from there stays known.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "text/chat_template.h"

namespace {

using headroom::ErrorCode;

// A character of private use that only the messages have: its first byte cannot come out of a template that has neither
// it nor a way to write it.
constexpr std::string_view kMark = "\xEE\x80\x80";

// By a byte of its own, an escape, or a number that %c or {:c} makes a character of.
bool can_write_mark(std::string_view source) {
  if (source.find(kMark[0]) != std::string_view::npos || source.find('\\') != std::string_view::npos ||
      source.find("format") != std::string_view::npos)
    return true;
  for (std::size_t at = source.find('%'); at != std::string_view::npos; at = source.find('%', at + 1)) {
    const bool opens_tag = at > 0 && source[at - 1] == '{';
    const bool closes_tag = at + 1 < source.size() && source[at + 1] == '}';
    if (!opens_tag && !closes_tag) return true;
  }
  return false;
}

void check_origins(std::string_view source, const headroom::TracedText& text) {
  std::string joined;
  for (const headroom::TextPiece& piece : text.pieces()) {
    CHECK(!piece.text.empty(), "an empty piece");
    joined += piece.text;
  }
  CHECK(joined == text.bytes(), "pieces that are not the text");
  if (can_write_mark(source)) return;
  for (std::size_t i = 0; i < joined.size(); ++i)
    CHECK(joined[i] != kMark[0] || text.origin_at(i) == headroom::TextOrigin::kMessage,
          "a character of a message passes for the template's");
}

void render_all(std::string_view source) {
  const auto parsed = headroom::ChatTemplate::parse(source);
  if (!parsed) {
    CHECK(parsed.error().code == ErrorCode::kUnsupported && !parsed.error().message.text().empty(),
          parsed.error().message.text().c_str());
    return;
  }
  headroom::ChatTemplateInputs inputs;
  inputs.messages = {{"system", "Be kind."},
                     {"user", "Hi \xEE\x80\x80 \xF0\x9F\x8E\x89\xFF\xEE\x80\x80x"},
                     {"assistant", "<think>\nx</think>\n\nd"},
                     {"user", ""}};
  inputs.bos_token = "<s>";
  inputs.eos_token = "</s>";
  inputs.tools_json = R"([{"type": "function", "function": {"name": "f", "arguments": {"a": [1, 2.5, null]}}}])";
  const auto rendered = parsed->render(inputs);
  if (rendered) return check_origins(source, *rendered);
  CHECK(rendered.error().code == ErrorCode::kUnsupported || rendered.error().code == ErrorCode::kUsage,
        rendered.error().message.text().c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n_bytes) {
  render_all({reinterpret_cast<const char*>(data), n_bytes});
  return 0;
}
