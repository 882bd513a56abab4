#include "plan/device_rules.h"

#include <algorithm>

#include "format/dtype_table.h"
#include "plan/gpu_rules.h"
#include "plan/placement.h"
#include "plan/weight_stream.h"

namespace headroom {
namespace {

constexpr Bytes kScratchAlignment = 64;
// Split-K attention: at most this many partial results per query row and head.
constexpr std::uint64_t kMaxAttentionSplits = 32;
constexpr std::uint64_t kQuantGroup = 32;

struct Widths {
  std::uint64_t input = 0, kv_dim = 0, q_dim = 0, n_heads = 0, head_dim = 0;
};

// The widest of each over all layers. `input` is what a matrix may read: d_model, mixed_dim(), d_ff or expert_d_ff; and
// what an embedding has.
Widths widest(const ModelInfo& model) {
  Widths widths{.input = std::max(model.d_model, model.input_elems)};
  for (const LayerSpec& layer : model.layers) {
    widths.input = std::max<std::uint64_t>({widths.input, layer.mixed_dim(), layer.d_ff, layer.expert_d_ff});
    widths.kv_dim = std::max<std::uint64_t>(widths.kv_dim, layer.kv_dim());
    widths.q_dim = std::max<std::uint64_t>(widths.q_dim, layer.q_dim());
    widths.n_heads = std::max<std::uint64_t>(widths.n_heads, layer.n_heads);
    widths.head_dim = std::max<std::uint64_t>(widths.head_dim, layer.head_dim);
  }
  return widths;
}

// f32 elements of a row between a matrix and the cache, or between one and a norm: see CpuScratch::step_rows_bytes.
std::uint64_t step_row_elems(const ModelInfo& model, const Widths& widths) {
  const bool has_post_norms = std::any_of(model.layers.begin(), model.layers.end(),
                                          [](const LayerSpec& layer) { return layer.has_post_norms; });
  return std::max<std::uint64_t>(2 * widths.kv_dim, has_post_norms ? model.d_model : 0);
}

// Bytes of activations in each form, per row of a step: the most that any matrix of a model reads. Experts read a copy
// for each that the row chose.
struct InputRows {
  Bytes f32 = 0, int8 = 0;
};

InputRows input_rows(const ModelInfo& model) {
  InputRows rows;
  for (const WeightTensor& weight : model.weights) {
    if (!role_is_matrix(weight.role) || weight.role == TensorRole::kLayerEmbedding) continue;
    const bool is_expert = role_is_experts(weight.role);
    const std::uint64_t n = is_expert ? model.layers[static_cast<std::size_t>(weight.layer)].n_experts_used : 1;
    if (dtype_row(weight.dtype).block_elems == 1) {
      rows.f32 = std::max<Bytes>(rows.f32, n * weight.n_cols * kF32Bytes);
    } else {
      rows.int8 = std::max<Bytes>(rows.int8, n * cpu_int8_row_bytes(weight.n_cols));
    }
  }
  return rows;
}

// The most of each over all layers.
struct ExpertCounts {
  std::uint64_t n_experts = 0, n_used = 0;
};

ExpertCounts most_experts(const ModelInfo& model) {
  ExpertCounts counts;
  for (const LayerSpec& layer : model.layers) {
    if (!layer.has_experts()) continue;
    counts.n_experts = std::max<std::uint64_t>(counts.n_experts, layer.n_experts);
    counts.n_used = std::max<std::uint64_t>(counts.n_used, layer.n_experts_used);
  }
  return counts;
}

// Rows of a step in the order of their experts: one number each, and where each expert's begin and end.
Bytes grouping_bytes(const ExpertCounts& experts, std::uint32_t max_rows) {
  return (max_rows * experts.n_used + 2 * experts.n_experts) * sizeof(std::uint32_t);
}

Bytes aligned(Bytes bytes) { return round_up(bytes, kScratchAlignment); }

// An int8 row with a scale and a sum per 32 elements.
Bytes quantized_row_bytes(std::uint64_t n_elems) {
  const std::uint64_t groups = div_up(n_elems, kQuantGroup);
  return groups * (kQuantGroup + 2 * kF32Bytes);
}

// What Metal will need, and a reference device is given: it keeps the normalized and the quantized row, and the partial
// sums of split-K attention: (head_dim + running maximum + sum) f32 each, for decode rows only, since a prefill step
// has rows enough to fill the device without splitting. With experts also the router's logits, the quantized rows
// gathered by expert, and their order.
Bytes assumed_scratch(const ModelInfo& model, const PlanOptions& options, std::uint32_t max_rows) {
  const Widths widths = widest(model);
  const Bytes normed = aligned(Bytes{max_rows} * model.d_model * kF32Bytes);
  const ExpertCounts experts = most_experts(model);
  const std::uint64_t n_copies = std::max<std::uint64_t>(1, experts.n_used);
  const Bytes quantized = aligned(Bytes{max_rows} * n_copies * quantized_row_bytes(widths.input));
  const Bytes step_rows = aligned(max_rows * step_row_elems(model, widths) * kF32Bytes);
  const Bytes partials =
      aligned(Bytes{options.n_slots} * kMaxAttentionSplits * (widths.q_dim + 2 * widths.n_heads) * kF32Bytes);
  const Bytes routing =
      aligned(Bytes{max_rows} * experts.n_experts * kF32Bytes) + aligned(grouping_bytes(experts, max_rows));
  return normed + quantized + step_rows + partials + routing;
}

}  // namespace

DeviceWork work_on(const Placement& placement, const WeightStreaming& streaming, DeviceIndex device) {
  const auto is_here = [&](const LayerPlacement& layer) { return layer.attention == device || layer.ffn == device; };
  if (placement.head_device == device || std::ranges::any_of(placement.layers, is_here) ||
      std::ranges::find(streaming.ffn_device, device) != streaming.ffn_device.end())
    return DeviceWork::kComputes;
  return placement.embed_device == device ? DeviceWork::kEmbeds : DeviceWork::kNone;
}

Bytes scratch_bytes(const ModelInfo& model, const DeviceInfo& device, const PlanOptions& options,
                    std::uint32_t max_rows, DeviceWork work) {
  const bool computes = work == DeviceWork::kComputes;
  switch (device.traits.scratch) {
    case ScratchRule::kCpu: return cpu_scratch(model, options, max_rows, device.n_threads, work).total();
    case ScratchRule::kGpu: return computes ? gpu_scratch(model, device, options, max_rows).total() : 0;
    case ScratchRule::kAssumed: return computes ? assumed_scratch(model, options, max_rows) : 0;
  }
  CHECK(false, "a rule for scratch that is not there");
}

CpuScratch cpu_scratch(const ModelInfo& model, const PlanOptions& /*options*/, std::uint32_t max_rows,
                       std::uint32_t n_threads, DeviceWork work) {
  if (work == DeviceWork::kNone) return {.n_threads = n_threads};
  if (work == DeviceWork::kEmbeds)
    return {.row_bytes = aligned(std::max(model.d_model, model.input_elems) * kF32Bytes), .n_threads = n_threads};
  const Widths widths = widest(model);
  const std::uint64_t head_dim = round_up(widths.head_dim, kQuantGroup);
  const InputRows inputs = input_rows(model);
  const ExpertCounts experts = most_experts(model);
  std::uint64_t rope_dims = 0;
  for (const RopeSpec& rope : model.ropes) rope_dims += rope.rope_dim;
  CpuScratch scratch;
  scratch.rope_bytes = aligned(Bytes{max_rows} * 2 * rope_dims * kF32Bytes);
  scratch.f32_bytes = aligned(max_rows * inputs.f32);
  scratch.int8_bytes = aligned(max_rows * inputs.int8);
  scratch.step_rows_bytes = aligned(max_rows * step_row_elems(model, widths) * kF32Bytes);
  scratch.partials_bytes = aligned(Bytes{kCpuFewRows} * widths.n_heads * kCpuMaxSplits * (head_dim + 2) * kF32Bytes);
  scratch.router_bytes = aligned(Bytes{max_rows} * experts.n_experts * kF32Bytes);
  scratch.row_bytes = aligned(std::max(widths.input, widths.q_dim) * kF32Bytes);
  scratch.few_f32_bytes = aligned(kCpuFewRows * inputs.f32);
  scratch.few_int8_bytes = aligned(kCpuFewRows * inputs.int8);
  scratch.slab_bytes = kCpuPairSlabBytes;
  const std::uint64_t n_tiles = std::min<std::uint64_t>(kCpuBlockTiles, div_up(max_rows, kCpuTileCols));
  scratch.product_bytes = 2 * n_tiles * 2 * kCpuTileCols * kPanelRows * kF32Bytes;
  // Per query: f32 and int8 form, result, scores, and running maximum, sum, factor, first and last key.
  const Bytes few =
      kCpuFewQueries * (head_dim * 2 * kF32Bytes + cpu_int8_row_bytes(head_dim) + (kCpuKeyChunk + 5) * kF32Bytes);
  // Words, result, scale, running maximum and sum; words and scales of a chunk of keys and values; scores, first and
  // last key of some panels.
  const Bytes tile = kCpuQueryTile * (head_dim * (kCpuWordBytes + kF32Bytes) + 3 * kF32Bytes) +
                     kCpuKeyChunk * (2 * head_dim * kCpuWordBytes + kF32Bytes) + head_dim * kF32Bytes +
                     kCpuTilePanels * kPanelRows * (kCpuKeyChunk + 2) * kF32Bytes;
  scratch.attention_bytes = aligned(std::max(few, tile));
  scratch.grouping_bytes = aligned(grouping_bytes(experts, max_rows));
  scratch.n_threads = n_threads;
  return scratch;
}

std::uint32_t candidate_rows(const PlanOptions& options) { return std::min(options.n_logit_rows, kMostCandidateRows); }

CandidateScratch candidate_scratch(const ModelInfo& model, const PlanOptions& options) {
  const Bytes maxima = aligned(div_up(model.n_vocab, kRowBlock) * kF32Bytes);
  return {.maxima_bytes = maxima,
          .order_bytes = maxima,
          .sums_bytes = aligned(div_up(model.n_vocab, kRowSumBlock) * kF32Bytes),
          .picked_bytes = aligned(2 * kMostCandidates * kCandidateBytes),
          .n_rows = candidate_rows(options)};
}

SamplerLayout sampler_layout(const ModelInfo& model, const PlanOptions& options) {
  return {.known_bytes = aligned(model.n_vocab * kCandidateBytes),
          .best_bytes = aligned(kMostCandidates * kCandidateBytes),
          .ids_bytes = aligned(kMostCandidates * sizeof(std::uint32_t)),
          .logits_bytes = aligned(kMostCandidates * kF32Bytes),
          .n_rows = candidate_rows(options)};
}

Bytes slot_token_bytes(const PlanOptions& options) { return Bytes{options.n_slots} * options.n_ctx * kTokenIdBytes; }

StagingLayout staging_layout(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options,
                             const Placement& placement, const WeightStreaming& streaming, DeviceIndex device) {
  const bool is_own = devices[device].traits.copies_page_locked;
  // The host's is for what a device sends that has none of its own.
  const auto is_sent_by_host = [&](DeviceIndex from) {
    const DeviceTraits& traits = devices[from].traits;
    return traits.arena_memory == Memory::kDevice && !traits.copies_page_locked;
  };
  StagingLayout layout;
  const auto look_at = [&](DeviceIndex from, DeviceIndex to) {
    if (is_own ? from == device || to == device : is_sent_by_host(from))
      layout.transfer = Bytes{options.step_rows()} * std::max(model.d_model, model.input_elems) * kF32Bytes;
  };
  for_each_crossing(placement, look_at);
  if (streaming.is_used()) for_each_crossing(placement_of(placement, streaming, streaming.least_rows), look_at);
  layout.logits_offset = aligned(layout.transfer);
  const bool has_logits = is_own ? placement.head_device == device : is_sent_by_host(placement.head_device);
  layout.total = layout.logits_offset + (has_logits ? Bytes{model.n_vocab} * kF32Bytes : 0);
  return layout;
}

DeviceInfo page_locked_host(const DeviceInfo& host, const DeviceInfo& device) {
  DeviceInfo locked = host;
  locked.alignment = std::max(host.alignment, device.alignment);
  locked.granularity = std::max(host.granularity, locked.alignment);
  return locked;
}

}  // namespace headroom
