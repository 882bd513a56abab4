// The main job on one page, for a machine without a display: plan, load, answer, planned against mapped.
#include <fmt/format.h>

#include "../resources.h"
#include "chat.h"
#include "options.h"
#include "plan/improvements.h"
#include "plan/plan_text.h"
#include "run_report.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

constexpr const char* kStarter = "starter/headroom-starter.gguf";
constexpr const char* kQuestion = "What is the KV cache?";
constexpr std::uint32_t kAnswerTokens = 200;

struct Options {
  std::string model, prompt = kQuestion;
  PlanArguments plan;
};

Result<std::string> modelPath(const Options& options) {
  if (!options.model.empty()) return options.model;
  Result<std::filesystem::path> starter = findResource(kStarter);
  if (!starter) return starter.error();
  return starter->string();
}

void printMapped(const MemoryReport& memory, const MemoryGrowth& grown) {
  printLine("\nPlanned and mapped");
  for (const ArenaReport& arena : memory.arenas) {
    const char* what = arena.lifetime == Lifetime::kModel ? "weights" : "session";
    printLine(fmt::format("  {}, {:<8}  planned {:>14} bytes   mapped {:>14} bytes   difference {}", arena.device, what,
                          arena.planned_bytes, arena.mapped_bytes,
                          static_cast<std::int64_t>(arena.mapped_bytes - arena.planned_bytes)));
  }
  printLine(fmt::format("  taken since the load: drivers {}, mappings {}, heap {} with the answer's text; arenas {}",
                        format_bytes(grown.driver), format_bytes(grown.mapped), format_bytes(grown.heap),
                        grown.n_arenas));
}

ExitCode tour(const Options& options, Interrupts& interrupts) {
  const Result<std::string> path = modelPath(options);
  if (!path) return report(path.error(), false);
  interrupts.hear();
  Result<PlannedModel> planned = planModel(*path, options.plan, interrupts.token());
  if (!planned) return report(planned.error(), false);
  const Result<std::vector<Fix>> advice = find_advice(*planned->info, planned->inputs.devices, planned->inputs.options);
  if (!advice) return report(advice.error(), false);
  print(plan_text(*planned->info, *planned->plan, *advice));
  if (!planned->plan->fits()) return kNo;

  Chat chat(std::move(*planned), interrupts);
  if (const std::optional<Error> error = chat.load()) return report(*error, false);
  printLine(fmt::format("\nLoaded in {:.2f} s.\n\n> {}", chat.loaded().seconds, options.prompt));
  GenerateRequest request;
  request.prompt.messages = {{"user", options.prompt}};
  request.prompt.allow_plain_template = true;
  request.max_tokens = kAnswerTokens;
  request.sampler.temperature = 0;
  const Answer answer = chat.answer(std::move(request), true);
  if (answer.error) return report(*answer.error, false);
  printLine("");
  printMapped(chat.loaded().memory, answer.finished->stats.grown);
  printLine(runSummary(chat.loaded(), *answer.finished));
  return kDone;
}

}  // namespace

Command addTour(CLI::App& program, Interrupts& interrupts) {
  CLI::App* app = addSubcommand(program, "tour",
                                "The whole way in the terminal: plan, load, one answer, planned against mapped bytes");
  auto options = std::make_shared<Options>();
  addText(*app, "MODEL", options->model, "A .gguf file; default: the starter model");
  addText(*app, "-p,--prompt", options->prompt, "The question", {.showsDefault = true});
  addPlanOptions(*app, options->plan);
  addExample(*app, "tour model.gguf -p \"Why is the sky blue?\"");
  return {app, [options, &interrupts] { return tour(*options, interrupts); }};
}

}  // namespace headroom::cli
