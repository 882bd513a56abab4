#include <fmt/format.h>

#include "options.h"
#include "run/load_model.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

struct Options {
  std::string model, text, file, ids;
  bool addSpecial = false, parseSpecial = true, showSpecial = false, asJson = false;
};

Result<std::unique_ptr<const Tokenizer>> openTokenizer(const std::string& model) {
  const Result<ModelFile> file = open_model_file(model);
  if (!file) return file.error();
  return read_tokenizer(*file);
}

ExitCode tokenize(const Options& options, bool fromFile) {
  const Result<std::unique_ptr<const Tokenizer>> tokenizer = openTokenizer(options.model);
  if (!tokenizer) return report(tokenizer.error(), options.asJson);
  const Result<std::string> text = fromFile ? readTextFile(options.file) : Result<std::string>(options.text);
  if (!text) return report(text.error(), options.asJson);
  const std::vector<TokenId> ids = (*tokenizer)->encode(*text, options.addSpecial, options.parseSpecial);
  if (!options.asJson) {
    printLine(fmt::format("{}", fmt::join(ids, " ")));
    return kDone;
  }
  Json pieces = Json::array();
  for (const TokenId id : ids) pieces.push_back((*tokenizer)->token_bytes(id, true));
  printJson({{"n_tokens", ids.size()}, {"tokens", ids}, {"pieces", pieces}});
  return kDone;
}

ExitCode detokenize(const Options& options) {
  const Result<std::unique_ptr<const Tokenizer>> tokenizer = openTokenizer(options.model);
  if (!tokenizer) return report(tokenizer.error(), options.asJson);
  const Result<std::vector<TokenId>> ids = parseTokens("IDS", options.ids);
  if (!ids) return report(ids.error(), options.asJson);
  for (const TokenId id : *ids) {
    if (id < (*tokenizer)->n_vocab()) continue;
    return report({ErrorCode::kUsage, Message::plain(fmt::format("IDS: expected token ids below {}, found {}",
                                                                 (*tokenizer)->n_vocab(), id))},
                  options.asJson);
  }
  const std::string text = (*tokenizer)->decode(*ids, options.showSpecial);
  if (options.asJson) {
    printJson({{"text", text}});
  } else {
    printLine(text);
  }
  return kDone;
}

}  // namespace

Command addTokenize(CLI::App& program) {
  CLI::App* app = addSubcommand(program, "tokenize", "Text to token ids, on one line");
  auto options = std::make_shared<Options>();
  addText(*app, "MODEL", options->model, "A .gguf file", {.isRequired = true});
  CLI::Option* text = addText(*app, "TEXT", options->text, "The text");
  CLI::Option* file = addText(*app, "--file", options->file, "Read the text from a file");
  excludeEachOther(file, text);
  addFlag(*app, "--add-special,!--no-special", options->addSpecial,
          "Add the beginning and end tokens that the file asks for, as a prompt has them");
  addFlag(*app, "!--plain", options->parseSpecial, "Control tokens written in the text are plain text");
  addJsonOption(*app, options->asJson);
  addExample(*app, "tokenize model.gguf \"Hello world\"");
  return {app, [options, text, file] {
            if (timesGiven(*text) + timesGiven(*file) != 1) {
              return report({ErrorCode::kUsage, Message::plain("tokenize needs a TEXT or --file")}, options->asJson);
            }
            return tokenize(*options, timesGiven(*file) > 0);
          }};
}

Command addDetokenize(CLI::App& program) {
  CLI::App* app = addSubcommand(program, "detokenize", "Token ids to text");
  auto options = std::make_shared<Options>();
  auto words = std::make_shared<std::vector<std::string>>();
  addText(*app, "MODEL", options->model, "A .gguf file", {.isRequired = true});
  addTexts(*app, "IDS", *words, "Ids, separated by commas or spaces", {.isRequired = true});
  addFlag(*app, "--special", options->showSpecial, "Show control tokens");
  addJsonOption(*app, options->asJson);
  addExample(*app, "detokenize model.gguf 15496,995");
  return {app, [options, words] {
            options->ids = fmt::format("{}", fmt::join(*words, " "));
            return detokenize(*options);
          }};
}

}  // namespace headroom::cli
