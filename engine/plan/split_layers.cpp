#include "plan/split_layers.h"

#include <algorithm>
#include <limits>

#include "plan/device_rules.h"
#include "plan/kv_regions.h"
#include "plan/plan_options.h"

namespace headroom {
namespace {

constexpr Bytes kBeyond = std::numeric_limits<Bytes>::max();

// Sums that are beyond 64 bits stay there: no device has room for them.
Bytes add(Bytes a, Bytes b) { return checked_add(a, b).value_or(kBeyond); }
Bytes rounded(Bytes bytes, Bytes step) { return bytes > kBeyond - step ? kBeyond : round_up(bytes, step); }

}  // namespace

LayerSplitter::LayerSplitter(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options,
                             Bytes buffer_alignment)
    : model_(model), options_(options) {
  for (const LayerSpec& layer : model.layers) {
    live_attention_.push_back(attention_live_bytes(model, layer, options.step_rows(), buffer_alignment));
    live_ffn_.push_back(ffn_live_bytes(model, layer, options.step_rows(), buffer_alignment));
  }
  for (const DeviceChoice& choice : options.devices) {
    const DeviceInfo& info = devices[choice.device];
    if (info.kind == DeviceKind::kCpu) continue;
    devices_.push_back(measure(info, choice.device));
    devices_.back().limit = limit_under(choice.headroom, info.free_bytes);
  }
}

LayerSplitter::DeviceLayers LayerSplitter::measure(const DeviceInfo& info, DeviceIndex device) const {
  const std::size_t n_layers = model_.layers.size();
  const bool tied_head = has_tied_head(model_);
  DeviceLayers on{.device = device};
  on.driver = info.driver_bytes;
  on.granularity = info.granularity;
  on.attention.assign(n_layers + 1, 0);
  on.ffn.assign(n_layers + 1, 0);
  on.cache.assign(n_layers + 1, 0);
  for (const WeightTensor& weight : model_.weights) {
    const Bytes bytes = rounded(weight_bytes(weight, weight_layout(info.kind)), info.alignment);
    if (weight.layer >= 0) {
      Bytes& sum = (slot_is_ffn(weight.slot) ? on.ffn : on.attention)[static_cast<std::size_t>(weight.layer) + 1];
      sum = add(sum, bytes);
    } else if (weight.slot != WeightSlot::kTokenEmbedding || tied_head) {
      on.head_weights = add(on.head_weights, bytes);
    }
  }
  for (std::size_t i = 0; i < n_layers; ++i) {
    for (const KvRegion& kv : kv_regions(model_.layers[i], options_)) {
      const Bytes bytes = kv_region_bytes(model_.layers[i], kv, options_.n_slots).value_or(kBeyond);
      on.cache[i + 1] = add(on.cache[i + 1], rounded(bytes, info.alignment));
    }
    on.attention[i + 1] = add(on.attention[i + 1], on.attention[i]);
    on.ffn[i + 1] = add(on.ffn[i + 1], on.ffn[i]);
    on.cache[i + 1] = add(on.cache[i + 1], on.cache[i]);
  }
  on.logits = rounded(Bytes{options_.n_logit_rows} * model_.n_vocab * kF32Bytes, info.alignment) +
              rounded(candidate_scratch(model_, options_).total(), info.alignment);
  on.scratch =
      rounded(scratch_bytes(model_, info, options_, options_.step_rows(), DeviceWork::kComputes), info.alignment);
  return on;
}

// Bytes beyond the limit of a device that holds these layers, as a plan would lay them out there.
Bytes LayerSplitter::missing(const DeviceLayers& on, const Span& span) const {
  const auto between = [](const std::vector<Bytes>& sums, std::uint32_t first, std::uint32_t end) {
    return sums[end] == kBeyond ? kBeyond : sums[end] - sums[first];
  };
  const std::uint32_t first_ffn = std::clamp(span.first_ffn, span.first, span.end);
  Bytes live = 0;
  for (std::uint32_t i = span.first; i < span.end; ++i)
    live = std::max({live, live_attention_[i], i < first_ffn ? 0 : live_ffn_[i]});
  Bytes weights = add(between(on.attention, span.first, span.end), between(on.ffn, first_ffn, span.end));
  Bytes session = add(add(between(on.cache, span.first, span.end), live), on.scratch);
  if (span.has_head) {
    weights = add(weights, on.head_weights);
    session = add(session, on.logits);
  }
  const Bytes asked = add(add(rounded(weights, on.granularity), rounded(session, on.granularity)), on.driver);
  return asked > on.limit ? asked - on.limit : 0;
}

// How many of the layers [first, end) fit on a device, from the first on.
std::uint32_t LayerSplitter::most_from(const DeviceLayers& on, std::uint32_t first, std::uint32_t end,
                                       std::uint32_t first_ffn) const {
  std::uint32_t fit = 0, too_many = end - first + 1;
  while (too_many - fit > 1) {
    const std::uint32_t middle = fit + (too_many - fit) / 2;
    (missing(on, {first, first + middle, first_ffn, false}) == 0 ? fit : too_many) = middle;
  }
  return fit;
}

std::pair<LayerSplit, Bytes> LayerSplitter::best_split(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const {
  std::pair<LayerSplit, Bytes> best{LayerSplit{.runs = {}, .n_cpu_ffn = n_cpu_ffn}, 0};
  if (n_gpu_layers == 0) return best;
  best.second = kBeyond;
  const std::uint32_t end = model_.n_layers(), first_ffn = end - n_gpu_layers + n_cpu_ffn;
  LayerSplit before{.runs = {}, .n_cpu_ffn = n_cpu_ffn};
  std::uint32_t next = end - n_gpu_layers;
  // The head stands with the last layer, so each device is tried as the last one, behind those before it.
  for (const DeviceLayers& on : devices_) {
    const Bytes lacks = missing(on, {next, end, first_ffn, true});
    if (best.first.runs.empty() || lacks < best.second) {
      best = {before, lacks};
      best.first.runs.push_back({on.device, end - next});
    }
    if (lacks == 0) break;
    const std::uint32_t n = most_from(on, next, end - 1, first_ffn);
    if (n > 0) before.runs.push_back({on.device, n});
    next += n;
  }
  return best;
}

LayerSplit LayerSplitter::split(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const {
  return best_split(n_gpu_layers, std::min(n_cpu_ffn, n_gpu_layers)).first;
}

bool LayerSplitter::fits(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const {
  return best_split(n_gpu_layers, std::min(n_cpu_ffn, n_gpu_layers)).second == 0;
}

std::uint32_t LayerSplitter::most_layers(std::uint32_t n_cpu_ffn) const {
  std::uint32_t fit = 0, too_many = model_.n_layers() + 1;
  while (too_many - fit > 1) {
    const std::uint32_t middle = fit + (too_many - fit) / 2;
    (fits(middle, n_cpu_ffn) ? fit : too_many) = middle;
  }
  return fit;
}

std::optional<std::uint32_t> LayerSplitter::least_cpu_ffn() const {
  const std::uint32_t n_layers = model_.n_layers();
  if (!fits(n_layers, n_layers)) return std::nullopt;
  std::uint32_t enough = n_layers;
  for (std::uint32_t least = 0; least < enough;) {
    const std::uint32_t middle = least + (enough - least) / 2;
    if (fits(n_layers, middle)) {
      enough = middle;
    } else {
      least = middle + 1;
    }
  }
  return enough;
}

}  // namespace headroom
