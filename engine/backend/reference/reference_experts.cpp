// Layers with experts: how rows choose them, the experts, and the FFN beside them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "backend/reference/reference_math.h"
#include "backend/reference/reference_step.h"

namespace headroom {
namespace {

// Element n of an expert's bias, of those that stand one behind the other; null: none.
float bias_of(const ReferenceWeight* biases, std::uint32_t expert, std::size_t n_elems, std::size_t n) {
  return biases == nullptr ? 0.0F : biases->vector()[expert * n_elems + n];
}

// Of a row's logits, in their place.
void put_probabilities(const LayerSpec& spec, std::span<float> logits) {
  double most = -std::numeric_limits<double>::infinity(), all = 0;
  for (const float logit : logits) most = logit > most ? logit : most;
  const auto exponential = [&](float logit) { return std::exp(spec.router_scale * (logit - most)); };
  for (const float logit : logits) all += std::isnan(logit) ? 0 : exponential(logit);
  for (float& logit : logits)
    logit = static_cast<float>(is_sigmoid(spec.router) ? sigmoid(spec.router_scale * static_cast<double>(logit))
                                                       : exponential(logit) / all);
}

}  // namespace

void ReferenceStep::shared_down(const Op& op) {
  const LayerSpec& spec = bound_.model->layers[static_cast<std::size_t>(op.layer)];
  const float* shared = bound_.buffer(op.inputs[0]);
  if (spec.has_shared_gate) {
    const float* gates = bound_.buffer(op.inputs[1]);
    for (std::size_t i = 0; i < n_rows() * spec.d_ff; ++i) gated_[i] = shared[i] * gates[i / spec.d_ff];
    shared = gated_.data();
  }
  if (spec.has_branch_norms) return add_branches(op, shared, bound_.buffer(op.inputs[1]));
  add_to_residual(op, shared, TensorRole::kDown, nullptr, TensorRole::kFfnPostNorm);
}

// The residual becomes (residual + norm(norm(down . in) + branch)) * scale.
void ReferenceStep::add_branches(const Op& op, const float* in, const float* branch) {
  const std::size_t d_model = bound_.model->d_model;
  const float scale = bound_.model->layers[static_cast<std::size_t>(op.layer)].ffn_scale();
  float* residual = bound_.buffer(op.outputs[0]);
  multiply(bound_.at(TensorRole::kDown, op.layer), in, n_rows(), nullptr,
           [&](std::size_t row, std::size_t n, float sum) { normed_[row * d_model + n] = sum; });
  for (std::size_t row = 0; row < n_rows(); ++row) {
    const std::span<float> more(normed_.data() + row * d_model, d_model);
    norm(more, bound_.at(TensorRole::kSharedPostNorm, op.layer).vector(), bound_.model->norm_epsilon);
    for (std::size_t i = 0; i < d_model; ++i) more[i] += branch[row * d_model + i];
    norm(more, bound_.at(TensorRole::kFfnPostNorm, op.layer).vector(), bound_.model->epsilon_behind());
    for (std::size_t i = 0; i < d_model; ++i) {
      float& elem = residual[row * d_model + i];
      elem = (elem + more[i]) * scale;
    }
  }
}

void ReferenceStep::rank_experts(const float* logits, std::uint32_t n_experts) {
  const auto comes_before = [&](std::uint32_t a, std::uint32_t b) {
    const bool is_number = !std::isnan(logits[a]), other_is = !std::isnan(logits[b]);
    if (is_number != other_is) return is_number;
    return is_number && logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  };
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.begin() + n_experts, comes_before);
}

void ReferenceStep::moe_route(const Op& op) {
  const LayerSpec& spec = bound_.model->layers[static_cast<std::size_t>(op.layer)];
  const float* in = normed(bound_.buffer(op.inputs[0]),
                           spec.has_branch_norms ? TensorRole::kRouterNorm : TensorRole::kFfnNorm, op.layer);
  auto* ids = reinterpret_cast<std::uint32_t*>(bound_.buffer(op.outputs[0]));
  float* weights = bound_.buffer(op.outputs[1]);
  multiply(bound_.at(TensorRole::kRouter, op.layer), in, n_rows(), bound_.find(TensorRole::kRouterBias, op.layer),
           [&](std::size_t row, std::size_t n, float sum) { router_[row * spec.n_experts + n] = sum; });
  const ReferenceWeight* choice_bias = bound_.find(TensorRole::kChoiceBias, op.layer);
  for (std::size_t row = 0; row < n_rows(); ++row, ids += spec.n_experts_used, weights += spec.n_experts_used) {
    const std::span<float> probabilities(router_.data() + row * spec.n_experts, spec.n_experts);
    // Logits that are far apart have an order where their probabilities are all 0.
    const bool is_by_logits = spec.router == RouterKind::kSoftmaxNormed && choice_bias == nullptr;
    if (is_by_logits) rank_experts(probabilities.data(), spec.n_experts);
    put_probabilities(spec, probabilities);
    if (!is_by_logits) {
      std::copy(probabilities.begin(), probabilities.end(), scores_by_expert_.begin());
      for (std::uint32_t i = 0; choice_bias != nullptr && i < spec.n_experts; ++i)
        scores_by_expert_[i] += choice_bias->vector()[i];
      rank_experts(scores_by_expert_.data(), spec.n_experts);
    }
    std::copy_n(order_.begin(), spec.n_experts_used, ids);
    double sum = 0;
    for (std::uint32_t i = 0; i < spec.n_experts_used; ++i) sum += probabilities[ids[i]];
    const double divisor = divides_by_sum(spec.router) ? std::max<double>(sum, kLeastWeightSum) : 1.0;
    for (std::uint32_t i = 0; i < spec.n_experts_used; ++i)
      weights[i] = static_cast<float>(probabilities[ids[i]] / divisor * spec.expert_weight_scale);
    if (!spec.has_expert_scales) continue;
    const std::span<const float> scales = bound_.at(TensorRole::kExpertScale, op.layer).vector();
    for (std::uint32_t i = 0; i < spec.n_experts_used; ++i) weights[i] *= scales[ids[i]];
  }
}

