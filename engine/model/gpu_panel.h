// Panels for GPUs: 32 rows of a matrix, interleaved in units of 16 bytes, so that 32 threads with a row each read 512
// bytes one behind another.
//
// A row is cut into groups of 32 elements, eight of which are a block; a row that ends within a group is filled up with
// zeros. A panel has up to four planes, one behind another, each (units of a row, 32 rows) units:
//   codes    F32: 8 units a group, F16 and BF16: 4, as in the file. Q8_0: 2, the bytes of the group. Others: 1, whose
//            byte i holds the low four bits of element i, and above them those of element i + 16.
//   highs    The bits above four. Word w of eight, the elements 4 w + k of a group, has them at bit 8 k: Q5_K has a
//   word
//            a group, shifted left by w; Q6_K one for each half of a group, shifted left by 2 (w % 4).
//   headers  A unit a block. Q8_0 and Q4_0: the scales of its groups, F16. Q4_K and Q5_K: scale, scale of the minima
//   and
//            the 12 packed bytes, as in the file. Q6_K: the 16 scales, as in the file.
//   scales   Q6_K: the F16 scales of eight blocks a unit.
// Rows without an F16 scale each take as many bytes as in the file, but for the ends of rows.
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

// Writes a panel whole. rows: (n_rows <= 32, row_bytes(dtype, n_cols)) as in the file; the rows that are missing become
// zeros. to: gpu_panel().bytes().
void pack_gpu_panel(DType dtype, std::uint64_t n_cols, std::uint32_t n_rows, const std::byte* rows, std::byte* to);

}  // namespace headroom
