#include "backend/cpu/kernel_table.h"

#include "base/check.h"

namespace headroom {

KernelTable make_kernel_table(Isa isa) {
  CHECK(isa <= detected_isa(), "kernels that this machine cannot run");
  KernelTable table{};
  table.isa = isa;
  switch (isa) {
    case Isa::kScalar: isa_scalar::fill_table(table); break;
#if defined(__x86_64__)
    case Isa::kAvx2: isa_avx2::fill_table(table); break;
    case Isa::kAvx512: isa_avx512::fill_table(table); break;
#else
    default: break;
#endif
  }
  return table;
}

}  // namespace headroom
