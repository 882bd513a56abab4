// The planning options that plan, solve, run, logits, kld and bench share.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/stop.h"
#include "command.h"
#include "file/model_file.h"
#include "plan/memory_plan.h"

namespace CLI {
class App;
}  // namespace CLI

namespace headroom::cli {

// As written on the command line.
struct PlanArguments {
  std::uint32_t nCtx = 0, nSlots = 1, nThreads = 0;
  // Not an option: logits and kld, which ask for the logits of every row, read at most so many in one step. 0: others.
  std::uint32_t mostRowsWithLogits = 0;
  bool plainKv = false;  // not a planning option: the baseline of bench and kld
  std::string batch = "auto", kvK = "f16", kvV = "f16", gpuLayers = "auto", cpuFfn = "auto", streamRows = "auto",
              checkpoints = "auto";
  std::vector<std::string> devices;           // in the order in which layers are given to them; none: chosen
  std::vector<std::string> keepFree, atMost;  // "1GiB", of the first device, or "cuda:1=512MiB"
};
void addPlanOptions(CLI::App& app, PlanArguments& arguments);

// --plain-kv, for measurements only: a quantized cache without rotation, searched scales and exact ends.
void addPlainKvOption(CLI::App& app, PlanArguments& arguments);
std::string_view kvSchemeName(const PlanArguments& arguments);

// Devices that can be planned for: those of this machine, then the catalogue. `nThreads` 0: as many as there are cores.
// `proves`: see proveFirst(), which a stop ends (kCancelled); without it nobody is waited for.
Result<std::vector<DeviceInfo>> plannableDevices(std::uint32_t nThreads, bool proves, const StopToken& stop,
                                                 std::span<const std::string> named = {});

// The devices and options that the arguments name, and what is chosen for the model where they name no device. kUsage
// names the argument that makes no sense. A first check of a card may take a minute: `stop` ends it (kCancelled).
struct PlanInputs {
  std::vector<DeviceInfo> devices;
  PlanOptions options;
  Message whyTheseDevices;  // a sentence, where some were chosen; else empty
};
Result<PlanInputs> readPlanArguments(const PlanArguments& arguments, const ModelInfo& model, const StopToken& stop);

// A model's header and its plan.
struct PlannedModel {
  ModelFile file;
  std::shared_ptr<const ModelInfo> info;
  PlanInputs inputs;
  std::shared_ptr<const MemoryPlan> plan;
};
Result<PlannedModel> planModel(const std::string& path, const PlanArguments& arguments, const StopToken& stop);

// The same for subcommands that load: kUsage when the device is not in this machine, kDoesNotFit when the plan does not
// fit.
Result<PlannedModel> planToLoad(const std::string& path, const PlanArguments& arguments, const StopToken& stop);

}  // namespace headroom::cli
