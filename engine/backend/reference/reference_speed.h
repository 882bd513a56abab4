// How fast the plain loops of a reference device are on this machine.
#pragma once

#include "plan/device_info.h"

namespace headroom {

// By rows of Q8_0, the middle of what models are stored as, and by plain copies. Takes a few milliseconds and 2 MiB.
DeviceSpeed measure_reference_speed();

}  // namespace headroom
