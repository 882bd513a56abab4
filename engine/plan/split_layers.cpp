#include "plan/split_layers.h"

#include <algorithm>
#include <limits>

#include "plan/memory_pool.h"
#include "plan/plan_options.h"

namespace headroom {
namespace {

// Of a split that no plan can be made of: a sum beyond 64 bits, or a region that no arena holds.
constexpr Bytes kNoRoom = std::numeric_limits<Bytes>::max();

LayerSplit with_run(LayerSplit split, DeviceIndex device, std::uint32_t n_layers) {
  if (n_layers > 0) split.runs.push_back({device, n_layers});
  return split;
}

}  // namespace

LayerSplitter::LayerSplitter(const DeviceArenas& sizes, std::uint32_t stream_rows, std::vector<DeviceIndex> gpus)
    : sizes_(sizes),
      stream_rows_(stream_rows),
      n_layers_(sizes.model().n_layers()),
      n_together_(sizes.model().n_layers_together()),
      gpus_(std::move(gpus)) {}

Placement LayerSplitter::place(const LayerSplit& split) const {
  return place_layers(sizes_.model(), sizes_.devices(), sizes_.cpu(), split);
}

WeightStreaming LayerSplitter::stream(const Placement& placement) const {
  return stream_weights(sizes_.devices(), sizes_.cpu(), placement, stream_rows_);
}

Bytes LayerSplitter::lacks(const LayerSplit& split) const {
  const Placement placement = place(split);
  const Result<std::vector<ArenaPlan>> arenas = sizes_.arenas(placement, stream(placement), Keep::kSizesOnly);
  if (!arenas) return kNoRoom;
  const std::vector<DeviceBudget> budgets = sizes_.budgets(*arenas);
  const bool is_host_alone = pool_of(sizes_.devices(), budgets, sizes_.cpu()).empty();
  Bytes most = 0;
  for (const DeviceBudget& budget : budgets) {
    if (budget.device != sizes_.cpu() || !is_host_alone) most = std::max(most, budget.missing());
  }
  return most;
}

// Whether a device alone has what the split asks of it.
bool LayerSplitter::has_room(const LayerSplit& split, DeviceIndex device) const {
  const Placement placement = place(split);
  const std::optional<Bytes> asked = sizes_.asked_of(placement, stream(placement), device);
  return asked && *asked <= limit_under(sizes_.options().headroom_of(device), sizes_.devices()[device].free_bytes);
}

// How many of `n` layers fit on `device` behind the devices before it, when `next` has the others and the head.
std::uint32_t LayerSplitter::most_before(const LayerSplit& before, DeviceIndex device, DeviceIndex next,
                                         std::uint32_t n) const {
  std::uint32_t fit = 0, too_many = n;
  while (too_many - fit > 1) {
    const std::uint32_t middle = fit + (too_many - fit) / 2;
    const LayerSplit tried = with_run(with_run(before, device, middle), next, n - middle);
    (has_room(tried, device) ? fit : too_many) = middle;
  }
  return fit;
}

std::pair<LayerSplit, Bytes> LayerSplitter::best_split(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const {
  n_gpu_layers = allowed(n_gpu_layers);
  LayerSplit before{.runs = {}, .n_cpu_ffn = std::min(n_cpu_ffn, n_gpu_layers)};
  if (n_gpu_layers == 0) return {before, 0};
  std::pair<LayerSplit, Bytes> best{{}, kNoRoom};
  std::uint32_t left = n_gpu_layers;
  // The head stands with the last layer, so each device is tried as the last one, behind those before it.
  for (auto gpu = gpus_.begin(); gpu != gpus_.end(); ++gpu) {
    LayerSplit whole = with_run(before, *gpu, left);
    const Bytes missing = lacks(whole);
    if (best.first.runs.empty() || missing < best.second) best = {std::move(whole), missing};
    if (missing == 0 || gpu + 1 == gpus_.end()) break;
    const std::uint32_t n = std::min(most_before(before, *gpu, *(gpu + 1), left), left - n_together_);
    before = with_run(std::move(before), *gpu, n);
    left -= n;
  }
  return best;
}

LayerSplit LayerSplitter::split(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const {
  return best_split(n_gpu_layers, n_cpu_ffn).first;
}

bool LayerSplitter::fits(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const {
  return best_split(n_gpu_layers, n_cpu_ffn).second == 0;
}

std::uint32_t LayerSplitter::most_layers(std::uint32_t n_cpu_ffn) const {
  if (fits(n_layers_, n_cpu_ffn)) return n_layers_;
  std::uint32_t fit = 0, too_many = n_layers_;
  while (too_many - fit > 1) {
    const std::uint32_t middle = fit + (too_many - fit) / 2;
    (fits(middle, n_cpu_ffn) ? fit : too_many) = middle;
  }
  return allowed(fit);
}

std::optional<std::uint32_t> LayerSplitter::least_cpu_ffn() const {
  if (!fits(n_layers_, n_layers_)) return std::nullopt;
  std::uint32_t enough = n_layers_;
  for (std::uint32_t least = 0; least < enough;) {
    const std::uint32_t middle = least + (enough - least) / 2;
    if (fits(n_layers_, middle)) {
      enough = middle;
    } else {
      least = middle + 1;
    }
  }
  return enough;
}

}  // namespace headroom
