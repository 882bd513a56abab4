#include "backend/cpu/bound_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cpu/panel.h"
#include "format/decode.h"
#include "format/dtype_table.h"
#include "format/rotation.h"
#include "model/key_balance.h"
#include "plan/kv_regions.h"

namespace headroom {
namespace {

class Binder {
 public:
  Binder(const ModelInfo& model, const MemoryPlan& plan, std::span<Arena* const> arenas, DeviceIndex device)
      : model_(model), plan_(plan), arenas_(arenas), device_(device) {}

  BoundModel bind() {
    BoundModel bound;
    bound.model = &model_;
    bound.plan = &plan_;
    bound.embedding = matrix(WeightSlot::kTokenEmbedding, -1);
    bound.head = model_.find_weight(WeightSlot::kHead, -1) != nullptr ? matrix(WeightSlot::kHead, -1) : bound.embedding;
    bound.output_norm = vector(WeightSlot::kOutputNorm, -1);
    bound.layers.reserve(model_.layers.size());
    for (std::int32_t layer = 0; layer < static_cast<std::int32_t>(model_.n_layers()); ++layer)
      bound.layers.push_back(bind_layer(layer));
    for (const RopeSpec& rope : model_.ropes) {
      bound.ropes.push_back(rope_frequencies(rope));
      bound.rope_offsets.push_back(bound.rope_row_elems);
      bound.rope_row_elems += 2 * rope.rope_dim;
    }
    for (const LayerSpec& layer : model_.layers)
      bound.widest_head_dim = std::max(bound.widest_head_dim, layer.head_dim);
    bound.activations = region(RegionKind::kActivations, plan_.prefill.activation_bytes[device_]);
    bound.logits = region(RegionKind::kLogits, 0);
    bind_scratch(bound.scratch);
    return bound;
  }

 private:
  std::byte* address(const RegionRef& ref, Bytes at_least) const {
    const Region& found = plan_.arenas[ref.arena].regions[ref.region];
    CHECK(found.size >= at_least, "a region is smaller than what stands in it");
    CHECK(arenas_[ref.arena] != nullptr, "an arena of this device is not mapped");
    return arenas_[ref.arena]->base() + found.offset;
  }

  std::byte* region(RegionKind kind, Bytes at_least) const {
    const std::optional<RegionRef> found = find_region(plan_, device_, kind);
    CHECK(found || at_least == 0, "a region is not in the plan");
    return found ? address(*found, at_least) : nullptr;
  }

  const std::byte* weight(WeightSlot slot, std::int32_t layer, const WeightTensor*& tensor) const {
    tensor = model_.find_weight(slot, layer);
    if (tensor == nullptr) return nullptr;
    const std::optional<RegionRef> found =
        find_weight_region(plan_, static_cast<std::int32_t>(tensor - model_.weights.data()));
    CHECK(found, "a weight is not in the plan");
    return address(*found, weight_bytes(*tensor, WeightLayout::kPanels));
  }

  Matrix matrix(WeightSlot slot, std::int32_t layer) const {
    const WeightTensor* tensor = nullptr;
    const std::byte* panels = weight(slot, layer, tensor);
    CHECK(panels != nullptr, "a matrix that every model has is absent");
    return {.panels = panels,
            .dtype = tensor->dtype,
            .n_rows = static_cast<std::uint32_t>(tensor->n_rows),
            .n_cols = static_cast<std::uint32_t>(tensor->n_cols),
            .panel_stride = panel_bytes(tensor->dtype, tensor->n_cols)};
  }

  const float* vector(WeightSlot slot, std::int32_t layer) const {
    const WeightTensor* tensor = nullptr;
    return reinterpret_cast<const float*>(weight(slot, layer, tensor));
  }

  KvCache kv(std::int32_t layer, KvPart part, KvPart exact_part) const {
    const LayerSpec& spec = model_.layers[static_cast<std::size_t>(layer)];
    const auto base = [&](KvPart wanted) -> std::byte* {
      const std::vector<KvRegion> regions = kv_regions(spec, plan_.options);
      const auto shape =
          std::find_if(regions.begin(), regions.end(), [&](const KvRegion& region) { return region.part == wanted; });
      if (shape == regions.end()) return nullptr;
      const std::optional<RegionRef> found = find_kv_region(plan_, layer, wanted);
      CHECK(found, "a layer's cache is not in the plan");
      return address(*found, *kv_region_bytes(spec, *shape, plan_.options.n_slots));
    };
    return make_kv_cache(base(part), base(exact_part), part, spec, plan_.options);
  }

  bool is_rotated(DType dtype) const { return is_quantized_kv(dtype) && plan_.options.kv_scheme == KvScheme::kRotated; }

  // output_square() of each row of a loaded matrix.
  std::vector<float> squares(const Matrix& matrix, const float* norm, const float* bias) const {
    const std::uint32_t n_seen = std::min(matrix.n_cols, kBalanceCols);
    std::vector<std::byte> bytes(row_bytes(matrix.dtype, n_seen));
    std::vector<float> row(n_seen), out(matrix.n_rows);
    for (std::uint32_t i = 0; i < matrix.n_rows; ++i) {
      take_panel_row_start(matrix.dtype, matrix.n_cols, n_seen, i % kPanelRows,
                           matrix.panels + i / kPanelRows * matrix.panel_stride, bytes.data());
      decode_row(matrix.dtype, bytes.data(), n_seen, row.data());
      out[i] = output_square(row, {norm, n_seen}, matrix.n_cols, bias == nullptr ? 0.0F : bias[i]);
    }
    return out;
  }

