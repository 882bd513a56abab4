// The setting by which the environment chooses among the devices that a driver shows.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom {

// "1,0" takes the second and then the first of n devices. A device that is named twice becomes two devices on one card.
// kUsage names the variable and what is expected.
Result<std::vector<std::size_t>> parse_device_choice(std::string_view variable, std::string_view setting,
                                                     std::size_t n);

}  // namespace headroom
