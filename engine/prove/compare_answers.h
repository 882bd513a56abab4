// How far what a device computes may be from what the CPU computes.
#pragma once

#include <span>

#include "format/dtype.h"

namespace headroom {

// Root mean square of the difference, relative to that of what is expected; infinite where a number is none.
double relative_error(std::span<const float> found, std::span<const float> expected);

// What two sound devices may differ by in all logits of a step, with a cache of this type.
double allowed_error(DType kv);

}  // namespace headroom