  void bind_rotations(BoundLayer& bound) const {
    const LayerSpec& spec = *bound.spec;
    const auto factor = [&](std::size_t i) {
      return rotation_factor(spec.head_dim, static_cast<std::uint32_t>(i % spec.head_dim));
    };
    if (is_rotated(plan_.options.kv_k)) {
      OutputSquares sizes;
      if (spec.has_qk_norm) {
        sizes = normed_squares(spec, {bound.q_norm, spec.head_dim}, {bound.k_norm, spec.head_dim});
      } else {
        sizes = {.queries = squares(bound.q, bound.attn_norm, bound.q_bias),
                 .keys = squares(bound.k, bound.attn_norm, bound.k_bias)};
      }
      const std::vector<float> balance = balance_keys(spec, model_.ropes[spec.rope], sizes);
      for (std::size_t i = 0; i < balance.size(); ++i) {
        bound.q_rotation.push_back(factor(i) * balance[i]);
        bound.k_rotation.push_back(factor(i) / balance[i]);
      }
    }
    for (std::uint32_t i = 0; is_rotated(plan_.options.kv_v) && i < spec.head_dim; ++i)
      bound.v_rotation.push_back(factor(i));
  }

  BoundLayer bind_layer(std::int32_t layer) const {
    BoundLayer bound;
    bound.spec = &model_.layers[static_cast<std::size_t>(layer)];
    bound.index = layer;
    bound.q = matrix(WeightSlot::kQ, layer);
    bound.k = matrix(WeightSlot::kK, layer);
    bound.v = matrix(WeightSlot::kV, layer);
    bound.attn_out = matrix(WeightSlot::kAttnOut, layer);
    bound.gate = matrix(WeightSlot::kGate, layer);
    bound.up = matrix(WeightSlot::kUp, layer);
    bound.down = matrix(WeightSlot::kDown, layer);
    bound.attn_norm = vector(WeightSlot::kAttnNorm, layer);
    bound.ffn_norm = vector(WeightSlot::kFfnNorm, layer);
    bound.q_bias = vector(WeightSlot::kQBias, layer);
    bound.k_bias = vector(WeightSlot::kKBias, layer);
    bound.v_bias = vector(WeightSlot::kVBias, layer);
    bound.q_norm = vector(WeightSlot::kQNorm, layer);
    bound.k_norm = vector(WeightSlot::kKNorm, layer);
    bound.attn_out_bias = vector(WeightSlot::kAttnOutBias, layer);
    bound.keys = kv(layer, KvPart::kKeys, KvPart::kExactKeys);
    bound.values = kv(layer, KvPart::kValues, KvPart::kExactValues);
    bind_rotations(bound);
    return bound;
  }

  void bind_scratch(BoundScratch& scratch) const {
    scratch.sizes = cpu_scratch(model_, plan_.options, plan_.prefill.max_rows, plan_.devices[device_].n_threads);
    std::byte* at = region(RegionKind::kScratch, scratch.sizes.total());
    const auto take = [&at](Bytes bytes) {
      std::byte* taken = bytes == 0 ? nullptr : at;
      at += bytes;
      return taken;
    };
    scratch.rope = reinterpret_cast<float*>(take(scratch.sizes.rope_bytes));
    scratch.f32 = take(scratch.sizes.f32_bytes);
    scratch.int8 = take(scratch.sizes.int8_bytes);
    scratch.kv_rows = reinterpret_cast<float*>(take(scratch.sizes.kv_rows_bytes));
    scratch.partials = reinterpret_cast<float*>(take(scratch.sizes.partials_bytes));
    scratch.threads = at;
  }

  const ModelInfo& model_;
  const MemoryPlan& plan_;
  std::span<Arena* const> arenas_;
  DeviceIndex device_;
};

}  // namespace

float* BoundModel::buffer(BufferId id) const {
  const Buffer& found = plan->prefill.buffers[id];
  return reinterpret_cast<float*>((found.is_logits ? logits : activations) + found.offset);
}

Result<BoundModel> bind_model(const ModelInfo& model, const MemoryPlan& plan, std::span<Arena* const> arenas,
                              const DeviceInfo& device) {
  CHECK(arenas.size() == plan.arenas.size(), "one arena per arena of the plan");
  const auto here = std::find_if(plan.devices.begin(), plan.devices.end(),
                                 [&](const DeviceInfo& each) { return each.id == device.id; });
  if (here == plan.devices.end())
    return Error{ErrorCode::kUsage, fmt::format("the plan does not know the device {}", device.id)};
  if (here->n_threads != device.n_threads) {
    return Error{ErrorCode::kUsage, fmt::format("the plan is for {} threads of {}, this backend has {}",
                                                here->n_threads, device.id, device.n_threads)};
  }
  const auto index = static_cast<DeviceIndex>(here - plan.devices.begin());
  for (const Op& op : plan.prefill.ops) {
    if (op.device != index || op.kind == OpKind::kTransfer) {
      return Error{ErrorCode::kUnsupported, fmt::format("the plan runs {} on {}: this build runs a model on {} alone",
                                                        op_name(op.kind), plan.devices[op.device].id, device.id)};
    }
  }
  return Binder(model, plan, arenas, index).bind();
}

}  // namespace headroom
