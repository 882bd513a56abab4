// A card's memory: how much is free, how much this process holds, how much others do.
#pragma once

#include "backend/gpu_memory/gpu_use.h"
#include "backend/gpu_memory/memory_readings.h"
#include "backend/vulkan/vulkan_instance.h"

namespace headroom {

GpuUse& use_of_card(const VulkanCard& card);

// Reads all sources that tell of the card's memory: the driver, the kernel, NVML. Any thread.
MemoryReadings read_card_memory(const VulkanCard& card);

// Combines the readings by the rule of gpu_memory/memory_readings.h. A card that shares the host's memory has no more
// free memory than the host.
Result<MemorySample> sample_card(const VulkanCard& card);

}  // namespace headroom
