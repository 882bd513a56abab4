// Reference quantizers: what tools and tests write weights with, and what the cache writers of all backends are held against.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/dtype.h"

namespace headroom {

// row: (n_elems) f32 -> out: row_bytes(dtype, n_elems) bytes. A last block that is not full is padded with zeros. Every dtype; deterministic.
// Numbers that are not finite or beyond a block's range saturate; nothing traps.
void encode_row(DType dtype, const float* row, std::uint64_t n_elems, std::byte* out);

}  // namespace headroom
