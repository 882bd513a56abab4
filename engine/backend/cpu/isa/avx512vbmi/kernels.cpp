// The few kernels for avx512 that permutations of bytes replace. Of the others nothing is used here.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa/avx512/vec.h"
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/point_words.h"
#include "format/code_values.h"
#include "format/grids.h"

#pragma GCC diagnostic ignored "-Wunused-function"

namespace headroom::isa_avx512vbmi {
namespace {

#include "backend/cpu/kernels/all.inl"
//
#include "backend/cpu/isa/avx512vbmi/permuted_grids.inl"

template <int kReach>
void fill_iq1(KernelTable& table) {
  fill_grid<PermutedIQ1_S<kReach>>(table, DType::kIQ1_S);
  fill_grid<PermutedIQ1_M<kReach>>(table, DType::kIQ1_M);
}

}  // namespace

void fill_grids(KernelTable& table, LabelLookUp look_up) {
  switch (look_up) {
    case LabelLookUp::kRegister:
      fill_iq1<64>(table);
      fill_grid<PermutedIQ2_S<64>>(table, DType::kIQ2_S);
      break;
    case LabelLookUp::kTwoRegisters:
      fill_iq1<128>(table);
      fill_grid<PermutedIQ2_S<128>>(table, DType::kIQ2_S);
      break;
    case LabelLookUp::kMemory:
      fill_grid<PackedIQ1_S>(table, DType::kIQ1_S);
      fill_grid<PackedIQ1_M>(table, DType::kIQ1_M);
      fill_grid<PermutedIQ2_S<64>>(table, DType::kIQ2_S);
      break;
  }
  fill_grid<PermutedIQ2_XXS>(table, DType::kIQ2_XXS);
  fill_grid<PermutedIQ2_XS>(table, DType::kIQ2_XS);
  fill_grid<PermutedIQ3_XXS>(table, DType::kIQ3_XXS);
  fill_grid<PermutedIQ3_S>(table, DType::kIQ3_S);
}

}  // namespace headroom::isa_avx512vbmi
