// Convolutions over the rows of a slot, and layers that are nothing else.
#include <array>

#include "backend/reference/reference_step.h"

namespace headroom {

// A row becomes the sum of the taps times itself and the width - 1 rows of its slot before it.
void ReferenceStep::convolve(const Op& op, std::span<float> rows, std::uint32_t width) {
  const std::span<const float> taps = bound_.at(TensorRole::kConv, op.layer).vector();
  const std::size_t n_channels = rows.size() / n_rows(), n_kept = width - 1;
  float* states = bound_.layers[static_cast<std::size_t>(op.layer)].conv;
  CHECK(states != nullptr, "a layer's state is on another device");
  std::array<float, kMaxConvWidth> seen;  // of one channel, the newest last
  for (std::size_t channel = 0; channel < n_channels && goes_on(); ++channel) {
    for (std::size_t i = 0; i < n_rows(); ++i) {
      const StepRow& row = inputs_.rows[i];
      float* state = states + row.slot * n_kept * n_channels + channel;
      float& at = rows[i * n_channels + channel];
      double sum = 0;
      for (std::size_t tap = 0; tap < n_kept; ++tap) seen[tap] = row.position == 0 ? 0.0F : state[tap * n_channels];
      seen[n_kept] = at;
      for (std::size_t tap = 0; tap <= n_kept; ++tap)
        sum += static_cast<double>(taps[tap * n_channels + channel]) * seen[tap];
      for (std::size_t tap = 0; tap < n_kept; ++tap) state[tap * n_channels] = seen[tap + 1];
      at = static_cast<float>(sum);
    }
  }
}

void ReferenceStep::conv_mix(const Op& op) {
  const ShortConvSpec& spec = *bound_.model->layers[static_cast<std::size_t>(op.layer)].short_conv;
  const float* in = normed(bound_.buffer(op.inputs[0]), TensorRole::kAttnNorm, op.layer);
  float *mixed = bound_.buffer(op.outputs[0]), *factors = bound_.buffer(op.outputs[1]),
        *gates = bound_.buffer(op.outputs[2]);
  const auto project = [&](TensorRole matrix, float* to) {
    multiply(bound_.at(matrix, op.layer), in, n_rows(), nullptr,
             [=, width = spec.n_channels](std::size_t row, std::size_t n, float sum) { to[row * width + n] = sum; });
  };
  project(TensorRole::kK, mixed);
  project(TensorRole::kV, factors);
  project(TensorRole::kQ, gates);
  const std::size_t n_elems = n_rows() * spec.n_channels;
  for (std::size_t i = 0; i < n_elems; ++i) mixed[i] *= factors[i];
  convolve(op, {mixed, n_elems}, spec.width);
  for (std::size_t i = 0; i < n_elems; ++i) mixed[i] *= gates[i];
}

}  // namespace headroom
