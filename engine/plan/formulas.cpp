#include "plan/formulas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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

// Regions that came to be by the same arithmetic.
struct Group {
  Formula formula;
  std::uint64_t count = 0;
  std::string each;  // the arithmetic of one
  Bytes each_bytes = 0;
};

// "64 elements x 2 bytes", "2 blocks x 34 bytes", "(128 elements x 1 bytes + 2 bytes of scale)".
std::string row_expression(DType dtype, std::uint64_t n_elems) {
  const DTypeRow& row = dtype_row(dtype);
  std::string blocks = fmt::format("{} {} x {} bytes", div_up(n_elems, row.block_elems),
                                   row.block_elems == 1 ? "elements" : "blocks", row.block_bytes);
  if (row.row_extra_bytes > 0) return fmt::format("({} + {} bytes of scale)", blocks, row.row_extra_bytes);
  return blocks;
}

// Collects groups in the order in which their first region stands.
class GroupList {
 public:
  // `key` tells groups apart; `counted` is what the count counts ("layers"), empty when there is only one.
  void add(const std::string& key, const Region& region, DeviceIndex device, std::string label, std::string each,
           Bytes each_bytes, std::string_view counted) {
    const auto [found, is_new] = index_.try_emplace(key, groups_.size());
    if (is_new) {
      Group group;
      group.formula.device = device;
      group.formula.kind = region.kind;
      group.formula.label = std::move(label);
      group.formula.expression = counted;
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
      const std::string counted = std::exchange(group.formula.expression, {});
      const std::string times = counted.empty() ? "" : fmt::format("{} {} x ", group.count, counted);
      group.formula.expression = times + group.each;
      const Bytes rest = group.formula.bytes / group.count - group.each_bytes;
      if (rest > 0) group.formula.expression += fmt::format(" + {}{} bytes of alignment", times, rest);
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
  std::string each = row_expression(region.dtype, is_matrix ? weight.n_cols : weight.n_rows * weight.n_cols);
  const std::uint32_t panel_rows = layout == WeightLayout::kGpuPanels ? kGpuPanelRows : kPanelRows;
  if (is_matrix && layout == WeightLayout::kGpuPanels) {
    const GpuPanel panel = gpu_panel(weight.dtype, weight.n_cols);
    if (panel.bytes() != kGpuPanelRows * row_bytes(weight.dtype, weight.n_cols))
      each = fmt::format("{} units x {} bytes", panel.n_units(), kGpuUnitBytes);
  }
  if (is_matrix) each = fmt::format("{} rows x {}", n_rows, each);
  if (role_is_experts(weight.role)) each = fmt::format("{} experts x {}", weight.n_matrices, each);
  std::string label = fmt::format("{}, {}", role_name(weight.role), dtype_row(region.dtype).name);
  if (is_matrix && n_rows != weight.n_rows)
    label += fmt::format(" ({} rows in panels of {})", weight.n_rows, panel_rows);
  std::string key = fmt::format("w{} {} {} {}", label, weight.n_matrices, n_rows, weight.n_cols);
  groups.add(key, region, device, std::move(label), std::move(each), weight_bytes(weight, layout), "tensors");
}

// "KV cache, keys, Q4_0", "KV cache, exact values, F16, layers with a window of 4096".
std::string kv_label(const LayerSpec& layer, const Region& region) {
  const bool is_keys = region.kv_part == KvPart::kKeys || region.kv_part == KvPart::kExactKeys;
  const bool is_exact = region.kv_part == KvPart::kExactKeys || region.kv_part == KvPart::kExactValues;
  std::string label = fmt::format("KV cache, {}{}, {}", is_exact ? "exact " : "", is_keys ? "keys" : "values",
                                  dtype_row(region.dtype).name);
  if (layer.attention == AttentionKind::kWindow) label += fmt::format(", layers with a window of {}", layer.window);
  return label;
}

void add_kv(const ModelInfo& model, const PlanOptions& options, const Region& region, DeviceIndex device,
            GroupList& groups) {
  const LayerSpec& layer = model.layers[static_cast<std::size_t>(region.layer)];
  const std::vector<KvRegion> parts = kv_regions(layer, options);
  const auto part =
      std::find_if(parts.begin(), parts.end(), [&](const KvRegion& each) { return each.part == region.kv_part; });
  CHECK(part != parts.end(), "a region of the cache belongs to its layer");
  std::string positions = fmt::format("{} positions", part->n_rows);
  if (part->part == KvPart::kExactKeys || part->part == KvPart::kExactValues) {
    const KvF16Rows ends = layer.kv_f16_rows(options.n_ctx, options.n_batch);
    positions = ends.n_sinks > 0 ? fmt::format("({} first + {} newest positions)", ends.n_sinks, ends.n_ring)
                                 : fmt::format("{} newest positions", ends.n_ring);
  }
  std::string label = kv_label(layer, region);
  std::string each = fmt::format("{} slots x {} x {} KV heads x {}", options.n_slots, positions, layer.n_kv_heads,
                                 row_expression(region.dtype, layer.head_dim));
  std::string key = label + each;
  groups.add(key, region, device, std::move(label), std::move(each), *kv_region_bytes(layer, *part, options.n_slots),
             "layers");
}

std::string buffer_expression(const Buffer& buffer, std::uint32_t rows) {
  const Bytes exact = rows * buffer.row_bytes();
  std::string text = fmt::format("{} {} rows x {} elements x {} bytes", buffer.name, rows, buffer.row_elems, kF32Bytes);
  if (buffer.size > exact) text += fmt::format(" + {} bytes of alignment", buffer.size - exact);
  return text;
}

// The buffers that stand on one another where the layout is highest: each begins where one that lives at the same time
// ends.
std::string activations_expression(const Program& program, DeviceIndex device) {
  const auto is_logits = [&](const Buffer& buffer) { return &buffer == &program.buffers[program.logits]; };
  const Buffer* top = nullptr;
  for (const Buffer& buffer : program.buffers) {
    if (buffer.device != device || is_logits(buffer)) continue;
    if (top == nullptr || buffer.offset + buffer.size > top->offset + top->size) top = &buffer;
  }
  std::string expression;
  while (top != nullptr) {
    if (!expression.empty()) expression += " + ";
    expression += buffer_expression(*top, program.max_rows);
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
  return expression;
}

std::string scratch_expression(const ModelInfo& model, const MemoryPlan& plan, const DeviceInfo& device, Bytes bytes) {
  if (device.traits.scratch != ScratchRule::kCpu) return fmt::format("{} bytes of the kernels' rule", bytes);
  const auto index = static_cast<DeviceIndex>(&device - plan.devices.data());
  const DeviceWork work = work_on(plan.placement, plan.streaming, index);
  const Bytes shared = cpu_scratch(model, plan.options, plan.options.step_rows(), 0, work).total();
  return fmt::format("{} bytes of all threads together + {} threads x {} bytes", shared, device.n_threads,
                     (bytes - shared) / device.n_threads);
}

std::string conv_shape(const LayerSpec& layer) {
  const std::uint32_t width = layer.delta_net ? layer.delta_net->conv_width : layer.short_conv->width,
                      n_channels = layer.delta_net ? layer.delta_net->n_mixed() : layer.short_conv->n_channels;
  return fmt::format("{} rows x {} channels", width - 1, n_channels);
}

std::string matrix_shape(const DeltaNetSpec& spec) {
  return fmt::format("{} value heads x {} x {} elements", spec.n_value_heads, spec.key_dim, spec.value_dim);
}

// "48 value heads x 128 x 128 elements x 4 bytes" of each slot.
void add_state(const ModelInfo& model, const PlanOptions& options, const Region& region, DeviceIndex device,
               GroupList& groups) {
  const LayerSpec& layer = model.layers[static_cast<std::size_t>(region.layer)];
  const bool is_conv = region.state_part == StatePart::kConv;
  const std::string of_slot = is_conv ? conv_shape(layer) : matrix_shape(*layer.delta_net);
  const Bytes bytes = options.n_slots * (is_conv ? layer.conv_bytes() : layer.matrix_bytes());
  groups.add(fmt::format("s{} {}", region.name, of_slot), region, device,
             fmt::format("State of recurrent layers, {}", is_conv ? "convolution" : "matrices"),
             fmt::format("{} slots x {} x {} bytes", options.n_slots, of_slot, kF32Bytes), bytes, "layers");
}

// "4 checkpoints x 1 slots x 3,145,728 bytes" of each layer.
void add_checkpoints(const ModelInfo& model, const PlanOptions& options, const Region& region, DeviceIndex device,
                     GroupList& groups) {
  const Bytes n_copies = Bytes{options.n_slots} * static_cast<Bytes>(options.n_checkpoints),
              of_slot = checkpoint_bytes(model, options, region);
  groups.add(fmt::format("p{} {}", region.name, of_slot), region, device,
             fmt::format("{}{}", static_cast<char>(std::toupper(region.name.front())), region.name.substr(1)),
             fmt::format("{} slots x {} checkpoints x {} bytes", options.n_slots, options.n_checkpoints, of_slot),
             n_copies * of_slot, "layers");
}

// The words and the arithmetic of a region that is neither a weight nor of a layer.
struct Explained {
  std::string label, each;
  Bytes each_bytes = 0;
};

Explained explain_staging(const ModelInfo& model, const MemoryPlan& plan, DeviceIndex mapped_by) {
  const StagingLayout layout =
      staging_layout(model, plan.devices, plan.options, plan.placement, plan.streaming, mapped_by);
  return {"staging, for what crosses between devices",
          fmt::format("{} bytes of a step's rows + {} bytes of logits", layout.logits_offset,
                      layout.total - layout.logits_offset),
          layout.total};
}

Explained explain_scratch(const ModelInfo& model, const MemoryPlan& plan, DeviceIndex device) {
  const DeviceInfo& info = plan.devices[device];
  const DeviceWork work = work_on(plan.placement, plan.streaming, device);
  const Bytes bytes = scratch_bytes(model, info, plan.options, plan.options.step_rows(), work);
  return {"scratch", scratch_expression(model, plan, info, bytes), bytes};
}

Explained explain_streamed(const ModelInfo& model, const DeviceInfo& info, const Region& region) {
  Bytes bytes = 0;
  for (const StreamedRole& streamed : streamed_role_sizes(model, info.traits.weight_layout)) {
    if (streamed.role == region.role) bytes = streamed.bytes;
  }
  return {region.name + ", of one layer at a time", fmt::format("{} bytes of the largest layer", bytes), bytes};
}

Explained explain(const ModelInfo& model, const MemoryPlan& plan, const ArenaPlan& arena, const Region& region) {
  const PlanOptions& options = plan.options;
  const DeviceInfo& info = plan.devices[arena.device];
  const auto items = [](std::string label, std::uint64_t n, std::string_view what, Bytes bytes) {
    return Explained{std::move(label), fmt::format("{} {} x {} bytes", n, what, bytes), n * bytes};
  };
  switch (region.kind) {
    case RegionKind::kActivations:
      return {region.name, activations_expression(plan.program, arena.device), region.size};
    case RegionKind::kLogits:
      return {region.name,
              fmt::format("{} rows x {} tokens x {} bytes", options.n_logit_rows, model.n_vocab, kF32Bytes),
              Bytes{options.n_logit_rows} * model.n_vocab * kF32Bytes};
    case RegionKind::kScratch: return explain_scratch(model, plan, arena.device);
    case RegionKind::kCandidates: {
      const CandidateScratch scratch = candidate_scratch(model, options);
      return items("the likeliest tokens", scratch.n_rows, "rows", scratch.per_row());
    }
    case RegionKind::kUnpackedRows:
      return items("rows of weights on their way to a GPU", info.n_threads, "threads", panel_row_bytes(model));
    case RegionKind::kStreamed: return explain_streamed(model, info, region);
    case RegionKind::kTokens:
      return {"tokens that the caches hold",
              fmt::format("{} slots x {} positions x {} bytes", options.n_slots, options.n_ctx, kTokenIdBytes),
              slot_token_bytes(options)};
    case RegionKind::kStaging: return explain_staging(model, plan, arena.mapped_by);
    case RegionKind::kInputs:
      return items("what a step is given, and its likeliest tokens", gpu_inputs(model, options).total() / 4, "words",
                   4);
    case RegionKind::kStream: return items("weights on their way to a GPU", kStreamParts, "parts", kStreamPartBytes);
    case RegionKind::kUpload:
      return {"upload, while weights are loaded", fmt::format("{} bytes at once", kUploadBytes), region.size};
    case RegionKind::kPadding:
      return {fmt::format("padding to a multiple of {}", format_bytes(info.granularity)),
              fmt::format("{} bytes", region.size), region.size};
    case RegionKind::kWeights:
    case RegionKind::kKv:
    case RegionKind::kState:
    case RegionKind::kCheckpoints:
    case RegionKind::kSampler: break;  // one number: the sampler's
  }
  return {region.name, fmt::format("{} bytes", region.size), region.size};
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
             explained.each_bytes, "");
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
