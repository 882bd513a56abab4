// The largest logit of each block of 64 tokens, and of 1,024 the sum of exponentials relative to their largest. Blocks:
// (sum blocks, queries).
#include "lib/candidates.cuh"
#include "lib/reduce.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kBlocks = kRowSumBlock / kRowBlock, kEach = kRowSumBlock / kCandidateThreads;
constexpr u32 kThreadsOfBlock = kCandidateThreads / kBlocks;

DEVICE u32 larger(u32 a, u32 b) { return a > b ? a : b; }

}  // namespace

KERNEL(row_maxima, kCandidateThreads, CandidateParams) {
  SHARED(u32, orders, kRowSumBlock);
  SHARED(u32, of_blocks, kBlocks);
  SHARED(float, room, kCandidateThreads / kWarp);
  const u32 thread = thread_index(), first = block_x() * kRowSumBlock;
  const Query query = query_of(p, block_y());
  if (query.n_best == 0) return;  // the whole block
  const u32* logits = logits_of(p, query) + first;
  const u32 n = smaller(kRowSumBlock, p.words.n_vocab - first);
#pragma unroll
  for (u32 i = 0; i < kEach; ++i) {
    const u32 at = thread + i * kCandidateThreads;
    orders[at] = at < n ? order_of(logits[at]) : 0U;
  }
  BARRIER();
  u32 most = 0;
#pragma unroll
  for (u32 i = 0; i < kEach; ++i) most = larger(most, orders[thread * kEach + i]);
  for (u32 mask = kThreadsOfBlock / 2; mask > 0; mask /= 2) most = larger(most, shuffle_xor(most, mask));
  if (thread % kThreadsOfBlock == 0) {
    const u32 of = thread / kThreadsOfBlock, block = block_x() * kBlocks + of;
    of_blocks[of] = most;
    if (block < divide_up(p.words.n_vocab, kRowBlock)) maxima_of(p, block_y())[block] = most;
  }
  BARRIER();
  most = 0;
#pragma unroll
  for (u32 i = 0; i < kBlocks; ++i) most = larger(most, of_blocks[i]);
  const float base = float_of(logit_bits(most));
  float sum = 0;
#pragma unroll
  for (u32 i = 0; i < kEach; ++i) {
    const u32 order = orders[thread + i * kCandidateThreads];
    const float below = float_of(logit_bits(order)) - base;
    sum += order != 0 && below > -80 ? exp_of(below) : 0;
  }
  sum = block_sum<kCandidateThreads>(room, sum);
  if (thread != 0) return;
  u32* to = answer_of(p, block_y()) + p.words.sums_at + 2 * block_x();
  to[0] = bits_of(sum);
  to[1] = bits_of(base);
}

}  // namespace headroom::cuda
