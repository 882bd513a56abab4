// All kernels for scalar.
#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa/scalar/vec.h"
#include "backend/cpu/kernel_table.h"

namespace headroom::isa_scalar {
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

}  // namespace headroom::isa_scalar
