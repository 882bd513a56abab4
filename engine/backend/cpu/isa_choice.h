// Which instruction set computes: the fastest of this machine whose kernels are right.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backend/cpu/kernel_check.h"
#include "base/cpu_features.h"
#include "base/result.h"

namespace headroom {

struct IsaChoice {
  Isa isa = Isa::kScalar;
  std::vector<std::string> refused;  // kernel_fault_text() of every faster set of this machine
};

// The set that HEADROOM_ISA forces, or the fastest whose kernels pass find_kernel_fault(): each set is checked once in
// a process, when it is first asked for. kUsage as selected_isa(); kUnsupported, with kernel_fault_text(), when the set
// that is forced does not pass, or none does. Any thread.
Result<IsaChoice> choose_isa();

// The same with another check, for tests.
using FindFault = std::function<std::optional<KernelFault>(Isa)>;
Result<IsaChoice> choose_isa(const FindFault& find_fault);

// A sentence for people about the refused sets; empty where none was.
Message refused_words(const IsaChoice& choice);

}  // namespace headroom
