// The tests of tests/gpu_contract on Vulkan: see gpu_fixture.h.
#pragma once

#include <array>

#include "backend/vulkan/vulkan_faults.h"
#include "backend/vulkan/vulkan_memory.h"
#include "plan/gpu_rules.h"
#include "vulkan/vulkan_fixture.h"

namespace headroom::test {

inline constexpr const char* kGpuId = "vulkan:0";
inline constexpr bool kSharesMemory = true, kHasHalfAttention = false, kCompilesAtFirstUse = true;
inline constexpr std::array kTierTolerances{kExactTolerance, kHalfRowsTolerance, kInt8Tolerance, kInt8Tolerance};

// The n-th submission from now loses its device, once; 0: none.
inline void lose_gpu_at(std::uint32_t n) { vulkan_faults().lose_at_submit = n; }
// From the n-th submission from now on its device never answers; 0: none. end_gpu_hangs(): it does when it is opened
// next.
inline void hang_gpu_at(std::uint32_t n) { vulkan_faults().hang_at_submit = n; }
inline void end_gpu_hangs(bool ends) { vulkan_faults().ends_hangs = ends; }
// The n-th arena from now is refused by the driver, once, with kRefusal; 0: none.
inline void refuse_gpu_arena(std::uint32_t n) { vulkan_faults().refuse_at_map = n; }
inline constexpr const char* kRefusal = "VK_ERROR_OUT_OF_DEVICE_MEMORY";

// Another program takes what is free of the device but for `left`, as the system tells.
inline void take_gpu_memory_but(Bytes left) {
  const VulkanCard card = vulkan_cards().cards.front();
  vulkan_faults().taken = card.heap_bytes - use_of_card(card).device_arena_bytes - left;
}
inline void give_gpu_memory_back() { vulkan_faults().taken = 0; }
inline constexpr bool kTellsOthers = true;

inline MemorySample sample_gpu() { return take(sample_card(vulkan_cards().cards.front())); }

inline GpuArithmetic gpu_arithmetic() { return vulkan_cards().cards.front().tier.arithmetic(); }

inline std::vector<DeviceInfo> cpu_and_gpu(bool is_unified) { return cpu_and_vulkan(is_unified); }

inline std::uint32_t tier_now() { return vulkan_cards().cards.front().tier.number; }

template <class Check>
void with_every_arithmetic(DType weight, Check check) {
  for (const std::uint32_t tier : tiers_here()) {
    if (tier > 0 && weight == DType::kF32) continue;  // as tier 0
    const UseTier use(tier);
    SCOPED_TRACE("tier " + std::to_string(tier));
    check(kTierTolerances[tier]);
  }
}

template <class Check>
void with_some_arithmetics(DType weight, std::size_t place, Check check) {
  with_every_arithmetic(weight, [&](double most) {
    // F32 is multiplied in one way alone.
    if (weight == DType::kF32 || is_checked({place, tier_now()})) check(most);
  });
}

// Of tier 1 what differs is in products with many rows; tier 0 takes long to compile.
inline bool tells_more(std::uint32_t n_rows) {
  const std::uint32_t tier = tier_now();
  return tier == 0 ? is_full_run() : tier != 1 || n_rows > kGpuFewRows;
}

}  // namespace headroom::test
