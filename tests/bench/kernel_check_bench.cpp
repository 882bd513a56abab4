// What a start waits for: the check of each instruction set's kernels that this machine can run.
#include <benchmark/benchmark.h>

#include <string>

#include "backend/cpu/kernel_check.h"

namespace headroom {
namespace {

void check_set(benchmark::State& state, Isa isa) {
  const KernelTable kernels = make_kernel_table(isa);
  for (auto _ : state) {
    const std::optional<KernelFault> fault = find_kernel_fault(kernels);
    if (fault) return state.SkipWithError(kernel_fault_text(isa, *fault).c_str());
  }
}

const int kRegistered = [] {
  for (const Isa isa : kIsas) {
    if (!can_run(isa)) continue;
    benchmark::RegisterBenchmark(("check/" + std::string(isa_name(isa))).c_str(), check_set, isa)
        ->Unit(benchmark::kMillisecond);
  }
  return 0;
}();

}  // namespace
}  // namespace headroom
