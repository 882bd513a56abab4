#include "backend/cpu/kernel_table.h"

#include "base/check.h"

namespace headroom {

KernelTable make_kernel_table(Isa isa) {
  CHECK(can_run(isa), "kernels that this machine cannot run");
  KernelTable table{};
  table.isa = isa;
  switch (isa) {
    case Isa::kScalar: isa_scalar::fill_table(table); break;
#if defined(__x86_64__)
    case Isa::kAvx2: isa_avx2::fill_table(table); break;
    case Isa::kAvxVnni: isa_avxvnni::fill_table(table); break;
    case Isa::kAvx512: isa_avx512::fill_table(table); break;
    case Isa::kAvx512Vbmi:
      isa_avx512::fill_table(table);
      isa_avx512vbmi::fill_grids(table, fastest_label_look_up());
      break;
    case Isa::kAmx:
      isa_avx512::fill_table(table);
      isa_avx512vbmi::fill_grids(table, fastest_label_look_up());
      isa_avx512::fill_tiles(table);
      break;
    case Isa::kNeon: break;  // refused above
#elif defined(__aarch64__)
    case Isa::kNeon: isa_neon::fill_table(table); break;
    case Isa::kAvx2:
    case Isa::kAvxVnni:
    case Isa::kAvx512:
    case Isa::kAvx512Vbmi:
    case Isa::kAmx: break;  // refused above
#else
    case Isa::kAvx2:
    case Isa::kAvxVnni:
    case Isa::kAvx512:
    case Isa::kAvx512Vbmi:
    case Isa::kAmx:
    case Isa::kNeon: break;  // refused above
#endif
  }
  return table;
}

}  // namespace headroom
