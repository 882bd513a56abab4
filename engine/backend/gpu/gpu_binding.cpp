#include "backend/gpu/gpu_binding.h"

#include "backend/gpu/gpu_faults.h"
#include "base/check.h"
#include "plan/weight_stream.h"

namespace headroom {

const GpuWeight* GpuBinding::find(TensorRole role, std::int32_t layer) const {
  const std::optional<std::size_t> found = index.find(role, layer);
  if (!found) return nullptr;
  const GpuWeight& weight = weights[*found];
  CHECK(weight.slice, "an op reads a weight of another device");
  return &weight;
}

const GpuWeight& GpuBinding::at(TensorRole role, std::int32_t layer) const {
  const GpuWeight* weight = find(role, layer);
  CHECK(weight != nullptr, "an op reads a weight that the model does not have");
  return *weight;
}

const GpuSlice& GpuBinding::buffer(BufferId id) const {
  CHECK(buffers[id], "an op uses a buffer of another device");
  return buffers[id];
}

const GpuSlice& GpuBinding::state(std::int32_t layer, StatePart part) const {
  const GpuSlice& found = states[static_cast<std::size_t>(layer)][static_cast<std::size_t>(part)];
  CHECK(found, "a layer's state is on another device");
  return found;
}

namespace {

class Binder {
 public:
  Binder(const Binding& binding, const GpuArithmetic& arithmetic) : in_(binding) {
    bound_.model = in_.model;
    bound_.plan = in_.plan;
    bound_.device = in_.device;
    bound_.arithmetic = arithmetic;
    CHECK(arithmetic.attend.least_rows >= kGpuLeastAttendRows, "the plan has room for too few dispatches of attention");
    if (const double fault = gpu_faults().most_products; fault > 0) bound_.arithmetic.most_products = fault;
    bound_.input_layout = gpu_inputs(*in_.model, in_.plan->options);
  }

  GpuBinding bind() {
    for (const RopeSpec& rope : in_.model->ropes)
      bound_.ropes.push_back(rope_frequencies(rope, in_.plan->options.n_ctx));
    list_weights();
    bound_.caches.resize(in_.model->layers.size());
    bound_.states.resize(in_.model->layers.size());
    CHECK(in_.arenas.size() == in_.plan->arenas.size(), "arenas are those of another plan");
    for (std::size_t i = 0; i < in_.arenas.size(); ++i) {
      const ArenaPlan& plan = in_.plan->arenas[i];
      if (plan.mapped_by == in_.device && plan.lifetime != Lifetime::kLoad) add_arena(plan, in_.arenas[i]);
    }
    cut_scratch();
    bind_buffers();
    CHECK(bound_.inputs && bound_.inputs.size >= bound_.input_layout.total(), "the plan lacks a step's inputs");
    return std::move(bound_);
  }

 private:
  void list_weights() {
    bound_.index = WeightIndex(*in_.model);
    for (const WeightTensor& weight : in_.model->weights) {
      const DType dtype = role_is_matrix(weight.role) ? weight.dtype : DType::kF32;
      bound_.weights.push_back({{}, dtype, weight.n_rows, weight.n_cols, weight.n_matrices});
    }
  }

  void add_arena(const ArenaPlan& plan, Arena* given) {
    const auto* arena = dynamic_cast<GpuArena*>(given);
    CHECK(arena != nullptr && arena->mapped_bytes() == plan.size, "an arena is not the one that the plan describes");
    for (const Region& region : plan.regions) add_region(region, {arena, region.offset, region.size});
  }

