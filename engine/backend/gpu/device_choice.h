// Devices that the environment chooses among those that a driver shows.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom {

// "1,0": the second and the first of n, in this order; one that is named twice is two devices on one card. kUsage names
// the variable and what is expected.
Result<std::vector<std::size_t>> parse_device_choice(std::string_view variable, std::string_view setting,
                                                     std::size_t n);

}  // namespace headroom
