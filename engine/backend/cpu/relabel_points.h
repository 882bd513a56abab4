// From the numbers that a file gives to points of large grids to those of panels, and back.
#pragma once

#include <cstddef>
#include <span>

#include "format/dtype.h"

namespace headroom {

enum class PointNumbers : std::uint8_t { kOfFile, kOfPanel };

// Whether panels number the points of this type anew: point_labels.h.
bool has_labels(DType dtype);

// Of whole rows of such a type, as they stand in the file: their points get these numbers in place of the others.
void relabel_points(DType dtype, PointNumbers to, std::span<std::byte> rows);

}  // namespace headroom
