// A card's memory: what is free of it, what this process holds, what others do.
#pragma once

#include <atomic>

#include "backend/gpu_memory/memory_readings.h"
#include "backend/vulkan/vulkan_instance.h"

namespace headroom {

// What this process has on a card. Any thread.
struct CardUse {
  std::atomic<Bytes> device_arena_bytes = 0;  // in the card's own memory
  std::atomic<Bytes> host_arena_bytes = 0;    // page-locked memory of the host, mapped through it
  std::atomic<int> n_open = 0;                // devices that are open on it
};
CardUse& use_of_card(const VulkanCard& card);

// Now, from every side that tells. Any thread.
MemoryReadings read_card_memory(const VulkanCard& card);

// By the rule of gpu_memory/memory_readings.h. Of a card that shares the host's memory no more is free than of that.
Result<MemorySample> sample_card(const VulkanCard& card);

}  // namespace headroom
