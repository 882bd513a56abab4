// Whatever a file's chat template says: it renders within its bounds, or there is one error, never anything else.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "text/chat_template.h"

namespace {

using headroom::ErrorCode;

void render_all(std::string_view source) {
  const auto parsed = headroom::ChatTemplate::parse(source);
  if (!parsed) {
    CHECK(parsed.error().code == ErrorCode::kUnsupported && !parsed.error().message.empty(),
          parsed.error().message.c_str());
    return;
  }
  headroom::ChatTemplateInputs inputs;
  inputs.messages = {{"system", "Be kind."},
                     {"user", "Hi \xF0\x9F\x8E\x89\xFF"},
                     {"assistant", "<think>\nx</think>\n\nd"},
                     {"user", ""}};
  inputs.bos_token = "<s>";
  inputs.eos_token = "</s>";
  inputs.tools_json = R"([{"type": "function", "function": {"name": "f", "arguments": {"a": [1, 2.5, null]}}}])";
  const auto rendered = parsed->render(inputs);
  if (!rendered)
    CHECK(rendered.error().code == ErrorCode::kUnsupported || rendered.error().code == ErrorCode::kUsage,
          rendered.error().message.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n_bytes) {
  render_all({reinterpret_cast<const char*>(data), n_bytes});
  return 0;
}
