// What amdgpu counts of a card, all programs together: files that everybody may read.
#pragma once

#include "backend/gpu_memory/memory_readings.h"
#include "backend/gpu_memory/pci_address.h"

namespace headroom {

// Of the card's own memory; with `with_host` (a GPU that shares the host's memory) of its part and of what it has
// mapped of the rest (GTT) together: two names for one memory. Absent of a card of another driver. kResource names a
// file that is missing or has no number.
std::optional<Result<DeviceUse>> read_amdgpu_memory(const std::filesystem::path& sys, const PciAddress& card,
                                                    bool with_host);

}  // namespace headroom
