#include "plan/formulas.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "format/dtype_table.h"
#include "model/gpu_panel.h"
#include "plan/device_rules.h"
#include "plan/gpu_rules.h"
#include "plan/kv_regions.h"
#include "plan/weight_stream.h"

namespace headroom {
namespace {

// What the number of regions of a group counts.
enum class Counted { kNothing, kTensors, kLayers };

Message times(std::uint64_t count, Counted counted, const Message& each) {
  switch (counted) {
    case Counted::kNothing: return each;
    case Counted::kTensors: return Message::say("{} tensors x {}", count, each);
    case Counted::kLayers: return Message::say("{} layers x {}", count, each);
  }
  return each;
}

// Regions that came to be by the same arithmetic.
struct Group {
  Formula formula;
  std::uint64_t count = 0;
  Counted counted = Counted::kNothing;
  Message each;  // the arithmetic of one
  Bytes each_bytes = 0;
};

// "64 elements x 2 bytes", "2 blocks x 34 bytes", "(128 elements x 1 bytes + 2 bytes of scale)".
Message row_expression(DType dtype, std::uint64_t n_elems) {
  const DTypeRow& row = dtype_row(dtype);
  const std::uint64_t n = div_up(n_elems, row.block_elems);
  const Message blocks = row.block_elems == 1 ? Message::say("{} elements x {} bytes", n, row.block_bytes)
                                              : Message::say("{} blocks x {} bytes", n, row.block_bytes);
  return row.row_extra_bytes > 0 ? Message::say("({} + {} bytes of scale)", blocks, row.row_extra_bytes) : blocks;
}

Message bytes_alone(Bytes bytes) { return Message::say("{} bytes", bytes); }

// Collects groups in the order in which their first region stands.
class GroupList {
 public:
  // `key` tells groups apart.
  void add(const std::string& key, const Region& region, DeviceIndex device, Message label, Message each,
           Bytes each_bytes, Counted counted) {
    const auto [found, is_new] = index_.try_emplace(key, groups_.size());
    if (is_new) {
      Group group;
      group.formula.device = device;
      group.formula.kind = region.kind;
      group.formula.label = std::move(label);
      group.counted = counted;
      group.each = std::move(each);
      group.each_bytes = each_bytes;
      groups_.push_back(std::move(group));
    }
    Group& group = groups_[found->second];
    ++group.count;
    group.formula.bytes += region.size;
  }

