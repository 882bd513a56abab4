// How fast a model would be with other numbers of layers or on other devices. Pure arithmetic over many plans, so it is
// done on another thread than the window's.
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "plan/memory_plan.h"
#include "ui/calculator/device_choices.h"

namespace headroom::ui {

// A plan that nobody asked for yet, in two figures.
struct PlanPreview {
  bool isKnown = false;  // else these options make no plan
  bool fits = false;
  std::optional<double> tokensPerSecond;
};

// What a plan was made of.
struct PlanInputs {
  std::shared_ptr<const ModelInfo> model;
  std::vector<DeviceInfo> devices;
  PlanOptions options;
};
PlanInputs inputsOf(std::shared_ptr<const ModelInfo> model, const DeviceChoices& devices, const PlanOptions& options);

// With 0, 1, ... all layers on the GPUs, everything else as it stands; empty without a GPU.
std::vector<PlanPreview> previewByLayers(const PlanInputs& inputs);

// With the FFN of 0, 1, ... nGpuLayers layers on the CPU, everything else as it stands: where the number of layers on
// GPUs is left to us it follows.
std::vector<PlanPreview> previewByFfn(const PlanInputs& inputs, std::int32_t nGpuLayers);

struct DevicePlanPreview {
  QString id;
  PlanPreview preview;
};
// With each device that can be chosen in a row (one row behind the last: added), layers left to us, all else as it
// stands.
std::vector<DevicePlanPreview> previewByDevice(const std::shared_ptr<const ModelInfo>& model,
                                               const DeviceChoices& devices, std::size_t row, PlanOptions options);

// "about 42 tokens/s"; "does not fit"; empty where nothing is known.
QString previewText(const PlanPreview& preview);

// A number of FFNs on the CPU that was asked for and is more than there are layers on GPUs is planned as all of those.
PlanOptions withPossibleFfn(PlanOptions options);

}  // namespace headroom::ui
