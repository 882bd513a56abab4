#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/model_info.h"

namespace headroom {
namespace {

// Llama 3.1: long waves are stretched by the factor, short ones stay, those between are blended.
double llama3_frequency(const RopeSpec& rope, double frequency) {
  const double wavelength = 2 * std::numbers::pi / frequency;
  const double n_waves = rope.original_n_ctx / wavelength;  // turns within the original context
  if (n_waves < rope.low_freq_factor) return frequency / rope.factor;
  if (n_waves > rope.high_freq_factor) return frequency;
  const double smooth = (n_waves - rope.low_freq_factor) / (rope.high_freq_factor - rope.low_freq_factor);
  return (1 - smooth) * frequency / rope.factor + smooth * frequency;
}

// YaRN (arXiv 2309.00071, section 3.2): the pair that turns `n_turns` times within the original context.
double yarn_pair(const RopeSpec& rope, double n_turns) {
  return rope.rope_dim * std::log(rope.original_n_ctx / (n_turns * 2 * std::numbers::pi)) / (2 * std::log(rope.theta));
}

// How much of the stretched frequency pair `i` takes: 0 before `first`, 1 from `last` on.
double yarn_ramp(double first, double last, std::uint32_t i) {
  const double width = std::max(0.001, last - first);  // a ramp of no width is a step, not a division by zero
  return std::clamp((i - first) / width, 0.0, 1.0);
}

}  // namespace

float RopeFrequencies::magnitude_at(std::uint32_t position) const {
  if (growth == 0.0F) return magnitude;
  return magnitude * (1 + growth * std::log(1 + static_cast<float>(position / original_n_ctx)));
}

RopeFrequencies rope_frequencies(const RopeSpec& rope, std::uint32_t n_ctx) {
  RopeFrequencies result;
  result.growth = static_cast<float>(rope.growth);
  result.original_n_ctx = rope.original_n_ctx;
  const bool is_yarn = rope.scaling == RopeScaling::kYarn;
  double yarn_first = 0, yarn_last = 0;
  if (is_yarn) {
    const double first = yarn_pair(rope, rope.beta_fast), last = yarn_pair(rope, rope.beta_slow);
    yarn_first = std::max(0.0, rope.has_whole_ramp ? std::floor(first) : first);
    yarn_last = std::min(rope.rope_dim - 1.0, rope.has_whole_ramp ? std::ceil(last) : last);
    const double derived = rope.factor > 1 ? 1 + 0.1 * std::log(rope.factor) : 1.0;
    result.magnitude = static_cast<float>(rope.attention_factor > 0 ? rope.attention_factor : derived);
  }
  const bool has_long = rope.scaling == RopeScaling::kLong, takes_long = has_long && n_ctx > rope.original_n_ctx;
  if (has_long && rope.attention_factor > 0) result.magnitude = static_cast<float>(rope.attention_factor);
  const std::vector<float>& factors = takes_long ? rope.long_factors : rope.freq_factors;
  for (std::uint32_t i = 0; i < rope.rope_dim / 2; ++i) {
    double frequency = std::pow(rope.theta, -2.0 * i / rope.rope_dim);
    if (!factors.empty()) frequency /= static_cast<double>(factors[i]);
    switch (rope.scaling) {
      case RopeScaling::kNone:
      case RopeScaling::kLong: break;
      case RopeScaling::kLinear: frequency /= rope.factor; break;
      case RopeScaling::kLlama3: frequency = llama3_frequency(rope, frequency); break;
      case RopeScaling::kYarn: {
        const double ramp = yarn_ramp(yarn_first, yarn_last, i);
        frequency = frequency / rope.factor * ramp + frequency * (1 - ramp);
        break;
      }
    }
    result.per_pair.push_back(static_cast<float>(frequency));
  }
  return result;
}

}  // namespace headroom
