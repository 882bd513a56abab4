#include "plan/device_arenas.h"

#include <algorithm>

#include "base/check.h"
#include "plan/gpu_rules.h"
#include "plan/memory_pool.h"
#include "plan/placement.h"
#include "plan/plan_options.h"
#include "plan/prompt_memory.h"

namespace headroom {
namespace {

using Arenas = std::vector<ArenaPlan>;

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

std::string_view state_region_name(StatePart part) {
  switch (part) {
    case StatePart::kConv: return "convolution state";
    case StatePart::kMatrix: return "matrix state";
    case StatePart::kNone: break;
  }
  return "state";
}

std::string_view checkpoint_region_name(const CheckpointRegion& copies) {
  switch (copies.kv_part) {
    case KvPart::kKeys: return "checkpoints of k";
    case KvPart::kValues: return "checkpoints of v";
    case KvPart::kExactKeys: return "checkpoints of k exact";
    case KvPart::kExactValues: return "checkpoints of v exact";
    case KvPart::kNone: break;
  }
  return copies.state_part == StatePart::kConv ? "checkpoints of convolution state" : "checkpoints of matrix state";
}

void add_to(std::optional<Bytes>& sum, Bytes bytes) {
  if (sum) sum = checked_add(*sum, bytes);
}

}  // namespace

DeviceArenas::DeviceArenas(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options,
                           DeviceIndex cpu)
    : model_(model),
      devices_(devices),
      options_(options),
      cpu_(cpu),
      tied_head_(has_tied_head(model)),
      buffer_alignment_(devices[cpu].alignment),
      panel_rows_(panel_row_bytes(model)) {
  for (std::int32_t layer = 0; layer < static_cast<std::int32_t>(model.n_layers()); ++layer)
    caches_.push_back(cache_sizes(layer));
  sizes_.push_back(sizes_on(cpu));
  for (const DeviceIndex gpu : gpus_of(options, devices)) {
    buffer_alignment_ = std::max(buffer_alignment_, devices[gpu].alignment);
    sizes_.push_back(sizes_on(gpu));
  }
  measure_activations();
}

std::vector<DeviceArenas::CacheSize> DeviceArenas::cache_sizes(std::int32_t index) const {
  const LayerSpec& layer = model_.layers[static_cast<std::size_t>(index)];
  std::vector<CacheSize> sizes;
  for (const KvRegion& kv : kv_regions(layer, options_)) {
    Region region{.kind = RegionKind::kKv, .layer = index};
    region.dtype = kv.dtype;
    region.kv_part = kv.part;
    sizes.push_back({std::move(region), kv_region_name(kv.part), kv_region_bytes(layer, kv, options_.n_slots)});
  }
  for (const StateRegion& state : state_regions(layer, options_.n_slots)) {
    Region region{.kind = RegionKind::kState, .layer = index};
    region.state_part = state.part;
    sizes.push_back({std::move(region), state_region_name(state.part), state.bytes});
  }
  if (options_.n_checkpoints == 0) return sizes;
  const std::optional<Bytes> n_copies = checked_mul(options_.n_slots, static_cast<Bytes>(options_.n_checkpoints));
  for (const CheckpointRegion& copies : checkpoint_regions(layer, options_)) {
    Region region{.kind = RegionKind::kCheckpoints, .layer = index};
    region.dtype = copies.dtype;
    region.kv_part = copies.kv_part;
    region.state_part = copies.state_part;
    const bool is_known = n_copies && copies.bytes_of_slot;
    sizes.push_back({std::move(region), checkpoint_region_name(copies),
                     is_known ? checked_mul(*n_copies, *copies.bytes_of_slot) : std::nullopt});
  }
  return sizes;
}

DeviceArenas::Sizes DeviceArenas::sizes_on(DeviceIndex device) const {
  const DeviceInfo& info = devices_[device];
  Sizes sizes;
  sizes.device = device;
  sizes.weights.reserve(model_.weights.size());
  for (std::size_t i = 0; i < model_.weights.size(); ++i) {
    const WeightTensor& weight = model_.weights[i];
    CHECK(weight.layer < static_cast<std::int32_t>(model_.n_layers()),
          "a weight belongs to a layer that the model does not have");
    sizes.weights.push_back(weight_bytes(weight, info.traits.weight_layout));
    const WeightTensor* before = i > 0 ? &model_.weights[i - 1] : nullptr;
    if (before == nullptr || weight.layer < 0 || weight.layer != before->layer ||
        role_is_ffn(weight.role) != role_is_ffn(before->role))
      sizes.blocks.push_back({i, i, Bytes{0}});
    sizes.blocks.back().end = i + 1;
    add_to(sizes.blocks.back().sum, round_up(sizes.weights.back(), info.alignment));
  }
  for (const std::vector<CacheSize>& layer : caches_) {
    Block& block = sizes.caches.emplace_back();
    for (const CacheSize& cache : layer) {
      const std::optional<Bytes> whole = cache.bytes ? checked_add(*cache.bytes, info.alignment - 1) : std::nullopt;
      block.sum = whole && block.sum ? checked_add(*block.sum, *whole / info.alignment * info.alignment) : std::nullopt;
    }
  }
  const auto scratch = [&](DeviceWork work) {
    return scratch_bytes(model_, info, options_, options_.step_rows(), work);
  };
  sizes.scratch_computes = scratch(DeviceWork::kComputes);
  sizes.scratch_embeds = scratch(DeviceWork::kEmbeds);
  if (info.traits.scratch == ScratchRule::kGpu)
    sizes.scratch_at_once = gpu_scratch(model_, info, options_, options_.step_rows()).largest();
  if (info.traits.copies_page_locked) sizes.inputs = gpu_inputs(model_, options_).total();
  if (info.takes_streams()) sizes.streamed = streamed_role_sizes(model_, info.traits.weight_layout);
  return sizes;
}

// A program of one layer whose parts are on devices of their own. Layers that are alike are measured once. Layer inputs
// are made where the first layer is, and what holds them has a place for them beside all else.
void DeviceArenas::measure_activations() {
  ModelInfo one;
  one.d_model = model_.d_model;
  one.n_vocab = model_.n_vocab;
  constexpr DeviceIndex kEmbedding = 0, kAttention = 1, kFfn = 2;
  Placement apart;
  apart.layers = {{kAttention, kFfn}};
  apart.embed_device = apart.head_device = kEmbedding;
  input_activations_ = round_up(Bytes{options_.step_rows()} * model_.input_elems * kF32Bytes, buffer_alignment_);
  const auto measure = [&] {
    std::vector<Bytes> bytes =
        build_program(one, apart, 3, options_.step_rows(), options_.n_logit_rows, buffer_alignment_).activation_bytes;
    for (Bytes& of_device : bytes) of_device -= one.input_elems > 0 ? input_activations_ : 0;
    return bytes;
  };
  for (std::size_t i = 0; i < model_.layers.size(); ++i) {
    const LayerSpec& layer = model_.layers[i];
    if (i > 1 && layer == model_.layers[i - 1]) {
      activations_.push_back(activations_.back());
      continue;
    }
    one.layers = {layer};
    one.input_elems = model_.input_elems;
    const std::vector<Bytes> bytes = measure();
    embedding_activations_ = bytes[kEmbedding];
    activations_.push_back({bytes[kAttention], bytes[kFfn]});
    if (i == 0 || !layer.has_inputs()) continue;
    one.layers.front().input_dim = one.input_elems = 0;
    activations_.back().attention = measure()[kAttention];
  }
}

Bytes DeviceArenas::activation_bytes(const Placement& placement, const WeightStreaming& streaming,
                                     DeviceIndex device) const {
  const bool has_end = placement.embed_device == device || placement.head_device == device;
  Bytes most = has_end ? embedding_activations_ : 0;
  bool has_inputs = placement.embed_device == device || placement.layers.front().attention == device;
  for (std::size_t i = 0; i < activations_.size(); ++i) {
    const LayerPlacement& at = placement.layers[i];
    if (at.attention == device) most = std::max(most, activations_[i].attention);
    const bool is_streamed = streaming.is_used() && streaming.ffn_device[i] == device;
    if (at.ffn == device || is_streamed) most = std::max(most, activations_[i].ffn);
    has_inputs |= at.ffn == device || is_streamed;
  }
  return most + (has_inputs ? input_activations_ : 0);
}

const DeviceArenas::Sizes& DeviceArenas::sizes_of(DeviceIndex device) const {
  const auto found = std::ranges::find(sizes_, device, &Sizes::device);
  CHECK(found != sizes_.end(), "a device that the options do not name");
  return *found;
}

Error DeviceArenas::too_large() const {
  return Error{
      ErrorCode::kUsage,
      Message::say("n_ctx {} with n_slots {} and n_batch {}: expected a plan of {} below 2^64 bytes, found one beyond",
                   options_.n_ctx, options_.n_slots, options_.n_batch, model_.name)};
}

Result<Arenas> DeviceArenas::finish(ArenaBuilder&& builder) const {
  return std::move(builder).finish([&] { return too_large(); });
}

Result<Arenas> DeviceArenas::weights(const Placement& placement, DeviceIndex device, Keep keep) const {
  const DeviceInfo& info = devices_[device];
  const Sizes& sizes = sizes_of(device);
  ArenaBuilder builder(device, info, info.traits.arena_memory, Lifetime::kModel, keep);
  builder.reserve(model_.weights.size() + 1);
  for (const Block& block : sizes.blocks) {
    if (!weight_is_on(model_.weights[block.first], device, placement, tied_head_)) continue;
    if (keep == Keep::kSizesOnly && block.sum && builder.add_sum(*block.sum)) continue;
    for (std::size_t i = block.first; i < block.end; ++i) {
      const WeightTensor& weight = model_.weights[i];
      Region region{.kind = RegionKind::kWeights, .layer = weight.layer};
      region.dtype = role_is_matrix(weight.role) ? weight.dtype : DType::kF32;
      region.weight = static_cast<std::int32_t>(i);
      builder.add(std::move(region), weight.name, sizes.weights[i]);
    }
  }
  return finish(std::move(builder));
}

void DeviceArenas::add_caches(const Placement& placement, DeviceIndex device, Keep keep, ArenaBuilder& builder) const {
  const Sizes& sizes = sizes_of(device);
  const Bytes most_at_once = devices_[device].max_binding_bytes;
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    if (placement.layers[i].attention != device) continue;
    const std::optional<Bytes> sum = sizes.caches[i].sum;
    const bool is_bound = sum && (most_at_once == 0 || *sum <= most_at_once);
    if (keep == Keep::kSizesOnly && is_bound && builder.add_sum(*sum)) continue;
    for (const CacheSize& cache : caches_[i]) builder.add(cache.region, cache.name, cache.bytes);
  }
}

