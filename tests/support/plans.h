// Plans as values, for tests of what makes and of what shows them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "plan/memory_plan.h"
#include "support/model_specs.h"

namespace headroom::test {

inline std::vector<DeviceInfo> cpu_only(Bytes free_bytes = 64 * kGiB) { return {cpu_with(free_bytes)}; }
inline std::vector<DeviceInfo> cpu_and_gpu(Bytes gpu_bytes = 24 * kGiB) {
  return {cpu_with(64 * kGiB), gpu_with(gpu_bytes)};
}
// A desktop whose devices were measured: eight cores, and a card of this speed on PCIe.
inline std::vector<DeviceInfo> measured_cpu_and_gpu(Bytes gpu_bytes, const DeviceSpeed& of_gpu) {
  std::vector<DeviceInfo> devices = cpu_and_gpu(gpu_bytes);
  devices[0].speed = {.read_bytes_per_s = 60e9, .copy_bytes_per_s = 16e9, .op_seconds = 2e-6, .products_per_s = 1.5e12};
  devices[1].speed = of_gpu;
  return devices;
}
// One that waits for its memory and its launches: larger steps are worth their memory on it.
inline DeviceSpeed fast_card() {
  return {.read_bytes_per_s = 2e12, .copy_bytes_per_s = 24e9, .op_seconds = 8e-6, .products_per_s = 400e12};
}

// Null when the planner refuses.
inline std::shared_ptr<const MemoryPlan> plan_for(const ModelInfo& model, const std::vector<DeviceInfo>& devices,
                                                  const PlanOptions& options = {}) {
  auto plan = plan_memory(model, devices, options);
  return plan.ok() ? std::make_shared<const MemoryPlan>(std::move(plan).value()) : nullptr;
}

// The test fails, and goes on with an empty plan, when the planner refuses.
inline MemoryPlan planned(const ModelInfo& model, const std::vector<DeviceInfo>& devices, const PlanOptions& options) {
  Result<MemoryPlan> plan = plan_memory(model, devices, options);
  if (!plan.ok()) ADD_FAILURE() << plan.error().message.text();
  return plan.ok() ? std::move(plan).value() : MemoryPlan{};
}

inline ArenaPlan arena_of(Bytes size) {
  ArenaPlan plan;
  plan.size = size;
  return plan;
}

}  // namespace headroom::test
