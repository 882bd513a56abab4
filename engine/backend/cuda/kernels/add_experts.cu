// What its experts made of each row, times their weights: into a row, or added to it. Blocks: (columns / 128, rows).
#include "backend/cuda/kernel_limits.h"
#include "lib/params.cuh"

namespace headroom::cuda {
namespace {

using AddExpertsWords = args::AddExpertsPush;

}  // namespace

KERNEL(add_experts, kAddThreads, Params<AddExpertsWords>) {
  const u32 n_cols = p.words.n_cols, n_used = p.words.n_used;
  const u32 col = block_x() * kAddThreads + thread_index(), row = block_y();
  if (col >= n_cols) return;
  float sum = 0;
  for (u32 choice = row * n_used; choice < (row + 1) * n_used; ++choice)
    sum += buffer<const float>(p, 6)[choice] * buffer<const float>(p, 3)[std::uint64_t{choice} * n_cols + col];
  float* to = buffer<float>(p, 4) + std::uint64_t{row} * n_cols + col;
  *to = p.words.is_added != 0 ? *to + sum : sum;
}

}  // namespace headroom::cuda
