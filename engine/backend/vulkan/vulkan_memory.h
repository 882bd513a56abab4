// A card's memory: what is free of it, what this process holds, what others do.
#pragma once

#include "backend/gpu_memory/gpu_use.h"
#include "backend/gpu_memory/memory_readings.h"
#include "backend/vulkan/vulkan_instance.h"

namespace headroom {

GpuUse& use_of_card(const VulkanCard& card);

// Now, from every side that tells. Any thread.
MemoryReadings read_card_memory(const VulkanCard& card);

// By the rule of gpu_memory/memory_readings.h. Of a card that shares the host's memory no more is free than of that.
Result<MemorySample> sample_card(const VulkanCard& card);

}  // namespace headroom
