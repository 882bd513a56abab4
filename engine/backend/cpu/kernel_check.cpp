#include "backend/cpu/kernel_check.h"

#include <fmt/format.h>

#include "backend/cpu/kernel_probe.h"
#include "format/dtype_table.h"

namespace headroom {

void KernelProbe::keep(std::size_t element, double found, double expected) {
  fault_ = KernelFault{.kernel = kernel_,
                       .format = type_ == kNoType ? "" : std::string(kDTypes[static_cast<std::size_t>(type_)].name),
                       .where = fmt::format("element {} of {} {}", element, n_, unit_),
                       .expected = expected,
                       .found = found};
}

// In an order in which what a part relies on has been checked before it: the kernel that is named is the wrong one.
std::optional<KernelFault> find_kernel_fault(const KernelTable& kernels) {
  KernelProbe probe(kernels);
  for (const auto check : {check_quantizers, check_products, check_elementwise, check_rotations, check_delta_net,
                           check_peaks, check_kv_rows, check_attention}) {
    check(probe);
    if (probe.has_failed()) break;
  }
  return probe.fault();
}

std::string kernel_fault_text(Isa isa, const KernelFault& fault) {
  return fmt::format("kernels of {}: {}{}{}, {}: expected {:.9g}, found {:.9g}", isa_name(isa), fault.kernel,
                     fault.format.empty() ? "" : " of ", fault.format, fault.where, fault.expected, fault.found);
}

}  // namespace headroom
