// Random devices and options to plan a model for; the same seed gives the same machine.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "model/weight_layout.h"
#include "plan/memory_plan.h"
#include "support/model_specs.h"

namespace headroom::test {

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  template <class T>
  T of(std::initializer_list<T> values) {
    return *(values.begin() + below(static_cast<std::uint32_t>(values.size())));
  }
  Bytes bytes(Bytes most) { return random_() % (most + 1); }

 private:
  std::mt19937_64 random_;
};

struct Machine {
  std::vector<DeviceInfo> devices;
  PlanOptions options;
};

// GPUs are faster than the CPU and named the fastest first: layers are given to them in this order.
inline void set_speeds(Dice& dice, std::vector<DeviceInfo>& devices) {
  double fastest = 500e9;
  for (DeviceInfo& device : devices) {
    const bool is_cpu = device.kind == DeviceKind::kCpu;
    if (!is_cpu) fastest = std::min(fastest, dice.of({60e9, 120e9, 500e9}));
    device.speed.read_bytes_per_s = is_cpu ? 40e9 : fastest;
    device.speed.op_seconds = 2e-6;
    device.speed.copy_bytes_per_s = 20e9;
    device.speed.products_per_s = is_cpu ? 1e12 : fastest * 100;
  }
}

inline DeviceInfo random_gpu(Dice& dice, std::size_t index, Bytes model_bytes) {
  DeviceInfo gpu = gpu_with(model_bytes * (1 + dice.below(20)) / 12);
  set_kind(gpu, dice.of({DeviceKind::kCuda, DeviceKind::kVulkan, DeviceKind::kReference, DeviceKind::kMetal}));
  gpu.id = "gpu:" + std::to_string(index);
  gpu.has_unified_memory = dice.below(2) == 0;
  if (!gpu.has_unified_memory && dice.below(2) == 0) gpu.heap = "one card";
  gpu.driver_bytes = dice.of({Bytes{0}, model_bytes / 16});
  gpu.granularity = dice.of({Bytes{256}, 4 * kKiB, 64 * kKiB, 2 * kMiB});
  if (dice.below(3) == 0) gpu.max_arena_bytes = std::max<Bytes>(model_bytes / dice.of({2, 4, 8}), gpu.granularity);
  if (dice.below(4) == 0) gpu.max_binding_bytes = model_bytes / dice.of({2, 8});
  return gpu;
}

inline HeadroomRule random_rule(Dice& dice, Bytes free_bytes) {
  if (dice.below(3) == 0) return AtMost{dice.bytes(free_bytes)};
  return KeepFree{dice.below(2) == 0 ? 0 : dice.bytes(free_bytes / 2)};
}

inline Machine random_machine(Dice& dice, const ModelInfo& model) {
  Bytes model_bytes = 0;
  for (const WeightTensor& weight : model.weights) model_bytes += weight_bytes(weight, WeightLayout::kRows);
  Machine machine;
  machine.devices.push_back(cpu_with(model_bytes * (2 + dice.below(24)) / 12 + 2 * kMiB));
  PlanOptions& options = machine.options;
  for (std::size_t i = 1 + dice.below(3); i > 0; --i) {
    machine.devices.push_back(random_gpu(dice, machine.devices.size(), model_bytes));
    const auto device = static_cast<DeviceIndex>(machine.devices.size() - 1);
    options.devices.push_back({device, random_rule(dice, machine.devices[device].free_bytes)});
  }
  if (dice.below(2) == 0) options.devices.push_back({0, random_rule(dice, machine.devices[0].free_bytes)});
  if (dice.below(4) > 0) set_speeds(dice, machine.devices);
  options.n_ctx = dice.of({32U, 300U, 2000U});
  options.n_slots = dice.of({1U, 3U});
  options.n_batch = dice.of({8U, 64U, 256U});
  options.kv_k = dice.of({DType::kF16, DType::kQ8_0});
  const auto n_layers = model.n_layers();
  if (dice.below(4) == 0) options.n_gpu_layers = static_cast<std::int32_t>(dice.below(n_layers + 1));
  if (dice.below(4) == 0) {
    const std::uint32_t most =
        options.n_gpu_layers == kAutoLayers ? n_layers : static_cast<std::uint32_t>(options.n_gpu_layers);
    options.n_cpu_ffn = static_cast<std::int32_t>(dice.below(most + 1));
  }
  options.stream_rows = dice.of({kAutoRows, kAutoRows, 0, 16});
  return machine;
}

}  // namespace headroom::test
