// All kernels for avx2.
#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa/avx2/vec.h"
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/point_words.h"
#include "format/code_values.h"
#include "format/grids.h"

namespace headroom::isa_avx2 {
namespace {

#include "backend/cpu/kernels/all.inl"
//
#include "backend/cpu/kernels/dot_codes.inl"

}  // namespace

void fill_table(KernelTable& table) {
  fill(table);
  fill_memory_grids(table);
  fill_codes(table);
}

}  // namespace headroom::isa_avx2
