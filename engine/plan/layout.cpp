#include "plan/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "format/dtype_table.h"
#include "plan/device_rules.h"
#include "plan/kv_regions.h"
#include "plan/placement.h"
#include "plan/plan_options.h"

namespace headroom {
namespace {

constexpr Bytes kF32Bytes = 4;

Bytes saturating_sub(Bytes a, Bytes b) { return a > b ? a - b : 0; }

// All that stays the same while a search tries one number of layers after another.
struct LayoutInputs {
  const ModelInfo& model;
  std::span<const DeviceInfo> devices;
  PlanOptions options;  // resolved but for n_gpu_layers
  DeviceIndex cpu;
  bool tied_head;
};

bool runs_on(const Placement& placement, DeviceIndex device) {
  if (placement.head_device == device) return true;
  return std::find(placement.layer_device.begin(), placement.layer_device.end(), device) !=
         placement.layer_device.end();
}

// The chosen device first, unless it holds nothing, then the CPU, which samples whatever runs elsewhere.
std::vector<DeviceIndex> devices_in_use(const LayoutInputs& in, const Placement& placement) {
  const DeviceIndex chosen = in.options.device;
  if (chosen != in.cpu && runs_on(placement, chosen)) return {chosen, in.cpu};
  return {in.cpu};
}

// What the host holds so that bytes can cross between devices.
struct Crossing {
  Bytes staging = 0;
  Bytes upload = 0;        // while weights are loaded
  bool is_locked = false;  // a device copies to and from the staging by itself
};

Crossing crossing_of(const LayoutInputs& in, std::span<const DeviceIndex> used, const Program& prefill) {
  Crossing crossing{.staging = staging_layout(prefill, in.devices).total};
  for (const DeviceIndex device : used) {
    crossing.is_locked |= copies_page_locked(in.devices[device]);
    if (needs_upload(in.devices[device])) crossing.upload = kUploadBytes;
  }
  return crossing;
}

ArenaRules rules_of(const DeviceInfo& device) { return {device.alignment, device.granularity}; }

std::optional<ArenaPlan> lay_out_weights(const LayoutInputs& in, const Placement& placement, DeviceIndex device,
                                         Keep keep) {
  const DeviceInfo& info = in.devices[device];
  ArenaBuilder builder(device, arena_memory(info.kind), Lifetime::kModel, rules_of(info), keep);
  builder.reserve(in.model.weights.size() + 1);
  for (std::size_t i = 0; i < in.model.weights.size(); ++i) {
    const WeightTensor& weight = in.model.weights[i];
    if (!weight_is_on(weight, device, placement, in.tied_head)) continue;
    Region region{.kind = RegionKind::kWeights, .layer = weight.layer};
    region.dtype = slot_is_matrix(weight.slot) ? weight.dtype : DType::kF32;
    region.weight = static_cast<std::int32_t>(i);
    builder.add(std::move(region), weight.name, weight_bytes(weight, weight_layout(info.kind)));
  }
  return std::move(builder).finish();
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
    if (placement.layer_device[i] != device) continue;
    for (const KvRegion& kv : kv_regions(in.model.layers[i], in.options)) {
      Region region{.kind = RegionKind::kKv, .layer = static_cast<std::int32_t>(i)};
      region.dtype = kv.dtype;
      region.kv_part = kv.part;
      builder.add(std::move(region), kv_region_name(kv.part),
                  kv_region_bytes(in.model.layers[i], kv, in.options.n_slots));
    }
  }
}

std::optional<ArenaPlan> lay_out_session(const LayoutInputs& in, const Placement& placement, const Program& prefill,
                                         const Crossing& crossing, DeviceIndex device, Keep keep) {
  const PlanOptions& options = in.options;
  const DeviceInfo& info = in.devices[device];
  ArenaBuilder builder(device, arena_memory(info.kind), Lifetime::kSession, rules_of(info), keep);
  builder.reserve(std::size_t{in.model.n_layers()} * 4 + 6);
  add_kv(in, placement, device, builder);
  builder.add({.kind = RegionKind::kActivations}, "activations", prefill.activation_bytes[device]);
  if (placement.head_device == device) {
    builder.add({.kind = RegionKind::kLogits}, "logits", Bytes{options.n_logit_rows} * in.model.n_vocab * kF32Bytes);
  }
  if (runs_on(placement, device)) {
    builder.add({.kind = RegionKind::kScratch}, "scratch", scratch_bytes(in.model, info, options, options.step_rows()));
  }
  if (device == in.cpu) {
    builder.add({.kind = RegionKind::kStaging}, "sampler", sampler_bytes(in.model));
    if (!crossing.is_locked) builder.add({.kind = RegionKind::kStaging}, "staging", crossing.staging);
  }
  return std::move(builder).finish();
}

// One region of the host's page-locked memory.
std::optional<ArenaPlan> lay_out_page_locked(const LayoutInputs& in, Lifetime lifetime, std::string_view name,
                                             Bytes bytes, Keep keep) {
  ArenaBuilder builder(in.cpu, Memory::kPageLocked, lifetime, rules_of(in.devices[in.cpu]), keep);
  builder.add({.kind = RegionKind::kStaging}, name, bytes);
  return std::move(builder).finish();
}

Bytes limit_under(const HeadroomRule& rule, Bytes free_bytes) {
  if (const KeepFree* keep = std::get_if<KeepFree>(&rule)) return saturating_sub(free_bytes, keep->bytes);
  return std::min(std::get<AtMost>(rule).bytes, free_bytes);
}

std::vector<DeviceBudget> make_budgets(const LayoutInputs& in, const std::vector<ArenaPlan>& arenas) {
  std::vector<DeviceBudget> budgets;
  for (const ArenaPlan& arena : arenas) {
    if (budgets.empty() || budgets.back().device != arena.device) {
      const DeviceInfo& device = in.devices[arena.device];
      DeviceBudget budget;
      budget.device = arena.device;
      budget.driver = device.driver_bytes;
      budget.limit =
          arena.device == in.options.device ? limit_under(in.options.headroom, device.free_bytes) : device.free_bytes;
      budget.held_by_others = saturating_sub(device.total_bytes, device.free_bytes);
      budgets.push_back(budget);
    }
    // lay_out_for has checked the sums.
    if (arena.lifetime != Lifetime::kLoad) budgets.back().planned += arena.size;
    if (arena.lifetime != Lifetime::kSession) budgets.back().loading += arena.size;
  }
  // Layers beside a device that shares the CPU's memory come out of the same pool: what that device takes is not there
  // twice.
  const DeviceInfo& chosen = in.devices[in.options.device];
  if (chosen.has_unified_memory && chosen.kind != DeviceKind::kCpu && budgets.size() == 2) {
    const DeviceBudget& first = budgets.front();
    budgets.back().limit = std::min(budgets.back().limit, saturating_sub(first.limit, first.peak()));
  }
  return budgets;
}

Error too_large(const LayoutInputs& in) {
  return Error{
      ErrorCode::kUsage,
      fmt::format("n_ctx {} with n_slots {} and n_batch {}: expected a plan of {} below 2^64 bytes, found one beyond",
                  in.options.n_ctx, in.options.n_slots, in.options.n_batch, in.model.name)};
}

Result<PlanLayout> lay_out_for(const LayoutInputs& in, std::uint32_t n_gpu_layers, Keep keep) {
  PlanLayout out;
  out.options = in.options;
  out.options.n_gpu_layers = static_cast<std::int32_t>(n_gpu_layers);
  out.cpu = in.cpu;
  out.placement = place_layers(in.model, in.devices, in.options.device, in.cpu, n_gpu_layers);
  const std::vector<DeviceIndex> used = devices_in_use(in, out.placement);
  for (const DeviceIndex device : used)
    out.buffer_alignment = std::max(out.buffer_alignment, in.devices[device].alignment);
  out.prefill = build_program(in.model, out.placement, static_cast<std::uint32_t>(in.devices.size()),
                              in.options.step_rows(), in.options.n_logit_rows, out.buffer_alignment);
  const Crossing crossing = crossing_of(in, used, out.prefill);
  Bytes total = 0;
  // False when the sum of all is beyond 64 bits.
  const auto add = [&](std::optional<ArenaPlan> arena) {
    const std::optional<Bytes> sum = arena ? checked_add(total, arena->size) : std::nullopt;
    if (!sum || !checked_add(*sum, in.devices[arena->device].driver_bytes)) return false;
    total = *sum;
    if (arena->size > 0) out.arenas.push_back(std::move(*arena));
    return true;
  };
  for (const DeviceIndex device : used) {
    if (!add(lay_out_weights(in, out.placement, device, keep)) ||
        !add(lay_out_session(in, out.placement, out.prefill, crossing, device, keep)))
      return too_large(in);
  }
  const Bytes locked = crossing.is_locked ? crossing.staging : 0;
  if (!add(lay_out_page_locked(in, Lifetime::kSession, "staging", locked, keep)) ||
      !add(lay_out_page_locked(in, Lifetime::kLoad, "upload", crossing.upload, keep)))
    return too_large(in);
  out.budgets = make_budgets(in, out.arenas);
  return out;
}

// The most layers that the chosen device has room for, with their cache, the head, activations and scratch. Every layer
// more takes more bytes, so halving the range finds it.
Result<std::uint32_t> most_layers_on_device(const LayoutInputs& in, LayerRange known) {
  const auto fits = [&](std::uint32_t n_gpu_layers) -> Result<bool> {
    Result<PlanLayout> layout = lay_out_for(in, n_gpu_layers, Keep::kSizesOnly);
    if (!layout) return layout.error();
    return layout->budgets.front().device != in.options.device || layout->budgets.front().fits();
  };
  std::uint32_t fit = known.least, too_many = std::min(known.most, in.model.n_layers());
  if (fit == too_many) return fit;
  Result<bool> all = fits(too_many);
  if (!all) return all.error();
  if (*all) return too_many;
  while (too_many - fit > 1) {
    const std::uint32_t middle = fit + (too_many - fit) / 2;
    Result<bool> ok = fits(middle);
    if (!ok) return ok.error();
    (*ok ? fit : too_many) = middle;
  }
  return fit;
}

}  // namespace

bool PlanLayout::fits() const {
  return std::all_of(budgets.begin(), budgets.end(), [](const DeviceBudget& budget) { return budget.fits(); });
}

Result<PlanLayout> lay_out(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options,
                           Keep keep, LayerRange known) {
  Result<PlanOptions> resolved = resolve_options(model, devices, options);
  if (!resolved) return resolved.error();
  Result<DeviceIndex> cpu = find_cpu(devices);
  if (!cpu) return cpu.error();
  const LayoutInputs in{model, devices, *resolved, *cpu, has_tied_head(model)};
  for (const WeightTensor& weight : model.weights) {
    CHECK(weight.layer < static_cast<std::int32_t>(model.n_layers()),
          "a weight belongs to a layer that the model does not have");
  }
  if (devices[options.device].kind == DeviceKind::kCpu) return lay_out_for(in, 0, keep);
  if (options.n_gpu_layers != kAutoLayers)
    return lay_out_for(in, static_cast<std::uint32_t>(options.n_gpu_layers), keep);
  Result<std::uint32_t> most = most_layers_on_device(in, known);
  if (!most) return most.error();
  return lay_out_for(in, *most, keep);
}

}  // namespace headroom
