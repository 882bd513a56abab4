#include "program/build_program.h"

#include <algorithm>

#include "base/check.h"
#include "program/liveness.h"

namespace headroom {
namespace {

Bytes buffer_bytes(std::uint32_t rows, std::uint64_t row_elems, Bytes alignment) {
  return round_up(Bytes{rows} * row_elems * kF32Bytes, alignment);
}

// Appends ops and the buffers they touch, and keeps each buffer's life.
class ProgramBuilder {
 public:
  ProgramBuilder(const ModelInfo& model, std::uint32_t max_rows, std::uint32_t max_logit_rows, Bytes alignment)
      : model_(model), alignment_(alignment) {
    program_.max_rows = max_rows;
    program_.max_logit_rows = max_logit_rows;
    program_.ops.reserve(std::size_t{model.n_layers()} * 20 + 8);
    program_.buffers.reserve(std::size_t{model.n_layers()} * 16 + 8);
  }

  BufferId add_buffer(const char* name, DeviceIndex device, std::uint32_t row_elems) {
    return add_buffer(name, device, row_elems, program_.max_rows);
  }

  void add_logits(DeviceIndex device) {
    program_.logits = add_buffer("logits", device, model_.n_vocab, program_.max_logit_rows);
  }

  BufferId add_buffer(const char* name, DeviceIndex device, std::uint32_t row_elems, std::uint32_t rows) {
    const auto next_op = static_cast<std::uint32_t>(program_.ops.size());
    program_.buffers.push_back({.name = name,
                                .device = device,
                                .row_elems = row_elems,
                                .size = buffer_bytes(rows, row_elems, alignment_),
                                .offset = 0,
                                .first_op = next_op,
                                .last_op = next_op});
    return static_cast<BufferId>(program_.buffers.size() - 1);
  }

  void add_op(OpKind kind, std::int32_t layer, DeviceIndex device, OperandList inputs, OperandList outputs,
              bool needs_weight_upload = false) {
    const auto index = static_cast<std::uint32_t>(program_.ops.size());
    for (const BufferId id : inputs) program_.buffers[id].last_op = index;
    for (const BufferId id : outputs) program_.buffers[id].last_op = index;
    program_.ops.push_back({kind, layer, device, inputs, outputs, needs_weight_upload});
  }

  // The residual on `device`: itself, or a copy there.
  BufferId residual_on(DeviceIndex device, BufferId residual) { return on(device, residual, model_.d_model); }

  BufferId on(DeviceIndex device, BufferId buffer, std::uint32_t row_elems) {
    if (program_.buffers[buffer].device == device) return buffer;
    const BufferId here = add_buffer(program_.buffers[buffer].name.c_str(), device, row_elems);
    add_op(OpKind::kTransfer, -1, device, {buffer}, {here});
    return here;
  }

  BufferId embed_layer_inputs(DeviceIndex device) {
    const BufferId embedded = add_buffer("layer inputs", device, model_.input_elems);
    kept_.push_back(embedded);
    add_op(OpKind::kLayerEmbed, -1, device, {}, {embedded});
    return embedded;
  }

  // `embedded` on the device of the first layer, where they are made. Any other device gets them once.
  void make_layer_inputs(DeviceIndex device, BufferId embedded, BufferId residual) {
    layer_inputs_ = {layer_inputs_on(device, embedded)};
    const BufferId inputs = layer_inputs_.front(), projected = add_buffer("projected", device, model_.input_elems);
    add_op(OpKind::kLayerInputs, -1, device, {residual, inputs}, {inputs, projected});
  }

  BufferId layer_inputs_on(DeviceIndex device) {
    for (const BufferId there : layer_inputs_) {
      if (program_.buffers[there].device == device) return there;
    }
    layer_inputs_.push_back(layer_inputs_on(device, layer_inputs_.front()));
    return layer_inputs_.back();
  }

  BufferId layer_inputs_on(DeviceIndex device, BufferId inputs) {
    const BufferId here = on(device, inputs, model_.input_elems);
    if (here != inputs) kept_.push_back(here);
    return here;
  }

  void add_input(std::int32_t index, const LayerSpec& layer, DeviceIndex device, bool is_streamed, BufferId inputs,
                 BufferId residual) {
    const BufferId input = add_buffer("input", device, layer.input_dim);
    add_op(OpKind::kInputUp, index, device, {residual, inputs}, {input}, is_streamed);
    add_op(OpKind::kInputDown, index, device, {input, residual}, {residual}, is_streamed);
  }

