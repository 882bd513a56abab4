#include "plan/notes.h"

#include <algorithm>

#include "format/dtype_table.h"
#include "plan/device_rules.h"
#include "plan/kv_regions.h"
#include "plan/placement.h"
#include "plan/plan_options.h"
#include "plan/weight_stream.h"

namespace headroom {
namespace {

// The largest tensor that a device would hold of all layers and the head, where it allocates less at once: such layers
// are not planned for it unasked.
void note_arena_limit(const ModelInfo& model, const DeviceInfo& device, std::vector<Note>& notes) {
  const std::optional<Bytes> limit = largest_arena(device);
  const bool tied_head = has_tied_head(model);
  const auto bytes = [&](const WeightTensor& weight) {
    const bool stays =
        weight.role == TensorRole::kLayerEmbedding || (weight.role == TensorRole::kTokenEmbedding && !tied_head);
    return stays ? 0 : weight_bytes(weight, device.traits.weight_layout);
  };
  const auto largest =
      std::max_element(model.weights.begin(), model.weights.end(),
                       [&](const WeightTensor& a, const WeightTensor& b) { return bytes(a) < bytes(b); });
  if (!limit || largest == model.weights.end() || bytes(*largest) <= *limit) return;
  notes.push_back({Message::say("{} allocates at most {} at once: {} of {} cannot stand there.", device.name,
                                amount(*limit), largest->name, amount(bytes(*largest)))});
}

// What became of one device that was named.
void note_gpu(const DeviceInfo& device, bool is_used, bool is_any_after, std::vector<Note>& notes) {
  if (!is_used) {
    notes.push_back({is_any_after
                         ? Message::say("No layer fits on {} under this headroom: it is not used.", device.name)
                         : Message::say("{} is not used: the devices before it hold all its layers.", device.name)});
  }
  if (!device.is_present) {
    notes.push_back({Message::say(
        "{} is not in this machine: the plan can be read and not loaded; what stays on the CPU is held against this "
        "machine's memory.",
        device.name)});
  }
}

void note_gpus(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& asked,
               const ArenaLayout& layout, std::vector<Note>& notes) {
  const std::vector<DeviceIndex> gpus = gpus_of(layout.options, devices);
  const auto holds_layers = [&](DeviceIndex device) { return attention_run(layout.placement, device).count() > 0; };
  const bool is_cpu_alone = asked.n_gpu_layers == kAutoLayers && layout.options.n_gpu_layers == 0;
  if (!gpus.empty() && is_cpu_alone && layout.choices.empty()) {
    notes.push_back({Message::say(
        "No layer fits on {} beside the output head under this headroom: everything is planned for the CPU.",
        device_names(gpus, devices))});
  }
  const std::uint32_t n_together = model.n_layers_together();
  if (asked.n_gpu_layers > 0 && static_cast<std::uint32_t>(asked.n_gpu_layers) < n_together) {
    notes.push_back({Message::say(
        "The last {} layers read caches of each other and stand on one device: fewer of them are on no GPU.",
        n_together)});
  }
  for (auto gpu = gpus.begin(); gpu != gpus.end(); ++gpu) {
    const bool is_used = layout.options.n_gpu_layers == 0 || holds_layers(*gpu);
    note_gpu(devices[*gpu], is_used, std::any_of(gpu + 1, gpus.end(), holds_layers), notes);
    if (!holds_layers(*gpu)) note_arena_limit(model, devices[*gpu], notes);
  }
  if (layout.options.n_cpu_ffn > 0) {
    const LayerRun on_gpus{static_cast<std::int32_t>(layout.placement.layers.size()) - layout.options.n_gpu_layers,
                           ffn_run(layout.placement, layout.cpu).last};
    std::vector<DeviceIndex> holders;
    for (std::int32_t layer = on_gpus.first; layer <= on_gpus.last; ++layer) {
      const DeviceIndex device = layout.placement.layers[static_cast<std::size_t>(layer)].attention;
      if (holders.empty() || holders.back() != device) holders.push_back(device);
    }
    notes.push_back({Message::say("The FFN of {} stands on the CPU, attention and cache on {}.",
                                  layer_run_words(on_gpus), device_names(holders, devices))});
  }
}

// What prompts take another way for.
void note_stream(std::span<const DeviceInfo> devices, const ArenaLayout& layout, std::vector<Note>& notes) {
  const WeightStreaming& streaming = layout.streaming;
  std::vector<DeviceIndex> receivers;
  std::size_t n_streamed = 0;
  for (std::size_t i = 0; i < streaming.ffn_device.size(); ++i) {
    const DeviceIndex device = streaming.ffn_device[i];
    if (device == layout.placement.layers[i].ffn) continue;
    ++n_streamed;
    if (std::ranges::find(receivers, device) == receivers.end()) receivers.push_back(device);
  }
  if (n_streamed == 0) return;
  notes.push_back({Message::say_n(
      "Prompts of {} tokens or more are read faster: the FFN weights of %n layer(s) on the CPU are streamed to {} for "
      "them.",
      n_streamed, streaming.least_rows, device_names(receivers, devices))});
}

void note_devices(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& asked,
                  const ArenaLayout& layout, std::vector<Note>& notes) {
  for (const DeviceBudget& used : layout.budgets) {
    if (const Message& note = devices[used.device].kernel_note; !note.empty()) notes.push_back({note});
  }
  note_gpus(model, devices, asked, layout, notes);
  note_stream(devices, layout, notes);
  notes.insert(notes.end(), layout.choices.begin(), layout.choices.end());
  for (const DeviceBudget& budget : layout.budgets) {
    const DeviceInfo& device = devices[budget.device];
    if (device.is_present && device.account.confidence == MemoryConfidence::kAssumed) {
      notes.push_back({Message::say(
          "What other programs hold of {} is not known: less may be free than is planned with.", device.name)});
    }
    if (budget.driver == 0 || device.driver_measured) continue;
    const Message::Amount driver = amount(budget.driver);
    notes.push_back(
        {device.is_present
             ? Message::say("The driver's share on {}, {}, is an assumption: it is measured at the first load.",
                            device.name, driver)
             : Message::say("The driver's share on {}, {}, is an assumption.", device.name, driver)});
  }
  for (const DeviceIndex gpu : gpus_of(layout.options, devices)) {
    if (devices[gpu].has_unified_memory)
      notes.push_back({Message::say("{} shares its memory with the CPU: one pool, counted once.", devices[gpu].name)});
  }
}

void note_context(const ModelInfo& model, const PlanOptions& options, std::vector<Note>& notes) {
  if (model.n_ctx_trained > 0 && options.n_ctx > model.n_ctx_trained) {
    notes.push_back(
        {Message::say("Context {} is above the {} that the model was trained with: answers may lose sense beyond it.",
                      options.n_ctx, model.n_ctx_trained)});
  }
  if (options.n_ctx % kKvRowStep != 0) {
    notes.push_back({Message::say("The cache is kept in groups of {} positions: {} is planned as {}.", kKvRowStep,
                                  options.n_ctx, round_up(options.n_ctx, kKvRowStep))});
  }
  const auto windowed = std::ranges::count_if(
      model.layers, [](const LayerSpec& l) { return l.has_cache() && l.attention == AttentionKind::kWindow; });
  if (windowed > 0) {
    notes.push_back({Message::say(
        "{} of {} layers see a window: their cache holds the window and one batch, however long the context.", windowed,
        model.n_layers())});
  }
  const auto shared = std::ranges::count_if(model.layers, [](const LayerSpec& l) { return l.kv_layer.has_value(); });
  if (shared > 0)
    notes.push_back({Message::say("The last {} layers have no cache: they read those of earlier ones.", shared)});
}

void note_state(const ModelInfo& model, const PlanOptions& options, std::vector<Note>& notes) {
  if (!model.is_recurrent()) return;
  const std::uint32_t n = model.n_recurrent_layers(), n_layers = model.n_layers(), n_slots = options.n_slots;
  const Message::Amount state = amount(model.state_bytes());
  notes.push_back(
      {n_slots == 1
           ? Message::say(
                 "{} of {} layers keep a state of fixed size instead of a cache: {}, however long the context.", n,
                 n_layers, state)
           : Message::say(
                 "{} of {} layers keep a state of fixed size instead of a cache: {} for each of {} slots, however long "
                 "the context.",
                 n, n_layers, state, n_slots)});
}

// What can be gone back to, of models that cannot go back by themselves.
void note_checkpoints(const ModelInfo& model, const ArenaLayout& layout, std::vector<Note>& notes) {
  const PlanOptions& options = layout.options;
  if (!needs_checkpoints(model, options)) return;
  if (options.n_checkpoints == 0) {
    return notes.push_back(
        {model.is_recurrent()
             ? Message::say("A state cannot go back, and there are no checkpoints: a conversation that is changed "
                            "further up is read again from its beginning.")
             : Message::say("A window cannot go far back, and there are no checkpoints: a conversation that is changed "
                            "further up is read again from its beginning.")});
  }
  Bytes of_one = 0;
  for (const LayerSpec& layer : model.layers) {
    for (const CheckpointRegion& part : checkpoint_regions(layer, options)) of_one += part.bytes_of_slot.value_or(0);
  }
  const auto n = static_cast<std::uint64_t>(options.n_checkpoints);
  const Message held = options.n_slots == 1 ? Message::say_n("%n checkpoint(s) of {}", n, amount(of_one))
                                            : Message::say_n("%n checkpoint(s) of {} for each of {} slots", n,
                                                             amount(of_one), options.n_slots);
  notes.push_back(
      {model.is_recurrent()
           ? Message::say("A state cannot go back: {} let an answer be generated again and a message be changed "
                          "without reading all that was said.",
                          held)
           : Message::say("A window cannot go far back: {} let an answer be generated again and a message be changed "
                          "without reading all that was said.",
                          held)});
}

void note_kv_types(const ModelInfo& model, const PlanOptions& options, std::vector<Note>& notes) {
  if (options.kv_k == DType::kQ4_0 || options.kv_v == DType::kQ4_0) {
    notes.push_back({Message::say(
        "KV as q4_0 is kept rotated, its first and newest positions as F16: where that was measured, it cost what "
        "q8_0 costs without. `headroom-cli kld` measures it on this model.")});
  }
  for (const DType dtype : {options.kv_k, options.kv_v}) {
    const std::uint32_t block = dtype_row(dtype).block_elems;
    const auto padded = std::find_if(model.layers.begin(), model.layers.end(),
                                     [&](const LayerSpec& l) { return l.head_dim % block != 0; });
    if (padded == model.layers.end()) continue;
    notes.push_back({Message::say("Heads of {} elements are padded to {} in {}.", padded->head_dim,
                                  round_up(padded->head_dim, block), dtype_row(dtype).label)});
    if (options.kv_k == options.kv_v) break;
  }
}

}  // namespace

std::vector<Note> make_notes(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& asked,
                             const ArenaLayout& layout) {
  std::vector<Note> notes;
  note_devices(model, devices, asked, layout, notes);
  note_context(model, layout.options, notes);
  note_state(model, layout.options, notes);
  note_checkpoints(model, layout, notes);
  note_kv_types(model, layout.options, notes);
  for (const NotLoaded& unused : model.not_loaded)
    notes.push_back({Message::say("Not loaded: {}.", not_loaded_words(unused))});
  if (layout.placement.embed_device != layout.placement.head_device && has_tied_head(model)) {
    notes.push_back({Message::say(
        "The token embedding is also the output head: it is held twice, on {} to embed and on {} for the logits.",
        devices[layout.placement.embed_device].name, devices[layout.placement.head_device].name)});
  }
  return notes;
}

}  // namespace headroom
