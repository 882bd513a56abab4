// NVIDIA's cards as a backend: our own kernels by the driver API, in memory that is planned to the byte.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace headroom {

// How the backend hands work to the driver. The results are the same, bit by bit: a card is proved with each.
struct CudaWays {
  bool overlaps = true;     // kernels begin while the ones before them end, where card and driver can
  bool uses_graphs = true;  // for steps of one token
};

// `device` as cuda_cards() gave it. kUnsupported where it is not there, kResource where the driver refuses to open it.
Result<std::unique_ptr<Backend>> make_cuda_backend(const DeviceInfo& device, const CudaWays& ways = {});

}  // namespace headroom
