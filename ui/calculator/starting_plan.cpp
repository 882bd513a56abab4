#include "ui/calculator/starting_plan.h"

#include <algorithm>
#include <utility>

#include "format/dtype_table.h"
#include "plan/choose_devices.h"
#include "ui/calculator/plan_preview.h"

namespace headroom::ui {
namespace {

// As it fits with a cache of another type; leaves `start` as it is where none does.
void takeLighterCache(const std::shared_ptr<const ModelInfo>& model, StartingPlan& start) {
  const std::vector<DType> possible = offeredKvTypes(start.devices);
  for (const DType dtype : {DType::kQ8_0, DType::kF8E4M3}) {
    if (std::find(possible.begin(), possible.end(), dtype) == possible.end()) continue;
    PlanOptions options = start.options;
    options.kv_k = options.kv_v = dtype;
    const PlanInputs inputs = inputsOf(model, start.devices, options);
    auto plan = plan_memory(*model, inputs.devices, inputs.options);
    if (!plan.ok() || !plan->fits()) continue;
    start.options = options;
    start.lighterKv = dtype;
    start.plan = std::move(plan).value();
    return;
  }
}

}  // namespace

bool hasKvType(const DeviceInfo& device, DType dtype) {
  return std::find(device.kv_types.begin(), device.kv_types.end(), dtype) != device.kv_types.end();
}

DevicesForModel devicesForModel(const ModelInfo& model, const DeviceChoices& choices, const PlanOptions& options) {
  DevicesForModel found{choices, {}};
  if (choices.rows().empty()) return found;
  const std::vector<DeviceInfo>& present = choices.present();
  const DevicesChosen chosen = choose_devices(model, present, withPossibleFfn(options), defaultHeadroom);
  std::vector<ChosenDevice> rows;
  for (const DeviceIndex gpu : chosen.gpus) rows.push_back(choices.asChosen(present[gpu]));
  rows.push_back(choices.rows().back());
  found.choices.choose(rows);
  found.reason = chosen.reason;
  return found;
}

std::vector<DType> offeredKvTypes(const DeviceChoices& choices) {
  std::vector<DType> types;
  const auto first = choices.deviceOf(0);
  if (!first) return types;
  for (const DType dtype : first->kv_types) {
    bool everywhere = dtype_row(dtype).is_kv_offered;
    for (std::size_t row = 1; everywhere && row < choices.rows().size(); ++row)
      everywhere = hasKvType(*choices.deviceOf(row), dtype);
    if (everywhere) types.push_back(dtype);
  }
  return types;
}

StartingPlan startingPlan(const std::shared_ptr<const ModelInfo>& model, const StartingDevices& devices) {
  StartingPlan start{devices.choices, {}, {}, {}, {}, {}};
  if (devices.choices.rows().empty()) return start;
  if (!devices.areChosen) {
    DevicesForModel found = devicesForModel(*model, devices.choices, start.options);
    start.devices = std::move(found.choices);
    start.whyTheseDevices = std::move(found.reason);
  }
  const PlanInputs inputs = inputsOf(model, start.devices, start.options);
  auto plan = plan_memory(*model, inputs.devices, inputs.options);
  if (!plan.ok()) {
    start.problem = plan.error().message;
    return start;
  }
  start.options.n_ctx = plan->options.n_ctx;
  start.plan = std::move(plan).value();
  if (!start.plan->fits()) takeLighterCache(model, start);
  return start;
}

}  // namespace headroom::ui
