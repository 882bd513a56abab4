// Rows of f32 as int8. Blocks: (groups of 32 elements / 16, rows).
#include "backend/cuda/kernel_limits.h"
#include "lib/int8.cuh"

namespace headroom::cuda {
namespace {

using EncodeWords = args::EncodePush;

}  // namespace

KERNEL(encode, kEncodeThreads, Params<EncodeWords>) {
  const u32 group = block_x() * (kEncodeThreads / kEncodeTeam) + thread_index() / kEncodeTeam,
            word = thread_index() % kEncodeTeam;
  const std::uint64_t of_row = std::uint64_t{block_y()} * p.words.n_groups + group;
  const bool is_there = group < p.words.n_groups;
  Four elems{};
  for (u32 i = 0; i < 4 && is_there; ++i) elems.of[i] = buffer<const float>(p, 3)[of_row * 32 + 4 * word + i];
  put_group(buffer<u32>(p, 4) + of_row * kGroupWords, elems, is_there);
}

}  // namespace headroom::cuda
