#include "plan/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "format/dtype_table.h"
#include "plan/device_rules.h"
#include "plan/gpu_rules.h"
#include "plan/kv_regions.h"
#include "plan/memory_pool.h"
#include "plan/placement.h"
#include "plan/plan_options.h"
#include "plan/speed.h"
#include "plan/split_layers.h"
#include "plan/weight_stream.h"

namespace headroom {
namespace {

// All that stays the same while a search tries one number of layers after another.
struct LayoutInputs {
  const ModelInfo& model;
  std::span<const DeviceInfo> devices;
  PlanOptions options;  // resolved but for n_gpu_layers and n_cpu_ffn
  DeviceIndex cpu;
  bool tied_head;
  Bytes buffer_alignment;
  std::uint32_t stream_rows;  // 0: no step streams
};

// Those that compute in the order in which a step comes to them, the CPU last: it samples whatever runs elsewhere.
std::vector<DeviceIndex> devices_to_lay_out(const Placement& placement, DeviceIndex cpu) {
  std::vector<DeviceIndex> used = devices_in_use(placement);
  std::erase(used, cpu);
  used.push_back(cpu);
  return used;
}

Error too_large(const LayoutInputs& in) {
  return Error{
      ErrorCode::kUsage,
      fmt::format("n_ctx {} with n_slots {} and n_batch {}: expected a plan of {} below 2^64 bytes, found one beyond",
                  in.options.n_ctx, in.options.n_slots, in.options.n_batch, in.model.name)};
}

using Arenas = std::vector<ArenaPlan>;  // of one device, memory and lifetime

Result<Arenas> finish(const LayoutInputs& in, ArenaBuilder&& builder) {
  return std::move(builder).finish([&] { return too_large(in); });
}

Result<Arenas> lay_out_weights(const LayoutInputs& in, const Placement& placement, DeviceIndex device, Keep keep) {
  const DeviceInfo& info = in.devices[device];
  ArenaBuilder builder(device, info, info.traits.arena_memory, Lifetime::kModel, keep);
  builder.reserve(in.model.weights.size() + 1);
  for (std::size_t i = 0; i < in.model.weights.size(); ++i) {
    const WeightTensor& weight = in.model.weights[i];
    if (!weight_is_on(weight, device, placement, in.tied_head)) continue;
    Region region{.kind = RegionKind::kWeights, .layer = weight.layer};
    region.dtype = role_is_matrix(weight.role) ? weight.dtype : DType::kF32;
    region.weight = static_cast<std::int32_t>(i);
    builder.add(std::move(region), weight.name, weight_bytes(weight, info.traits.weight_layout));
  }
  return finish(in, std::move(builder));
}

std::string_view kv_region_name(KvPart part) {
  switch (part) {
    case KvPart::kKeys: return "k";
    case KvPart::kValues: return "v";
    case KvPart::kExactKeys: return "k exact";
    case KvPart::kExactValues: return "v exact";
    case KvPart::kNone: break;
  }
  return "kv";
}

void add_kv(const LayoutInputs& in, const Placement& placement, DeviceIndex device, ArenaBuilder& builder) {
  for (std::size_t i = 0; i < in.model.layers.size(); ++i) {
    if (placement.layers[i].attention != device) continue;
    for (const KvRegion& kv : kv_regions(in.model.layers[i], in.options)) {
      Region region{.kind = RegionKind::kKv, .layer = static_cast<std::int32_t>(i)};
      region.dtype = kv.dtype;
      region.kv_part = kv.part;
      builder.add(std::move(region), kv_region_name(kv.part),
                  kv_region_bytes(in.model.layers[i], kv, in.options.n_slots));
    }
  }
}

Result<Arenas> lay_out_session(const LayoutInputs& in, const ArenaLayout& out, DeviceIndex device, Keep keep) {
  const Placement& placement = out.placement;
  const Program& program = out.program;
  const PlanOptions& options = in.options;
  const DeviceInfo& info = in.devices[device];
  ArenaBuilder builder(device, info, info.traits.arena_memory, Lifetime::kSession, keep);
  builder.reserve(std::size_t{in.model.n_layers()} * 4 + 6);
  add_kv(in, placement, device, builder);
  builder.add(RegionKind::kActivations, program.activation_bytes[device]);
  if (placement.head_device == device)
    builder.add(RegionKind::kLogits, Bytes{options.n_logit_rows} * in.model.n_vocab * kF32Bytes);
  builder.add(RegionKind::kScratch,
              scratch_bytes(in.model, info, options, options.step_rows(), work_on(program, device)));
  if (placement.head_device == device)
    builder.add(RegionKind::kCandidates, candidate_scratch(in.model, options).total());
  if (is_streamed_to(placement, out.streaming, device)) {
    for (const StreamedRole& streamed : streamed_role_sizes(in.model, info.traits.weight_layout)) {
      builder.add({.kind = RegionKind::kStreamed, .role = streamed.role}, streamed_name(streamed.role), streamed.bytes);
    }
  }
  if (device == in.cpu && out.streaming.is_used())
    builder.add(RegionKind::kUnpackedRows, Bytes{info.n_threads} * panel_row_bytes(in.model));
  if (device == in.cpu) {
    builder.add(RegionKind::kSampler, sampler_layout(in.model, options).total());
    builder.add(RegionKind::kTokens, slot_token_bytes(options));
    builder.add(RegionKind::kStaging, staging_layout(program, in.devices, device).total);
  }
  return finish(in, std::move(builder));
}

// What the host holds in page-locked memory for a device that copies by itself: of a session what a step is given and
// what crosses, of a load what carries the weights.
Result<Arenas> lay_out_page_locked(const LayoutInputs& in, const ArenaLayout& out, Lifetime lifetime,
                                   DeviceIndex device, Keep keep) {
  const DeviceInfo& info = in.devices[device];
  const DeviceInfo host = page_locked_host(in.devices[in.cpu], info);
  ArenaBuilder builder(in.cpu, host, Memory::kPageLocked, lifetime, keep);
  builder.set_mapped_by(device);
  if (lifetime == Lifetime::kLoad) {
    if (info.needs_upload()) builder.add(RegionKind::kUpload, kUploadBytes);
  } else if (info.traits.copies_page_locked) {
    builder.add(RegionKind::kInputs, gpu_inputs(in.model, in.options).total());
    builder.add(RegionKind::kStaging, staging_layout(out.program, in.devices, device).total);
    if (is_streamed_to(out.placement, out.streaming, device))
      builder.add(RegionKind::kStream, kStreamParts * kStreamPartBytes);
  }
  return finish(in, std::move(builder));
}

std::vector<DeviceBudget> make_budgets(const LayoutInputs& in, const std::vector<ArenaPlan>& arenas) {
  std::vector<DeviceBudget> budgets;
  for (const ArenaPlan& arena : arenas) {
    if (budgets.empty() || budgets.back().device != arena.device) {
      const DeviceInfo& device = in.devices[arena.device];
      DeviceBudget budget;
      budget.device = arena.device;
      budget.driver = device.driver_bytes;
      if (arena.device == in.cpu) {
        budget.heap = in.model.heap_bytes;
        budget.heap_is_measured = in.model.heap_is_measured;
      }
      budget.limit = limit_under(in.options.headroom_of(arena.device), device.free_bytes);
      budget.held_by_others = saturating_sub(device.total_bytes, device.free_bytes);
      if (device.account.others) budget.held_by_others = std::min(budget.held_by_others, *device.account.others);
      if (device.account.confidence == MemoryConfidence::kAssumed) budget.held_by_others = 0;
      budgets.push_back(budget);
    }
    // lay_out_for has checked the sums.
    if (arena.lifetime != Lifetime::kLoad) budgets.back().planned += arena.size;
    if (arena.lifetime != Lifetime::kSession) budgets.back().loading += arena.size;
  }
  hold_to_pool(in.devices, in.options, budgets);
  return budgets;
}

Result<ArenaLayout> lay_out_for(const LayoutInputs& in, const LayerSplit& split, Keep keep) {
  ArenaLayout out;
  out.options = in.options;
  out.options.n_gpu_layers = static_cast<std::int32_t>(split.n_gpu_layers());
  out.options.n_cpu_ffn = static_cast<std::int32_t>(split.n_cpu_ffn);
  out.cpu = in.cpu;
  out.placement = place_layers(in.model, in.devices, in.cpu, split);
  out.streaming = stream_weights(in.devices, in.cpu, out.placement, in.stream_rows);
  const std::vector<DeviceIndex> used = devices_to_lay_out(out.placement, in.cpu);
  out.program = build_program(in.model, out.placement, static_cast<std::uint32_t>(in.devices.size()),
                              in.options.step_rows(), in.options.n_logit_rows, in.buffer_alignment, out.streaming);
  Bytes total = in.model.heap_bytes;
  for (const DeviceIndex device : used) {
    const std::optional<Bytes> sum = checked_add(total, in.devices[device].driver_bytes);
    if (!sum) return too_large(in);
    total = *sum;
  }
  const auto add = [&](Result<Arenas> arenas) -> Status {
    if (!arenas) return arenas.error();
    for (ArenaPlan& arena : *arenas) {
      const std::optional<Bytes> sum = checked_add(total, arena.size);
      if (!sum) return too_large(in);
      total = *sum;
      out.arenas.push_back(std::move(arena));
    }
    return ok_status();
  };
  for (const DeviceIndex device : used) {
    if (Status added = add(lay_out_weights(in, out.placement, device, keep)); !added) return added.error();
    if (Status added = add(lay_out_session(in, out, device, keep)); !added) return added.error();
  }
  for (const Lifetime lifetime : {Lifetime::kSession, Lifetime::kLoad}) {
    for (const DeviceIndex device : used) {
      if (Status added = add(lay_out_page_locked(in, out, lifetime, device, keep)); !added) return added.error();
    }
  }
  out.budgets = make_budgets(in, out.arenas);
  return out;
}

// With both numbers left to us: as many whole layers on GPUs as fit, or all of them with as few FFNs on the CPU as must
// be, whichever is the faster plan that fits; the former where no one knows.
Result<ArenaLayout> lay_out_best(const LayoutInputs& in, const LayerSplitter& splitter, Keep keep) {
  const std::uint32_t n_layers = in.model.n_layers(), n_whole = splitter.most_layers(0);
  Result<ArenaLayout> whole = lay_out_for(in, splitter.split(n_whole, 0), keep);
  if (!whole || n_whole == n_layers) return whole;
  const std::optional<double> whole_speed =
      estimate_tokens_per_s(in.model, in.devices, whole->placement, whole->options);
  if (!whole_speed) return whole;
  const std::optional<std::uint32_t> n_cpu_ffn = splitter.least_cpu_ffn();
  const std::uint32_t n_split = n_cpu_ffn ? n_layers : splitter.most_layers(n_layers);
  if (n_split == 0) return whole;
  Result<ArenaLayout> split = lay_out_for(in, splitter.split(n_split, n_cpu_ffn.value_or(n_split)), keep);
  if (!split || !split->fits()) return whole;
  const std::optional<double> split_speed =
      estimate_tokens_per_s(in.model, in.devices, split->placement, split->options);
  return !whole->fits() || split_speed > whole_speed ? std::move(split) : std::move(whole);
}

Result<ArenaLayout> lay_out_with(const LayoutInputs& in, Keep keep) {
  if (gpus_of(in.options, in.devices).empty()) return lay_out_for(in, {}, keep);
  const LayerSplitter splitter(in.model, in.devices, in.options, in.cpu, in.buffer_alignment, in.stream_rows);
  const bool is_auto = in.options.n_gpu_layers == kAutoLayers;
  if (is_auto && in.options.n_cpu_ffn == kAutoLayers) return lay_out_best(in, splitter, keep);
  const auto n_cpu_ffn = static_cast<std::uint32_t>(std::max(in.options.n_cpu_ffn, 0));
  const std::uint32_t n_gpu_layers =
      is_auto ? splitter.most_layers(n_cpu_ffn) : static_cast<std::uint32_t>(in.options.n_gpu_layers);
  return lay_out_for(in, splitter.split(n_gpu_layers, n_cpu_ffn), keep);
}

}  // namespace

bool ArenaLayout::fits() const {
  return std::all_of(budgets.begin(), budgets.end(), [](const DeviceBudget& budget) { return budget.fits(); });
}

Result<ArenaLayout> compute_arenas(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                   const PlanOptions& options, Keep keep) {
  Result<PlanOptions> resolved = resolve_options(model, devices, options);
  if (!resolved) return resolved.error();
  Result<DeviceIndex> cpu = find_cpu(devices);
  if (!cpu) return cpu.error();
  for (const WeightTensor& weight : model.weights) {
    CHECK(weight.layer < static_cast<std::int32_t>(model.n_layers()),
          "a weight belongs to a layer that the model does not have");
  }
  LayoutInputs in{model, devices, *resolved, *cpu, has_tied_head(model), devices[*cpu].alignment, 0};
  for (const DeviceChoice& choice : in.options.devices)
    in.buffer_alignment = std::max(in.buffer_alignment, devices[choice.device].alignment);
  if (options.stream_rows != kAutoRows) {
    in.stream_rows = static_cast<std::uint32_t>(options.stream_rows);
    if (Status fine = check_streams(model); !fine && in.stream_rows > 0) return fine.error();
    return lay_out_with(in, keep);
  }
  in.stream_rows = choose_stream_rows(model, devices, in.options, in.cpu);
  Result<ArenaLayout> streaming = lay_out_with(in, keep);
  if (in.stream_rows == 0 || (streaming && streaming->fits())) return streaming;
  in.stream_rows = 0;
  return lay_out_with(in, keep);
}

}  // namespace headroom
