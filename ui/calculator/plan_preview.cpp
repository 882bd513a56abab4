#include "ui/calculator/plan_preview.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

#include "plan/plan_options.h"
#include "plan/speed.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

PlanPreview previewOf(const PlanInputs& inputs, const PlanOptions& options) {
  const auto plan = plan_memory(*inputs.model, inputs.devices, withPossibleFfn(options));
  if (!plan.ok()) return {};
  return {true, plan->fits(), estimate_tokens_per_s(*inputs.model, *plan)};
}

}  // namespace

PlanInputs inputsOf(std::shared_ptr<const ModelInfo> model, const DeviceChoices& devices, const PlanOptions& options) {
  PlanInputs inputs{std::move(model), devices.devices(), options};
  inputs.options.devices = devices.choices();
  return inputs;
}

std::vector<PlanPreview> previewByLayers(const PlanInputs& inputs) {
  std::vector<PlanPreview> previews;
  if (gpus_of(inputs.options, inputs.devices).empty()) return previews;
  PlanOptions options = inputs.options;
  for (std::uint32_t n = 0; n <= inputs.model->n_layers(); ++n) {
    options.n_gpu_layers = static_cast<std::int32_t>(n);
    previews.push_back(previewOf(inputs, options));
  }
  return previews;
}

std::vector<PlanPreview> previewByFfn(const PlanInputs& inputs, std::int32_t nGpuLayers) {
  std::vector<PlanPreview> previews;
  if (gpus_of(inputs.options, inputs.devices).empty()) return previews;
  PlanOptions options = inputs.options;
  for (options.n_cpu_ffn = 0; options.n_cpu_ffn <= nGpuLayers; ++options.n_cpu_ffn)
    previews.push_back(previewOf(inputs, options));
  return previews;
}

std::vector<DevicePlanPreview> previewByDevice(const std::shared_ptr<const ModelInfo>& model,
                                               const DeviceChoices& devices, std::size_t row, PlanOptions options) {
  options.n_gpu_layers = options.n_cpu_ffn = kAutoLayers;
  const bool isNew = row >= devices.rows().size();
  std::vector<DevicePlanPreview> previews;
  for (const auto* list : {&devices.present(), &devices.catalogue()}) {
    for (const DeviceInfo& device : *list) {
      const QString id = QString::fromStdString(device.id);
      DeviceChoices tried = devices;
      const bool isThere = !isNew && devices.rows()[row].id == id;
      if (!isThere && !(isNew ? tried.add(id) : tried.use(row, id))) continue;
      const PlanInputs inputs = inputsOf(model, tried, options);
      previews.push_back({id, previewOf(inputs, inputs.options)});
    }
  }
  return previews;
}

QString previewText(const PlanPreview& preview) {
  if (!preview.isKnown) return {};
  if (!preview.fits) return QCoreApplication::translate("PlanPreview", "does not fit");
  return preview.tokensPerSecond ? formatAboutSpeed(*preview.tokensPerSecond) : QString();
}

PlanOptions withPossibleFfn(PlanOptions options) {
  if (options.n_gpu_layers != kAutoLayers) options.n_cpu_ffn = std::min(options.n_cpu_ffn, options.n_gpu_layers);
  return options;
}

}  // namespace headroom::ui
