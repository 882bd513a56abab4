#include "backend/gpu/gpu_arithmetic.h"

#include "plan/gpu_rules.h"

namespace headroom {
namespace {

constexpr std::uint32_t kMatrixThreads = 256;  // of a workgroup

}  // namespace

std::uint32_t MatrixShape::n_subgroups() const { return kMatrixThreads / subgroup_size; }

std::uint32_t MatrixShape::n_beside(std::uint32_t n_features) const {
  if (subgroup_size == 0 || kMatrixThreads % subgroup_size != 0 || n_features % m != 0 || kGpuTileRows % n != 0)
    return 0;
  const std::uint32_t wide = n_features / m, high = kGpuTileRows / n;
  std::uint32_t best = 0, fewest = ~0U;
  for (std::uint32_t beside = 1; beside <= n_subgroups(); beside *= 2) {
    const std::uint32_t above = n_subgroups() / beside;
    if (wide % beside != 0 || high % above != 0 || n_subgroups() % beside != 0) continue;
    // Fragments that a subgroup loads for each step over the columns.
    const std::uint32_t loads = wide / beside + high / above;
    if (loads < fewest) best = beside, fewest = loads;
  }
  return best;
}

}  // namespace headroom
