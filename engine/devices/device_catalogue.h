// GPUs and shared-memory pools that need not be in this machine: "would it fit a 12 GB card?"
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "devices/device_index.h"
#include "devices/device_info.h"

namespace headroom {

// What we assume a driver takes on a device that was never measured: a context and our kernels. An RTX 4090's context
// with a cuBLAS handle was seen at 451 to 456 MiB (ggml-org/llama.cpp#15860); others are guesses of the same kind, on
// the high side, and every plan that rests on one says so.
inline constexpr Bytes kAssumedCudaDriverBytes = 450 * kMiB;
inline constexpr Bytes kAssumedVulkanDriverBytes = 256 * kMiB;
inline constexpr Bytes kAssumedMetalDriverBytes = 128 * kMiB;

// Share of a data sheet's bandwidth that long reads get in practice.
inline constexpr double kSustainedReadShare = 0.8;

// resources/devices.json as it was when this was built.
Result<std::vector<DeviceInfo>> built_in_device_catalogue();

// The one device that `name` means: "cuda:0", "RTX 4090", "rtx4090", "4090", "NVIDIA GeForce RTX 4090 24GB". Case,
// spaces, vendor and family words do not matter, nor a size of memory that is the one on the box; words may be left out
// where only one device remains. kUsage lists the candidates of an ambiguous name, or the nearest to an unknown one.
Result<DeviceIndex> find_device(std::span<const DeviceInfo> devices, std::string_view name);

}  // namespace headroom
