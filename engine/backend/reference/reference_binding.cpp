#include "backend/reference/reference_binding.h"

#include <cstring>

#include "base/check.h"
#include "format/dtype_table.h"
#include "plan/weight_stream.h"

namespace headroom {

const std::byte* ReferenceWeight::row(std::uint64_t index) const { return bytes + index * row_bytes(dtype, n_cols); }

ReferenceWeight ReferenceWeight::of_expert(std::uint64_t expert) const {
  return {row(expert * n_rows), dtype, n_rows, n_cols};
}

const ReferenceWeight* ReferenceBinding::find(TensorRole role, std::int32_t layer) const {
  const std::optional<std::size_t> found = index.find(role, layer);
  if (!found) return nullptr;
  const ReferenceWeight& weight = weights[*found];
  CHECK(weight.bytes != nullptr, "an op reads a weight of another device");
  return &weight;
}

const ReferenceWeight& ReferenceBinding::at(TensorRole role, std::int32_t layer) const {
  const ReferenceWeight* weight = find(role, layer);
  CHECK(weight != nullptr, "an op reads a weight that the model does not have");
  return *weight;
}

float* ReferenceBinding::buffer(BufferId id) const {
  CHECK(buffers[id] != nullptr, "an op uses a buffer of another device");
  return buffers[id];
}

namespace {

void copy_row(DType dtype, std::uint64_t n_cols, std::uint32_t /*n_rows*/, const std::byte* rows, std::byte* to) {
  std::memcpy(to, rows, row_bytes(dtype, n_cols));
}

}  // namespace

void ReferenceBinding::upload(const Op& op, WeightSource& source) const {
  for (const TensorRole role : streamed_roles(op.kind)) {
    const std::optional<std::size_t> found = index.find(role, op.layer);
    if (!found) continue;
    const WeightTensor& weight = model->weights[*found];
    const PanelFormat format{1, row_bytes(weight.dtype, weight.n_cols), copy_row};
    auto* to = const_cast<std::byte*>(at(role, op.layer).bytes);  // only these are written after the load
    source.copy_panels(static_cast<std::int32_t>(*found), format, {0, count_panels(weight, format)}, to);
  }
}

namespace {

// The regions of one device, and what is in them.
class Binder {
 public:
  explicit Binder(const Binding& binding) : in_(binding) {
    bound_.model = in_.model;
    bound_.plan = in_.plan;
    bound_.device = in_.device;
    bound_.key_balance = in_.key_balance;
  }

  ReferenceBinding bind() {
    for (const RopeSpec& rope : in_.model->ropes)
      bound_.ropes.push_back(rope_frequencies(rope, in_.plan->options.n_ctx));
    list_weights();
    bound_.layers.resize(in_.model->layers.size());
    kv_.resize(in_.model->layers.size());
    CHECK(in_.arenas.size() == in_.plan->arenas.size(), "arenas are those of another plan");
    for (std::size_t i = 0; i < in_.arenas.size(); ++i) {
      if (in_.plan->arenas[i].device == in_.device) add_arena(in_.plan->arenas[i], in_.arenas[i]);
    }
    for (std::size_t i = 0; i < kv_.size(); ++i) bind_layer(i);
    // What reads another layer's cache stands on its device.
    for (std::size_t i = 0; i < kv_.size(); ++i) {
      if (const auto source = in_.model->layers[i].kv_layer) {
        bound_.layers[i].keys = bound_.layers[*source].keys;
        bound_.layers[i].values = bound_.layers[*source].values;
      }
    }
    bind_buffers();
    return std::move(bound_);
  }

 private:
  struct Place {
    std::byte* at = nullptr;
    Bytes size = 0;
  };

  void list_weights() {
    bound_.index = WeightIndex(*in_.model);
    for (const WeightTensor& weight : in_.model->weights) {
      const DType dtype = role_is_matrix(weight.role) ? weight.dtype : DType::kF32;
      bound_.weights.push_back({nullptr, dtype, weight.n_rows, weight.n_cols});
    }
  }

  void add_arena(const ArenaPlan& plan, Arena* given) {
    auto* arena = dynamic_cast<ReferenceArena*>(given);
    CHECK(arena != nullptr && arena->mapped_bytes() == plan.size, "an arena is not the one that the plan describes");
    bound_.arenas.push_back(arena);
    for (const Region& region : plan.regions) add_region(region, arena->device_address() + region.offset);
  }

