// What the host has written for a step, from page-locked memory to where kernels read it. Blocks: (any number, copies).
// Example: copy 2 is the cosines and sines of one row, 128 words.
#include "backend/cuda/kernel_limits.h"
#include "lib/params.cuh"

namespace headroom::cuda {

KERNEL(copy_inputs, kCopyInputsThreads, CopyInputsParams) {
  const u32 n_words = p.n_words[block_y()];
  const u32* from = reinterpret_cast<const u32*>(p.from[block_y()]);
  u32* to = reinterpret_cast<u32*>(p.to[block_y()]);
  for (u32 i = block_x() * kCopyInputsThreads + thread_index(); i < n_words; i += grid_x() * kCopyInputsThreads)
    to[i] = from[i];
}

}  // namespace headroom::cuda
