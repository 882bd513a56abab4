#include "plan/gpu_rules.h"

#include <algorithm>
#include <limits>

#include "format/dtype_table.h"
#include "model/gpu_grids.h"
#include "plan/speed.h"

namespace headroom {
namespace {

Bytes gpu_aligned(Bytes bytes) { return round_up(bytes, kGpuAlignment); }

}  // namespace

GpuScratch gpu_scratch(const ModelInfo& model, const DeviceInfo& device, const PlanOptions& options,
                       std::uint32_t max_rows) {
  std::uint64_t kv_dim = 0, mixed_dim = 0, n_experts = 0;
  Bytes partials = 0, expert_tiles = 0, expert_rows = 0, mixes = 0;
  bool needs_added = false;
  for (const LayerSpec& layer : model.layers) {
    kv_dim = std::max<std::uint64_t>(kv_dim, layer.kv_dim());
    mixed_dim = std::max<std::uint64_t>(mixed_dim, layer.mixed_dim());
    n_experts = std::max<std::uint64_t>(n_experts, layer.n_experts);
    needs_added |= layer.has_post_norms || layer.has_shared_gate;
    const Bytes of_row = (layer.q_dim() + Bytes{2} * layer.n_heads) * kF32Bytes;
    if (layer.has_attention()) partials = std::max(partials, gpu_splits(layer, options).n_partials(max_rows) * of_row);
    if (layer.delta_net) mixes = std::max(mixes, gpu_mixes(*layer.delta_net, max_rows).n_words * 4);
    if (layer.short_conv)
      mixes = std::max(mixes, gpu_aligned(Bytes{max_rows} * layer.short_conv->n_channels * kF32Bytes));
    if (!layer.has_experts() || layer.n_experts > kGpuMostExperts || max_rows <= kGpuFewRows) continue;
    expert_tiles = std::max(expert_tiles, gpu_expert_tiles(layer, max_rows).n_words * 4);
    expert_rows = std::max(expert_rows, Bytes{max_rows} * layer.n_experts_used * model.d_model * kF32Bytes);
  }
  const bool is_balanced = is_quantized_kv(options.kv_k) && options.kv_scheme == KvScheme::kRotated;
  const Bytes row = gpu_aligned(Bytes{max_rows} * model.d_model * kF32Bytes);
  const Bytes kv_rows = gpu_aligned(Bytes{max_rows} * kv_dim * kF32Bytes);
  const Bytes normed_row = std::max(Bytes{model.d_model} * kF32Bytes, gpu_int8_row_bytes(mixed_dim));
  return {.normed_bytes = gpu_aligned(max_rows * normed_row),
          .keys_bytes = kv_rows,
          .values_bytes = kv_rows,
          .added_bytes = needs_added ? row : 0,
          .router_bytes = gpu_aligned(Bytes{max_rows} * n_experts * kF32Bytes),
          .balance_bytes = is_balanced ? gpu_aligned(Bytes{model.n_layers()} * kv_dim * kF32Bytes) : 0,
          .partials_bytes = gpu_aligned(partials),
          .expert_tiles_bytes = gpu_aligned(expert_tiles),
          .expert_rows_bytes = gpu_aligned(expert_rows),
          .mixes_bytes = mixes,
          .inputs_bytes = device.traits.copies_inputs ? gpu_inputs(model, options).answers_at * 4 : 0};
}

std::uint32_t gpu_most_rows(const ModelInfo& model, std::uint32_t max_groups) {
  if (max_groups == 0) return std::numeric_limits<std::uint32_t>::max();
  std::uint32_t n_of_row = 1;
  for (const LayerSpec& layer : model.layers) n_of_row = std::max(n_of_row, layer.n_experts_used);
  return max_groups / n_of_row;
}

// Each expert that is chosen has one tile that is not full at most.
GpuExpertTiles gpu_expert_tiles(const LayerSpec& layer, std::uint32_t n_rows) {
  const std::uint64_t n_choices = std::uint64_t{n_rows} * layer.n_experts_used,
                      most = n_choices / kGpuTileRows + std::min<std::uint64_t>(layer.n_experts, n_choices),
                      choices_at = 4 + 4 * most;
  return {.most = static_cast<std::uint32_t>(most), .choices_at = choices_at, .n_words = choices_at + n_choices};
}

GpuMixes gpu_mixes(const DeltaNetSpec& spec, std::uint32_t n_rows) {
  GpuMixes mixes;
  const auto take = [&](std::uint64_t width) {
    const std::uint64_t at = mixes.n_words;
    mixes.n_words += round_up(n_rows * width, kGpuAlignment / 4);
    return at;
  };
  take(spec.q_dim());
  mixes.keys_at = take(spec.q_dim());
  mixes.values_at = take(spec.v_dim());
  mixes.alphas_at = take(spec.n_value_heads);
  mixes.betas_at = take(spec.n_value_heads);
  const std::uint64_t of_pairs = div_up(n_rows, kGpuDeltaChunk) * spec.n_value_heads * kGpuDeltaPairWords;
  mixes.n_words = std::max(mixes.n_words, round_up(of_pairs, kGpuAlignment / 4));
  return mixes;
}

std::uint64_t gpu_most_seen(const LayerSpec& layer, const PlanOptions& options) {
  return layer.attention == AttentionKind::kWindow ? std::min(layer.window, options.n_ctx) : options.n_ctx;
}

// Shorter contexts have fewer splits, each of at least kGpuSplitKeys, with those before a window that make it begin at
// a multiple.
GpuSplits gpu_splits(const LayerSpec& layer, const PlanOptions& options) {
  const bool has_window = layer.attention == AttentionKind::kWindow;
  const std::uint64_t n_rows = std::min(kGpuFewRows, options.step_rows()),
                      of_row = div_up(gpu_most_seen(layer, options), kGpuSplitKeys) + (has_window ? 1 : 0),
                      most = div_up(kGpuAttendGroups, layer.n_kv_heads);
  return {.row_splits = static_cast<std::uint32_t>(std::min(most, n_rows * of_row)),
          .window = has_window ? layer.window : 0};
}

std::uint32_t GpuSplits::count(std::uint32_t position, std::uint32_t n_rows) const {
  const std::uint32_t from = window != 0 && position >= window ? position + 1 - window : 0;
  const std::uint32_t n_seen = position + 1 - from / kGpuSplitKeys * kGpuSplitKeys, unit = kGpuSplitKeys * most(n_rows);
  const auto n_keys = static_cast<std::uint32_t>(div_up(n_seen, unit)) * kGpuSplitKeys;
  return static_cast<std::uint32_t>(div_up(n_seen, n_keys));
}

GpuAnswer gpu_answer(std::uint32_t n_vocab) {
  GpuAnswer answer;
  answer.logits_at = 2 * std::uint64_t{kMostCandidates};
  answer.sums_at = answer.logits_at + kMostCandidates;
  answer.n_words = round_up(answer.sums_at + 2 * div_up(n_vocab, kRowSumBlock), kGpuAlignment / 4);
  return answer;
}

std::uint64_t GpuInputs::rope_at(const ModelInfo& model, std::uint32_t rope, std::uint32_t max_rows) const {
  std::uint64_t at = ropes_at;
  for (std::uint32_t i = 0; i < rope; ++i) at += std::uint64_t{max_rows} * model.ropes[i].rope_dim;
  return at;
}

GpuInputs gpu_inputs(const ModelInfo& model, const PlanOptions& options) {
  const std::uint64_t max_rows = options.step_rows();
  GpuInputs inputs;
  const auto take = [&](std::uint64_t n_words) {
    const std::uint64_t at = inputs.n_words;
    inputs.n_words += round_up(n_words, kGpuRowWords);
    return at;
  };
  inputs.counts_at = take(2);
  if (has_grids(model)) inputs.grids_at = take(kGpuGridWords);
  inputs.rows_at = take(max_rows * kGpuRowWords);
  inputs.logit_rows_at = take(options.n_logit_rows);
  inputs.exact_from_at = take(std::uint64_t{model.n_layers()} * options.n_slots);
  std::uint64_t rope_words = 0;
  for (const RopeSpec& rope : model.ropes) rope_words += max_rows * rope.rope_dim;
  inputs.ropes_at = take(rope_words);
  inputs.max_groups = 2 * std::uint64_t{kGpuGroupsPerOp};                              // embedding and head
  if (model.input_elems > 0) inputs.max_groups += 2 * std::uint64_t{kGpuGroupsPerOp};  // and layer inputs
  for (const LayerSpec& layer : model.layers) {
    // But for attention: of its own part, and of the FFN.
    const std::uint64_t n_ops = (layer.delta_net ? 3 : 2) + n_ffn_ops(layer);
    inputs.max_groups += n_ops * kGpuGroupsPerOp + 2 * (1 + div_up(max_rows, kGpuLeastAttendRows));
  }
  inputs.groups_at = take(inputs.max_groups * kGpuRowWords);
  const std::uint64_t n_queries = candidate_rows(options);
  inputs.queries_at = take(n_queries * kGpuRowWords);
  inputs.ids_at = take(n_queries * kMostCandidates);
  inputs.n_words = round_up(inputs.n_words, kGpuAlignment / 4);
  inputs.answers_at = take(n_queries * gpu_answer(model.n_vocab).n_words);
  return inputs;
}

}  // namespace headroom
