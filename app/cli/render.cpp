#include <ctime>

#include "messages_file.h"
#include "options.h"
#include "subcommands.h"
#include "text/chat_prompt.h"

namespace headroom::cli {
namespace {

struct Options {
  std::string model, messages;
  bool plain = false, asJson = false;
};

ExitCode render(const Options& options) {
  const Result<ModelFile> file = open_model_file(options.model);
  if (!file) return report(file.error(), options.asJson);
  const Result<MessagesFile> conversation = readMessagesFile(options.messages);
  if (!conversation) return report(conversation.error(), options.asJson);
  const Result<std::unique_ptr<const Tokenizer>> tokenizer = read_tokenizer(*file);
  if (!tokenizer) return report(tokenizer.error(), options.asJson);
  ChatPromptOptions promptOptions;
  promptOptions.add_generation_prompt = conversation->addGenerationPrompt;
  promptOptions.allow_plain = options.plain;
  const std::time_t now = std::time(nullptr);
  localtime_r(&now, &promptOptions.now);
  const Result<ChatPrompt> prompt =
      ChatPromptWriter::read(*file, **tokenizer).write(conversation->messages, promptOptions);
  if (!prompt) return report(prompt.error(), options.asJson);
  if (options.asJson) {
    Json pieces = Json::array();
    for (const TextPiece& piece : prompt->text.pieces())
      pieces.push_back({{"text", piece.text}, {"from_message", piece.origin == TextOrigin::kMessage}});
    printJson({{"text", prompt->text.bytes()}, {"pieces", pieces}});
  } else {
    print(prompt->text.bytes());
  }
  return kDone;
}

}  // namespace

Command addRender(CLI::App& program) {
  CLI::App* app =
      addSubcommand(program, "render", "The file's own chat template over messages; prints exactly the rendered text");
  auto options = std::make_shared<Options>();
  addText(*app, "MODEL", options->model, "A .gguf file", {.isRequired = true});
  addText(*app, "--messages", options->messages,
          "JSON: a list of {\"role\", \"content\"}, or {\"messages\": [...], \"add_generation_prompt\": true}",
          {.isRequired = true});
  addFlag(*app, "--plain", options->plain, "Use \"role: content\" lines when the file's template cannot be used");
  addJsonOption(*app, options->asJson);
  addExample(*app, "render model.gguf --messages chat.json");
  return {app, [options] { return render(*options); }};
}

}  // namespace headroom::cli
