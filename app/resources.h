// Where the files that ship with the program stand.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace headroom {

// `name` inside the resource directory: the environment variable HEADROOM_RESOURCES, else share/headroom beside the
// program's bin, which in the build tree is a link to the source's folder. kBadFile names the path that was expected.
Result<std::filesystem::path> findResource(std::string_view name);

// Where the program keeps what it remembers: HEADROOM_DATA_DIR, else the desktop's place for application data. May not
// exist yet; empty when the system names no home.
std::filesystem::path findDataFolder();

inline constexpr const char* kKernelFolder = "kernels";  // in the data folder: what drivers made of our kernels

}  // namespace headroom
