// What all programs together use of an AMD card, as the driver amdgpu counts it in files that everybody may read.
#pragma once

#include "backend/gpu_memory/memory_readings.h"
#include "backend/gpu_memory/pci_address.h"

namespace headroom {

// The card's own memory (VRAM). with_host, for a GPU that shares the host's memory: VRAM, its carve-out, and GTT, the
// other pages that it has mapped, together, since both are the same memory. Absent for a card of another driver.
// kResource names a file that is missing or holds no number.
std::optional<Result<DeviceUse>> read_amdgpu_memory(const std::filesystem::path& sys, const PciAddress& card,
                                                    bool with_host);

}  // namespace headroom
