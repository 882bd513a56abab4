#include "plan/choose_devices.h"

#include <algorithm>

#include "plan/plan_options.h"
#include "plan/speed.h"

namespace headroom {
namespace {

bool is_gpu_here(const DeviceInfo& device) { return device.kind != DeviceKind::kCpu && is_used_unasked(device); }

// What the typical model's weights take, and the ops that read them.
constexpr double kTypicalBytes = 4.6e9, kTypicalOps = 291;

// Whether the same card stands in the list a second time, by a driver that is better for it.
bool has_better_twin(std::span<const DeviceInfo> devices, DeviceIndex index) {
  const DeviceInfo& device = devices[index];
  const auto is_better = [&](const DeviceInfo& other) {
    const std::optional<double> its = typical_token_seconds(other), ours = typical_token_seconds(device);
    if (its && ours && *its != *ours) return *its < *ours;
    return other.kind < device.kind;  // CUDA before Vulkan
  };
  return std::ranges::any_of(devices, [&](const DeviceInfo& other) {
    return other.kind != device.kind && is_gpu_here(other) && are_one_card(device, other) && is_better(other);
  });
}

bool all_are(std::span<const DeviceInfo> devices, const std::vector<DeviceIndex>& which, auto property) {
  return std::all_of(which.begin(), which.end(), [&](DeviceIndex i) { return property(devices[i]); });
}

// A plan for these GPUs, or for the CPU alone without any, and how fast it is.
struct Judged {
  Result<MemoryPlan> plan;
  std::optional<double> tokens_per_s;
  bool fits() const { return plan.ok() && plan->fits(); }
};
Judged judge(const ModelInfo& model, std::span<const DeviceInfo> devices, PlanOptions options,
             const std::vector<DeviceIndex>& gpus, const HeadroomOf& headroom_of) {
  options.devices.clear();
  for (const DeviceIndex gpu : gpus) options.devices.push_back({gpu, headroom_of(devices[gpu])});
  if (gpus.empty()) options.n_gpu_layers = options.n_cpu_ffn = kAutoLayers;
  if (const Result<DeviceIndex> cpu = find_cpu(devices)) options.devices.push_back({*cpu, headroom_of(devices[*cpu])});
  Judged judged{plan_memory(model, devices, options), {}};
  if (judged.plan) judged.tokens_per_s = estimate_tokens_per_s(model, *judged.plan);
  return judged;
}

}  // namespace

bool is_used_unasked(const DeviceInfo& device) {
  return device.is_present && !device.is_software && device.is_proved();
}

bool are_one_card(const DeviceInfo& a, const DeviceInfo& b) {
  return a.heap.empty() || b.heap.empty() ? a.name == b.name : a.heap == b.heap;
}

std::optional<double> typical_token_seconds(const DeviceInfo& device) {
  const double rate = device.speed.decode_rate(DType::kQ4_K);
  if (!(rate > 0)) return std::nullopt;
  return kTypicalBytes / rate + kTypicalOps * device.speed.op_seconds;
}

std::vector<DeviceIndex> choose_gpus(std::span<const DeviceInfo> devices) {
  const auto find_all = [&](auto is_wanted) {
    std::vector<DeviceIndex> found;
    for (DeviceIndex i = 0; i < devices.size(); ++i) {
      if (is_gpu_here(devices[i]) && is_wanted(devices[i])) found.push_back(i);
    }
    return found;
  };
  const auto is_reference = [](const DeviceInfo& device) { return device.kind == DeviceKind::kReference; };
  const auto is_card = [&](const DeviceInfo& device) { return !is_reference(device) && !device.has_unified_memory; };
  if (!find_all(is_card).empty()) {
    std::vector<DeviceIndex> cards = find_all([](const DeviceInfo& device) { return !device.has_unified_memory; });
    std::erase_if(cards, [&](DeviceIndex card) { return has_better_twin(devices, card); });
    return cards;
  }
  if (std::vector<DeviceIndex> reference = find_all(is_reference); !reference.empty()) return reference;
  std::vector<DeviceIndex> shared = find_all([](const DeviceInfo&) { return true; });
  if (shared.size() > 1) shared.resize(1);
  return shared;
}

DevicesChosen choose_devices(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options,
                             const HeadroomOf& headroom_of) {
  const std::vector<DeviceIndex> gpus = choose_gpus(devices);
  if (gpus.empty()) return {};
  const bool is_asked_for = options.n_gpu_layers > 0;
  if (is_asked_for || all_are(devices, gpus, [](const DeviceInfo& d) { return d.kind == DeviceKind::kReference; }))
    return {gpus, {}};
  const Message names = device_names(gpus, devices);
  const auto cpu_alone = [](const Message& why) {
    return DevicesChosen{{}, Message::say("The CPU alone is planned for: {}", why)};
  };
  const Judged on_gpus = judge(model, devices, options, gpus, headroom_of);
  const Judged alone = judge(model, devices, options, {}, headroom_of);
  if (!on_gpus.plan && alone.plan)
    return cpu_alone(Message::say("for {} there is no plan ({}).", names, on_gpus.plan.error().message));
  if (!on_gpus.fits() && alone.fits()) return cpu_alone(Message::say("a plan for {} does not fit.", names));
  if (!on_gpus.fits()) return {gpus, {}};
  if (!alone.fits()) return {gpus, Message::say("{} is planned for: for the CPU alone it does not fit.", names)};
  if (on_gpus.plan->options.n_gpu_layers == 0) return {gpus, {}};  // the same plan, and the notes say why
  if (on_gpus.tokens_per_s && alone.tokens_per_s) {
    const Message gpu_speed = about_speed_words(*on_gpus.tokens_per_s),
                  cpu_speed = about_speed_words(*alone.tokens_per_s);
    if (*on_gpus.tokens_per_s > *alone.tokens_per_s)
      return {gpus, Message::say("{} is planned for: {}, on the CPU alone {}.", names, gpu_speed, cpu_speed)};
    return cpu_alone(Message::say("{}, with {} {}.", cpu_speed, names, gpu_speed));
  }
  if (all_are(devices, gpus, [](const DeviceInfo& device) { return device.has_unified_memory; }))
    return cpu_alone(Message::say("{} shares its memory and was not measured yet.", names));
  return {gpus, {}};
}

}  // namespace headroom
