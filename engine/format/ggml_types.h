// Every tensor type that a GGUF file may have, by number, with name and size. A file with a type that we cannot compute
// with is refused by the type's name, and its bytes are known.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/message.h"

namespace headroom {

struct GgmlTypeRow {
  std::uint32_t number;
  std::string_view name;
  std::uint32_t block_elems;  // 0: withdrawn from the format, its size is no longer defined
  std::uint32_t block_bytes;
};

inline constexpr std::array kGgmlTypes{
    GgmlTypeRow{0, "F32", 1, 4},         GgmlTypeRow{1, "F16", 1, 2},         GgmlTypeRow{2, "Q4_0", 32, 18},
    GgmlTypeRow{3, "Q4_1", 32, 20},      GgmlTypeRow{4, "Q4_2", 0, 0},        GgmlTypeRow{5, "Q4_3", 0, 0},
    GgmlTypeRow{6, "Q5_0", 32, 22},      GgmlTypeRow{7, "Q5_1", 32, 24},      GgmlTypeRow{8, "Q8_0", 32, 34},
    GgmlTypeRow{9, "Q8_1", 32, 40},      GgmlTypeRow{10, "Q2_K", 256, 84},    GgmlTypeRow{11, "Q3_K", 256, 110},
    GgmlTypeRow{12, "Q4_K", 256, 144},   GgmlTypeRow{13, "Q5_K", 256, 176},   GgmlTypeRow{14, "Q6_K", 256, 210},
    GgmlTypeRow{15, "Q8_K", 256, 292},   GgmlTypeRow{16, "IQ2_XXS", 256, 66}, GgmlTypeRow{17, "IQ2_XS", 256, 74},
    GgmlTypeRow{18, "IQ3_XXS", 256, 98}, GgmlTypeRow{19, "IQ1_S", 256, 50},   GgmlTypeRow{20, "IQ4_NL", 32, 18},
    GgmlTypeRow{21, "IQ3_S", 256, 110},  GgmlTypeRow{22, "IQ2_S", 256, 82},   GgmlTypeRow{23, "IQ4_XS", 256, 136},
    GgmlTypeRow{24, "I8", 1, 1},         GgmlTypeRow{25, "I16", 1, 2},        GgmlTypeRow{26, "I32", 1, 4},
    GgmlTypeRow{27, "I64", 1, 8},        GgmlTypeRow{28, "F64", 1, 8},        GgmlTypeRow{29, "IQ1_M", 256, 56},
    GgmlTypeRow{30, "BF16", 1, 2},       GgmlTypeRow{31, "Q4_0_4_4", 0, 0},   GgmlTypeRow{32, "Q4_0_4_8", 0, 0},
    GgmlTypeRow{33, "Q4_0_8_8", 0, 0},   GgmlTypeRow{34, "TQ1_0", 256, 54},   GgmlTypeRow{35, "TQ2_0", 256, 66},
    GgmlTypeRow{36, "IQ4_NL_4_4", 0, 0}, GgmlTypeRow{37, "IQ4_NL_4_8", 0, 0}, GgmlTypeRow{38, "IQ4_NL_8_8", 0, 0},
    GgmlTypeRow{39, "MXFP4", 32, 17},    GgmlTypeRow{40, "NVFP4", 64, 36},    GgmlTypeRow{41, "Q1_0", 128, 18},
};

// Null for a number that no version of the format that we know of has given out.
constexpr const GgmlTypeRow* find_ggml_type(std::uint32_t number) {
  for (const GgmlTypeRow& row : kGgmlTypes) {
    if (row.number == number) return &row;
  }
  return nullptr;
}

// What a type is, for people whom its name tells little: false for most.
constexpr Message::Mark ggml_type_meaning(std::uint32_t number) {
  constexpr std::uint32_t kNvfp4 = 40;
  return number == kNvfp4
             ? Message::mark("4-bit floats with an 8-bit scale for every 16 of them and one for the tensor")
             : Message::Mark();
}

}  // namespace headroom
