
#include "format/dtype_table.h"
#include "options.h"
#include "plan/improvements.h"
#include "plan/plan_json.h"
#include "plan/plan_text.h"
#include "plan/solve.h"
#include "plan_arguments.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

struct Options {
  std::string model, wanted;
  PlanArguments plan;
  std::uint32_t limit = 0;
  bool asJson = false;
};

// Prints a plan as `plan` does and answers whether it fits.
ExitCode printPlan(const PlannedModel& planned, bool asJson) {
  const Result<std::vector<Fix>> advice = find_advice(*planned.info, planned.inputs.devices, planned.inputs.options);
  if (!advice) return report(advice.error(), asJson);
  if (asJson) {
    printLine(plan_json(*planned.info, *planned.plan, *advice));
  } else {
    print(plan_text(*planned.info, *planned.plan, *advice));
  }
  return planned.plan->fits() ? kDone : kNo;
}

ExitCode plan(const Options& options, Interrupts& interrupts) {
  interrupts.hear();
  const Result<PlannedModel> planned = planModel(options.model, options.plan, interrupts.token());
  if (!planned) return report(planned.error(), options.asJson);
  return printPlan(*planned, options.asJson);
}

Result<SolveAnswer> answer(const Options& options, const PlannedModel& planned) {
  const ModelInfo& model = *planned.info;
  const PlanInputs& inputs = planned.inputs;
  if (options.wanted == "layers") return most_layers(model, inputs.devices, inputs.options);
  if (options.wanted == "kv") return lightest_kv(model, inputs.devices, inputs.options);
  return longest_context(model, inputs.devices, inputs.options, options.limit);
}

ExitCode solve(const Options& options, Interrupts& interrupts) {
  interrupts.hear();
  const Result<PlannedModel> planned = planModel(options.model, options.plan, interrupts.token());
  if (!planned) return report(planned.error(), options.asJson);
  const Result<SolveAnswer> solved = answer(options, *planned);
  if (!solved) return report(solved.error(), options.asJson);
  if (!options.asJson) {
    printLine(solved->words.text());
    return solved->options ? kDone : kNo;
  }
  Json json{{"for", options.wanted}, {"fits", solved->options.has_value()}, {"text", solved->words.text()}};
  if (solved->options) {
    const Result<MemoryPlan> best = plan_memory(*planned->info, planned->inputs.devices, *solved->options);
    if (!best) return report(best.error(), true);
    json["n_ctx"] = best->options.n_ctx;
    json["n_gpu_layers"] = best->options.n_gpu_layers;
    json["kv_k"] = dtype_row(best->options.kv_k).label;
    json["kv_v"] = dtype_row(best->options.kv_v).label;
    json["is_capped"] = solved->is_capped;
    json["plan"] = Json::parse(plan_json(*planned->info, *best, {}));
  }
  printJson(json);
  return solved->options ? kDone : kNo;
}

}  // namespace

Command addPlan(CLI::App& program, Interrupts& interrupts) {
  CLI::App* app = addSubcommand(program, "plan", "Every byte that a model will take, and whether it fits");
  auto options = std::make_shared<Options>();
  addText(*app, "MODEL", options->model, "A .gguf file", {.isRequired = true});
  addPlanOptions(*app, options->plan);
  addJsonOption(*app, options->asJson);
  addExample(*app, "plan model.gguf --ctx 8192 --device \"RTX 4090\" --device \"RTX 3060 12GB\" --keep-free 1GiB");
  return {app, [options, &interrupts] { return plan(*options, interrupts); }};
}

Command addSolve(CLI::App& program, Interrupts& interrupts) {
  CLI::App* app =
      addSubcommand(program, "solve", "The longest context, the most layers or the lightest KV change that fits");
  auto options = std::make_shared<Options>();
  addText(*app, "MODEL", options->model, "A .gguf file", {.isRequired = true});
  addText(*app, "--for", options->wanted, "ctx, layers or kv",
          {.isRequired = true, .choices = {"ctx", "layers", "kv"}});
  addNumber(*app, "--limit", options->limit, {.least = 1},
            "With --for ctx: look no further than this; default: the trained context");
  addPlanOptions(*app, options->plan);
  addJsonOption(*app, options->asJson);
  addExample(*app, "solve model.gguf --for ctx --device \"RTX 3060\" --keep-free 1GiB");
  return {app, [options, &interrupts] { return solve(*options, interrupts); }};
}

}  // namespace headroom::cli
