// The few kernels for avx512 that permutations of bytes replace. Of the others nothing is used here.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa/avx512/vec.h"
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/point_labels.h"
#include "format/code_values.h"
#include "format/grids.h"

#pragma GCC diagnostic ignored "-Wunused-function"

namespace headroom::isa_avx512vbmi {
namespace {

#include "backend/cpu/kernels/all.inl"
//
#include "backend/cpu/isa/avx512vbmi/packed_grids.inl"

template <int kReach>
void fill_labelled_grids(KernelTable& table) {
  fill_grid<PermutedIQ1_S<kReach>>(table, DType::kIQ1_S);
  fill_grid<PermutedIQ1_M<kReach>>(table, DType::kIQ1_M);
  fill_grid<PermutedIQ2_S<kReach>>(table, DType::kIQ2_S);
}

}  // namespace

void fill_grids(KernelTable& table, bool looks_up_pairs) {
  looks_up_pairs ? fill_labelled_grids<128>(table) : fill_labelled_grids<64>(table);
  fill_grid<PermutedIQ2_XXS>(table, DType::kIQ2_XXS);
  fill_grid<PermutedIQ2_XS>(table, DType::kIQ2_XS);
  fill_grid<PermutedIQ3_XXS>(table, DType::kIQ3_XXS);
  fill_grid<PermutedIQ3_S>(table, DType::kIQ3_S);
}

}  // namespace headroom::isa_avx512vbmi
