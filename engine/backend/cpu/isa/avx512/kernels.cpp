// All kernels for avx512, and the few that AMX replaces.
#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa/avx512/vec.h"
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/point_labels.h"
#include "format/code_values.h"
#include "format/grids.h"

namespace headroom::isa_avx512 {
namespace {

#include "backend/cpu/kernels/all.inl"
//
#include "backend/cpu/isa/avx512/tiles.inl"

}  // namespace

void fill_table(KernelTable& table) { fill(table); }
void fill_tiles(KernelTable& table) { fill_amx(table); }

}  // namespace headroom::isa_avx512
