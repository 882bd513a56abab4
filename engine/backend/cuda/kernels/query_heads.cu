// Queries are finished where they stand. Blocks: (heads, rows).
#include "lib/heads.cuh"

namespace headroom::cuda {

KERNEL(query_heads, kHeadThreads, HeadsParams) {
  SHARED(float, head, kMostHeadDim);
  SHARED(float, room, kHeadThreads / kWarp);
  finish_head(p, head, room, false);
  const u32 head_dim = p.words.head_dim;
  float* to = buffer<float>(p, 4) + (std::uint64_t{block_y()} * p.words.n_heads + block_x()) * head_dim;
  for (u32 i = thread_index(); i < head_dim; i += kHeadThreads) to[i] = head[i];
}

}  // namespace headroom::cuda
