// Layers with a gated delta net: row by row, in double but for the states.
#include <algorithm>
#include <cmath>

#include "backend/reference/reference_math.h"
#include "backend/reference/reference_step.h"

namespace headroom {
namespace {

double softplus(double x) { return x > 20 ? x : std::log1p(std::exp(x)); }

void scale_to(std::span<float> head, double length) {
  double squares = 0;
  for (const float x : head) squares += static_cast<double>(x) * x;
  const double factor = length / std::sqrt(squares + static_cast<double>(kL2NormEpsilon));
  for (float& x : head) x = static_cast<float>(x * factor);
}

}  // namespace

void ReferenceStep::delta_mix(const Op& op) {
  const DeltaNetSpec& spec = *bound_.model->layers[static_cast<std::size_t>(op.layer)].delta_net;
  const float* in = normed(bound_.buffer(op.inputs[0]), TensorRole::kAttnNorm, op.layer);
  float *mixed = bound_.buffer(op.outputs[0]), *rates = bound_.buffer(op.outputs[1]),
        *gates = bound_.buffer(op.outputs[2]);
  const auto project = [&](TensorRole matrix, float* to, std::size_t width) {
    multiply(bound_.at(matrix, op.layer), in, n_rows(), nullptr,
             [=](std::size_t row, std::size_t n, float sum) { to[row * width + n] = sum; });
  };
  project(TensorRole::kQ, mixed, spec.n_mixed());
  project(TensorRole::kK, mixed + spec.q_dim(), spec.n_mixed());
  project(TensorRole::kV, mixed + std::size_t{2} * spec.q_dim(), spec.n_mixed());
  project(TensorRole::kOutGate, gates, spec.v_dim());
  const std::size_t n_heads = spec.n_value_heads;
  project(TensorRole::kAlpha, rates, 2 * n_heads);
  project(TensorRole::kBeta, rates + n_heads, 2 * n_heads);
  convolve(op, {mixed, n_rows() * spec.n_mixed()}, spec.conv_width);
  for (std::size_t i = 0; i < n_rows() * spec.n_mixed(); ++i) mixed[i] = static_cast<float>(silu(mixed[i]));
  const std::span<const float> decays = bound_.at(TensorRole::kDecay, op.layer).vector(),
                               biases = bound_.at(TensorRole::kTimeBias, op.layer).vector();
  for (std::size_t i = 0; i < n_rows(); ++i) {
    float* row = mixed + i * spec.n_mixed();
    for (std::uint32_t head = 0; head < 2 * spec.n_key_heads; ++head) {
      const bool is_query = head < spec.n_key_heads;
      scale_to({row + std::size_t{head} * spec.key_dim, spec.key_dim}, is_query ? 1 / std::sqrt(spec.key_dim) : 1);
    }
    for (std::size_t head = 0; head < n_heads; ++head) {
      float &decay = rates[i * 2 * n_heads + head], &beta = rates[(i * 2 + 1) * n_heads + head];
      decay = static_cast<float>(decays[head] * softplus(static_cast<double>(decay) + biases[head]));
      beta = static_cast<float>(sigmoid(beta));
    }
  }
}

void ReferenceStep::delta_rule(const Op& op) {
  const DeltaNetSpec& spec = *bound_.model->layers[static_cast<std::size_t>(op.layer)].delta_net;
  const float *mixed = bound_.buffer(op.inputs[0]), *rates = bound_.buffer(op.inputs[1]);
  float *read = bound_.buffer(op.outputs[0]), *states = bound_.layers[static_cast<std::size_t>(op.layer)].matrices;
  CHECK(states != nullptr, "a layer's state is on another device");
  const std::span<double> held = std::span(sums_).first(spec.value_dim);
  for (std::size_t i = 0; i < n_rows() && goes_on(); ++i) {
    const StepRow& at = inputs_.rows[i];
    const float* row = mixed + i * spec.n_mixed();
    for (std::uint32_t head = 0; head < spec.n_value_heads; ++head) {
      const float *query = row + std::size_t{spec.key_head_of(head)} * spec.key_dim, *key = query + spec.q_dim(),
                  *value = row + std::size_t{2} * spec.q_dim() + std::size_t{head} * spec.value_dim,
                  *rate = rates + i * 2 * spec.n_value_heads + head;
      float *state = states + (std::size_t{at.slot} * spec.n_value_heads + head) * spec.key_dim * spec.value_dim,
            *out = read + i * spec.v_dim() + std::size_t{head} * spec.value_dim;
      const double decay = at.position == 0 ? 0 : std::exp(static_cast<double>(rate[0]));
      std::fill(held.begin(), held.end(), 0.0);
      for (std::size_t j = 0; j < spec.key_dim; ++j) {
        for (std::size_t n = 0; n < spec.value_dim; ++n) {
          // What a slot held before its first row counts for nothing, even if it was no number.
          const double kept = at.position == 0 ? 0 : decay * state[j * spec.value_dim + n];
          held[n] += kept * key[j];
        }
      }
      for (std::size_t n = 0; n < spec.value_dim; ++n) {
        double sum = 0;
        const double more = rate[spec.n_value_heads] * (static_cast<double>(value[n]) - held[n]);
        for (std::size_t j = 0; j < spec.key_dim; ++j) {
          float& elem = state[j * spec.value_dim + n];
          elem = static_cast<float>((at.position == 0 ? 0 : decay * elem) + key[j] * more);
          sum += static_cast<double>(elem) * query[j];
        }
        out[n] = static_cast<float>(sum);
      }
    }
  }
}

void ReferenceStep::delta_out(const Op& op) {
  const DeltaNetSpec& spec = *bound_.model->layers[static_cast<std::size_t>(op.layer)].delta_net;
  const float *read = bound_.buffer(op.inputs[0]), *gates = bound_.buffer(op.inputs[1]);
  const std::span<const float> weight = bound_.at(TensorRole::kReadNorm, op.layer).vector();
  for (std::size_t head = 0; head < n_rows() * spec.n_value_heads; ++head) {
    const float *from = read + head * spec.value_dim, *gate = gates + head * spec.value_dim;
    float* to = gated_.data() + head * spec.value_dim;
    std::copy_n(from, spec.value_dim, to);
    norm({to, spec.value_dim}, weight, bound_.model->norm_epsilon);
    for (std::size_t n = 0; n < spec.value_dim; ++n) to[n] = static_cast<float>(to[n] * silu(gate[n]));
  }
  add_to_residual(op, gated_.data(), TensorRole::kAttnOut, nullptr, TensorRole::kAttnPostNorm);
}

}  // namespace headroom
