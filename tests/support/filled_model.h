// Large models with random weights, in seconds.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace headroom::test {

// Writes all weights of a file whose tensors are holes (RandomModelSpec::has_holes): norms of 1, matrices of blocks of
// about normal numbers, every row another one. A gigabyte takes a second. kResource names the file; errors also as
// open_model_file().
Status fill_weights(const std::filesystem::path& path);

}  // namespace headroom::test