  std::vector<Formula> finish() {
    std::vector<Formula> formulas;
    for (Group& group : groups_) {
      group.formula.expression = times(group.count, group.counted, group.each);
      const Bytes rest = group.formula.bytes / group.count - group.each_bytes;
      if (rest > 0) {
        group.formula.expression =
            Message::say("{} + {}", group.formula.expression,
                         times(group.count, group.counted, Message::say("{} bytes of alignment", rest)));
      }
      formulas.push_back(std::move(group.formula));
    }
    return formulas;
  }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<Group> groups_;
};

void add_weight(const ModelInfo& model, WeightLayout layout, const Region& region, DeviceIndex device,
                GroupList& groups) {
  const WeightTensor& weight = model.weights[static_cast<std::size_t>(region.weight)];
  const bool is_matrix = role_is_matrix(weight.role);
  const std::uint64_t n_rows = weight_rows(weight, layout);
  Message each = row_expression(region.dtype, is_matrix ? weight.n_cols : weight.n_rows * weight.n_cols);
  const std::uint32_t panel_rows = layout == WeightLayout::kGpuPanels ? kGpuPanelRows : kPanelRows;
  if (is_matrix && layout == WeightLayout::kGpuPanels) {
    const GpuPanel panel = gpu_panel(weight.dtype, weight.n_cols);
    if (panel.bytes() != kGpuPanelRows * row_bytes(weight.dtype, weight.n_cols))
      each = Message::say("{} units x {} bytes", panel.n_units(), kGpuUnitBytes);
  }
  if (is_matrix) each = Message::say("{} rows x {}", n_rows, each);
  if (role_is_experts(weight.role)) each = Message::say("{} experts x {}", weight.n_matrices, each);
  const std::string_view role = role_name(weight.role), type = dtype_row(region.dtype).name;
  Message label = is_matrix && n_rows != weight.n_rows
                      ? Message::say("{}, {} ({} rows in panels of {})", role, type, weight.n_rows, panel_rows)
                      : Message::say("{}, {}", role, type);
  std::string key = fmt::format("w{} {} {} {}", label.text(), weight.n_matrices, n_rows, weight.n_cols);
  groups.add(key, region, device, std::move(label), std::move(each), weight_bytes(weight, layout), Counted::kTensors);
}

// "KV cache, keys, Q4_0", "KV cache, exact values, F16, layers with a window of 4096".
Message kv_label(const LayerSpec& layer, const Region& region) {
  const std::string_view type = dtype_row(region.dtype).name;
  const auto words = [&] {
    switch (region.kv_part) {
      case KvPart::kKeys: return Message::say("KV cache, keys, {}", type);
      case KvPart::kValues: return Message::say("KV cache, values, {}", type);
      case KvPart::kExactKeys: return Message::say("KV cache, exact keys, {}", type);
      case KvPart::kExactValues: return Message::say("KV cache, exact values, {}", type);
      case KvPart::kNone: break;
    }
    return Message();
  }();
  if (layer.attention != AttentionKind::kWindow) return words;
  return Message::say("{}, layers with a window of {}", words, layer.window);
}

void add_kv(const ModelInfo& model, const PlanOptions& options, const Region& region, DeviceIndex device,
            GroupList& groups) {
  const LayerSpec& layer = model.layers[static_cast<std::size_t>(region.layer)];
  const std::vector<KvRegion> parts = kv_regions(layer, options);
  const auto part =
      std::find_if(parts.begin(), parts.end(), [&](const KvRegion& each) { return each.part == region.kv_part; });
  CHECK(part != parts.end(), "a region of the cache belongs to its layer");
  Message positions = Message::say("{} positions", part->n_rows);
  if (part->part == KvPart::kExactKeys || part->part == KvPart::kExactValues) {
    const KvF16Rows ends = layer.kv_f16_rows(options.n_ctx, options.n_batch);
    positions = ends.n_sinks > 0 ? Message::say("({} first + {} newest positions)", ends.n_sinks, ends.n_ring)
                                 : Message::say("{} newest positions", ends.n_ring);
  }
  Message label = kv_label(layer, region);
  Message each = Message::say("{} slots x {} x {} KV heads x {}", options.n_slots, positions, layer.n_kv_heads,
                              row_expression(region.dtype, layer.head_dim));
  const std::string key = label.text() + each.text();
  groups.add(key, region, device, std::move(label), std::move(each), *kv_region_bytes(layer, *part, options.n_slots),
             Counted::kLayers);
}

Message buffer_expression(const Buffer& buffer, std::uint32_t rows) {
  const Bytes exact = rows * buffer.row_bytes();
  const Message text =
      Message::say("{} {} rows x {} elements x {} bytes", buffer.name, rows, buffer.row_elems, kF32Bytes);
  return buffer.size > exact ? Message::say("{} + {} bytes of alignment", text, buffer.size - exact) : text;
}

// The buffers that stand on one another where the layout is highest: each begins where one that lives at the same time
// ends.
Message activations_expression(const Program& program, DeviceIndex device) {
  const auto is_logits = [&](const Buffer& buffer) { return &buffer == &program.buffers[program.logits]; };
  const Buffer* top = nullptr;
  for (const Buffer& buffer : program.buffers) {
    if (buffer.device != device || is_logits(buffer)) continue;
    if (top == nullptr || buffer.offset + buffer.size > top->offset + top->size) top = &buffer;
  }
  std::vector<Message> parts;
  while (top != nullptr) {
    parts.push_back(buffer_expression(*top, program.max_rows));
    const Buffer* below = nullptr;
    for (const Buffer& buffer : program.buffers) {
      const bool both_live = buffer.first_op <= top->last_op && top->first_op <= buffer.last_op;
      if (buffer.device == device && !is_logits(buffer) && both_live && buffer.offset + buffer.size == top->offset &&
          buffer.size > 0)
        below = &buffer;
    }
    CHECK(below != nullptr || top->offset == 0, "a buffer floats above its layout");
    top = below;
  }
  return Message::joined(std::move(parts), " + ");
}

Message scratch_expression(const ModelInfo& model, const MemoryPlan& plan, const DeviceInfo& device, Bytes bytes) {
  if (device.traits.scratch != ScratchRule::kCpu) return Message::say("{} bytes of the kernels' rule", bytes);
  const auto index = static_cast<DeviceIndex>(&device - plan.devices.data());
  const DeviceWork work = work_on(plan.placement, plan.streaming, index);
  const Bytes shared = cpu_scratch(model, plan.options, plan.options.step_rows(), 0, work).total();
  return Message::say("{} bytes of all threads together + {} threads x {} bytes", shared, device.n_threads,
                      (bytes - shared) / device.n_threads);
}

Message conv_shape(const LayerSpec& layer) {
  const std::uint32_t width = layer.delta_net ? layer.delta_net->conv_width : layer.short_conv->width,
                      n_channels = layer.delta_net ? layer.delta_net->n_mixed() : layer.short_conv->n_channels;
  return Message::say("{} rows x {} channels", width - 1, n_channels);
}

Message matrix_shape(const DeltaNetSpec& spec) {
  return Message::say("{} value heads x {} x {} elements", spec.n_value_heads, spec.key_dim, spec.value_dim);
}

// "48 value heads x 128 x 128 elements x 4 bytes" of each slot.
void add_state(const ModelInfo& model, const PlanOptions& options, const Region& region, DeviceIndex device,
               GroupList& groups) {
  const LayerSpec& layer = model.layers[static_cast<std::size_t>(region.layer)];
  const bool is_conv = region.state_part == StatePart::kConv;
  const Message of_slot = is_conv ? conv_shape(layer) : matrix_shape(*layer.delta_net);
  const Bytes bytes = options.n_slots * (is_conv ? layer.conv_bytes() : layer.matrix_bytes());
  groups.add(fmt::format("s{} {}", region.name, of_slot.text()), region, device,
             is_conv ? Message::say("State of recurrent layers, convolution")
                     : Message::say("State of recurrent layers, matrices"),
             Message::say("{} slots x {} x {} bytes", options.n_slots, of_slot, kF32Bytes), bytes, Counted::kLayers);
}

Message checkpoint_label(const Region& region) {
  switch (region.kv_part) {
    case KvPart::kKeys: return Message::say("Checkpoints of k");
    case KvPart::kValues: return Message::say("Checkpoints of v");
    case KvPart::kExactKeys: return Message::say("Checkpoints of k exact");
    case KvPart::kExactValues: return Message::say("Checkpoints of v exact");
    case KvPart::kNone: break;
  }
  return region.state_part == StatePart::kConv ? Message::say("Checkpoints of convolution state")
                                               : Message::say("Checkpoints of matrix state");
}

// "4 checkpoints x 1 slots x 3,145,728 bytes" of each layer.
void add_checkpoints(const ModelInfo& model, const PlanOptions& options, const Region& region, DeviceIndex device,
                     GroupList& groups) {
  const Bytes n_copies = Bytes{options.n_slots} * static_cast<Bytes>(options.n_checkpoints),
              of_slot = checkpoint_bytes(model, options, region);
  groups.add(fmt::format("p{} {}", region.name, of_slot), region, device, checkpoint_label(region),
             Message::say("{} slots x {} checkpoints x {} bytes", options.n_slots, options.n_checkpoints, of_slot),
             n_copies * of_slot, Counted::kLayers);
}

// The words and the arithmetic of a region that is neither a weight nor of a layer.
struct Explained {
  Message label, each;
  Bytes each_bytes = 0;
};

Explained explain_staging(const ModelInfo& model, const MemoryPlan& plan, DeviceIndex mapped_by) {
  const StagingLayout layout =
      staging_layout(model, plan.devices, plan.options, plan.placement, plan.streaming, mapped_by);
  return {Message::say("staging, for what crosses between devices"),
          Message::say("{} bytes of a step's rows + {} bytes of logits", layout.logits_offset,
                       layout.total - layout.logits_offset),
          layout.total};
}

Explained explain_scratch(const ModelInfo& model, const MemoryPlan& plan, DeviceIndex device) {
  const DeviceInfo& info = plan.devices[device];
  const DeviceWork work = work_on(plan.placement, plan.streaming, device);
  const Bytes bytes = scratch_bytes(model, info, plan.options, plan.options.step_rows(), work);
  return {Message::say("scratch"), scratch_expression(model, plan, info, bytes), bytes};
}

Explained explain_streamed(const ModelInfo& model, const DeviceInfo& info, const Region& region) {
  Bytes bytes = 0;
  for (const StreamedRole& streamed : streamed_role_sizes(model, info.traits.weight_layout)) {
    if (streamed.role == region.role) bytes = streamed.bytes;
  }
  return {Message::say("{}, of one layer at a time", region.name), Message::say("{} bytes of the largest layer", bytes),
          bytes};
}

Explained explain(const ModelInfo& model, const MemoryPlan& plan, const ArenaPlan& arena, const Region& region) {
  const PlanOptions& options = plan.options;
  const DeviceInfo& info = plan.devices[arena.device];
  switch (region.kind) {
    case RegionKind::kActivations:
      return {Message::say("activations"), activations_expression(plan.program, arena.device), region.size};
    case RegionKind::kLogits:
      return {Message::say("logits"),
              Message::say("{} rows x {} tokens x {} bytes", options.n_logit_rows, model.n_vocab, kF32Bytes),
              Bytes{options.n_logit_rows} * model.n_vocab * kF32Bytes};
    case RegionKind::kScratch: return explain_scratch(model, plan, arena.device);
    case RegionKind::kCandidates: {
      const CandidateScratch scratch = candidate_scratch(model, options);
      return {Message::say("the likeliest tokens"),
              Message::say("{} rows x {} bytes", scratch.n_rows, scratch.per_row()),
              scratch.n_rows * scratch.per_row()};
    }
    case RegionKind::kUnpackedRows:
      return {Message::say("rows of weights on their way to a GPU"),
              Message::say("{} threads x {} bytes", info.n_threads, panel_row_bytes(model)),
              info.n_threads * panel_row_bytes(model)};
    case RegionKind::kStreamed: return explain_streamed(model, info, region);
    case RegionKind::kTokens:
      return {Message::say("tokens that the caches hold"),
              Message::say("{} slots x {} positions x {} bytes", options.n_slots, options.n_ctx, kTokenIdBytes),
              slot_token_bytes(options)};
    case RegionKind::kStaging: return explain_staging(model, plan, arena.mapped_by);
    case RegionKind::kInputs: {
      const Bytes n_words = gpu_inputs(model, options).total() / 4;
      return {Message::say("what a step is given, and its likeliest tokens"),
              Message::say("{} words x 4 bytes", n_words), n_words * 4};
    }
    case RegionKind::kStream:
      return {Message::say("weights on their way to a GPU"),
              Message::say("{} parts x {} bytes", kStreamParts, kStreamPartBytes), kStreamParts * kStreamPartBytes};
    case RegionKind::kUpload:
      return {Message::say("upload, while weights are loaded"), Message::say("{} bytes at once", kUploadBytes),
              region.size};
    case RegionKind::kPadding:
      return {Message::say("padding to a multiple of {}", amount(info.granularity)), bytes_alone(region.size),
              region.size};
    case RegionKind::kWeights:
    case RegionKind::kKv:
    case RegionKind::kState:
    case RegionKind::kCheckpoints:
    case RegionKind::kSampler: break;  // one number: the sampler's
  }
  return {Message::plain(region.name), bytes_alone(region.size), region.size};
}

void add_region(const ModelInfo& model, const MemoryPlan& plan, const ArenaPlan& arena, const Region& region,
                GroupList& groups) {
  if (region.kind == RegionKind::kWeights)
    return add_weight(model, plan.devices[arena.device].traits.weight_layout, region, arena.device, groups);
  if (region.kind == RegionKind::kKv) return add_kv(model, plan.options, region, arena.device, groups);
  if (region.kind == RegionKind::kState) return add_state(model, plan.options, region, arena.device, groups);
  if (region.kind == RegionKind::kCheckpoints)
    return add_checkpoints(model, plan.options, region, arena.device, groups);
  Explained explained = explain(model, plan, arena, region);
  groups.add(region.name, region, arena.device, std::move(explained.label), std::move(explained.each),
             explained.each_bytes, Counted::kNothing);
}

}  // namespace

std::vector<Formula> plan_formulas(const ModelInfo& model, const MemoryPlan& plan) {
  std::vector<Formula> formulas;
  for (const DeviceBudget& budget : plan.budgets) {
    for (const ArenaPlan& arena : plan.arenas) {
      if (arena.device != budget.device) continue;
      GroupList groups;
      for (const Region& region : arena.regions) add_region(model, plan, arena, region, groups);
      std::vector<Formula> of_arena = groups.finish();
      for (Formula& formula : of_arena) formula.lifetime = arena.lifetime;
      formulas.insert(formulas.end(), std::make_move_iterator(of_arena.begin()),
                      std::make_move_iterator(of_arena.end()));
    }
  }
  return formulas;
}

}  // namespace headroom