Result<Arenas> DeviceArenas::session(const Placement& placement, const WeightStreaming& streaming, DeviceIndex device,
                                     Keep keep) const {
  const DeviceInfo& info = devices_[device];
  const Sizes& sizes = sizes_of(device);
  const bool has_head = placement.head_device == device;
  ArenaBuilder builder(device, info, info.traits.arena_memory, Lifetime::kSession, keep);
  builder.reserve(std::size_t{model_.n_layers()} * 8 + 6);
  add_caches(placement, device, keep, builder);
  builder.add(RegionKind::kActivations, activation_bytes(placement, streaming, device));
  if (has_head) builder.add(RegionKind::kLogits, Bytes{options_.n_logit_rows} * model_.n_vocab * kF32Bytes);
  const DeviceWork work = work_on(placement, streaming, device);
  if (work != DeviceWork::kNone) {
    const bool computes = work == DeviceWork::kComputes;
    builder.add(RegionKind::kScratch, computes ? sizes.scratch_computes : sizes.scratch_embeds, sizes.scratch_at_once);
  }
  if (has_head) builder.add(RegionKind::kCandidates, candidate_scratch(model_, options_).total());
  if (is_streamed_to(placement, streaming, device)) {
    for (const auto& [role, bytes] : sizes.streamed)
      builder.add({.kind = RegionKind::kStreamed, .role = role}, streamed_name(role), bytes);
  }
  if (device == cpu_) add_host_staging(placement, streaming, builder);
  return finish(std::move(builder));
}

