// All kernels for avx512.
#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa/avx512/vec.h"
#include "backend/cpu/kernel_table.h"

namespace headroom::isa_avx512 {
namespace {

#include "backend/cpu/kernels/all.inl"

}  // namespace

void fill_table(KernelTable& table) { fill(table); }

}  // namespace headroom::isa_avx512
