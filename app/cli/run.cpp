#include <unistd.h>

#include <iostream>

#include "chat.h"
#include "event_queue.h"
#include "plan_arguments.h"
#include "run/sampler.h"
#include "run_report.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

struct Options {
  std::string model, prompt, system, reportPath;
  std::vector<std::string> stopStrings;
  bool isRaw = false, plainTemplate = false, asJson = false;
  std::uint32_t maxTokens = 0;
  SamplerSettings sampler;
  PlanArguments plan;
};

// A file without a template is no surprise: the plain form is used and said. A template that cannot be used is the
// user's choice.
bool agreesToPlain(const Options& options, const ModelFile& file) {
  return options.plainTemplate || file.find("tokenizer.chat_template") == nullptr;
}

GenerateRequest makeRequest(const Options& options, bool plain) {
  GenerateRequest request;
  request.allow_plain_template = plain;
  request.max_tokens = options.maxTokens;
  request.sampler = options.sampler;
  request.stop_strings = options.stopStrings;
  if (!options.system.empty()) request.messages.push_back({"system", options.system});
  return request;
}

ExitCode finishReport(const Options& options, const ModelLoaded& loaded, const Answer& answer) {
  const Json json = runReport(loaded, *answer.finished);
  if (!options.reportPath.empty()) {
    if (Status written = writeFile(options.reportPath, json.dump(2) + "\n"); !written)
      return report(written.error(), options.asJson);
  }
  if (options.asJson) {
    Json whole{{"text", answer.text}};
    whole.update(json);
    printJson(whole);
  } else {
    printLine("");
    printNote(runSummary(*answer.finished));
  }
  return kDone;
}

ExitCode answerOnce(const Options& options, Chat& chat, bool plain) {
  GenerateRequest request = makeRequest(options, plain);
  if (options.isRaw) {
    request.messages.clear();
    request.raw_prompt = options.prompt;
  } else {
    request.messages.push_back({"user", options.prompt});
  }
  const Answer answer = chat.answer(std::move(request), !options.asJson);
  if (answer.error) return report(*answer.error, options.asJson);
  return finishReport(options, chat.loaded(), answer);
}

// One line of the user, or nothing at the end of input, an interrupt or /exit.
std::optional<std::string> readLine(bool isTerminal) {
  const InterruptGuard guard;
  if (isTerminal) print("> ");
  std::string line;
  if (!std::getline(std::cin, line) || line == "/exit") return std::nullopt;
  return line;
}

ExitCode converse(const Options& options, Chat& chat, bool plain) {
  const bool isTerminal = isatty(STDIN_FILENO) == 1;
  if (isTerminal) printNote("type a message; /clear starts over, /exit ends, Ctrl-C stops an answer");
  GenerateRequest request = makeRequest(options, plain);
  const std::size_t nSystem = request.messages.size();
  Answer last;
  while (const std::optional<std::string> line = readLine(isTerminal)) {
    if (line->empty()) continue;
    if (*line == "/clear") {
      request.messages.resize(nSystem);
      continue;
    }
    request.messages.push_back({"user", *line});
    Answer answer = chat.answer(request, true);
    printLine("");
    if (answer.error) {
      // The turn is taken back: the conversation stays one that can go on.
      printNote(answer.error->message + (answer.error->code == ErrorCode::kDoesNotFit ? "; /clear starts over" : ""));
      request.messages.pop_back();
      continue;
    }
    if (answer.finished->reason == FinishReason::kContextFull) printNote("the context is full; /clear starts over");
    request.messages.push_back({"assistant", answer.text});
    last = std::move(answer);
  }
  if (options.reportPath.empty() || !last.finished) return kDone;
  const Status written = writeFile(options.reportPath, runReport(chat.loaded(), *last.finished).dump(2) + "\n");
  return written ? kDone : report(written.error(), options.asJson);
}

ExitCode run(const Options& options, bool hasPrompt) {
  const auto misuse = [&](const char* why) { return report({ErrorCode::kUsage, why}, options.asJson); };
  if (!hasPrompt && options.isRaw) return misuse("--raw needs a prompt (-p)");
  if (!hasPrompt && options.asJson) return misuse("--json needs a prompt (-p)");
  if (options.isRaw && !options.system.empty())
    return misuse("--raw takes the prompt as it stands: --system has no place in it");
  if (Status sane = check_sampler_settings(options.sampler); !sane) return report(sane.error(), options.asJson);
  Result<PlannedModel> planned = planToLoad(options.model, options.plan);
  if (!planned) return report(planned.error(), options.asJson);
  const bool plain = agreesToPlain(options, planned->file);
  Chat chat(std::move(*planned));
  if (const std::optional<Error> error = chat.load()) return report(*error, options.asJson);
  const std::string& problem = chat.loaded().template_problem;
  if (!options.isRaw && !problem.empty()) {
    if (!plain)
      return report(
          {ErrorCode::kUnsupported, "the chat template cannot be used (--plain uses a plain form): " + problem},
          options.asJson);
    printNote(problem + " Using \"role: content\" lines.");
  }
  return hasPrompt ? answerOnce(options, chat, plain) : converse(options, chat, plain);
}

}  // namespace

Command addRun(CLI::App& program) {
  CLI::App* app = program.add_subcommand("run", "Load a model and answer; without -p an interactive chat");
  auto options = std::make_shared<Options>();
  SamplerSettings& sampler = options->sampler;
  app->add_option("MODEL", options->model, "A .gguf file")->required();
  CLI::Option* prompt = app->add_option("-p,--prompt", options->prompt, "What the user says");
  app->add_flag("--raw", options->isRaw, "The prompt as it stands, without the chat template");
  app->add_flag("--plain", options->plainTemplate,
                "Use \"role: content\" lines when the file's template cannot be used");
  app->add_option("--system", options->system, "System prompt");
  app->add_option("-n,--tokens", options->maxTokens, "At most this many tokens; default: until the context is full");
  app->add_option("--stop", options->stopStrings, "End the answer before this text; may be repeated");
  app->add_option("--seed", sampler.seed, "Same seed, same text; 0: a new one")->capture_default_str();
  app->add_option("--temp", sampler.temperature, "Temperature; 0: always the likeliest token")->capture_default_str();
  app->add_option("--top-k", sampler.top_k, "Only the k likeliest; 0: off")->capture_default_str();
  app->add_option("--top-p", sampler.top_p, "Only the likeliest that add up to p; 1: off")->capture_default_str();
  app->add_option("--min-p", sampler.min_p, "Only those with this share of the likeliest; 0: off")
      ->capture_default_str();
  app->add_option("--repeat-penalty", sampler.repetition_penalty, "Penalty on tokens seen lately; 1: off")
      ->capture_default_str();
  app->add_option("--repeat-window", sampler.repetition_window, "How many tokens back the penalties look")
      ->capture_default_str();
  app->add_option("--presence-penalty", sampler.presence_penalty, "Subtracted from tokens seen lately; 0: off")
      ->capture_default_str();
  app->add_option("--report", options->reportPath,
                  "Write planned against mapped bytes, counters and speeds to this file, as JSON");
  addPlanOptions(*app, options->plan);
  addJsonOption(*app, options->asJson);
  addExample(*app, "run model.gguf -p \"What is a KV cache?\" -n 200 --seed 1 --report report.json");
  return {app, [options, prompt] { return run(*options, prompt->count() > 0); }};
}

}  // namespace headroom::cli
