// Reference quantizers. Tools and tests write weights with them, and the cache writers of all backends are tested
// against them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/dtype.h"

namespace headroom {

// row: (n_elems) f32 -> out: row_bytes(dtype, n_elems) bytes. A last block that is not full is padded with zeros. Every
// dtype; deterministic. Numbers that are not finite or beyond a block's range saturate; nothing traps.
void encode_row(DType dtype, const float* row, std::uint64_t n_elems, std::byte* out);

// The same for a row of a KV cache. A Q4_0 block tries a scale for each of kQ4ScaleDivisors, fits the best scale to the
// codes that result (shifted as decode_shifted_row() reads them), and keeps the try with the least squared error. On
// Gaussian data that gives 21.8 dB, encode_row() 21.3. Other types are encoded as by encode_row(): a search would raise
// Q8_0 from 45.4 to 46.3 dB, less than what int8 queries round away anyway.
void encode_kv_row(DType dtype, const float* row, std::uint64_t n_elems, float shift, std::byte* out);
// The block's extreme element over the scale that is tried; the sixth candidate is worth 0.04 dB over four.
inline constexpr float kQ4ScaleDivisors[] = {6.6F, 7.0F, 7.4F, 7.8F, 8.2F, 8.6F};

}  // namespace headroom
