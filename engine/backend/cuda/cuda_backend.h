// NVIDIA's cards as a backend: our own kernels by the driver API, in memory that is planned to the byte.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace headroom {

// `device` as cuda_cards() gave it. kUnsupported where it is not there, kResource where the driver refuses to open it.
Result<std::unique_ptr<Backend>> make_cuda_backend(const DeviceInfo& device);

}  // namespace headroom
