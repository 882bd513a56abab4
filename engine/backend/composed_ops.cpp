#include "backend/composed_ops.h"

#include <algorithm>
#include <cmath>

#include "format/decode.h"
#include "format/dtype_table.h"
#include "format/encode.h"
#include "format/rotation.h"
#include "model/key_balance.h"
#include "plan/kv_regions.h"

namespace headroom {
namespace {

using Row = std::vector<float>;

void norm(std::span<float> row, std::span<const float> weight, float epsilon) {
  double squares = 0;
  for (const float x : row) squares += static_cast<double>(x) * x;
  const double factor = 1 / std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(row[i] * factor * weight[i]);
}

Row normed(const Row& row, std::span<const float> weight, float epsilon) {
  Row out = row;
  norm(out, weight, epsilon);
  return out;
}

void turn(std::span<float> head, const RopeSpec& rope, const RopeFrequencies& frequencies, std::uint32_t position) {
  const std::uint32_t n_pairs = rope.rope_dim / 2;
  for (std::uint32_t pair = 0; pair < n_pairs; ++pair) {
    const float angle = static_cast<float>(position) * frequencies.per_pair[pair];
    const bool neighbours = rope.pairing == RopePairing::kNeighbours;
    float& x = head[neighbours ? 2 * pair : pair];
    float& y = head[neighbours ? 2 * pair + 1 : pair + n_pairs];
    const float cosine = std::cos(angle) * frequencies.magnitude, sine = std::sin(angle) * frequencies.magnitude;
    const float turned = x * cosine - y * sine;
    y = x * sine + y * cosine;
    x = turned;
  }
}

// What is left of a head after the cache has kept it.
void round_trip(std::span<float> head, DType dtype, KvScheme scheme, float shift) {
  std::vector<std::byte> kept(row_bytes(dtype, head.size()));
  if (scheme == KvScheme::kPlain) {
    encode_row(dtype, head.data(), head.size(), kept.data());
  } else {
    encode_kv_row(dtype, head.data(), head.size(), shift, kept.data());
  }
  decode_shifted_row(dtype, kept.data(), head.size(), shift, head.data());
}

double activate(Activation kind, double x) {
  if (kind == Activation::kSilu) return x / (1 + std::exp(-x));
  return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));  // tanh form, arXiv 1606.08415
}

}  // namespace

Result<ComposedModel> ComposedModel::load(const ModelInfo& model, const ModelFile& file, const PlanOptions& options) {
  ComposedModel loaded;
  loaded.model_ = model;
  loaded.options_ = options;
  for (const RopeSpec& rope : model.ropes) loaded.ropes_.push_back(rope_frequencies(rope));
  for (const WeightTensor& weight : model.weights) {
    const Bytes stride = row_bytes(weight.dtype, weight.n_cols);
    std::vector<std::byte> bytes(weight.n_rows * stride);
    if (Status status = file.read_tensor(file.tensors()[weight.file_tensor], weight.first_row * stride, bytes); !status)
      return status.error();
    Weights decoded{.values = Row(weight.n_rows * weight.n_cols), .n_rows = weight.n_rows, .n_cols = weight.n_cols};
    for (std::uint64_t row = 0; row < weight.n_rows; ++row) {
      decode_row(weight.dtype, bytes.data() + row * stride, weight.n_cols, decoded.values.data() + row * weight.n_cols);
    }
    loaded.weights_.push_back(std::move(decoded));
  }
  loaded.caches_.resize(model.layers.size() * options.n_slots);
  return loaded;
}

const ComposedModel::Weights& ComposedModel::at(WeightSlot slot, std::int32_t layer) const {
  static const Weights kNone;
  const WeightTensor* found = model_.find_weight(slot, layer);
  return found == nullptr ? kNone : weights_[static_cast<std::size_t>(found - model_.weights.data())];
}

namespace {

template <class Weights>
Row product(const Weights& matrix, std::span<const float> in, const std::vector<float>& bias) {
  Row out(matrix.n_rows);
  for (std::uint64_t row = 0; row < matrix.n_rows; ++row) {
    double sum = bias.empty() ? 0.0 : bias[row];
    for (std::uint64_t col = 0; col < matrix.n_cols; ++col)
      sum += static_cast<double>(matrix.values[row * matrix.n_cols + col]) * in[col];
    out[row] = static_cast<float>(sum);
  }
  return out;
}

}  // namespace

Row ComposedModel::embed(std::uint32_t token) const {
  const Weights& table = at(WeightSlot::kTokenEmbedding, -1);
  const auto first = table.values.begin() + static_cast<std::ptrdiff_t>(token * table.n_cols);
  return {first, first + static_cast<std::ptrdiff_t>(table.n_cols)};
}

