// NVIDIA's cards as the driver shows them, and their memory as far as it can be read without a context on the card.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/cuda_driver.h"
#include "backend/gpu_memory/gpu_use.h"
#include "backend/gpu_memory/memory_readings.h"
#include "backend/gpu_memory/pci_address.h"
#include "devices/device_info.h"

namespace headroom {

// A card that our kernels can run on.
struct CudaCard {
  int ordinal = 0;           // of the driver
  int major = 0, minor = 0;  // compute capability
  std::uint32_t n_multiprocessors = 0;
  std::optional<PciAddress> pci;
  Bytes total_bytes = 0;  // as the driver offers it to programs
  Bytes cache_bytes = 0;  // of the second level, the last one; 0: the driver does not tell
  DeviceInfo info;        // free memory as of the call
};

struct CudaCards {
  std::vector<CudaCard> cards;   // cuda:0, cuda:1, ... in the order of the driver
  std::vector<Message> refused;  // what was found and cannot be used, and why: a sentence each
};

// What the driver shows now; opens no context on any card. HEADROOM_CUDA_DEVICES as HEADROOM_VULKAN_DEVICES.
CudaCards cuda_cards();
inline constexpr const char* kCudaDevicesVariable = "HEADROOM_CUDA_DEVICES";

GpuUse& use_of_card(const CudaCard& card);
// Reads all sources that tell of the card's memory: the driver, the kernel, NVML. Any thread.
MemoryReadings read_card_memory(const CudaCard& card);
MemorySample sample_card(const CudaCard& card);

}  // namespace headroom
