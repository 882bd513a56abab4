// Where the part of a model that stands on one Vulkan device is.
#pragma once

#include <array>
#include <vector>

#include "backend/vulkan/vulkan_arena.h"
#include "backend/vulkan/vulkan_tier.h"
#include "model/weight_index.h"
#include "plan/gpu_rules.h"

namespace headroom {

// Some bytes of an arena; no arena: not on this device.
struct VulkanSlice {
  const VulkanArena* arena = nullptr;
  Bytes offset = 0, size = 0;

  explicit operator bool() const { return arena != nullptr; }
  VulkanSlice part(Bytes from, Bytes bytes) const { return {arena, offset + from, bytes}; }
  std::byte* mapped() const { return arena->mapped() == nullptr ? nullptr : arena->mapped() + offset; }
  VkDescriptorBufferInfo buffer() const { return arena->binding(offset, size); }
};

struct VulkanWeight {
  VulkanSlice slice;  // panels: model/gpu_panel.h; vectors F32
  DType dtype = DType::kF32;
  std::uint64_t n_rows = 0, n_cols = 0, n_matrices = 1;
};

struct VulkanBinding {
  const ModelInfo* model = nullptr;
  const MemoryPlan* plan = nullptr;
  DeviceIndex device = 0;
  VulkanTier tier;
  std::vector<RopeFrequencies> ropes;  // as model->ropes
  std::vector<VulkanSlice> buffers;    // as the program's
  std::vector<std::array<VulkanSlice, static_cast<std::size_t>(KvPart::kExactValues) + 1>>
      caches;  // (n_layers), by part
  struct {
    VulkanSlice normed, keys, values, added, router, balance, partials, expert_tiles, expert_rows;
  } scratch;
  VulkanSlice candidates;       // see CandidateScratch; absent where another device has the head
  VulkanSlice inputs, staging;  // page-locked
  GpuInputs input_layout;

  // Null when the model has no such weight; CHECKs that one that it has stands here.
  const VulkanWeight* find(WeightSlot slot, std::int32_t layer) const;
  const VulkanWeight& at(WeightSlot slot, std::int32_t layer) const;
  const VulkanSlice& buffer(BufferId id) const;

  WeightIndex index;
  std::vector<VulkanWeight> weights;  // as model->weights
};

// CHECKs that arenas are those of the plan, and that regions hold what the kernels need.
VulkanBinding bind_vulkan(const Binding& binding, const VulkanTier& tier);

}  // namespace headroom
