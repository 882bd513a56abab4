// The backend of a reference device.
#pragma once

#include <memory>

#include "backend/reference/reference_device.h"

namespace headroom {

// Computes within submit(), on the calling thread. `memory` is shared by all backends of the device; a test that holds
// it can let the device fail.
Result<std::unique_ptr<Backend>> make_reference_backend(DeviceInfo device, std::shared_ptr<ReferenceDevice> memory);

}  // namespace headroom
