#include "backend/cpu/bound_model.h"

#include <algorithm>

#include "backend/cpu/panel.h"
#include "format/decode.h"
#include "format/dtype_table.h"
#include "format/rotation.h"
#include "model/key_balance.h"
#include "plan/kv_regions.h"
#include "plan/weight_stream.h"

namespace headroom {
namespace {

class Binder {
 public:
  explicit Binder(const Binding& binding)
      : binding_(binding), model_(*binding.model), plan_(*binding.plan), device_(binding.device) {}

  BoundModel bind() {
    BoundModel bound;
    bound.model = &model_;
    bound.plan = &plan_;
    bound.embedding = matrix(TensorRole::kTokenEmbedding, -1);
    const bool is_tied = model_.find_weight(TensorRole::kHead, -1) == nullptr;
    bound.head = is_tied ? bound.embedding : matrix(TensorRole::kHead, -1);
    bound.output_norm = vector(TensorRole::kOutputNorm, -1);
    bound.layer_embedding = matrix(TensorRole::kLayerEmbedding, -1);
    bound.input_project = matrix(TensorRole::kInputProject, -1);
    bound.input_project_norm = vector(TensorRole::kInputProjectNorm, -1);
    bound.layers.reserve(model_.layers.size());
    for (std::int32_t layer = 0; layer < static_cast<std::int32_t>(model_.n_layers()); ++layer)
      bound.layers.push_back(bind_layer(layer));
    for (const RopeSpec& rope : model_.ropes) {
      bound.ropes.push_back(rope_frequencies(rope, plan_.options.n_ctx));
      bound.rope_offsets.push_back(bound.rope_row_elems);
      bound.rope_row_elems += 2 * rope.rope_dim;
    }
    for (const LayerSpec& layer : model_.layers)
      bound.widest_head_dim = std::max(bound.widest_head_dim, layer.head_dim);
    bound.activations = region(RegionKind::kActivations, plan_.program.activation_bytes[device_]);
    bound.logits = region(RegionKind::kLogits, 0);
    if (bound.logits != nullptr)
      bound.candidates = region(RegionKind::kCandidates, candidate_scratch(model_, plan_.options).total());
    bind_scratch(bound.scratch);
    bind_lent(bound);
    return bound;
  }

 private:
  std::byte* address(const RegionRef& ref, Bytes at_least) const {
    const Region& found = plan_.arenas[ref.arena].regions[ref.region];
    CHECK(found.size >= at_least, "a region is smaller than what stands in it");
    CHECK(binding_.arenas[ref.arena] != nullptr, "an arena of this device is not mapped");
    return binding_.arenas[ref.arena]->host_address() + found.offset;
  }

  std::byte* region(RegionKind kind, Bytes at_least) const {
    const std::optional<RegionRef> found = find_region(plan_, device_, kind);
    CHECK(found || at_least == 0, "a region is not in the plan");
    return found ? address(*found, at_least) : nullptr;
  }

  // Null: the model has no such weight, or it stands on another device.
  const std::byte* weight(TensorRole role, std::int32_t layer, const WeightTensor*& tensor) const {
    tensor = model_.find_weight(role, layer);
    if (tensor == nullptr) return nullptr;
    const std::optional<RegionRef> found =
        find_weight_region(plan_, static_cast<std::int32_t>(tensor - model_.weights.data()), device_);
    if (!found) return nullptr;
    return address(*found, weight_bytes(*tensor, WeightLayout::kPanels));
  }

  Matrix matrix(TensorRole role, std::int32_t layer) const {
    const WeightTensor* tensor = nullptr;
    const std::byte* panels = weight(role, layer, tensor);
    if (panels == nullptr) return {};
    return {.panels = panels,
            .dtype = tensor->dtype,
            .n_rows = static_cast<std::uint32_t>(tensor->n_rows),
            .n_cols = static_cast<std::uint32_t>(tensor->n_cols),
            .panel_stride = panel_bytes(tensor->dtype, tensor->n_cols)};
  }

  const float* vector(TensorRole role, std::int32_t layer) const {
    const WeightTensor* tensor = nullptr;
    return reinterpret_cast<const float*>(weight(role, layer, tensor));
  }

