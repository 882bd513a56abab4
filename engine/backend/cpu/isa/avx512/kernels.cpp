// All kernels for avx512.
#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa/avx512/vec.h"
#include "backend/cpu/kernel_table.h"

namespace headroom::isa_avx512 {
namespace {

#include "backend/cpu/kernels/math.inl"
//
#include "backend/cpu/kernels/dot_int.inl"
//
#include "backend/cpu/kernels/dot_slab.inl"
//
#include "backend/cpu/kernels/dot_float.inl"
//
#include "backend/cpu/kernels/unpack.inl"
//
#include "backend/cpu/kernels/values.inl"
//
#include "backend/cpu/kernels/rotate.inl"
//
#include "backend/cpu/kernels/table.inl"

}  // namespace

void fill_table(KernelTable& table) { fill(table); }

}  // namespace headroom::isa_avx512
