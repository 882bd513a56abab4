#include "plan/kv_regions.h"

#include <algorithm>

#include "base/check.h"
#include "format/dtype_table.h"

namespace headroom {

KvF16Rows kv_f16_rows_of(const LayerSpec& layer, DType dtype, const PlanOptions& options) {
  if (!layer.has_attention() || !is_quantized_kv(dtype) || options.kv_scheme == KvScheme::kPlain) return {};
  return layer.kv_f16_rows(options.n_ctx, options.n_batch);
}

std::vector<KvRegion> kv_regions(const LayerSpec& layer, const PlanOptions& options) {
  if (!layer.has_cache()) return {};
  const std::uint64_t rows = layer.kv_rows(options.n_ctx, options.n_batch);
  std::vector<KvRegion> regions{{KvPart::kKeys, options.kv_k, rows}, {KvPart::kValues, options.kv_v, rows}};
  if (const KvF16Rows ends = kv_f16_rows_of(layer, options.kv_k, options); ends.n_rows() > 0) {
    regions.push_back({KvPart::kExactKeys, DType::kF16, ends.n_rows()});
  }
  if (const KvF16Rows ends = kv_f16_rows_of(layer, options.kv_v, options); ends.n_rows() > 0) {
    regions.push_back({KvPart::kExactValues, DType::kF16, ends.n_rows()});
  }
  return regions;
}

bool has_value_shifts(KvPart part, const PlanOptions& options) {
  return part == KvPart::kValues && options.kv_v == DType::kQ4_0 && options.kv_scheme == KvScheme::kRotated;
}

std::vector<StateRegion> state_regions(const LayerSpec& layer, std::uint64_t n_slots) {
  std::vector<StateRegion> regions;
  if (layer.conv_bytes() > 0) regions.push_back({StatePart::kConv, checked_mul(n_slots, layer.conv_bytes())});
  if (layer.matrix_bytes() > 0) regions.push_back({StatePart::kMatrix, checked_mul(n_slots, layer.matrix_bytes())});
  return regions;
}

std::vector<CheckpointRegion> checkpoint_regions(const LayerSpec& layer, const PlanOptions& options) {
  std::vector<CheckpointRegion> regions;
  for (const StateRegion& state : state_regions(layer, 1))
    regions.push_back({KvPart::kNone, state.part, DType::kF32, state.bytes});
  if (!layer.has_cache() || layer.kv_rows(options.n_ctx, options.n_batch) >= options.n_ctx) return regions;
  for (const KvRegion& kv : kv_regions(layer, options))
    regions.push_back({kv.part, StatePart::kNone, kv.dtype, kv_region_bytes(layer, kv, 1)});
  return regions;
}

Bytes checkpoint_bytes(const ModelInfo& model, const PlanOptions& options, const Region& checkpoints) {
  for (const CheckpointRegion& part :
       checkpoint_regions(model.layers[static_cast<std::size_t>(checkpoints.layer)], options)) {
    if (part.kv_part == checkpoints.kv_part && part.state_part == checkpoints.state_part && part.bytes_of_slot)
      return *part.bytes_of_slot;
  }
  CHECK(false, "checkpoints of what needs none");
}

bool needs_checkpoints(const ModelInfo& model, const PlanOptions& options) {
  return std::ranges::any_of(model.layers, [&](const LayerSpec& layer) {
    return layer.has_state() || layer.kv_rows(options.n_ctx, options.n_batch) < options.n_ctx;
  });
}

std::optional<Bytes> kv_region_bytes(const LayerSpec& layer, const KvRegion& region, std::uint64_t n_slots) {
  const std::optional<Bytes> rows = checked_mul(n_slots, region.n_rows);
  return rows ? checked_mul(*rows, layer.kv_row_bytes(region.dtype)) : std::nullopt;
}

std::array<double, kNDTypes> kv_bytes_read(const LayerSpec& layer, const PlanOptions& options, std::uint64_t n_seen) {
  std::array<double, kNDTypes> bytes{};
  if (!layer.has_attention()) return bytes;
  const auto add = [&](DType dtype, std::uint64_t n_rows) {
    bytes[static_cast<std::size_t>(dtype)] +=
        static_cast<double>(n_rows) * static_cast<double>(layer.kv_row_bytes(dtype));
  };
  for (const DType dtype : {options.kv_k, options.kv_v}) {
    const std::uint64_t n_exact = std::min(n_seen, kv_f16_rows_of(layer, dtype, options).n_rows());
    add(DType::kF16, n_exact);
    add(dtype, n_seen - n_exact);
  }
  return bytes;
}

}  // namespace headroom
