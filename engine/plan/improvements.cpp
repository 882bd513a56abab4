#include "plan/improvements.h"

#include <algorithm>

#include "plan/choose_devices.h"
#include "plan/layout.h"
#include "plan/plan_options.h"
#include "plan/speed.h"

namespace headroom {
namespace {

constexpr double kAnotherDevicePrice = 0.25;  // it was there all the time
constexpr std::uint32_t kShortestContext = 2048;

// Of a further card as much as of the first one, where that leaves anything: who keeps a gigabyte free of one wants the
// others usable too. The host's rule is none for cards.
HeadroomRule as_kept_free(const PlanOptions& resolved, std::span<const DeviceInfo> devices, const DeviceInfo& device) {
  const auto first = std::ranges::find_if(
      resolved.devices, [&](const DeviceChoice& choice) { return devices[choice.device].kind != DeviceKind::kCpu; });
  const auto* rule = first == resolved.devices.end() ? nullptr : std::get_if<KeepFree>(&first->headroom);
  return rule != nullptr && rule->bytes < device.total_bytes / 2 ? *rule : KeepFree{};
}

std::vector<OptionChange> single_changes(const PlanOptions& asked, const PlanOptions& resolved,
                                         std::span<const DeviceInfo> devices) {
  std::vector<OptionChange> changes;
  changes.push_back({Message::say("automatic split"), asked, QualityLoss::kNone, 0});
  const auto is_chosen = [&](DeviceIndex device) {
    return std::any_of(resolved.devices.begin(), resolved.devices.end(),
                       [&](const DeviceChoice& choice) { return choice.device == device; });
  };
  const bool is_of_this_machine = std::all_of(resolved.devices.begin(), resolved.devices.end(),
                                              [&](const DeviceChoice& c) { return devices[c.device].is_present; });
  // A card that two drivers show stands in the list twice.
  const auto is_chosen_card = [&](const DeviceInfo& device) {
    return std::any_of(resolved.devices.begin(), resolved.devices.end(), [&](const DeviceChoice& choice) {
      const DeviceInfo& chosen = devices[choice.device];
      return chosen.kind != device.kind && chosen.kind != DeviceKind::kCpu && are_one_card(chosen, device);
    });
  };
  for (DeviceIndex device = 0; is_of_this_machine && device < devices.size(); ++device) {
    if (!is_used_unasked(devices[device]) || devices[device].kind == DeviceKind::kCpu) continue;
    if (is_chosen(device) || is_chosen_card(devices[device])) continue;
    OptionChange change{Message::say("with {} too", devices[device].name), asked, QualityLoss::kNone,
                        kAnotherDevicePrice};
    // The CPU alone was chosen: its rule is of the host and stays.
    change.options.devices = resolved.devices;
    change.options.devices.push_back({device, as_kept_free(resolved, devices, devices[device])});
    changes.push_back(std::move(change));
  }
  for (OptionChange& change : lighter_kv_changes(asked)) changes.push_back(std::move(change));
  if (resolved.n_slots > 1) {
    OptionChange change{slots_words(1), asked, QualityLoss::kNone, price::kSlots};
    change.options.n_slots = 1;
    changes.push_back(std::move(change));
  }
  for (std::uint32_t n_batch = resolved.n_batch / 2; n_batch >= std::max(kSmallestBatch, resolved.n_logit_rows);
       n_batch /= 2) {
    OptionChange change{Message::say("batch {}", n_batch), asked, QualityLoss::kNone, price::kBatch};
    change.options.n_batch = n_batch;
    changes.push_back(std::move(change));
  }
  for (std::uint32_t n_ctx = resolved.n_ctx / 2; n_ctx >= kShortestContext; n_ctx /= 2) {
    const double share = 1.0 - static_cast<double>(n_ctx) / resolved.n_ctx;
    OptionChange change{context_words(n_ctx), asked, QualityLoss::kNone,
                        price::kContext + (price::kContextAll - price::kContext) * share};
    change.options.n_ctx = n_ctx;
    changes.push_back(std::move(change));
  }
  return changes;
}

// Where layers stand after a change; empty when they stand where they stood.
Message placement_words(const ArenaLayout& now, const ArenaLayout& before, std::span<const DeviceInfo> devices) {
  const auto n_layers = static_cast<std::int32_t>(now.placement.layers.size());
  const std::int32_t n_gpu = now.options.n_gpu_layers, n_ffn = now.options.n_cpu_ffn;
  if (n_gpu == before.options.n_gpu_layers && n_ffn == before.options.n_cpu_ffn) return {};
  const bool are_many = gpus_of(now.options, devices).size() > 1;
  const Message where = n_gpu == n_layers ? (are_many ? Message::say("all {} layers on the GPUs", n_layers)
                                                      : Message::say("all {} layers on the GPU", n_layers))
                        : are_many        ? Message::say("{} of {} layers on the GPUs", n_gpu, n_layers)
                                          : Message::say("{} of {} layers on the GPU", n_gpu, n_layers);
  return n_ffn > 0 ? Message::say("{}, the FFN of {} of them on the CPU", where, n_ffn) : where;
}

}  // namespace

Result<std::vector<Fix>> find_improvements(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                           const PlanOptions& options) {
  Result<ArenaLayout> base = compute_arenas(model, devices, options, Keep::kSizesOnly);
  if (!base) return base.error();
  std::vector<Fix> found;
  const std::uint64_t n_positions = std::max(1U, base->options.n_ctx / 2);
  // The context or the KV type of a plan is part of what it promises; the speed is compared where a conversation
  // stands: at the same number of positions.
  const auto speed_at = [&](const ArenaLayout& layout, std::uint64_t n) {
    return estimate_tokens_per_s(model, devices, layout.placement, layout.options, n);
  };
  const std::optional<double> base_speed = speed_at(*base, n_positions);
  if (!base->fits() || !base_speed || *base_speed > kFastEnough) return found;
  for (OptionChange& change : single_changes(options, base->options, devices)) {
    change.options.n_gpu_layers = kAutoLayers;
    change.options.n_cpu_ffn = kAutoLayers;
    for (DeviceChoice& choice : change.options.devices) choice.n_layers = kAutoLayers;
    const Result<ArenaLayout> layout = compute_arenas(model, devices, change.options, Keep::kSizesOnly);
    if (!layout || !layout->fits()) continue;
    const std::optional<double> speed = speed_at(*layout, std::min<std::uint64_t>(n_positions, layout->options.n_ctx));
    if (!speed || *speed < *base_speed * kLeastSpeedup) continue;
    Fix fix;
    fix.options = std::move(change.options);
    fix.quality = change.quality;
    fix.makes_it_fit = true;
    fix.speedup = *speed / *base_speed;
    fix.tokens_per_s = *speed;
    fix.price = change.price;
    std::vector<Message> parts;
    if (Message where = placement_words(*layout, *base, devices); !where.empty()) parts.push_back(std::move(where));
    parts.push_back(
        Message::say("about {} times as fast ({} tokens/s)", decimal(*fix.speedup, 1), predicted_rate_words(*speed)));
    if (fix.options.kv_k != options.kv_k || fix.options.kv_v != options.kv_v)
      parts.push_back(quality_words(fix.quality));
    fix.words = Message::say("{}: {}", change.words, Message::joined(std::move(parts), ", "));
    found.push_back(std::move(fix));
  }
  std::stable_sort(found.begin(), found.end(), [](const Fix& a, const Fix& b) { return a.price < b.price; });
  double fastest = 1.0;
  std::erase_if(found, [&](const Fix& fix) {
    if (*fix.speedup < fastest * kLeastSpeedup) return true;
    fastest = *fix.speedup;
    return false;
  });
  found.resize(std::min(found.size(), kMaxImprovements));
  return found;
}

Result<std::vector<Fix>> find_advice(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                     const PlanOptions& options) {
  Result<std::vector<Fix>> fixes = find_fixes(model, devices, options);
  return !fixes || !fixes->empty() ? std::move(fixes) : find_improvements(model, devices, options);
}

}  // namespace headroom
