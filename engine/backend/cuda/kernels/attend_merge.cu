// What comes behind attend.cu: the results of the splits of a row's keys are added up, and heads of rotated values
// turned back. They are left as int8 where they are read so. Blocks: (query heads, rows).
#include "backend/cuda/kernel_limits.h"
#include "lib/heads.cuh"
#include "lib/int8.cuh"
#include "lib/splits.cuh"

namespace headroom::cuda {
namespace {

using AttendMergeWords = args::KernelArgs<args::AttendMergeConstants, args::AttendMergePush>;
using AttendMergeParams = Params<AttendMergeWords>;

// Results of splits that a thread has asked for at once: they are far away, and each is read once.
constexpr u32 kAtOnce = 16;

DEVICE void add_splits(const AttendMergeParams& p, auto& result, auto& weights, auto& room, u32 row) {
  const AttendMergeWords& words = p.words;
  const u32* inputs = inputs_of(p);
  const float* partial = buffer<const float>(p, 3);
  const float* shares = partial + words.shares_at;
  const u32 n_rows = step_rows(inputs), position = step_row(inputs, words.rows_at, row).position;
  const u32 n = splits_of(words.row_splits, n_rows, words.window, position).n;
  const std::uint64_t first = std::uint64_t{row * most_splits(words.row_splits, n_rows)} * words.n_heads + block_x();
  float most = shares[first * 2], total = 0;
  for (u32 i = thread_index(); i < n; i += kHeadThreads) most = fmaxf(most, shares[(first + i * words.n_heads) * 2]);
  most = block_max<kHeadThreads>(room, most);
  for (u32 i = thread_index(); i < n; i += kHeadThreads) {
    const std::uint64_t at = (first + i * words.n_heads) * 2;
    const float weight = exp_of(shares[at] - most);
    weights[i] = weight;
    total += weight * shares[at + 1];
  }
  BARRIER();  // the weights are there, and the maxima have been read
  total = block_sum<kHeadThreads>(room, total);
  const std::uint64_t stride = std::uint64_t{words.n_heads} * words.head_dim;
  for (u32 col = thread_index(); col < words.head_dim; col += kHeadThreads) {
    const float* from = partial + first * words.head_dim + col;
    float sum = 0;
#pragma unroll 1
    for (u32 i = 0; i < n; i += kAtOnce) {
      float parts[kAtOnce];
#pragma unroll
      for (u32 k = 0; k < kAtOnce; ++k) parts[k] = i + k < n ? from[(i + k) * stride] : 0;
#pragma unroll
      for (u32 k = 0; k < kAtOnce; ++k)
        if (i + k < n) sum += weights[i + k] * parts[k];
    }
    result[col] = sum / total;
  }
}

}  // namespace

KERNEL(attend_merge, kHeadThreads, AttendMergeParams) {
  SHARED(float, result, kMostHeadDim);
  SHARED(float, weights, kMostAttendSplits);
  SHARED(float, room, kHeadThreads / kWarp);
  const AttendMergeWords& words = p.words;
  const u32 row = words.first_row + block_y();
  float* attended = buffer<float>(p, 4) + (std::uint64_t{row} * words.n_heads + block_x()) * words.head_dim;
  if (words.is_split != 0) {
    add_splits(p, result, weights, room, row);
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
