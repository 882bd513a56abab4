// What happens to a head between its product and its use: norm, RoPE, balance and rotation. Blocks: (heads, rows).
#pragma once

#include "lib/cache.cuh"
#include "lib/numbers.cuh"
#include "lib/reduce.cuh"
#include "lib/rotate.cuh"

namespace headroom::cuda {

inline constexpr u32 kHeadThreads = 64, kMostHeadDim = 1024;
inline constexpr u32 kBeforeRotation = 1, kBehindRotation = 2;  // enum class HeadNorm

struct HeadsWords : args::KernelArgs<args::HeadsConstants, args::HeadsPush> {
  u32 is_query;  // else keys or values
};
using HeadsParams = Params<HeadsWords>;

DEVICE void norm_head(const HeadsParams& p, auto& head, auto& room) {
  const u32 head_dim = p.words.head_dim;
  float sum = 0;
  for (u32 i = thread_index(); i < head_dim; i += kHeadThreads) {
    const float elem = head[i];
    sum += elem * elem;
  }
  const float of_head = block_sum<kHeadThreads>(room, sum);
  const float factor = 1 / sqrtf(of_head / static_cast<float>(head_dim) + p.words.epsilon);
  for (u32 i = thread_index(); i < head_dim; i += kHeadThreads)
    head[i] = head[i] * (p.words.is_value != 0 ? factor : factor * buffer<const float>(p, 1)[i]);
  BARRIER();
}

// The inputs have cosines and sines of each row.
DEVICE void turn_head(const HeadsParams& p, auto& head) {
  const u32 n_pairs = p.words.rope_dim / 2;
  const u32* of_row = inputs_of(p) + p.words.rope_at + block_y() * p.words.rope_dim;
  for (u32 pair = thread_index(); pair < n_pairs; pair += kHeadThreads) {
    const u32 i = p.words.turns_neighbours != 0 ? 2 * pair : pair;
    const u32 j = p.words.turns_neighbours != 0 ? i + 1 : pair + n_pairs;
    const float cosine = float_of(of_row[pair]), sine = float_of(of_row[n_pairs + pair]);
    const float x = head[i], y = head[j];
    head[i] = x * cosine - y * sine;
    head[j] = x * sine + y * cosine;
  }
  BARRIER();
}

// Reads a head of this block's row, and leaves it in shared memory as it is used. Keys are divided by the balance that
// queries are multiplied with.
DEVICE void finish_head(const HeadsParams& p, u32 of_heads, auto& head, auto& room) {
  const HeadsWords& words = p.words;
  const float* from =
      buffer<const float>(p, 4) + (std::uint64_t{block_y()} * words.n_heads + of_heads) * words.head_dim;
  for (u32 i = thread_index(); i < words.head_dim; i += kHeadThreads) head[i] = from[i];
  BARRIER();
  if (words.norms == kBeforeRotation) norm_head(p, head, room);
  if (words.is_value == 0) turn_head(p, head);
  if (words.norms == kBehindRotation) norm_head(p, head, room);
  if (words.is_balanced != 0) {  // see model/key_balance.h; such keys are rotated
    const float* balance = buffer<const float>(p, 2) + words.balance_at + of_heads / words.group * words.head_dim;
    for (u32 i = thread_index(); i < words.head_dim; i += kHeadThreads)
      head[i] = words.is_query != 0 ? head[i] * balance[i] : head[i] / balance[i];
  }
  if (words.is_rotated != 0) rotate_head<kHeadThreads>(head, words.head_dim);
}

}  // namespace headroom::cuda
