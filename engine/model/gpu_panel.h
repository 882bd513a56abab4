// Panels for GPUs: 32 rows of a matrix, interleaved in units of 16 bytes. 32 threads, one for each row, then read 512
// consecutive bytes at once.
//
// A row is cut into groups of 32 elements; eight groups are a block. A row that ends within a group is filled up with
// zeros. A panel has up to four planes, one behind another, each (units of a row, 32 rows) units:
//   codes    F32: 8 units a group. F16, BF16: 4, as in the file. Q8_0: 2, the bytes of the group. Q2_K, Q3_K: half a
//            one, two bits an element in the order of Q6_K's highs. IQ3: half a one, a byte of each of its 8 indices.
//            IQ2: half a one, a word with a byte of each of its 4 indices, and one of signs. IQ1: none. Others: 1; its
//            byte i holds the low four bits of element i, and above them those of element i + 16.
//   highs    The bits above those. Q5_0, Q5_1, Q5_K, Q3_K: one word a group; the highest bit of element 4 w + k (k = 0
//            to 3) is its bit 8 k + w. Q6_K: one word for each half of a group; the two bits of element 4 w + k begin
//            at bit 8 k + 2 (w % 4). IQ3: a word of signs a group. IQ1: a word of bytes of indices.
//            Signs stand in the order of spread_bits() (format/bit_order.h). Where the file has seven of eight, the
//            last places hold what it has beside them: the group's scale, or of IQ2_XS the ninth bits of the indices.
//   headers  Q8_0, Q4_0, Q5_0, IQ4_NL: one unit a block, the F16 scales of its groups. Q4_1, Q5_1: two, a word for each
//            group with its scale and its min. Of the others one: Q4_K, Q5_K: scale, scale of the minima, then the 12
//            packed bytes, as in the file. Q6_K, Q2_K: the 16 scales, as in the file. Q3_K: the 12 packed bytes, then
//            the scale; two bytes are empty. IQ3_S: 8 bytes of ninth bits, 4 of scales, the scale; two are empty.
//            IQ2_S: 8 bytes of high bits, 8 of scales. IQ2_XS: 8 bytes of scales, of 2 blocks. IQ1: the 16 bytes of
//            high bits, as in the file. IQ4_XS, MXFP4, IQ3_XXS, IQ2_XXS: none.
//   scales   Fields of a block that are shorter than a unit, side by side. Q6_K, IQ3_XXS, IQ2, IQ1_S: scale, of 8
//            blocks. Q2_K: scale and scale of the minima, of 4. IQ4_XS: the 8 bytes before the codes, MXFP4: the
//            exponents of 8 groups, IQ1_M: its 8 bytes of scales, of 2.
// A format takes as many bytes as in the file, but for the ends of rows, for the last unit of scales, and for the two
// bytes of Q3_K and IQ3_S (112 a block for 110).
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "format/dtype.h"
#include "model/weight_layout.h"

namespace headroom {

inline constexpr Bytes kGpuUnitBytes = 16;
inline constexpr std::uint32_t kGpuGroup = 32;  // elements
inline constexpr std::uint32_t kGpuBlock = 8;   // groups

// Units of one row.
struct GpuPanel {
  std::uint64_t n_codes = 0, n_highs = 0, n_headers = 0, n_scales = 0;
  std::uint64_t n_units() const { return n_codes + n_highs + n_headers + n_scales; }
  Bytes bytes() const { return n_units() * kGpuPanelRows * kGpuUnitBytes; }  // of the 32
};
GpuPanel gpu_panel(DType dtype, std::uint64_t n_cols);

// Writes a whole panel from n_rows <= 32 rows of the file, (n_rows, row_bytes(dtype, n_cols)); missing rows become
// zeros. to: gpu_panel().bytes().
void pack_gpu_panel(DType dtype, std::uint64_t n_cols, std::uint32_t n_rows, const std::byte* rows, std::byte* to);

}  // namespace headroom
