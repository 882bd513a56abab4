// Whether a set's kernels compute what they should on this machine: a few products of each against plain arithmetic. A
// compiler once got some of them wrong without a word (isa/scalar/vec.h), and a processor or an emulator could.
#pragma once

#include <optional>
#include <string>

#include "backend/cpu/kernel_table.h"
#include "base/result.h"

namespace headroom {

struct KernelFault {
  std::string kernel;  // its name in the table; two names where only the result of both together can be checked
  std::string format;  // of the numbers that it reads: "Q4_K"; empty: f32
  std::string where;   // "element 3 of 7 columns"
  double expected = 0, found = 0;
};

// The first kernel of a table that is wrong. Takes milliseconds (`kernel_check_bench`), and memory only while it runs.
// Any thread.
std::optional<KernelFault> find_kernel_fault(const KernelTable& kernels);

// "kernels of scalar: unpack and dot_slabs of Q4_K, element 3 of 7 columns: expected 1, found 2"
std::string kernel_fault_text(Isa isa, const KernelFault& fault);

}  // namespace headroom
