#include "plan/split_layers.h"

#include <algorithm>

#include "plan/device_rules.h"
#include "plan/gpu_rules.h"
#include "plan/memory_pool.h"
#include "plan/plan_options.h"
#include "plan/weight_stream.h"

namespace headroom {
namespace {

Bytes add(Bytes a, Bytes b) { return checked_add(a, b).value_or(kNoRoom); }
Bytes beyond(Bytes asked, Bytes limit) { return asked > limit ? asked - limit : 0; }

}  // namespace

LayerSplitter::LayerSplitter(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options,
                             DeviceIndex cpu, Bytes buffer_alignment, std::uint32_t stream_rows)
    : model_(model),
      all_(devices),
      options_(options),
      cpu_(cpu),
      streams_(stream_rows > 0),
      live_(live_bytes(model, options.step_rows(), buffer_alignment)) {
  for (const DeviceChoice& choice : options.devices) {
    const DeviceInfo& info = devices[choice.device];
    if (info.kind == DeviceKind::kCpu) continue;
    devices_.push_back(
        {choice.device, DeviceLayers(model, info, options, live_), limit_under(choice.headroom, info.free_bytes)});
    if (info.has_unified_memory && !host_) host_.emplace(model, devices[cpu], options, live_);
  }
}

Bytes LayerSplitter::asked(const Candidate& on, const LayerParts& parts) const {
  return add(on.layers.bytes(parts), all_[on.device].driver_bytes);
}

// Whole layers [first, end) but for the FFNs before the border, which are brought in steps that stream; the first
// device has those of the CPU's layers brought, too: see stream_weights().
LayerParts LayerSplitter::run_of(const Candidate& on, std::uint32_t first, std::uint32_t end,
                                 const Borders& borders) const {
  LayerParts parts{.first_attention = first,
                   .end_attention = end,
                   .first_ffn = std::clamp(borders.first_ffn, first, end),
                   .end_ffn = end};
  if (streams_ && first < end && all_[on.device].takes_streams()) {
    parts.first_streamed = first == borders.first_gpu ? 0 : first;
    parts.end_streamed = std::max(parts.first_streamed, std::min(end, borders.first_ffn));
  }
  return parts;
}

// How many of the layers [first, end) fit on a device, from the first on.
std::uint32_t LayerSplitter::most_from(const Candidate& on, std::uint32_t first, std::uint32_t end,
                                       const Borders& borders) const {
  std::uint32_t fit = 0, too_many = end - first + 1;
  while (too_many - fit > 1) {
    const std::uint32_t middle = fit + (too_many - fit) / 2;
    (asked(on, run_of(on, first, first + middle, borders)) <= on.limit ? fit : too_many) = middle;
  }
  return fit;
}

// What the host keeps: the layers before those of the devices, the FFNs, and what crosses to the devices.
Bytes LayerSplitter::host_bytes(const Borders& borders, const Holders& holders) const {
  const Bytes residual = Bytes{options_.step_rows()} * model_.d_model * kF32Bytes;
  const Bytes logits = Bytes{model_.n_vocab} * kF32Bytes;
  Bytes panel_rows = 0, sent = 0, sent_logits = 0, bytes = add(model_.heap_bytes, all_[cpu_].driver_bytes);
  for (std::size_t i = 0; i < holders.devices.size(); ++i) {
    const DeviceInfo& info = all_[holders.devices[i]];
    const bool is_last = i + 1 == holders.devices.size();
    // As run_of().
    const std::uint32_t end = is_last ? model_.n_layers() : holders.first_layers[i + 1];
    const bool streams =
        streams_ && info.takes_streams() && (i == 0 ? 0 : holders.first_layers[i]) < std::min(end, borders.first_ffn);
    if (streams) panel_rows = Bytes{all_[cpu_].n_threads} * panel_row_bytes(model_);
    if (!info.traits.copies_page_locked) {  // the host carries what it sends: see staging_layout()
      if (!is_last || streams || holders.first_layers[i] < borders.first_ffn) sent = residual;
      if (is_last) sent_logits = logits;
      continue;
    }
    ArenaPacker locked(arena_rules(page_locked_host(all_[cpu_], info)));
    for (const Bytes region : {gpu_inputs(model_, options_).total(),
                               staging_of(holders.has_embedding ? 0 : residual, is_last ? logits : 0).total,
                               streams ? kStreamParts * kStreamPartBytes : 0}) {
      if (region > 0 && locked.add(region) == ArenaPacker::Where::kNowhere) return kNoRoom;
    }
    bytes = add(bytes, locked.total().value_or(kNoRoom));
  }
  const LayerParts parts{.end_attention = borders.first_gpu,
                         .end_ffn = borders.first_ffn,
                         .has_embedding = !holders.has_embedding,
                         .staging = staging_of(sent, sent_logits).total,
                         .panel_rows = panel_rows};
  return add(bytes, host_->bytes(parts));
}

// What the devices that share the CPU's memory and the host together ask for beyond what their pool has.
Bytes LayerSplitter::pool_missing(const Borders& borders, const Holders& holders) const {
  std::vector<DeviceIndex> used = holders.devices;
  used.push_back(cpu_);
  const std::vector<DeviceIndex> members = pool_members(all_, used);
  if (members.empty()) return 0;
  const Bytes limit = pool_limit(all_, options_, members, pool_free(all_, members), 0).bytes;
  return beyond(add(holders.shared, host_bytes(borders, holders)), limit);
}

std::pair<LayerSplit, Bytes> LayerSplitter::best_split(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const {
  std::pair<LayerSplit, Bytes> best{LayerSplit{.runs = {}, .n_cpu_ffn = n_cpu_ffn}, 0};
  if (n_gpu_layers == 0) return best;
  best.second = kNoRoom;
  const std::uint32_t end = model_.n_layers();
  const Borders borders{end - n_gpu_layers, end - n_gpu_layers + n_cpu_ffn};
  LayerSplit before{.runs = {}, .n_cpu_ffn = n_cpu_ffn};
  Holders held;  // by the devices of `before`
  std::uint32_t next = borders.first_gpu;
  // The head stands with the last layer, so each device is tried as the last one, behind those before it.
  for (const Candidate& on : devices_) {
    const bool is_shared = all_[on.device].has_unified_memory;
    LayerParts rest = run_of(on, next, end, borders);
    rest.has_head = true;
    rest.has_embedding = is_shared && before.runs.empty() && borders.first_ffn == 0;  // as place_layers()
    const Bytes bytes = asked(on, rest);
    Holders all = held;
    all.devices.push_back(on.device);
    all.first_layers.push_back(next);
    all.has_embedding = rest.has_embedding;
    if (is_shared) all.shared = add(all.shared, bytes);
    const Bytes lacks = std::max(beyond(bytes, on.limit), pool_missing(borders, all));
    if (best.first.runs.empty() || lacks < best.second) {
      best = {before, lacks};
      best.first.runs.push_back({on.device, end - next});
    }
    if (lacks == 0) break;
    const std::uint32_t n = most_from(on, next, end - 1, borders);
    if (n == 0) continue;
    before.runs.push_back({on.device, n});
    held.devices.push_back(on.device);
    held.first_layers.push_back(next);
    if (is_shared) held.shared = add(held.shared, asked(on, run_of(on, next, next + n, borders)));
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
  if (fits(model_.n_layers(), n_cpu_ffn)) return model_.n_layers();
  std::uint32_t fit = 0, too_many = model_.n_layers();
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
