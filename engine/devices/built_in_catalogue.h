// resources/devices.json as text in the program: the calculator needs no file beside it.
#pragma once

#include <string_view>

namespace headroom {

extern const std::string_view kBuiltInCatalogue;

}  // namespace headroom
