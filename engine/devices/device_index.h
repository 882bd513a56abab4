// Which of several devices.
#pragma once

#include <cstdint>

namespace headroom {

using DeviceIndex = std::uint32_t;  // into the devices given to plan_memory

}  // namespace headroom
