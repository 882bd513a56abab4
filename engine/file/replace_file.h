// Small files that are written whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "base/result.h"

namespace headroom {

// In one step: whoever reads `path` finds the old file or the new one, also while several programs write it. Folders
// above it are made. kResource names the file; nothing is left beside it then.
Status replace_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace headroom