Row ComposedModel::qkv_rope(std::int32_t layer, const StepRow& row, const Row& residual) {
  const LayerSpec& spec = model_.layers[static_cast<std::size_t>(layer)];
  const RopeSpec& rope = model_.ropes[spec.rope];
  const Row in = normed(residual, at(WeightSlot::kAttnNorm, layer).values, model_.norm_epsilon);
  Row query = product(at(WeightSlot::kQ, layer), in, at(WeightSlot::kQBias, layer).values);
  Row keys = product(at(WeightSlot::kK, layer), in, at(WeightSlot::kKBias, layer).values);
  Row values = product(at(WeightSlot::kV, layer), in, at(WeightSlot::kVBias, layer).values);
  const auto finish = [&](Row& heads, WeightSlot norm_slot) {
    for (std::size_t first = 0; first < heads.size(); first += spec.head_dim) {
      const std::span<float> head(heads.data() + first, spec.head_dim);
      if (spec.has_qk_norm) norm(head, at(norm_slot, layer).values, model_.norm_epsilon);
      turn(head, rope, ropes_[spec.rope], row.position);
    }
  };
  finish(query, WeightSlot::kQNorm);
  finish(keys, WeightSlot::kKNorm);
  if (is_rotated(options_.kv_k)) balance(layer, query, keys);
  const auto rotate = [&](Row& heads, DType kv) {
    for (std::size_t first = 0; is_rotated(kv) && first < heads.size(); first += spec.head_dim)
      rotate_head({heads.data() + first, spec.head_dim});
  };
  rotate(query, options_.kv_k);
  rotate(keys, options_.kv_k);
  rotate(values, options_.kv_v);
  Cache& kept = cache(static_cast<std::size_t>(layer), row.slot);
  const auto keep = [&](const Row& heads, DType kv, float shift, Row& into) {
    into.resize(std::size_t{row.position} * spec.kv_dim());  // a position that is written again forgets those behind it
    for (std::size_t first = 0; first < heads.size(); first += spec.head_dim) {
      const auto start = heads.begin() + static_cast<std::ptrdiff_t>(first);
      Row head(start, start + spec.head_dim);
      round_trip(head, kv, options_.kv_scheme, shift);
      into.insert(into.end(), head.begin(), head.end());
    }
  };
  keep(keys, options_.kv_k, 0.0F, kept.keys);
  keep(values, options_.kv_v, has_value_shifts(KvPart::kValues, options_) ? value_shift(row.position) : 0.0F,
       kept.values);
  keep(keys, DType::kF16, 0.0F, kept.exact_keys);
  keep(values, DType::kF16, 0.0F, kept.exact_values);
  return query;
}

// What balance_keys() says of the layer.
void ComposedModel::balance(std::int32_t layer, Row& query, Row& keys) const {
  const LayerSpec& spec = model_.layers[static_cast<std::size_t>(layer)];
  const auto squares = [&](WeightSlot slot, WeightSlot bias_slot) {
    const Weights& matrix = at(slot, layer);
    const std::size_t n_seen = std::min<std::size_t>(matrix.n_cols, kBalanceCols);
    const std::span<const float> norm(at(WeightSlot::kAttnNorm, layer).values.data(), n_seen);
    const std::vector<float>& bias = at(bias_slot, layer).values;
    Row out;
    for (std::size_t row = 0; row < matrix.n_rows; ++row) {
      out.push_back(output_square({matrix.values.data() + row * matrix.n_cols, n_seen}, norm, matrix.n_cols,
                                  bias.empty() ? 0.0F : bias[row]));
    }
    return out;
  };
  const OutputSquares sizes =
      spec.has_qk_norm
          ? normed_squares(spec, at(WeightSlot::kQNorm, layer).values, at(WeightSlot::kKNorm, layer).values)
          : OutputSquares{squares(WeightSlot::kQ, WeightSlot::kQBias), squares(WeightSlot::kK, WeightSlot::kKBias)};
  const std::vector<float> factors = balance_keys(spec, model_.ropes[spec.rope], sizes);
  const std::size_t group = spec.n_heads / spec.n_kv_heads;
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] /= factors[i];
  for (std::size_t i = 0; i < query.size(); ++i)
    query[i] *= factors[i / spec.head_dim / group * spec.head_dim + i % spec.head_dim];
}

bool ComposedModel::is_rotated(DType kv) const {
  return is_quantized_kv(kv) && options_.kv_scheme == KvScheme::kRotated;
}

// What the ring of each layer holds once the rows of a step are written.
void ComposedModel::move_exact_from(std::span<const StepRow> rows) {
  for (std::size_t layer = 0; layer < model_.layers.size(); ++layer) {
    const auto n_ring =
        static_cast<std::uint32_t>(model_.layers[layer].kv_ends(options_.n_ctx, options_.n_batch).n_ring);
    for (const StepRow& row : rows) {
      std::uint32_t& from = cache(layer, row.slot).exact_from;
      from = std::max(std::min(from, row.position), row.position + 1 - std::min(row.position + 1, n_ring));
    }
  }
}

