// All kernels for scalar.
#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa/scalar/vec.h"
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/point_words.h"
#include "format/code_values.h"
#include "format/grids.h"

namespace headroom::isa_scalar {
namespace {

#include "backend/cpu/kernels/all.inl"

}  // namespace

void fill_table(KernelTable& table) {
  fill(table);
  fill_memory_grids(table);
}

}  // namespace headroom::isa_scalar