void DeviceArenas::add_host_staging(const Placement& placement, const WeightStreaming& streaming,
                                    ArenaBuilder& builder) const {
  if (streaming.is_used()) builder.add(RegionKind::kUnpackedRows, Bytes{devices_[cpu_].n_threads} * panel_rows_);
  builder.add(RegionKind::kSampler, sampler_layout(model_, options_).total());
  builder.add(RegionKind::kTokens, slot_token_bytes(options_));
  builder.add(RegionKind::kStaging, staging_layout(model_, devices_, options_, placement, streaming, cpu_).total);
}

// What the host holds in page-locked memory for a device that copies by itself: of a session what a step is given and
// what crosses, of a load what carries the weights.
Result<Arenas> DeviceArenas::page_locked(const Placement& placement, const WeightStreaming& streaming,
                                         Lifetime lifetime, DeviceIndex device, Keep keep) const {
  const DeviceInfo& info = devices_[device];
  const DeviceInfo host = page_locked_host(devices_[cpu_], info);
  ArenaBuilder builder(cpu_, host, Memory::kPageLocked, lifetime, keep);
  builder.set_mapped_by(device);
  if (lifetime == Lifetime::kLoad) {
    if (info.needs_upload()) builder.add(RegionKind::kUpload, kUploadBytes);
  } else if (info.traits.copies_page_locked) {
    builder.add(RegionKind::kInputs, sizes_of(device).inputs);
    builder.add(RegionKind::kStaging, staging_layout(model_, devices_, options_, placement, streaming, device).total);
    if (is_streamed_to(placement, streaming, device)) builder.add(RegionKind::kStream, kStreamParts * kStreamPartBytes);
  }
  return finish(std::move(builder));
}

