#include "messages_file.h"
#include "run/load_model.h"
#include "run/prompt.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

struct Options {
  std::string model, messages;
  bool plain = false, asJson = false;
};

// The template is parsed here and not taken from read_text_parts(): what a trial greeting makes of it does not matter for these messages.
Result<ChatTemplate> chooseTemplate(const ModelFile& file, bool plain) {
  if (plain) return ChatTemplate::plain();
  const Result<std::optional<std::string>> source = file.find_string("tokenizer.chat_template");
  if (!source) return source.error();
  if (!source->has_value()) {
    return Error{ErrorCode::kUnsupported, "the file has no chat template (tokenizer.chat_template); --plain uses \"role: content\" lines"};
  }
  return ChatTemplate::parse(**source);
}

ExitCode render(const Options& options) {
  const Result<ModelFile> file = open_model_file(options.model);
  if (!file) return report(file.error(), options.asJson);
  const Result<MessagesFile> conversation = readMessagesFile(options.messages);
  if (!conversation) return report(conversation.error(), options.asJson);
  const Result<std::unique_ptr<const Tokenizer>> tokenizer = read_tokenizer(*file);
  if (!tokenizer) return report(tokenizer.error(), options.asJson);
  const Result<ChatTemplate> chatTemplate = chooseTemplate(*file, options.plain);
  if (!chatTemplate) return report(chatTemplate.error(), options.asJson);
  const Result<std::string> text = chatTemplate->render(template_inputs(**tokenizer, conversation->messages, conversation->addGenerationPrompt));
  if (!text) return report(text.error(), options.asJson);
  if (options.asJson) {
    printJson({{"text", *text}});
  } else {
    print(*text);
  }
  return kDone;
}

}  // namespace

Command addRender(CLI::App& program) {
  CLI::App* app = program.add_subcommand("render", "The file's own chat template over messages; prints exactly the rendered text");
  auto options = std::make_shared<Options>();
  app->add_option("MODEL", options->model, "A .gguf file")->required();
  app->add_option("--messages", options->messages,
                  "JSON: a list of {\"role\", \"content\"}, or {\"messages\": [...], \"add_generation_prompt\": true}")
      ->required();
  app->add_flag("--plain", options->plain, "Use \"role: content\" lines instead of the file's template");
  addJsonOption(*app, options->asJson);
  addExample(*app, "render model.gguf --messages chat.json");
  return {app, [options] { return render(*options); }};
}

}  // namespace headroom::cli
