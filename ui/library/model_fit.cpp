#include "ui/library/model_fit.h"

#include <QCoreApplication>
#include <algorithm>
#include <tuple>
#include <utility>

#include "plan/plan_options.h"
#include "plan/speed.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

struct FitWords {
  Q_DECLARE_TR_FUNCTIONS(ModelFit)
};

QString placesText(const ModelFit& fit) {
  switch (fit.kind) {
    case ModelFit::Kind::Whole: return FitWords::tr("Fits");
    case ModelFit::Kind::Host: return FitWords::tr("Fits in RAM");
    case ModelFit::Kind::Partly:
      return (fit.nFfnInRam > 0 ? FitWords::tr("Fits with %1 of %2 layers partly in RAM")
                                : FitWords::tr("Fits with %1 of %2 layers in RAM"))
          .arg(formatCount(fit.nInRam + fit.nFfnInRam), formatCount(fit.nLayers));
    case ModelFit::Kind::TooLarge: return FitWords::tr("Too large by %1").arg(formatBytes(fit.missing));
    case ModelFit::Kind::NoPlan: return FitWords::tr("No plan");
    case ModelFit::Kind::Unknown: break;
  }
  return {};
}

// What stands first in a list: fits, too large, no plan, not known.
int rankOf(const ModelFit& fit) {
  if (fit.fits()) return 0;
  return fit.kind == ModelFit::Kind::TooLarge ? 1 : fit.kind == ModelFit::Kind::NoPlan ? 2 : 3;
}

}  // namespace

ModelFit fitOf(const ModelInfo& model, const MemoryPlan& plan) {
  ModelFit fit;
  fit.nLayers = model.n_layers();
  if (!plan.fits()) {
    fit.kind = ModelFit::Kind::TooLarge;
    for (const DeviceBudget& budget : plan.budgets) fit.missing = std::max(fit.missing, budget.missing());
    return fit;
  }
  fit.tokensPerSecond = estimate_tokens_per_s(model, plan);
  const auto nOnGpus = static_cast<std::uint32_t>(std::max(plan.options.n_gpu_layers, 0));
  if (nOnGpus == 0 || gpus_of(plan.options, plan.devices).empty()) {
    fit.kind = ModelFit::Kind::Host;
    return fit;
  }
  fit.nInRam = fit.nLayers - std::min(nOnGpus, fit.nLayers);
  fit.nFfnInRam = static_cast<std::uint32_t>(std::max(plan.options.n_cpu_ffn, 0));
  fit.kind = fit.nInRam + fit.nFfnInRam > 0 ? ModelFit::Kind::Partly : ModelFit::Kind::Whole;
  return fit;
}

ModelFit findFit(const std::shared_ptr<const ModelInfo>& model, const StartingDevices& devices) {
  const StartingPlan start = startingPlan(model, devices);
  if (start.plan) return fitOf(*model, *start.plan);
  ModelFit fit;
  if (start.problem.empty()) return fit;
  fit.kind = ModelFit::Kind::NoPlan;
  fit.problem = start.problem;
  return fit;
}

QString fitText(const ModelFit& fit) {
  const QString places = placesText(fit);
  if (!fit.tokensPerSecond) return places;
  //: Whether a model fits, and how fast it would be: "Fits · about 42 tokens/s"
  return FitWords::tr("%1 · %2").arg(places, formatAboutSpeed(*fit.tokensPerSecond));
}

Tone fitTone(const ModelFit& fit) {
  if (fit.fits()) return Tone::Good;
  return fit.kind == ModelFit::Kind::TooLarge ? Tone::Bad
         : fit.kind == ModelFit::Kind::NoPlan ? Tone::Warning
                                              : Tone::Neutral;
}

bool fitsBetter(const ModelFit& a, const ModelFit& b) {
  const auto key = [](const ModelFit& fit) {
    return std::tuple(rankOf(fit), -fit.tokensPerSecond.value_or(0), fit.missing);
  };
  return key(a) < key(b);
}

}  // namespace headroom::ui