Result<Arenas> DeviceArenas::arenas(const Placement& placement, const WeightStreaming& streaming, Keep keep) const {
  // The CPU samples whatever runs elsewhere.
  std::vector<DeviceIndex> used = devices_in_use(placement);
  std::erase(used, cpu_);
  used.push_back(cpu_);
  Arenas all;
  std::optional<Bytes> total = model_.heap_bytes;
  add_to(total, most_prompt_bytes(model_, options_));
  for (const DeviceIndex device : used) add_to(total, devices_[device].driver_bytes);
  const auto add = [&](Result<Arenas> arenas) -> Status {
    if (!arenas) return arenas.error();
    for (ArenaPlan& arena : *arenas) {
      add_to(total, arena.size);
      all.push_back(std::move(arena));
    }
    return total ? ok_status() : Status(too_large());
  };
  for (const DeviceIndex device : used) {
    if (Status added = add(weights(placement, device, keep)); !added) return added.error();
    if (Status added = add(session(placement, streaming, device, keep)); !added) return added.error();
  }
  for (const Lifetime lifetime : {Lifetime::kSession, Lifetime::kLoad}) {
    for (const DeviceIndex device : used) {
      if (Status added = add(page_locked(placement, streaming, lifetime, device, keep)); !added) return added.error();
    }
  }
  return all;
}

std::optional<Bytes> DeviceArenas::asked_of(const Placement& placement, const WeightStreaming& streaming,
                                            DeviceIndex device) const {
  std::optional<Bytes> sum = devices_[device].driver_bytes;
  for (const Result<Arenas>& arenas :
       {weights(placement, device, Keep::kSizesOnly), session(placement, streaming, device, Keep::kSizesOnly)}) {
    if (!arenas) return std::nullopt;
    for (const ArenaPlan& arena : *arenas) add_to(sum, arena.size);
  }
  return sum;
}

std::vector<DeviceBudget> DeviceArenas::budgets(std::span<const ArenaPlan> arenas) const {
  std::vector<DeviceBudget> budgets;
  for (const ArenaPlan& arena : arenas) {
    if (budgets.empty() || budgets.back().device != arena.device) {
      const DeviceInfo& device = devices_[arena.device];
      DeviceBudget budget;
      budget.device = arena.device;
      budget.driver = device.driver_bytes;
      if (arena.device == cpu_) {
        budget.heap = model_.heap_bytes;
        budget.heap_is_measured = model_.heap_is_measured;
        budget.prompts = most_prompt_bytes(model_, options_);
      }
      budget.limit = limit_under(options_.headroom_of(arena.device), device.free_bytes);
      budget.held_by_others = saturating_sub(device.total_bytes, device.free_bytes);
      if (device.account.others) budget.held_by_others = std::min(budget.held_by_others, *device.account.others);
      if (device.account.confidence == MemoryConfidence::kAssumed) budget.held_by_others = 0;
      budgets.push_back(budget);
    }
    if (arena.lifetime != Lifetime::kLoad) budgets.back().planned += arena.size;
    if (arena.lifetime != Lifetime::kSession) budgets.back().loading += arena.size;
  }
  hold_to_pools(devices_, options_, budgets);
  return budgets;
}

}  // namespace headroom
