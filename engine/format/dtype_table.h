// One row for each number format: its sizes, its names, and what it may be used for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/check.h"
#include "format/dtype.h"

namespace headroom {

struct DTypeRow {
  DType dtype;
  std::string_view name;   // as in GGUF files and our JSON: "Q4_K"
  std::string_view label;  // as on the command line and for people: "q4_k"
  std::int32_t gguf_type;  // -1: cannot stand in a file
  std::uint32_t block_elems;
  std::uint32_t block_bytes;
  std::uint32_t row_extra_bytes;  // per row beside the blocks: the f16 scale of an FP8 KV row
  bool is_weight;
  bool is_kv;
  bool is_kv_offered;  // to people; false: a KV type for checking, which only the command line takes
};

inline constexpr std::array kDTypes{
    DTypeRow{DType::kF32, "F32", "f32", 0, 1, 4, 0, true, true, false},       //
    DTypeRow{DType::kF16, "F16", "f16", 1, 1, 2, 0, true, true, true},        //
    DTypeRow{DType::kBF16, "BF16", "bf16", 30, 1, 2, 0, true, false, false},  //
    DTypeRow{DType::kQ8_0, "Q8_0", "q8_0", 8, 32, 34, 0, true, true, true},   //
    DTypeRow{DType::kQ4_0, "Q4_0", "q4_0", 2, 32, 18, 0, true, true, true},   //
    DTypeRow{DType::kQ4_1, "Q4_1", "q4_1", 3, 32, 20, 0, true, false, false},
    DTypeRow{DType::kQ5_0, "Q5_0", "q5_0", 6, 32, 22, 0, true, false, false},
    DTypeRow{DType::kQ5_1, "Q5_1", "q5_1", 7, 32, 24, 0, true, false, false},
    DTypeRow{DType::kQ2_K, "Q2_K", "q2_k", 10, 256, 84, 0, true, false, false},
    DTypeRow{DType::kQ3_K, "Q3_K", "q3_k", 11, 256, 110, 0, true, false, false},
    DTypeRow{DType::kQ4_K, "Q4_K", "q4_k", 12, 256, 144, 0, true, false, false},  //
    DTypeRow{DType::kQ5_K, "Q5_K", "q5_k", 13, 256, 176, 0, true, false, false},  //
    DTypeRow{DType::kQ6_K, "Q6_K", "q6_k", 14, 256, 210, 0, true, false, false},  //
    DTypeRow{DType::kIQ4_NL, "IQ4_NL", "iq4_nl", 20, 32, 18, 0, true, false, false},
    DTypeRow{DType::kIQ4_XS, "IQ4_XS", "iq4_xs", 23, 256, 136, 0, true, false, false},
    DTypeRow{DType::kMXFP4, "MXFP4", "mxfp4", 39, 32, 17, 0, true, false, false},
    DTypeRow{DType::kIQ1_S, "IQ1_S", "iq1_s", 19, 256, 50, 0, true, false, false},
    DTypeRow{DType::kIQ1_M, "IQ1_M", "iq1_m", 29, 256, 56, 0, true, false, false},
    DTypeRow{DType::kIQ2_XXS, "IQ2_XXS", "iq2_xxs", 16, 256, 66, 0, true, false, false},
    DTypeRow{DType::kIQ2_XS, "IQ2_XS", "iq2_xs", 17, 256, 74, 0, true, false, false},
    DTypeRow{DType::kIQ2_S, "IQ2_S", "iq2_s", 22, 256, 82, 0, true, false, false},
    DTypeRow{DType::kIQ3_XXS, "IQ3_XXS", "iq3_xxs", 18, 256, 98, 0, true, false, false},
    DTypeRow{DType::kIQ3_S, "IQ3_S", "iq3_s", 21, 256, 110, 0, true, false, false},
    DTypeRow{DType::kF8E4M3, "FP8", "fp8", -1, 1, 1, 2, false, true, true},  //
};

constexpr const DTypeRow& dtype_row(DType dtype) {
  const DTypeRow& row = kDTypes[static_cast<std::size_t>(dtype)];
  CHECK(row.dtype == dtype, "kDTypes is not in the order of DType");
  return row;
}

// Whether a cache of this type rounds its rows to codes with a scale.
constexpr bool is_quantized_kv(DType dtype) {
  const DTypeRow& row = dtype_row(dtype);
  return row.is_kv && (row.block_elems > 1 || row.row_extra_bytes > 0);
}

// Bytes of one row of `n_elems` elements; a row that does not end on a block is padded to one (head sizes 80 and 16 in
// a block format).
constexpr Bytes row_bytes(DType dtype, std::uint64_t n_elems) {
  const DTypeRow& row = dtype_row(dtype);
  return div_up(n_elems, row.block_elems) * row.block_bytes + row.row_extra_bytes;
}

constexpr std::optional<DType> dtype_from_gguf(std::uint32_t gguf_type) {
  for (const DTypeRow& row : kDTypes) {
    if (row.gguf_type >= 0 && static_cast<std::uint32_t>(row.gguf_type) == gguf_type) return row.dtype;
  }
  return std::nullopt;
}

// By label ("q8_0"), for options.
constexpr std::optional<DType> dtype_from_label(std::string_view label) {
  for (const DTypeRow& row : kDTypes) {
    if (row.label == label) return row.dtype;
  }
  return std::nullopt;
}

}  // namespace headroom
