// Whether a model would fit, and how fast it would be: what a list of models says of each.
#pragma once

#include <QString>
#include <memory>
#include <optional>

#include "ui/calculator/starting_plan.h"
#include "ui/theme/tone.h"

namespace headroom::ui {

struct ModelFit {
  enum class Kind : quint8 {
    Unknown,  // nothing was planned yet, or there is no host
    Whole,    // all layers on GPUs
    Partly,   // some of them, or parts of some, in RAM
    Host,     // all in RAM
    TooLarge,
    NoPlan,  // `problem` says why
  };
  Kind kind = Kind::Unknown;
  // Of Partly: layers that stand in RAM, and further ones whose FFN alone does.
  std::uint32_t nLayers = 0, nInRam = 0, nFfnInRam = 0;
  Bytes missing = 0;                      // of TooLarge: on the device that lacks most
  std::optional<double> tokensPerSecond;  // absent: unknown, or it does not fit
  Message problem;
  bool fits() const { return kind == Kind::Whole || kind == Kind::Partly || kind == Kind::Host; }
  bool operator==(const ModelFit&) const = default;
};

// As the calculator would plan the model if it were opened for the first time now: the same plan, in a few figures.
// Some milliseconds; any thread. What devices a plan is made on is CalculatorState::startingDevices().
ModelFit findFit(const std::shared_ptr<const ModelInfo>& model, const StartingDevices& devices);
ModelFit fitOf(const ModelInfo& model, const MemoryPlan& plan);

// "Fits · about 42 tokens/s", "Fits with 12 of 36 layers in RAM · about 9 tokens/s", "Too large by 3.10 GiB"; empty
// where nothing is known.
QString fitText(const ModelFit& fit);
Tone fitTone(const ModelFit& fit);

// Whether `a` stands before `b` in a list that has the best first: what fits, the faster first; then what is too large,
// what lacks least first.
bool fitsBetter(const ModelFit& a, const ModelFit& b);

}  // namespace headroom::ui
