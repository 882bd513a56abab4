// How fast the plain loops of a reference device are on this machine.
#pragma once

#include "devices/device_info.h"

namespace headroom {

// Measures products with rows of Q8_0, which is neither the fastest nor the slowest format to decode, and plain copies.
// Takes a few milliseconds and 2 MiB.
DeviceSpeed measure_reference_speed();

}  // namespace headroom
