#include "backend/reference/reference_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "backend/reference/reference_math.h"
#include "format/decode.h"
#include "format/rotation.h"

namespace headroom {
namespace {

void turn(std::span<float> head, const RopeSpec& rope, const RopeFrequencies& frequencies, std::uint32_t position) {
  const std::uint32_t n_pairs = rope.rope_dim / 2;
  const bool neighbours = rope.pairing == RopePairing::kNeighbours;
  const float magnitude = frequencies.magnitude_at(position);
  for (std::uint32_t pair = 0; pair < n_pairs; ++pair) {
    const float angle = static_cast<float>(position) * frequencies.per_pair[pair];  // in f32, as models were trained
    float& x = head[neighbours ? 2 * pair : pair];
    float& y = head[neighbours ? 2 * pair + 1 : pair + n_pairs];
    const float cosine = std::cos(angle) * magnitude, sine = std::sin(angle) * magnitude;
    const float turned = x * cosine - y * sine;
    y = x * sine + y * cosine;
    x = turned;
  }
}

double activate(Activation kind, double gate, double up) {
  switch (kind) {
    case Activation::kSilu: return silu(gate) * up;
    case Activation::kGelu:  // tanh form, arXiv 1606.08415
      return 0.5 * gate * (1 + std::tanh(0.7978845608028654 * (gate + 0.044715 * gate * gate * gate))) * up;
    case Activation::kClamped: {
      const double limit = kClampedLimit, below = std::min(gate, limit);
      return below * sigmoid(kClampedSlope * below) * (std::clamp(up, -limit, limit) + 1);
    }
  }
  CHECK(false, "an activation that is not there");
}

// Bounds x, and leaves what is far below the cap nearly as it is. Source: arXiv 2408.00118, section 2.
double softcapped(float cap, double x) { return cap > 0 ? cap * std::tanh(x / cap) : x; }

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

ReferenceStep::ReferenceStep(ReferenceBinding bound) : bound_(std::move(bound)) {
  const ModelInfo& model = *bound_.model;
  std::size_t gated = 0, kv_dim = 0, d_ff = 0, head_dim = 0, n_cols = 0, n_experts = 0;
  for (const LayerSpec& layer : model.layers) {
    if (layer.has_shared_gate) gated = std::max<std::size_t>(gated, layer.d_ff);
    if (layer.has_out_gate) gated = std::max<std::size_t>(gated, layer.q_dim());
    if (layer.delta_net) {
      gated = std::max<std::size_t>(gated, layer.delta_net->v_dim());
      head_dim = std::max<std::size_t>(head_dim, layer.delta_net->value_dim);
    }
    kv_dim = std::max<std::size_t>(kv_dim, layer.kv_dim());
    d_ff = std::max<std::size_t>({d_ff, layer.d_ff, layer.expert_d_ff});
    n_experts = std::max<std::size_t>(n_experts, layer.n_experts);
    head_dim = std::max<std::size_t>(head_dim, layer.head_dim);
  }
  for (const WeightTensor& weight : model.weights) n_cols = std::max<std::size_t>(n_cols, weight.n_cols);
  const std::size_t max_rows = bound_.plan->program.max_rows;
  normed_.resize(max_rows * model.d_model);
  gated_.resize(max_rows * gated);
  keys_.resize(max_rows * kv_dim);
  values_.resize(max_rows * kv_dim);
  up_.resize(max_rows * d_ff);
  weight_row_.resize(n_cols);
  if (n_experts > 0) gathered_.resize(max_rows * n_cols);
  router_.resize(max_rows * n_experts);
  scores_by_expert_.resize(n_experts);
  order_.resize(n_experts);
  choices_.reserve(max_rows);
  scores_.resize(bound_.plan->options.n_ctx);
  sums_.resize(head_dim);
  head_.resize(head_dim);
}

void ReferenceStep::check(const DeviceSubgraph& subgraph, const StepInputs& inputs) const {
  const Program& program = bound_.plan->program;
  const PlanOptions& options = bound_.plan->options;
  CHECK(subgraph.device == bound_.device && subgraph.last_op <= program.ops.size(),
        "a subgraph is of another device or plan");
  CHECK(inputs.exact_from.size() == std::size_t{bound_.model->n_layers()} * options.n_slots,
        "a step does not say what its rings hold");
  CHECK(inputs.rows.size() <= program.max_rows && inputs.logit_rows.size() <= program.max_logit_rows,
        "a step is larger than planned");
  for (const StepRow& row : inputs.rows) {
    CHECK(row.token < bound_.model->n_vocab && row.slot < options.n_slots && row.position < options.n_ctx,
          "a row of a step is outside the plan");
  }
  for (const std::uint32_t row : inputs.logit_rows)
    CHECK(row < inputs.rows.size(), "logits of a row that is not there");
}

bool ReferenceStep::run(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) {
  const std::vector<Op>& ops = bound_.plan->program.ops;
  check(subgraph, inputs);
  inputs_ = inputs;
  stop_ = stop;
  stopped_ = false;
  for (std::uint32_t i = subgraph.first_op; i < subgraph.last_op && goes_on(); ++i) run_op(ops[i]);
  inputs_ = {};
  stop_ = {};
  return !stopped_;
}

void ReferenceStep::run_op(const Op& op) {
  switch (op.kind) {
    case OpKind::kEmbed: return embed(op, TensorRole::kTokenEmbedding, bound_.model->embedding_scale);
    case OpKind::kLayerEmbed:
      return embed(op, TensorRole::kLayerEmbedding,
                   std::sqrt(static_cast<float>(bound_.model->layers.front().input_dim)));
    case OpKind::kLayerInputs: return layer_inputs(op);
    case OpKind::kQkvRope: return qkv_rope(op);
    case OpKind::kAttend: return attend(op);
    case OpKind::kAttnOut: return attn_out(op);
    case OpKind::kConvMix: return conv_mix(op);
    case OpKind::kDeltaMix: return delta_mix(op);
    case OpKind::kDeltaRule: return delta_rule(op);
    case OpKind::kDeltaOut: return delta_out(op);
    case OpKind::kFfnUp:
    case OpKind::kSharedUp: return ffn_up(op);
    case OpKind::kFfnDown: return ffn_down(op);
    case OpKind::kSharedDown: return shared_down(op);
    case OpKind::kMoeRoute: return moe_route(op);
    case OpKind::kMoeUp: return moe_up(op);
    case OpKind::kMoeDown: return moe_down(op);
    case OpKind::kInputUp: return input_up(op);
    case OpKind::kInputDown:
      return add_to_residual(op, bound_.buffer(op.inputs[0]), TensorRole::kInputOut, nullptr,
                             TensorRole::kInputPostNorm,
                             bound_.model->layers[static_cast<std::size_t>(op.layer)].output_scale);
    case OpKind::kLogits: return logits(op);
    case OpKind::kTransfer: break;
  }
  CHECK(false, "a subgraph holds a transfer");
}

const float* ReferenceStep::normed(const float* residual, TensorRole role, std::int32_t layer) {
  if (!bound_.model->layers[static_cast<std::size_t>(layer)].has_pre_norms) return residual;
  const std::size_t d_model = bound_.model->d_model;
  std::copy_n(residual, n_rows() * d_model, normed_.begin());
  for (std::size_t row = 0; row < n_rows(); ++row)
    norm({normed_.data() + row * d_model, d_model}, bound_.at(role, layer).vector(), bound_.model->norm_epsilon);
  return normed_.data();
}

void ReferenceStep::embed(const Op& op, TensorRole role, float scale) {
  const ReferenceWeight& table = bound_.at(role, -1);
  float* to = bound_.buffer(op.outputs[0]);
  for (const StepRow& row : inputs_.rows) {
    decode_row(table.dtype, table.row(row.token), table.n_cols, to);
    for (std::uint64_t i = 0; i < table.n_cols; ++i) to[i] *= scale;
    to += table.n_cols;
  }
}

// Of the mean square that a norm divides by, the root of d_model is left.
void ReferenceStep::layer_inputs(const Op& op) {
  const ModelInfo& model = *bound_.model;
  const std::size_t n_elems = model.input_elems, dim = model.layers.front().input_dim;
  float *inputs = bound_.buffer(op.outputs[0]), *projected = bound_.buffer(op.outputs[1]);
  const float factor = 1.0F / std::sqrt(static_cast<float>(model.d_model));
  multiply(bound_.at(TensorRole::kInputProject, -1), bound_.buffer(op.inputs[0]), n_rows(), nullptr,
           [&](std::size_t row, std::size_t n, float sum) { projected[row * n_elems + n] = sum * factor; });
  const std::span<const float> weight = bound_.at(TensorRole::kInputProjectNorm, -1).vector();
  for (std::size_t first = 0; first < n_rows() * n_elems; first += dim) {
    norm({projected + first, dim}, weight, model.norm_epsilon);
    for (std::size_t i = first; i < first + dim; ++i)
      inputs[i] = static_cast<float>((static_cast<double>(projected[i]) + inputs[i]) * std::sqrt(0.5));
  }
}

// Norm of each head where the layer has it, and RoPE.
void ReferenceStep::finish_heads(std::int32_t layer, std::uint32_t position, Heads heads, TensorRole role) const {
  const LayerSpec& spec = bound_.model->layers[static_cast<std::size_t>(layer)];
  const std::uint32_t rope = role == TensorRole::kQNorm ? spec.rope_of_queries() : spec.rope;
  if (spec.norms_heads_together)
    norm({heads.elems, std::size_t{heads.n_heads} * spec.head_dim}, bound_.at(role, layer).vector(),
         bound_.model->norm_epsilon);
  for (std::uint32_t i = 0; i < heads.n_heads; ++i) {
    const std::span<float> head(heads.elems + std::size_t{i} * spec.head_dim, spec.head_dim);
    if (spec.has_qk_norm && !spec.norms_heads_together)
      norm(head, bound_.at(role, layer).vector(), bound_.model->norm_epsilon);
    turn(head, bound_.model->ropes[rope], bound_.ropes[rope], position);
  }
}

// What key_balance.h says of one row.
void ReferenceStep::balance_keys(std::int32_t layer, float* keys) const {
  const std::vector<float>& factors = bound_.key_balance[static_cast<std::size_t>(layer)];
  for (std::size_t i = 0; i < factors.size(); ++i) keys[i] /= factors[i];
}

void ReferenceStep::balance_query(std::int32_t layer, float* query) const {
  const LayerSpec& spec = bound_.model->layers[static_cast<std::size_t>(layer)];
  const std::vector<float>& factors = bound_.key_balance[static_cast<std::size_t>(layer)];
  const std::uint32_t group = spec.n_heads / spec.n_kv_heads;
  for (std::uint32_t i = 0; i < spec.q_dim(); ++i)
    query[i] *= factors[i / spec.head_dim / group * spec.head_dim + i % spec.head_dim];
}

// All rows go into the cache before the next op reads any.
void ReferenceStep::qkv_rope(const Op& op) {
  const LayerSpec& spec = bound_.model->layers[static_cast<std::size_t>(op.layer)];
  const ReferenceBinding::Layer& cache = bound_.layers[static_cast<std::size_t>(op.layer)];
  CHECK(cache.keys.is_bound() && cache.values.is_bound(), "a layer's cache is on another device");
  const float* in = normed(bound_.buffer(op.inputs[0]), TensorRole::kAttnNorm, op.layer);
  const auto project = [&](TensorRole matrix, TensorRole bias, float* to, std::size_t width) {
    multiply(bound_.at(matrix, op.layer), in, n_rows(), bound_.find(bias, op.layer),
             [&](std::size_t row, std::size_t n, float sum) { to[row * width + n] = sum; });
  };
  float* queries = bound_.buffer(op.outputs[0]);
  project(TensorRole::kQ, TensorRole::kQBias, queries, spec.q_dim());
  if (spec.has_cache()) {
    project(TensorRole::kK, TensorRole::kKBias, keys_.data(), spec.kv_dim());
    project(spec.value_is_key ? TensorRole::kK : TensorRole::kV, TensorRole::kVBias, values_.data(), spec.kv_dim());
  }
  if (spec.has_out_gate) {
    float* gates = bound_.buffer(op.outputs[1]);
    multiply(bound_.at(TensorRole::kOutGate, op.layer), in, n_rows(), nullptr,
             [&](std::size_t row, std::size_t n, float sum) { gates[row * spec.q_dim() + n] = sum; });
  }
  for (std::size_t i = 0; i < n_rows() && goes_on(); ++i) {
    const StepRow& row = inputs_.rows[i];
    float* query = queries + i * spec.q_dim();
    finish_heads(op.layer, row.position, {query, spec.n_heads}, TensorRole::kQNorm);
    if (cache.keys.is_rotated()) {
      balance_query(op.layer, query);
      for (std::uint32_t head = 0; head < spec.n_heads; ++head)
        rotate_head({query + std::size_t{head} * spec.head_dim, spec.head_dim});
    }
    if (spec.has_cache())
      put_in_cache(op.layer, row, keys_.data() + i * spec.kv_dim(), values_.data() + i * spec.kv_dim());
  }
}

void ReferenceStep::put_in_cache(std::int32_t layer, const StepRow& row, float* keys, float* values) const {
  const LayerSpec& spec = bound_.model->layers[static_cast<std::size_t>(layer)];
  const ReferenceBinding::Layer& cache = bound_.layers[static_cast<std::size_t>(layer)];
  finish_heads(layer, row.position, {keys, spec.n_kv_heads}, TensorRole::kKNorm);
  if (cache.keys.is_rotated()) balance_keys(layer, keys);
  for (std::uint32_t head = 0; head < spec.n_kv_heads; ++head) {
    const std::span<float> key(keys + std::size_t{head} * spec.head_dim, spec.head_dim),
        value(values + std::size_t{head} * spec.head_dim, spec.head_dim);
    if (spec.has_value_norm) norm(value, {}, bound_.model->norm_epsilon);
    if (cache.keys.is_rotated()) rotate_head(key);
    if (cache.values.is_rotated()) rotate_head(value);
    cache.keys.put(row.slot, head, row.position, key.data());
    cache.values.put(row.slot, head, row.position, value.data());
  }
}

void ReferenceStep::attend(const Op& op) {
  const LayerSpec& spec = bound_.model->layers[static_cast<std::size_t>(op.layer)];
  const float* query = bound_.buffer(op.inputs[0]);
  float* attended = bound_.buffer(op.outputs[0]);
  for (std::size_t i = 0; i < n_rows() && goes_on(); ++i) {
    for (std::uint32_t head = 0; head < spec.n_heads; ++head) {
      attend_head(op, inputs_.rows[i], head, query, attended);
      query += spec.head_dim;
      attended += spec.head_dim;
    }
  }
}

void ReferenceStep::attend_head(const Op& op, const StepRow& row, std::uint32_t head, const float* query,
                                float* attended) {
  const LayerSpec& spec = bound_.model->layers[static_cast<std::size_t>(op.layer)];
  const ReferenceBinding::Layer& cache = bound_.layers[static_cast<std::size_t>(op.layer)];
  const std::uint32_t kv_head = head / (spec.n_heads / spec.n_kv_heads);
  const std::uint32_t exact_from =
      inputs_.exact_from[static_cast<std::size_t>(op.layer) * bound_.plan->options.n_slots + row.slot];
  const std::uint32_t to = row.position + 1;
  const std::uint32_t from = spec.attention == AttentionKind::kWindow && to > spec.window ? to - spec.window : 0;
  for (std::uint32_t key = from; key < to; ++key) {
    cache.keys.get(row.slot, kv_head, key, exact_from, head_.data());
    double score = 0;
    for (std::uint32_t i = 0; i < spec.head_dim; ++i) score += static_cast<double>(query[i]) * head_[i];
    scores_[key - from] = softcapped(spec.attention_softcap, score * spec.attention_scale);
  }
  double most = *std::max_element(scores_.begin(), scores_.begin() + (to - from)), total = 0;
  if (const ReferenceWeight* sinks = bound_.find(TensorRole::kAttnSinks, op.layer)) {
    const double sink = sinks->vector()[head];
    most = std::max(most, sink);
    total = std::exp(sink - most);
  }
  std::fill_n(sums_.begin(), spec.head_dim, 0.0);
  for (std::uint32_t key = from; key < to; ++key) {
    const double weight = std::exp(scores_[key - from] - most);
    total += weight;
    cache.values.get(row.slot, kv_head, key, exact_from, head_.data());
    for (std::uint32_t i = 0; i < spec.head_dim; ++i) sums_[i] += weight * head_[i];
  }
  for (std::uint32_t i = 0; i < spec.head_dim; ++i) attended[i] = static_cast<float>(sums_[i] / total);
  if (cache.values.is_rotated()) unrotate_head({attended, spec.head_dim});
}

void ReferenceStep::add_to_residual(const Op& op, const float* in, TensorRole matrix, const ReferenceWeight* bias,
                                    TensorRole role, float scale) {
  const std::size_t d_model = bound_.model->d_model;
  float* residual = bound_.buffer(op.outputs[0]);
  multiply(bound_.at(matrix, op.layer), in, n_rows(), bias,
           [&](std::size_t row, std::size_t n, float sum) { normed_[row * d_model + n] = sum; });
  const bool has_norm = bound_.model->layers[static_cast<std::size_t>(op.layer)].has_post_norms;
  for (std::size_t row = 0; row < n_rows(); ++row) {
    const std::span<float> more(normed_.data() + row * d_model, d_model);
    if (has_norm) norm(more, bound_.at(role, op.layer).vector(), bound_.model->norm_epsilon);
    for (std::size_t i = 0; i < d_model; ++i) {
      float& elem = residual[row * d_model + i];
      elem = (elem + more[i]) * scale;
    }
  }
}

void ReferenceStep::attn_out(const Op& op) {
  const LayerSpec& spec = bound_.model->layers[static_cast<std::size_t>(op.layer)];
  const float* attended = bound_.buffer(op.inputs[0]);
  if (spec.has_out_gate) {
    const float* gates = bound_.buffer(op.inputs[1]);
    for (std::size_t i = 0; i < n_rows() * spec.q_dim(); ++i)
      gated_[i] = static_cast<float>(attended[i] * sigmoid(gates[i]));
    attended = gated_.data();
  }
  add_to_residual(op, attended, TensorRole::kAttnOut, bound_.find(TensorRole::kAttnOutBias, op.layer),
                  TensorRole::kAttnPostNorm);
}

void ReferenceStep::ffn_up(const Op& op) {
  const LayerSpec& spec = bound_.model->layers[static_cast<std::size_t>(op.layer)];
  const float* in = normed(bound_.buffer(op.inputs[0]), TensorRole::kFfnNorm, op.layer);
  float* hidden = bound_.buffer(op.outputs[0]);
  multiply(bound_.at(TensorRole::kUp, op.layer), in, n_rows(), nullptr,
           [&](std::size_t row, std::size_t n, float sum) { up_[row * spec.d_ff + n] = sum; });
  multiply(bound_.at(TensorRole::kGate, op.layer), in, n_rows(), nullptr,
           [&](std::size_t row, std::size_t n, float sum) {
             const std::size_t at = row * spec.d_ff + n;
             hidden[at] = static_cast<float>(activate(spec.activation, sum, up_[at]));
           });
  if (op.outputs.size() < 2) return;  // no gate
  float* gates = bound_.buffer(op.outputs[1]);
  multiply(bound_.at(TensorRole::kSharedGate, op.layer), in, n_rows(), nullptr,
           [&](std::size_t row, std::size_t, float sum) { gates[row] = static_cast<float>(sigmoid(sum)); });
}

void ReferenceStep::ffn_down(const Op& op) {
  add_to_residual(op, bound_.buffer(op.inputs[0]), TensorRole::kDown, nullptr, TensorRole::kFfnPostNorm,
                  bound_.model->layers[static_cast<std::size_t>(op.layer)].ffn_scale());
}

void ReferenceStep::input_up(const Op& op) {
  const LayerSpec& spec = bound_.model->layers[static_cast<std::size_t>(op.layer)];
  const float* inputs =
      bound_.buffer(op.inputs[1]) + std::size_t{static_cast<std::uint32_t>(op.layer)} * spec.input_dim;
  float* to = bound_.buffer(op.outputs[0]);
  multiply(bound_.at(TensorRole::kInputGate, op.layer), bound_.buffer(op.inputs[0]), n_rows(), nullptr,
           [&](std::size_t row, std::size_t n, float sum) {
             to[row * spec.input_dim + n] =
                 static_cast<float>(activate(spec.activation, sum, inputs[row * bound_.model->input_elems + n]));
           });
}

// --- experts ---

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
    norm(more, bound_.at(TensorRole::kFfnPostNorm, op.layer).vector(), bound_.model->norm_epsilon);
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

void ReferenceStep::logits(const Op& op) {
  const ModelInfo& model = *bound_.model;
  const bool has_head = model.find_weight(TensorRole::kHead, -1) != nullptr;
  const ReferenceWeight& head = bound_.at(has_head ? TensorRole::kHead : TensorRole::kTokenEmbedding, -1);
  const float* residual = bound_.buffer(op.inputs[0]);
  float* to = bound_.buffer(op.outputs[0]);
  for (std::size_t i = 0; i < inputs_.logit_rows.size(); ++i) {
    float* in = normed_.data() + i * model.d_model;
    std::copy_n(residual + std::size_t{inputs_.logit_rows[i]} * model.d_model, model.d_model, in);
    norm({in, model.d_model}, bound_.at(TensorRole::kOutputNorm, -1).vector(), model.norm_epsilon);
  }
  multiply(head, normed_.data(), inputs_.logit_rows.size(), nullptr, [&](std::size_t row, std::size_t n, float sum) {
    to[row * model.n_vocab + n] = static_cast<float>(softcapped(model.logit_softcap, sum));
  });
}

}  // namespace headroom