  // The room that streamed weights of one role share: every layer's weight of this role stands at its beginning.
  void add_streamed(const Region& region, std::byte* at) {
    for (std::size_t i = 0; i < in_.model->weights.size(); ++i) {
      const WeightTensor& weight = in_.model->weights[i];
      if (is_streamed_to(*in_.plan, weight, in_.device) && weight.role == region.role) bound_.weights[i].bytes = at;
    }
  }

  void add_state(const Region& region, std::byte* at) {
    ReferenceBinding::Layer& layer = bound_.layers[static_cast<std::size_t>(region.layer)];
    const LayerSpec& spec = in_.model->layers[static_cast<std::size_t>(region.layer)];
    const bool is_conv = region.state_part == StatePart::kConv;
    CHECK(in_.plan->options.n_slots * (is_conv ? spec.conv_bytes() : spec.matrix_bytes()) <= region.size,
          "a state leaves its region");
    (is_conv ? layer.conv : layer.matrices) = reinterpret_cast<float*>(at);
  }

  void add_region(const Region& region, std::byte* at) {
    switch (region.kind) {
      case RegionKind::kWeights: bound_.weights[static_cast<std::size_t>(region.weight)].bytes = at; return;
      case RegionKind::kKv:
        kv_[static_cast<std::size_t>(region.layer)][static_cast<std::size_t>(region.kv_part)] = {at, region.size};
        return;
      case RegionKind::kState: add_state(region, at); return;
      case RegionKind::kStreamed: add_streamed(region, at); return;
      case RegionKind::kActivations: activations_ = {at, region.size}; return;
      case RegionKind::kLogits: logits_ = {at, region.size}; return;
      // Its scratch is a real device's: these loops have theirs beside it. The others are the host's.
      case RegionKind::kScratch:
      case RegionKind::kCandidates:
      case RegionKind::kUnpackedRows:
      case RegionKind::kSampler:
      case RegionKind::kTokens:
      case RegionKind::kStaging:
      case RegionKind::kInputs:
      case RegionKind::kStream:
      case RegionKind::kUpload:
      case RegionKind::kCheckpoints:  // copied as bytes
      case RegionKind::kPadding: return;
    }
  }

  void bind_layer(std::size_t index) {
    const auto& places = kv_[index];
    const auto cache = [&](KvPart part, KvPart exact_part) {
      const Place &rows = places[static_cast<std::size_t>(part)], &exact = places[static_cast<std::size_t>(exact_part)];
      if (rows.at == nullptr) return ReferenceCache();
      const PlanOptions& options = in_.plan->options;
      ReferenceCache made(part, in_.model->layers[index], options, rows.at, exact.at);
      CHECK(made.n_bytes(options.n_slots) <= rows.size && made.n_exact_bytes(options.n_slots) <= exact.size,
            "a cache leaves its region");
      CHECK(part == KvPart::kValues || !made.is_rotated() ||
                (index < in_.key_balance.size() && in_.key_balance[index].size() == in_.model->layers[index].kv_dim()),
            "the factors of balanced keys are missing");
      return made;
    };
    bound_.layers[index].keys = cache(KvPart::kKeys, KvPart::kExactKeys);
    bound_.layers[index].values = cache(KvPart::kValues, KvPart::kExactValues);
  }

  void bind_buffers() {
    const Program& program = in_.plan->program;
    for (BufferId id = 0; id < program.buffers.size(); ++id) {
      const Buffer& buffer = program.buffers[id];
      const Place& place = id == program.logits ? logits_ : activations_;
      if (buffer.device != in_.device) {
        bound_.buffers.push_back(nullptr);
        continue;
      }
      const std::uint64_t n_rows = id == program.logits ? program.max_logit_rows : program.max_rows;
      CHECK(buffer.offset + n_rows * buffer.row_bytes() <= place.size, "a buffer leaves its region");
      bound_.buffers.push_back(reinterpret_cast<float*>(place.at + buffer.offset));
    }
  }

  static constexpr std::size_t kParts = static_cast<std::size_t>(KvPart::kExactValues) + 1;

  const Binding& in_;
  ReferenceBinding bound_;
  Place activations_, logits_;
  std::vector<std::array<Place, kParts>> kv_;  // (n_layers)
};

}  // namespace

ReferenceBinding bind_reference(const Binding& binding) { return Binder(binding).bind(); }

}  // namespace headroom
