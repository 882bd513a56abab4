// The host's processor as a backend.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace headroom {

// `device` as probed: its n_threads is how many threads compute. Errors as choose_isa(): its set computes.
Result<std::unique_ptr<Backend>> make_cpu_backend(DeviceInfo device);

}  // namespace headroom
