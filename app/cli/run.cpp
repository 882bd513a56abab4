#include <unistd.h>

#include "chat.h"
#include "line_reader.h"
#include "options.h"
#include "plan_arguments.h"
#include "run/sampler.h"
#include "run_report.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

struct Options {
  std::string model, prompt, system, reportPath, thinking = "default";
  std::vector<std::string> stopStrings;
  bool isRaw = false, plainTemplate = false, asJson = false, parseControlTokens = false;
  std::uint32_t maxTokens = 0;
  SamplerSettings sampler;
  PlanArguments plan;
};

// A file without a template is no surprise: the plain form is used and said. A template that cannot be used is the
// user's choice.
bool agreesToPlain(const Options& options, const ModelFile& file) {
  return options.plainTemplate || file.find("tokenizer.chat_template") == nullptr;
}

// Empty: the template takes it.
std::string refusedThinking(const std::string& name, ThinkingChoices choices) {
  const std::optional<ThinkingChoice> choice = thinking_choice_named(name);
  if (!choice || choices.take(*choice)) return {};
  std::string taken;
  for (std::size_t i = 1; i < kThinkingChoiceNames.size(); ++i) {
    if (!choices.take(static_cast<ThinkingChoice>(i))) continue;
    taken += taken.empty() ? "" : ", ";
    taken += kThinkingChoiceNames[i];
  }
  return "the chat template of this model takes no --thinking " + name +
         (taken.empty() ? "" : " (it takes " + taken + ")");
}

GenerateRequest makeRequest(const Options& options, bool plain) {
  GenerateRequest request;
  request.prompt.allow_plain_template = plain;
  request.prompt.parse_control_tokens_in_messages = options.parseControlTokens;
  request.prompt.thinking = thinking_choice_named(options.thinking).value_or(ThinkingChoice::kDefault);
  request.conversation = 1;  // all that this program says is one
  request.max_tokens = options.maxTokens;
  request.sampler = options.sampler;
  request.stop_strings = options.stopStrings;
  if (!options.system.empty()) request.prompt.messages.push_back({"system", options.system});
  return request;
}

Status writeReport(std::optional<OutputFile>& file, const ModelLoaded& loaded, const GenerationFinished& finished) {
  return file ? file->write(jsonText(runReport(loaded, finished)) + "\n") : ok_status();
}

ExitCode answerOnce(const Options& options, Chat& chat, bool plain, std::optional<OutputFile>& reportFile) {
  GenerateRequest request = makeRequest(options, plain);
  if (options.isRaw) {
    request.prompt.messages.clear();
    request.prompt.raw_text = options.prompt;
  } else {
    request.prompt.messages.push_back({"user", options.prompt});
  }
  const Answer answer = chat.answer(std::move(request), !options.asJson);
  if (answer.error) return report(*answer.error, options.asJson);
  const Status written = writeReport(reportFile, chat.loaded(), *answer.finished);
  if (options.asJson) {
    Json whole{{"text", answer.text}};
    if (!answer.thinking.empty()) whole["thinking"] = answer.thinking;
    whole.update(runReport(chat.loaded(), *answer.finished));
    printJson(whole);
  } else {
    printLine("");
    printNote(runSummary(chat.loaded(), *answer.finished));
  }
  return written ? kDone : report(written.error(), false);
}

// What the lines of stdin ask, one after the other, each with what was said before.
class Conversation {
 public:
  Conversation(const Options& options, Chat& chat, Interrupts& interrupts, bool plain)
      : m_chat(chat),
        m_interrupts(interrupts),
        m_request(makeRequest(options, plain)),
        m_nSystem(m_request.prompt.messages.size()) {}

  // Until the end of input, /exit or an interrupt. A failed answer is told and the conversation goes on; a script
  // learns of the first one from the exit code.
  ExitCode run();
  const std::optional<GenerationFinished>& last() const { return m_last; }

 private:
  ExitCode answer(const std::string& line);

  Chat& m_chat;
  Interrupts& m_interrupts;
  GenerateRequest m_request;
  std::size_t m_nSystem;
  std::optional<GenerationFinished> m_last;
};

ExitCode Conversation::run() {
  const bool isTerminal = isatty(STDIN_FILENO) == 1;
  if (isTerminal) printNote("type a message; /clear starts over, /exit ends, Ctrl-C stops an answer");
  LineReader lines(STDIN_FILENO, m_interrupts);
  ExitCode first = kDone;
  while (true) {
    if (isTerminal) print("> ");
    const Result<std::optional<std::string>> line = lines.next();
    if (!line) return report(line.error(), false);
    if (!*line || **line == "/exit") break;
    if ((*line)->empty()) continue;
    if (**line == "/clear") {
      m_request.prompt.messages.resize(m_nSystem);
      continue;
    }
    const ExitCode code = answer(**line);
    if (first == kDone && !isTerminal) first = code;
    // Who types sees that the answer was stopped, and may go on; a script that is interrupted ends.
    if (isTerminal) m_interrupts.take();
  }
  if (isTerminal && m_interrupts.isAsked()) printLine("");
  return first;
}

ExitCode Conversation::answer(const std::string& line) {
  m_request.prompt.messages.push_back({"user", line});
  const Answer answer = m_chat.answer(m_request, true);
  printLine("");
  if (answer.error) {
    // The turn is taken back: the conversation stays one that can go on.
    m_request.prompt.messages.pop_back();
    if (answer.error->code != ErrorCode::kDoesNotFit) return report(*answer.error, false);
    return report({answer.error->code, Message::plain(answer.error->message.text() + "; /clear starts over")}, false);
  }
  if (answer.finished->reason == FinishReason::kContextFull) printNote("the context is full; /clear starts over");
  m_request.prompt.messages.push_back({"assistant", answer.text, answer.thinking});
  m_last = answer.finished;
  return kDone;
}