Row ComposedModel::attend(std::int32_t layer, const StepRow& row, const Row& query) {
  const LayerSpec& spec = model_.layers[static_cast<std::size_t>(layer)];
  const Cache& kept = cache(static_cast<std::size_t>(layer), row.slot);
  const std::uint32_t to = row.position + 1;
  const std::uint32_t from = spec.attention == AttentionKind::kWindow && to > spec.window ? to - spec.window : 0;
  const KvEnds k_ends = kv_ends_of(spec, options_.kv_k, options_), v_ends = kv_ends_of(spec, options_.kv_v, options_);
  const auto head_at = [&](const Row& quantized, const Row& exact, const KvEnds& ends, std::uint32_t position,
                           std::size_t kv_first) {
    const bool is_exact = position < ends.n_sinks || (ends.n_ring > 0 && position >= kept.exact_from);
    return (is_exact ? exact : quantized).data() + std::size_t{position} * spec.kv_dim() + kv_first;
  };
  Row attended(query.size());
  for (std::uint32_t head = 0; head < spec.n_heads; ++head) {
    const std::size_t kv_first = std::size_t{head / (spec.n_heads / spec.n_kv_heads)} * spec.head_dim,
                      q_first = std::size_t{head} * spec.head_dim;
    std::vector<double> weights(to - from);
    for (std::uint32_t key = from; key < to; ++key) {
      const float* elems = head_at(kept.keys, kept.exact_keys, k_ends, key, kv_first);
      double score = 0;
      for (std::uint32_t i = 0; i < spec.head_dim; ++i) score += static_cast<double>(query[q_first + i]) * elems[i];
      weights[key - from] = score * spec.attention_scale;
    }
    const double most = *std::max_element(weights.begin(), weights.end());
    double sum = 0;
    for (double& weight : weights) sum += (weight = std::exp(weight - most));
    for (std::uint32_t i = 0; i < spec.head_dim; ++i) {
      double value = 0;
      for (std::uint32_t key = from; key < to; ++key) {
        value += weights[key - from] * head_at(kept.values, kept.exact_values, v_ends, key, kv_first)[i];
      }
      attended[q_first + i] = static_cast<float>(value / sum);
    }
    if (is_rotated(options_.kv_v)) unrotate_head({attended.data() + q_first, spec.head_dim});
  }
  return attended;
}

void ComposedModel::attn_out(std::int32_t layer, const Row& attended, Row& residual) const {
  const Row out = product(at(WeightSlot::kAttnOut, layer), attended, at(WeightSlot::kAttnOutBias, layer).values);
  for (std::size_t i = 0; i < residual.size(); ++i) residual[i] += out[i];
}

Row ComposedModel::ffn_up(std::int32_t layer, const Row& residual) const {
  const Row in = normed(residual, at(WeightSlot::kFfnNorm, layer).values, model_.norm_epsilon);
  Row hidden = product(at(WeightSlot::kGate, layer), in, {});
  const Row up = product(at(WeightSlot::kUp, layer), in, {});
  const Activation kind = model_.layers[static_cast<std::size_t>(layer)].activation;
  for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] = static_cast<float>(activate(kind, hidden[i]) * up[i]);
  return hidden;
}

void ComposedModel::ffn_down(std::int32_t layer, const Row& hidden, Row& residual) const {
  const Row out = product(at(WeightSlot::kDown, layer), hidden, {});
  for (std::size_t i = 0; i < residual.size(); ++i) residual[i] += out[i];
}

Row ComposedModel::logits(const Row& residual) const {
  const WeightSlot slot =
      model_.find_weight(WeightSlot::kHead, -1) != nullptr ? WeightSlot::kHead : WeightSlot::kTokenEmbedding;
  return product(at(slot, -1), normed(residual, at(WeightSlot::kOutputNorm, -1).values, model_.norm_epsilon), {});
}

std::vector<float> ComposedModel::step(const StepInputs& inputs) {
  std::vector<float> out;
  std::size_t next_logit = 0;
  move_exact_from(inputs.rows);
  for (std::uint32_t index = 0; index < inputs.rows.size();
       ++index) {  // row by row: no later row changes what an earlier one sees
    const StepRow& row = inputs.rows[index];
    Row residual = embed(row.token);
    for (std::int32_t layer = 0; layer < static_cast<std::int32_t>(model_.n_layers()); ++layer) {
      const Row query = qkv_rope(layer, row, residual);
      attn_out(layer, attend(layer, row, query), residual);
      ffn_down(layer, ffn_up(layer, residual), residual);
    }
    if (next_logit < inputs.logit_rows.size() && inputs.logit_rows[next_logit] == index) {
      const Row row_logits = logits(residual);
      out.insert(out.end(), row_logits.begin(), row_logits.end());
      ++next_logit;
    }
  }
  return out;
}

}  // namespace headroom