  void add_attention(std::int32_t index, const LayerSpec& layer, DeviceIndex device, BufferId residual) {
    if (layer.delta_net) return add_delta_net(index, *layer.delta_net, device, residual);
    if (layer.short_conv) return add_short_conv(index, *layer.short_conv, device, residual);
    const BufferId query = add_buffer("query", device, layer.q_dim());
    if (!layer.has_out_gate) {
      add_op(OpKind::kQkvRope, index, device, {residual}, {query});
      const BufferId attended = add_buffer("attended", device, layer.q_dim());
      add_op(OpKind::kAttend, index, device, {query}, {attended});
      return add_op(OpKind::kAttnOut, index, device, {attended, residual}, {residual});
    }
    const BufferId gate = add_buffer("gate", device, layer.q_dim());
    add_op(OpKind::kQkvRope, index, device, {residual}, {query, gate});
    const BufferId attended = add_buffer("attended", device, layer.q_dim());
    add_op(OpKind::kAttend, index, device, {query}, {attended});
    add_op(OpKind::kAttnOut, index, device, {attended, gate, residual}, {residual});
  }

  void add_delta_net(std::int32_t index, const DeltaNetSpec& spec, DeviceIndex device, BufferId residual) {
    const BufferId mixed = add_buffer("mixed", device, spec.n_mixed()),
                   rates = add_buffer("rates", device, 2 * spec.n_value_heads),
                   gate = add_buffer("gate", device, spec.v_dim());
    add_op(OpKind::kDeltaMix, index, device, {residual}, {mixed, rates, gate});
    const BufferId read = add_buffer("read", device, spec.v_dim());
    add_op(OpKind::kDeltaRule, index, device, {mixed, rates}, {read});
    add_op(OpKind::kDeltaOut, index, device, {read, gate, residual}, {residual});
  }

  void add_short_conv(std::int32_t index, const ShortConvSpec& spec, DeviceIndex device, BufferId residual) {
    const BufferId mixed = add_buffer("mixed", device, spec.n_channels),
                   factors = add_buffer("factors", device, spec.n_channels),
                   gate = add_buffer("gate", device, spec.n_channels);
    add_op(OpKind::kConvMix, index, device, {residual}, {mixed, factors, gate});
    add_op(OpKind::kAttnOut, index, device, {mixed, residual}, {residual});
  }

  // `is_streamed`: its weights stand on the CPU and are uploaded to `device`.
  void add_ffn(std::int32_t index, const LayerSpec& layer, DeviceIndex device, bool is_streamed, BufferId residual) {
    if (layer.has_experts()) return add_experts(index, layer, device, is_streamed, residual);
    const BufferId hidden = add_buffer("hidden", device, layer.d_ff);
    add_op(OpKind::kFfnUp, index, device, {residual}, {hidden}, is_streamed);
    add_op(OpKind::kFfnDown, index, device, {hidden, residual}, {residual}, is_streamed);
  }

  // The weights of kMoeUp, and the norms that it reads, and the norm that kSharedUp reads too, are uploaded with the
  // router's. All that reads the residual stands before what adds to it.
  void add_experts(std::int32_t index, const LayerSpec& layer, DeviceIndex device, bool is_streamed,
                   BufferId residual) {
    CHECK(layer.has_post_norms == layer.has_branch_norms, "what experts add is normed with what is beside them");
    const BufferId ids = add_buffer("expert ids", device, layer.n_experts_used),
                   weights = add_buffer("expert weights", device, layer.n_experts_used);
    add_op(OpKind::kMoeRoute, index, device, {residual}, {ids, weights}, is_streamed);
    const BufferId hidden = add_buffer("hidden", device, layer.n_experts_used * layer.expert_d_ff);
    add_op(OpKind::kMoeUp, index, device, {residual, ids}, {hidden});
    OperandList shared;
    if (layer.has_shared_expert()) shared = add_shared_up(index, layer, device, is_streamed, residual);
    CHECK(layer.output_scale == 1.0F || layer.has_post_norms, "a factor behind a layer goes with its post-norms");
    if (layer.has_branch_norms) {
      CHECK(shared.size() == 1, "branches are experts and one FFN without a gate");
      const BufferId branch = add_buffer("branch", device, model_.d_model);
      add_op(OpKind::kMoeDown, index, device, {hidden, ids, weights}, {branch}, is_streamed);
      return add_op(OpKind::kSharedDown, index, device, {shared[0], branch, residual}, {residual}, is_streamed);
    }
    add_op(OpKind::kMoeDown, index, device, {hidden, ids, weights, residual}, {residual}, is_streamed);
    if (shared.size() == 1) add_op(OpKind::kSharedDown, index, device, {shared[0], residual}, {residual}, is_streamed);
    if (shared.size() == 2)
      add_op(OpKind::kSharedDown, index, device, {shared[0], shared[1], residual}, {residual}, is_streamed);
  }

  // What the shared expert makes before its last matrix: "shared", and "shared gate" where it has one.
  OperandList add_shared_up(std::int32_t index, const LayerSpec& layer, DeviceIndex device, bool is_streamed,
                            BufferId residual) {
    OperandList made{add_buffer("shared", device, layer.d_ff)};
    if (layer.has_shared_gate) made = {made[0], add_buffer("shared gate", device, 1)};
    add_op(OpKind::kSharedUp, index, device, {residual}, made, is_streamed);
    return made;
  }