template <class Row, class Work>
void ReferenceStep::for_each_expert(const LayerSpec& spec, const std::uint32_t* ids, std::size_t n_elems, Row row,
                                    Work work) {
  for (std::uint32_t expert = 0; expert < spec.n_experts && goes_on(); ++expert) {
    choices_.clear();
    for (std::uint32_t choice = 0; choice < n_rows() * spec.n_experts_used; ++choice) {
      CHECK(ids[choice] < spec.n_experts, "a row goes through an expert that the layer does not have");
      if (ids[choice] != expert) continue;
      std::copy_n(row(choice), n_elems, gathered_.begin() + static_cast<std::ptrdiff_t>(choices_.size() * n_elems));
      choices_.push_back(choice);
    }
    if (!choices_.empty()) work(expert);
  }
}

void ReferenceStep::moe_up(const Op& op) {
  const LayerSpec& spec = bound_.model->layers[static_cast<std::size_t>(op.layer)];
  const std::size_t d_model = bound_.model->d_model, d_ff = spec.expert_d_ff;
  const float* in = normed(bound_.buffer(op.inputs[0]),
                           spec.has_branch_norms ? TensorRole::kExpertNorm : TensorRole::kFfnNorm, op.layer);
  const auto* ids = reinterpret_cast<const std::uint32_t*>(bound_.buffer(op.inputs[1]));
  float* hidden = bound_.buffer(op.outputs[0]);
  const ReferenceWeight *gates = bound_.find(TensorRole::kExpertGateBias, op.layer),
                        *ups = bound_.find(TensorRole::kExpertUpBias, op.layer);
  const auto of_row = [&](std::uint32_t choice) { return in + choice / spec.n_experts_used * d_model; };
  for_each_expert(spec, ids, d_model, of_row, [&](std::uint32_t expert) {
    multiply(bound_.at(TensorRole::kExpertUp, op.layer).of_expert(expert), gathered_.data(), choices_.size(), nullptr,
             [&](std::size_t i, std::size_t n, float sum) { up_[i * d_ff + n] = sum + bias_of(ups, expert, d_ff, n); });
    multiply(bound_.at(TensorRole::kExpertGate, op.layer).of_expert(expert), gathered_.data(), choices_.size(), nullptr,
             [&](std::size_t i, std::size_t n, float sum) {
               const double gate = sum + bias_of(gates, expert, d_ff, n);
               hidden[choices_[i] * d_ff + n] = static_cast<float>(activate(spec.activation, gate, up_[i * d_ff + n]));
             });
  });
}

void ReferenceStep::moe_down(const Op& op) {
  const LayerSpec& spec = bound_.model->layers[static_cast<std::size_t>(op.layer)];
  const std::size_t d_model = bound_.model->d_model, d_ff = spec.expert_d_ff;
  const float *hidden = bound_.buffer(op.inputs[0]), *weights = bound_.buffer(op.inputs[2]);
  const auto* ids = reinterpret_cast<const std::uint32_t*>(bound_.buffer(op.inputs[1]));
  float* sums = bound_.buffer(op.outputs[0]);  // the residual, or a branch that begins at 0
  if (spec.has_branch_norms) std::fill_n(sums, n_rows() * d_model, 0.0F);
  const ReferenceWeight* biases = bound_.find(TensorRole::kExpertDownBias, op.layer);
  const auto of_choice = [&](std::uint32_t choice) { return hidden + choice * d_ff; };
  for_each_expert(spec, ids, d_ff, of_choice, [&](std::uint32_t expert) {
    multiply(bound_.at(TensorRole::kExpertDown, op.layer).of_expert(expert), gathered_.data(), choices_.size(), nullptr,
             [&](std::size_t i, std::size_t n, float sum) {
               sums[choices_[i] / spec.n_experts_used * d_model + n] +=
                   weights[choices_[i]] * (sum + bias_of(biases, expert, d_model, n));
             });
  });
  for (std::size_t row = 0; spec.has_branch_norms && row < n_rows(); ++row)
    norm({sums + row * d_model, d_model}, bound_.at(TensorRole::kExpertPostNorm, op.layer).vector(),
         bound_.model->norm_epsilon);
}

}  // namespace headroom
