#include "backend/reference/reference_step.h"

#include <algorithm>
#include <cmath>
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

// Bounds x, and leaves what is far below the cap nearly as it is. Source: arXiv 2408.00118, section 2.
double softcapped(float cap, double x) { return cap > 0 ? cap * std::tanh(x / cap) : x; }

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
    if (role == TensorRole::kTokenEmbedding && bound_.model->norms_embedding)
      norm({to, table.n_cols}, {}, bound_.model->norm_epsilon);
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
    const bool is_normed = spec.has_qk_norm && !spec.norms_heads_together;
    const auto norm_head = [&] { norm(head, bound_.at(role, layer).vector(), bound_.model->norm_epsilon); };
    if (is_normed && !spec.norms_turned_heads) norm_head();
    turn(head, bound_.model->ropes[rope], bound_.ropes[rope], position);
    if (is_normed && spec.norms_turned_heads) norm_head();
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
    if (has_norm) norm(more, bound_.at(role, op.layer).vector(), bound_.model->epsilon_behind());
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