ExitCode converse(const Options& options, Chat& chat, Interrupts& interrupts, bool plain,
                  std::optional<OutputFile>& reportFile) {
  Conversation conversation(options, chat, interrupts, plain);
  const ExitCode code = conversation.run();
  if (!conversation.last()) return code;
  const Status written = writeReport(reportFile, chat.loaded(), *conversation.last());
  return written ? code : report(written.error(), false);
}

ExitCode run(const Options& options, bool hasPrompt, Interrupts& interrupts) {
  const auto misuse = [&](const char* why) { return report({ErrorCode::kUsage, Message::plain(why)}, options.asJson); };
  if (!hasPrompt && options.isRaw) return misuse("--raw needs a prompt (-p)");
  if (!hasPrompt && options.asJson) return misuse("--json needs a prompt (-p)");
  if (options.isRaw && !options.system.empty())
    return misuse("--raw takes the prompt as it stands: --system has no place in it");
  if (Status sane = check_sampler_settings(options.sampler); !sane) return report(sane.error(), options.asJson);
  interrupts.hear();
  Result<PlannedModel> planned = planToLoad(options.model, options.plan, interrupts.token());
  if (!planned) return report(planned.error(), options.asJson);
  Result<std::optional<OutputFile>> reportFile = openIfNamed(options.reportPath);
  if (!reportFile) return report(reportFile.error(), options.asJson);
  const bool plain = agreesToPlain(options, planned->file);
  for (const Message& warning : planned->info->warnings) printNote("warning: " + warning.text());
  Chat chat(std::move(*planned), interrupts);
  if (const std::optional<Error> error = chat.load()) return report(*error, options.asJson);
  const std::string problem = chat.loaded().template_problem.text();
  if (!options.isRaw && !problem.empty()) {
    if (!plain)
      return report({ErrorCode::kUnsupported,
                     Message::plain("the chat template cannot be used (--plain uses a plain form): " + problem)},
                    options.asJson);
    printNote(problem + " Using \"role: content\" lines.");
  }
  if (const std::string refused = refusedThinking(options.thinking, chat.loaded().thinking_choices); !refused.empty())
    printNote(refused);
  return hasPrompt ? answerOnce(options, chat, plain, *reportFile)
                   : converse(options, chat, interrupts, plain, *reportFile);
}

void addSamplerOptions(CLI::App& app, SamplerSettings& sampler) {
  addNumber(app, "--seed", sampler.seed, {.most = std::numeric_limits<std::uint64_t>::max()},
            "Same seed, same text; 0: a new one");
  addNumber(app, "--temp", sampler.temperature, {.most = 100}, "Temperature; 0: always the likeliest token");
  addNumber(app, "--top-k", sampler.top_k, {}, "Only the k likeliest; 0: off");
  addNumber(app, "--top-p", sampler.top_p, {.isAboveLeast = true}, "Only the likeliest that add up to p; 1: off");
  addNumber(app, "--min-p", sampler.min_p, {}, "Only those with this share of the likeliest; 0: off");
  addNumber(app, "--repeat-penalty", sampler.repetition_penalty, {.most = 100, .isAboveLeast = true},
            "Penalty on tokens seen lately; 1: off");
  addNumber(app, "--repeat-window", sampler.repetition_window, {},
            "How many tokens back the penalties look; 0: at none");
  addNumber(app, "--presence-penalty", sampler.presence_penalty, {.least = -100, .most = 100},
            "Subtracted from tokens seen lately; 0: off");
}

}  // namespace

Command addRun(CLI::App& program, Interrupts& interrupts) {
  CLI::App* app = addSubcommand(program, "run", "Load a model and answer; without -p an interactive chat");
  auto options = std::make_shared<Options>();
  addText(*app, "MODEL", options->model, "A .gguf file", {.isRequired = true});
  const CLI::Option* prompt = addText(*app, "-p,--prompt", options->prompt, "What the user says");
  addFlag(*app, "--raw", options->isRaw,
          "The prompt as it stands, without the chat template; control tokens in it count");
  addFlag(*app, "--plain", options->plainTemplate,
          "Use \"role: content\" lines when the file's template cannot be used");
  addFlag(*app, "--parse-control-tokens-in-messages", options->parseControlTokens,
          "Control tokens written in messages count: whoever writes a message can then forge turns");
  addText(*app, "--system", options->system, "System prompt");
  addNumber(*app, "-n,--tokens", options->maxTokens, {.least = 1},
            "At most this many tokens; default: until the context is full");
  addText(*app, "--thinking", options->thinking, "How much the model thinks first, where its template lets one choose",
          {.showsDefault = true, .choices = {"default", "off", "on", "low", "medium", "high"}});
  addRepeatable(*app, "--stop", options->stopStrings, "End the answer before this text; may be repeated");
  addSamplerOptions(*app, options->sampler);
  addText(*app, "--report", options->reportPath,
          "Write planned against mapped bytes, counters and speeds to this file, as JSON", {.isNotEmpty = true});
  addPlanOptions(*app, options->plan);
  addJsonOption(*app, options->asJson);
  addExample(*app, "run model.gguf -p \"What is a KV cache?\" -n 200 --seed 1 --report report.json");
  return {app, [options, prompt, &interrupts] { return run(*options, timesGiven(*prompt) > 0, interrupts); }};
}

}  // namespace headroom::cli
