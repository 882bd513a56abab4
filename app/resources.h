// Where the files that ship with the program stand.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace headroom {

// `name` inside the resource directory: the environment variable HEADROOM_RESOURCES, else share/headroom beside the
// program's bin, else the source tree that this build came from. kBadFile names the places that were looked at.
Result<std::filesystem::path> findResource(std::string_view name);

}  // namespace headroom
