// What comes behind attend.cu: the results of the splits of a row's keys are added up, and heads of rotated values
// turned back. They are left as int8 where they are read so. Blocks: (query heads, rows).
#include "lib/heads.cuh"
#include "lib/int8.cuh"
#include "lib/splits.cuh"

namespace headroom::cuda {
namespace {

using AttendMergeWords = args::KernelArgs<args::AttendMergeConstants, args::AttendMergePush>;
using AttendMergeParams = Params<AttendMergeWords>;

// Each thread counts for itself: splits are few.
DEVICE void add_splits(const AttendMergeParams& p, auto& result, u32 row) {
  const AttendMergeWords& words = p.words;
  const u32* inputs = inputs_of(p);
  const float* partial = buffer<const float>(p, 3);
  const float* shares = partial + words.shares_at;
  const u32 n_rows = step_rows(inputs), position = step_row(inputs, words.rows_at, row).position;
  const u32 n = splits_of(words.row_splits, n_rows, words.window, position).n;
  const std::uint64_t first = std::uint64_t{row * most_splits(words.row_splits, n_rows)} * words.n_heads + block_x();
  float most = shares[first * 2], total = 0;
  for (u32 i = 1; i < n; ++i) most = fmaxf(most, shares[(first + i * words.n_heads) * 2]);
  for (u32 i = 0; i < n; ++i) {
    const std::uint64_t at = first + i * words.n_heads;
    total += exp_of(shares[at * 2] - most) * shares[at * 2 + 1];
  }
  for (u32 col = thread_index(); col < words.head_dim; col += kHeadThreads) {
    float sum = 0;
    for (u32 i = 0; i < n; ++i) {
      const std::uint64_t at = first + i * words.n_heads;
      sum += exp_of(shares[at * 2] - most) * partial[at * words.head_dim + col];
    }
    result[col] = sum / total;
  }
}

}  // namespace

KERNEL(attend_merge, kHeadThreads, AttendMergeParams) {
  SHARED(float, result, kMostHeadDim);
  const AttendMergeWords& words = p.words;
  const u32 row = words.first_row + block_y();
  float* attended = buffer<float>(p, 4) + (std::uint64_t{row} * words.n_heads + block_x()) * words.head_dim;
  if (words.is_split != 0) {
    add_splits(p, result, row);
  } else {
    for (u32 col = thread_index(); col < words.head_dim; col += kHeadThreads) result[col] = attended[col];
  }
  BARRIER();
  if (words.is_rotated != 0) unrotate_head<kHeadThreads>(result, words.head_dim);
  if (words.encodes == 0) {
    for (u32 col = thread_index(); col < words.head_dim; col += kHeadThreads) attended[col] = result[col];
    return;
  }
  BARRIER();
  const u32 n_groups = words.head_dim / 32, word = thread_index() % 8;
  u32* to = buffer<u32>(p, 5) + (std::uint64_t{row} * words.n_heads + block_x()) * n_groups * kGroupWords;
  for (u32 base = 0; base < n_groups; base += kHeadThreads / 8) {
    const u32 group = base + thread_index() / 8;
    Four elems{};
    for (u32 i = 0; i < 4 && group < n_groups; ++i) elems.of[i] = result[group * 32 + 4 * word + i];
    put_group(to + group * kGroupWords, elems, group < n_groups);
  }
}

}  // namespace headroom::cuda
