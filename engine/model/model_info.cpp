#include "model/model_info.h"

#include <algorithm>

#include "format/dtype_table.h"

namespace headroom {

std::uint64_t LayerSpec::kv_rows(std::uint64_t n_ctx, std::uint64_t n_batch) const {
  if (!has_attention()) return 0;
  // A step writes up to n_batch new positions before the oldest of them reads its window, so both must fit at once.
  const std::uint64_t n_rows = attention == AttentionKind::kWindow ? std::min(n_ctx, window + n_batch) : n_ctx;
  return round_up(n_rows, kKvRowStep);
}

KvF16Rows LayerSpec::kv_f16_rows(std::uint64_t n_ctx, std::uint64_t n_batch) const {
  const auto whole = [](std::uint64_t n) { return n / kKvRowStep * kKvRowStep; };
  const std::uint64_t rows = kv_rows(n_ctx, n_batch),
                      most_sinks = attention == AttentionKind::kWindow ? 0 : kKvSinkRows;
  const std::uint64_t most_tail = std::clamp<std::uint64_t>(rows / 128, kKvTailRowsMany, kKvTailRowsMax);
  const std::uint64_t tail =
      std::clamp<std::uint64_t>(round_up(rows / 16, kKvRowStep), kKvTailRowsMin, whole(most_tail));
  // A step writes a batch before its first row reads, so the ring holds that too.
  const std::uint64_t wanted = most_sinks + tail + round_up(n_batch, kKvRowStep), most = whole(rows / 8);
  if (wanted <= most) return {most_sinks, wanted - most_sinks};
  const std::uint64_t n_sinks =
      most < 2 * kKvRowStep ? 0 : std::min(most_sinks, std::max<std::uint64_t>(kKvRowStep, whole(most / 4)));
  return {n_sinks, most - n_sinks};
}

Bytes LayerSpec::kv_row_bytes(DType dtype) const { return n_kv_heads * row_bytes(dtype, head_dim); }

Message not_loaded_words(const NotLoaded& unused) {
  return Message::say_n("%n tensor(s) of {}, {}", unused.n_tensors, unused.what, amount(unused.n_bytes));
}

std::uint32_t ModelInfo::n_layers_together() const {
  std::uint32_t first = n_layers();
  for (const LayerSpec& layer : layers) first = std::min(first, layer.kv_layer.value_or(first));
  return n_layers() - first;
}

std::uint32_t ModelInfo::n_recurrent_layers() const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(layers, [](const LayerSpec& layer) { return layer.has_state(); }));
}

Bytes ModelInfo::state_bytes() const {
  Bytes sum = 0;
  for (const LayerSpec& layer : layers) sum += layer.state_bytes();
  return sum;
}

const WeightTensor* ModelInfo::find_weight(TensorRole role, std::int32_t layer) const {
  const auto found = std::find_if(weights.begin(), weights.end(),
                                  [&](const WeightTensor& w) { return w.role == role && w.layer == layer; });
  return found == weights.end() ? nullptr : &*found;
}

double ModelInfo::share_read(const WeightTensor& weight) const {
  if (!role_is_experts(weight.role)) return 1;
  const LayerSpec& layer = layers[static_cast<std::size_t>(weight.layer)];
  return static_cast<double>(layer.n_experts_used) / layer.n_experts;
}

}  // namespace headroom