  void add_region(const Region& region, const GpuSlice& slice) {
    switch (region.kind) {
      case RegionKind::kWeights: bound_.weights[static_cast<std::size_t>(region.weight)].slice = slice; return;
      case RegionKind::kKv:
        bound_.caches[static_cast<std::size_t>(region.layer)][static_cast<std::size_t>(region.kv_part)] = slice;
        return;
      case RegionKind::kState: add_state(region, slice); return;
      case RegionKind::kStreamed: add_streamed(region, slice); return;
      case RegionKind::kActivations: activations_ = slice; return;
      case RegionKind::kLogits: logits_ = slice; return;
      case RegionKind::kScratch: scratch_ = slice; return;
      case RegionKind::kCandidates: bound_.candidates = slice; return;
      case RegionKind::kStaging: bound_.staging = slice; return;
      case RegionKind::kInputs: bound_.inputs = slice; return;
      case RegionKind::kStream: bound_.stream = slice; return;
      // Of the host, or of the load.
      case RegionKind::kUnpackedRows:
      case RegionKind::kCheckpoints:  // copied as bytes
      case RegionKind::kSampler:
      case RegionKind::kTokens:
      case RegionKind::kUpload:
      case RegionKind::kPadding: return;
    }
  }

  void add_state(const Region& region, const GpuSlice& slice) {
    const auto layer = static_cast<std::size_t>(region.layer);
    const LayerSpec& spec = in_.model->layers[layer];
    const bool is_conv = region.state_part == StatePart::kConv;
    CHECK(in_.plan->options.n_slots * (is_conv ? spec.conv_bytes() : spec.matrix_bytes()) <= slice.size,
          "a state leaves its region");
    bound_.states[layer][static_cast<std::size_t>(region.state_part)] = slice;
  }

  // The room that streamed weights of one role share: every layer's weight of this role stands at its beginning.
  void add_streamed(const Region& region, const GpuSlice& slice) {
    for (std::size_t i = 0; i < in_.model->weights.size(); ++i) {
      const WeightTensor& weight = in_.model->weights[i];
      if (!is_streamed_to(*in_.plan, weight, in_.device) || weight.role != region.role) continue;
      bound_.weights[i].slice = slice.part(0, weight_bytes(weight, WeightLayout::kGpuPanels));
    }
  }

  void cut_scratch() {
    if (!scratch_) return;  // it only embeds
    const GpuScratch sizes =
        gpu_scratch(*in_.model, in_.plan->devices[in_.device], in_.plan->options, in_.plan->program.max_rows);
    CHECK(sizes.total() <= scratch_.size, "the plan's scratch is too small for the kernels");
    Bytes at = 0;
    const auto take = [&](Bytes bytes) {
      const GpuSlice slice = bytes > 0 ? scratch_.part(at, bytes) : GpuSlice{};
      at += bytes;
      return slice;
    };
    bound_.scratch.normed = take(sizes.normed_bytes);
    bound_.scratch.keys = take(sizes.keys_bytes);
    bound_.scratch.values = take(sizes.values_bytes);
    bound_.scratch.added = take(sizes.added_bytes);
    bound_.scratch.router = take(sizes.router_bytes);
    bound_.scratch.balance = take(sizes.balance_bytes);
    bound_.scratch.partials = take(sizes.partials_bytes);
    bound_.scratch.expert_tiles = take(sizes.expert_tiles_bytes);
    bound_.scratch.expert_rows = take(sizes.expert_rows_bytes);
    bound_.scratch.mixes = take(sizes.mixes_bytes);
    bound_.scratch.inputs = take(sizes.inputs_bytes);
  }

  void bind_buffers() {
    const Program& program = in_.plan->program;
    for (BufferId id = 0; id < program.buffers.size(); ++id) {
      const Buffer& buffer = program.buffers[id];
      const GpuSlice& place = id == program.logits ? logits_ : activations_;
      if (buffer.device != in_.device) {
        bound_.buffers.emplace_back();
        continue;
      }
      const std::uint64_t n_rows = id == program.logits ? program.max_logit_rows : program.max_rows;
      const Bytes bytes = n_rows * buffer.row_bytes();
      CHECK(place && buffer.offset + bytes <= place.size, "a buffer leaves its region");
      bound_.buffers.push_back(place.part(buffer.offset, bytes));
    }
  }

  const Binding& in_;
  GpuBinding bound_;
  GpuSlice activations_, logits_, scratch_;
};

}  // namespace

GpuBinding bind_gpu(const Binding& binding, const GpuArithmetic& arithmetic) {
  return Binder(binding, arithmetic).bind();
}

}  // namespace headroom
