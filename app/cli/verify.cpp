#include <fmt/format.h>

#include "../report/report.h"
#include "../report/verification_text.h"
#include "../resources.h"
#include "backend/registry.h"
#include "chat.h"
#include "device_proofs.h"
#include "options.h"
#include "plan_arguments.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

struct Options {
  std::string model, reportPath;
  PlanArguments plan;
  bool asJson = false;
};

constexpr VerifyProcess kProcess = VerifyProcess::kEngineAlone;

const char* stageName(VerifyStage stage) {
  switch (stage) {
    case VerifyStage::kOneSlot: return "filling a slot, and timing";
    case VerifyStage::kAllSlots: return "filling all slots";
    case VerifyStage::kAnswers: return "writing short answers";
  }
  return "";
}

Status writeReport(const Options& options, const ModelLoaded& loaded, const Verification& found) {
  ReportInputs inputs{.program = "headroom-cli", .version = HEADROOM_VERSION};
  Result<std::vector<DeviceInfo>> devices = probe_devices(0, true);
  if (devices) inputs.devices = std::move(*devices);
  knowProofs(inputs.devices);
  inputs.refused_devices = refused_devices(true);
  std::error_code error;
  inputs.load = ReportedLoad{.model = loaded.model,
                             .plan = loaded.plan,
                             .path = std::filesystem::absolute(options.model, error),
                             .arenas = loaded.memory.arenas,
                             .seconds = loaded.seconds,
                             .grown = found.grown};
  inputs.verification = found;
  inputs.process = kProcess;
  inputs.hidden_folders = {findDataFolder()};
  return writeReportFiles(options.reportPath, makeReport(inputs));
}

ExitCode verify(const Options& options, Interrupts& interrupts) {
  const auto fail = [&](const Error& error) { return report(error, options.asJson); };
  interrupts.hear();
  Result<PlannedModel> planned = planToLoad(options.model, options.plan, interrupts.token());
  if (!planned) return fail(planned.error());
  if (!options.reportPath.empty()) {
    if (Status writable = checkReportPath(options.reportPath); !writable) return fail(writable.error());
  }
  Chat chat(std::move(*planned), interrupts);
  if (const std::optional<Error> error = chat.load()) return fail(*error);
  ProgressLine line;
  const Result<Verification> found = chat.verify([&](const VerifyProgress& progress) {
    line.show(static_cast<unsigned>(100 * progress.n_done / progress.n_total),
              fmt::format("step {} of {}: {}", static_cast<unsigned>(progress.stage) + 1, kVerifyStages,
                          stageName(progress.stage)));
  });
  line.clear();
  if (!found) return fail(found.error());
  if (options.asJson) {
    Json json{{"model", chat.loaded().model->name}};
    json.update(verificationJson(*found, kProcess));
    printJson(json);
  } else {
    print(fmt::format("{}: {}", chat.loaded().model->name, verificationText(*found, kProcess)));
  }
  if (!options.reportPath.empty()) {
    if (Status written = writeReport(options, chat.loaded(), *found); !written) return report(written.error(), false);
  }
  return verify_differences(*found, kProcess).empty() ? kDone : kNo;
}

}  // namespace

Command addVerify(CLI::App& program, Interrupts& interrupts) {
  CLI::App* app = addSubcommand(program, "verify",
                                "Load a model, fill its context to the end, and hold what it took against the plan");
  auto options = std::make_shared<Options>();
  addText(*app, "MODEL", options->model, "A .gguf file", {.isRequired = true});
  addText(*app, "--report", options->reportPath,
          "Write hardware, versions, plan and figures there: FILE.zip, or a folder", {.isNotEmpty = true});
  addPlanOptions(*app, options->plan);
  addJsonOption(*app, options->asJson);
  addExample(*app, "verify model.gguf --ctx 8192 --slots 2 --report report.zip");
  return {app, [options, &interrupts] { return verify(*options, interrupts); }};
}

}  // namespace headroom::cli