  KvCache kv(std::int32_t layer, KvPart part, KvPart exact_part) const {
    const LayerSpec& spec = model_.layers[static_cast<std::size_t>(layer)];
    const auto base = [&](KvPart wanted) -> std::byte* {
      const std::vector<KvRegion> regions = kv_regions(spec, plan_.options);
      const auto shape =
          std::find_if(regions.begin(), regions.end(), [&](const KvRegion& region) { return region.part == wanted; });
      if (shape == regions.end()) return nullptr;
      const std::optional<RegionRef> found = find_kv_region(plan_, layer, wanted, device_);
      CHECK(found, "a layer's cache is not beside its weights");
      return address(*found, *kv_region_bytes(spec, *shape, plan_.options.n_slots));
    };
    return make_kv_cache(base(part), base(exact_part), part, spec, plan_.options);
  }

  bool is_rotated(DType dtype) const { return is_quantized_kv(dtype) && plan_.options.kv_scheme == KvScheme::kRotated; }

  void bind_rotations(BoundLayer& bound) const {
    const LayerSpec& spec = *bound.spec;
    const auto factor = [&](std::size_t i) {
      return rotation_factor(spec.head_dim, static_cast<std::uint32_t>(i % spec.head_dim));
    };
    if (is_rotated(plan_.options.kv_k)) {
      const std::vector<float>& balance = binding_.key_balance[static_cast<std::size_t>(bound.index)];
      CHECK(balance.size() == spec.kv_dim(), "a layer's balance has another size than its keys");
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
    bound.q = matrix(TensorRole::kQ, layer);
    bound.k = matrix(TensorRole::kK, layer);
    bound.v = matrix(bound.spec->value_is_key ? TensorRole::kK : TensorRole::kV, layer);
    bound.out_gate = matrix(TensorRole::kOutGate, layer);
    bound.alpha = matrix(TensorRole::kAlpha, layer);
    bound.beta = matrix(TensorRole::kBeta, layer);
    bound.attn_out = matrix(TensorRole::kAttnOut, layer);
    bound.gate = matrix(TensorRole::kGate, layer);
    bound.up = matrix(TensorRole::kUp, layer);
    bound.down = matrix(TensorRole::kDown, layer);
    bound.router = matrix(TensorRole::kRouter, layer);
    bound.expert_gate.first = matrix(TensorRole::kExpertGate, layer);
    bound.expert_up.first = matrix(TensorRole::kExpertUp, layer);
    bound.expert_down.first = matrix(TensorRole::kExpertDown, layer);
    bound.attn_norm = vector(TensorRole::kAttnNorm, layer);
    bound.ffn_norm = vector(TensorRole::kFfnNorm, layer);
    bound.shared_gate = vector(TensorRole::kSharedGate, layer);
    bound.q_bias = vector(TensorRole::kQBias, layer);
    bound.k_bias = vector(TensorRole::kKBias, layer);
    bound.v_bias = vector(TensorRole::kVBias, layer);
    bound.q_norm = vector(TensorRole::kQNorm, layer);
    bound.k_norm = vector(TensorRole::kKNorm, layer);
    bound.attn_out_bias = vector(TensorRole::kAttnOutBias, layer);
    bound.sinks = vector(TensorRole::kAttnSinks, layer);
    bound.choice_bias = vector(TensorRole::kChoiceBias, layer);
    bound.router_bias = vector(TensorRole::kRouterBias, layer);
    bound.expert_gate_bias = vector(TensorRole::kExpertGateBias, layer);
    bound.expert_up_bias = vector(TensorRole::kExpertUpBias, layer);
    bound.expert_down_bias = vector(TensorRole::kExpertDownBias, layer);
    if (bound.spec->has_post_norms) {
      bound.attn_post_norm = vector(TensorRole::kAttnPostNorm, layer);
      bound.ffn_post_norm = vector(TensorRole::kFfnPostNorm, layer);
    }
    bound.input_gate = matrix(TensorRole::kInputGate, layer);
    bound.input_out = matrix(TensorRole::kInputOut, layer);
    bound.input_post_norm = vector(TensorRole::kInputPostNorm, layer);
    bound.router_norm = bound.expert_norm = bound.ffn_norm;
    if (bound.spec->has_branch_norms) {
      bound.router_norm = vector(TensorRole::kRouterNorm, layer);
      bound.expert_norm = vector(TensorRole::kExpertNorm, layer);
      bound.expert_post_norm = vector(TensorRole::kExpertPostNorm, layer);
      bound.shared_post_norm = vector(TensorRole::kSharedPostNorm, layer);
      if (bound.spec->has_expert_scales) bound.expert_scale = vector(TensorRole::kExpertScale, layer);
    }
    if (bound.q.panels == nullptr) return bound;
    if (bound.spec->has_state()) {
      bind_state(bound);
      return bound;
    }
    const auto of_cache = static_cast<std::int32_t>(bound.spec->kv_layer.value_or(static_cast<std::uint32_t>(layer)));
    bound.keys = kv(of_cache, KvPart::kKeys, KvPart::kExactKeys);
    bound.values = kv(of_cache, KvPart::kValues, KvPart::kExactValues);
    bind_rotations(bound);
    return bound;
  }

  void bind_state(BoundLayer& bound) const {
    bound.taps = vector(TensorRole::kConv, bound.index);
    if (bound.spec->delta_net) {
      bound.time_bias = vector(TensorRole::kTimeBias, bound.index);
      bound.decay = vector(TensorRole::kDecay, bound.index);
      bound.read_norm = vector(TensorRole::kReadNorm, bound.index);
    }
    for (const StateRegion& state : state_regions(*bound.spec, plan_.options.n_slots)) {
      const std::optional<RegionRef> found = find_state_region(plan_, bound.index, state.part, device_);
      CHECK(found, "a layer's state is not beside its weights");
      (state.part == StatePart::kConv ? bound.conv_states : bound.matrix_states) =
          reinterpret_cast<float*>(address(*found, *state.bytes));
    }
  }

  void bind_lent(BoundModel& bound) const {
    if (!plan_.streaming.is_used()) return;
    const Bytes bytes = plan_.devices[device_].n_threads * panel_row_bytes(model_);
    bound.panel_rows = {region(RegionKind::kUnpackedRows, bytes), bytes};
    for (std::size_t i = 0; i < model_.weights.size(); ++i) {
      const std::optional<RegionRef> found = find_weight_region(plan_, static_cast<std::int32_t>(i), device_);
      bound.weights.push_back(found ? address(*found, weight_bytes(model_.weights[i], WeightLayout::kPanels))
                                    : nullptr);
    }
  }

  void bind_scratch(BoundScratch& scratch) const {
    scratch.sizes = cpu_scratch(model_, plan_.options, plan_.program.max_rows, plan_.devices[device_].n_threads,
                                work_on(plan_.placement, plan_.streaming, device_));
    std::byte* at = region(RegionKind::kScratch, scratch.sizes.total());
    const auto take = [&at](Bytes bytes) {
      std::byte* taken = bytes == 0 ? nullptr : at;
      at += bytes;
      return taken;
    };
    scratch.rope = reinterpret_cast<float*>(take(scratch.sizes.rope_bytes));
    scratch.f32 = take(scratch.sizes.f32_bytes);
    scratch.int8 = take(scratch.sizes.int8_bytes);
    scratch.step_rows = reinterpret_cast<float*>(take(scratch.sizes.step_rows_bytes));
    scratch.partials = reinterpret_cast<float*>(take(scratch.sizes.partials_bytes));
    scratch.router = reinterpret_cast<float*>(take(scratch.sizes.router_bytes));
    scratch.threads = at;
  }

  const Binding& binding_;
  const ModelInfo& model_;
  const MemoryPlan& plan_;
  DeviceIndex device_;
};

}  // namespace

float* BoundModel::buffer(BufferId id) const {
  const Buffer& found = plan->program.buffers[id];
  return reinterpret_cast<float*>((id == plan->program.logits ? logits : activations) + found.offset);
}

std::span<std::byte> BoundModel::buffer_bytes(BufferId id) const {
  return {reinterpret_cast<std::byte*>(buffer(id)), plan->program.buffers[id].size};
}

Result<BoundModel> bind_model(const Binding& binding, const DeviceInfo& device) {
  CHECK(binding.arenas.size() == binding.plan->arenas.size(), "one arena per arena of the plan");
  const DeviceInfo& planned = binding.plan->devices[binding.device];
  if (planned.n_threads != device.n_threads) {
    return Error{ErrorCode::kUsage, Message::say("the plan is for {} threads of {}, this backend has {}",
                                                 planned.n_threads, device.id, device.n_threads)};
  }
  return Binder(binding).bind();
}

}  // namespace headroom