  // All ops of one way, from the embedding to the residual that the head reads.
  BufferId add_layers(const Placement& placement, const WeightStreaming& streaming, ExecutionMode way) {
    BufferId residual = add_buffer("residual", placement.embed_device, model_.d_model);
    add_op(OpKind::kEmbed, -1, placement.embed_device, {}, {residual});
    const bool has_inputs = model_.input_elems > 0;
    BufferId embedded = residual;
    if (has_inputs) embedded = embed_layer_inputs(placement.embed_device);
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      const LayerPlacement& layer = placement.layers[i];
      const DeviceIndex ffn = way == ExecutionMode::kResident ? layer.ffn : streaming.ffn_device[i];
      const auto index = static_cast<std::int32_t>(i);
      residual = residual_on(layer.attention, residual);
      if (has_inputs && i == 0) make_layer_inputs(layer.attention, embedded, residual);
      add_attention(index, model_.layers[i], layer.attention, residual);
      residual = residual_on(ffn, residual);
      // They cross with the residual, not behind the FFN.
      const BufferId inputs = has_inputs ? layer_inputs_on(ffn) : residual;
      add_ffn(index, model_.layers[i], ffn, ffn != layer.ffn, residual);
      if (has_inputs) add_input(index, model_.layers[i], ffn, ffn != layer.ffn, inputs, residual);
    }
    return residual_on(placement.head_device, residual);
  }

  void add_head(DeviceIndex device, BufferId residual) {
    add_op(OpKind::kLogits, -1, device, {residual}, {program_.logits});
  }

  // What was added since op `first` is the other way.
  void begin_streaming_at(std::uint32_t first) { program_.n_streaming_ops = n_ops() - first; }
  std::uint32_t n_ops() const { return static_cast<std::uint32_t>(program_.ops.size()); }

  Program finish(std::uint32_t n_devices) {
    program_.activation_bytes.assign(n_devices, 0);
    // Of the many devices that a catalogue gives, a program uses a few.
    std::vector<bool> is_used(n_devices, false);
    for (const Buffer& buffer : program_.buffers) is_used[buffer.device] = true;
    std::vector<Life> lives;
    std::vector<BufferId> ids;
    for (DeviceIndex device = 0; device < n_devices; ++device) {
      if (!is_used[device]) continue;
      lives.clear();
      ids.clear();
      for (BufferId id = 0; id < program_.buffers.size(); ++id) {
        const Buffer& buffer = program_.buffers[id];
        if (buffer.device != device || id == program_.logits || is_kept(id)) continue;
        lives.push_back({buffer.size, buffer.first_op, buffer.last_op});
        ids.push_back(id);
      }
      const Layout layout = pack_lives(lives);
      for (std::size_t i = 0; i < ids.size(); ++i) program_.buffers[ids[i]].offset = layout.offsets[i];
      program_.activation_bytes[device] = layout.peak + place_kept(device, layout.peak);
    }
    return std::move(program_);
  }

 private:
  bool is_kept(BufferId id) const { return std::ranges::find(kept_, id) != kept_.end(); }

  // Returns what they take: a device has one place for them, whatever they are.
  Bytes place_kept(DeviceIndex device, Bytes at) {
    Bytes taken = 0;
    for (const BufferId id : kept_) {
      Buffer& buffer = program_.buffers[id];
      if (buffer.device != device) continue;
      buffer.offset = at;
      taken = buffer.size;
    }
    return taken;
  }

  const ModelInfo& model_;
  Bytes alignment_;
  Program program_;
  std::vector<BufferId> layer_inputs_;  // of the ops that are being added, one a device
  std::vector<BufferId> kept_;          // layer inputs: they live while all others come and go
};

}  // namespace

Program build_program(const ModelInfo& model, const Placement& placement, std::uint32_t n_devices,
                      std::uint32_t max_rows, std::uint32_t max_logit_rows, Bytes alignment,
                      const WeightStreaming& streaming) {
  CHECK(placement.layers.size() == model.layers.size(), "a placement is for another model");
  CHECK(!streaming.is_used() || streaming.ffn_device.size() == model.layers.size(),
        "weights are streamed for another model");
  ProgramBuilder builder(model, max_rows, max_logit_rows, alignment);
  const BufferId residual = builder.add_layers(placement, streaming, ExecutionMode::kResident);
  builder.add_logits(placement.head_device);
  builder.add_head(placement.head_device, residual);
  if (streaming.is_used()) {
    const std::uint32_t first = builder.n_ops();
    builder.add_head(placement.head_device, builder.add_layers(placement, streaming, ExecutionMode::kStreamed));
    builder.begin_streaming_at(first);
  }
  return builder.finish(n_devices);
}

}  // namespace headroom
