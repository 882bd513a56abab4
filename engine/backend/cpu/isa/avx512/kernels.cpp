// All kernels for avx512, and the few that AMX replaces.
#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa/avx512/vec.h"
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/point_words.h"
#include "format/code_values.h"
#include "format/grids.h"

namespace headroom::isa_avx512 {
namespace {

#include "backend/cpu/kernels/all.inl"
//
#include "backend/cpu/isa/avx512/permuted_grids.inl"
//
#include "backend/cpu/isa/avx512/tiles.inl"

}  // namespace

void fill_table(KernelTable& table) {
  fill(table);
  fill_grid<PackedIQ1_S>(table, DType::kIQ1_S);
  fill_grid<PackedIQ1_M>(table, DType::kIQ1_M);
  fill_grid<PermutedIQ2_XXS>(table, DType::kIQ2_XXS);
  fill_grid<PermutedIQ2_XS>(table, DType::kIQ2_XS);
  fill_grid<PermutedIQ2_S>(table, DType::kIQ2_S);
  fill_grid<PermutedIQ3_XXS>(table, DType::kIQ3_XXS);
  fill_grid<PermutedIQ3_S>(table, DType::kIQ3_S);
}
void fill_tiles(KernelTable& table) { fill_amx(table); }

}  // namespace headroom::isa_avx512
