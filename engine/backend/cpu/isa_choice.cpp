#include "backend/cpu/isa_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>

namespace headroom {
namespace {

// Kernels do not change while a program runs, so neither does the verdict.
std::optional<KernelFault> fault_of(Isa isa) {
  struct Verdict {
    std::once_flag is_found;
    std::optional<KernelFault> fault;
  };
  static std::array<Verdict, kIsas.size()> verdicts;
  const auto at = static_cast<std::size_t>(std::find(kIsas.begin(), kIsas.end(), isa) - kIsas.begin());
  Verdict& verdict = verdicts[at];
  std::call_once(verdict.is_found, [&] { verdict.fault = find_kernel_fault(make_kernel_table(isa)); });
  return verdict.fault;
}

bool is_forced() {
  const char* name = std::getenv("HEADROOM_ISA");
  return name != nullptr && *name != '\0';
}

}  // namespace

Result<IsaChoice> choose_isa() { return choose_isa(fault_of); }

Result<IsaChoice> choose_isa(const FindFault& find_fault) {
  const Result<Isa> selected = selected_isa();
  if (!selected) return selected.error();
  if (is_forced()) {
    const std::optional<KernelFault> fault = find_fault(*selected);
    if (!fault) return IsaChoice{.isa = *selected, .refused = {}};
    return Error{ErrorCode::kUnsupported,
                 Message::say("HEADROOM_ISA={}: this set would compute wrong answers and is not used: {}",
                              isa_name(*selected), kernel_fault_text(*selected, *fault))};
  }
  IsaChoice choice;
  for (auto isa = kIsas.rbegin(); isa != kIsas.rend(); ++isa) {
    if (!can_run(*isa)) continue;
    const std::optional<KernelFault> fault = find_fault(*isa);
    choice.isa = *isa;
    if (!fault) return choice;
    choice.refused.push_back(kernel_fault_text(*isa, *fault));
  }
  return Error{ErrorCode::kUnsupported,
               Message::say("cpu: no instruction set of this machine computes right answers: {}",
                            fmt::format("{}", fmt::join(choice.refused, "; ")))};
}

Message refused_words(const IsaChoice& choice) {
  if (choice.refused.empty()) return {};
  return Message::say("The CPU computes with {}, since faster kernels are wrong on this machine and are not used: {}",
                      isa_name(choice.isa), fmt::format("{}", fmt::join(choice.refused, "; ")));
}

}  // namespace headroom
