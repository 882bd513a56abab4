// The choices of all rows by expert, in tiles of at most 64, so that an expert's matrix is read once for many rows.
// Tiles: their number, three words that nobody uses, four words for each (expert, its first choice, how many, 0), and
// where choices_at says the choices, those of a tile together. Blocks: (1, 1).
#include "backend/cuda/kernel_limits.h"
#include "lib/params.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kThreads = 256, kTileRows = 64;

using GroupExpertsWords = args::GroupExpertsPush;

}  // namespace

KERNEL(group_experts, kThreads, Params<GroupExpertsWords>) {
  SHARED(u32, counts, kMostExperts);
  SHARED(u32, firsts, kMostExperts);  // where the choices of an expert begin; then where its next one goes
  SHARED(u32, first_tiles, kMostExperts);
  const u32 thread = thread_index(), n_experts = p.words.n_experts;
  const u32 n_choices = step_rows(inputs_of(p)) * p.words.n_used;
  const u32* ids = buffer<const u32>(p, 3);
  u32* tiles = buffer<u32>(p, 4);
  for (u32 i = thread; i < n_experts; i += kThreads) counts[i] = 0U;
  BARRIER();
  for (u32 i = thread; i < n_choices; i += kThreads) ATOMIC_ADD(counts, ids[i], 1U);
  BARRIER();
  if (thread == 0) {
    u32 n_before = 0, n_tiles = 0;
    for (u32 i = 0; i < n_experts; ++i) {
      const u32 n = counts[i];
      firsts[i] = n_before;
      first_tiles[i] = n_tiles;
      n_before += n;
      n_tiles += divide_up(n, kTileRows);
    }
    tiles[0] = n_tiles;
  }
  BARRIER();
  for (u32 i = thread; i < n_experts; i += kThreads) {
    const u32 n = counts[i], first = firsts[i], first_tile = first_tiles[i];
    for (u32 from = 0; from < n; from += kTileRows) {
      u32* tile = tiles + 4 + 4 * (first_tile + from / kTileRows);
      tile[0] = i;
      tile[1] = first + from;
      tile[2] = smaller(kTileRows, n - from);
      tile[3] = 0;
    }
  }
  BARRIER();
  // In any order: what a row becomes does not depend on those beside it.
  for (u32 i = thread; i < n_choices; i += kThreads) tiles[p.words.choices_at + ATOMIC_ADD(firsts, ids[i], 1U)] = i;
}

}  // namespace headroom::cuda
