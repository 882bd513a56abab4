// Rows of f32 become f16 where they stand. Blocks: (1, rows).
#include "lib/half.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kThreads = 256;

using EncodeHalfWords = args::EncodeHalfPush;

}  // namespace

KERNEL(encode_half, kThreads, Params<EncodeHalfWords>) {
  SHARED(float, room, kThreads / kWarp);
  const u32 thread = thread_index(), n_cols = p.words.n_cols;
  float* row = buffer<float>(p, 4) + std::uint64_t{block_y()} * n_cols;
  u32* words = buffer<u32>(p, 4) + std::uint64_t{block_y()} * n_cols;
  float most = 0;
  for (u32 i = thread; i < n_cols; i += kThreads) most = fmaxf(most, fabsf(row[i]));
  const float scale = scale_of_row<kThreads>(room, most, p.words.half_exponent), inverse = inverse_of(scale);
  // A word goes where one stood that has been read: pairs come in order, some for each thread, and the words of a round
  // end before the pairs of the next begin.
  for (u32 base = 0; base < n_cols; base += 2 * kThreads) {
    const u32 i = base + 2 * thread;
    float low = 0, high = 0;
    if (i < n_cols) low = row[i], high = row[i + 1];
    BARRIER();
    if (i < n_cols) words[i / 2] = floats_to_halves(inverse * low, inverse * high);
  }
  if (thread == 0) row[n_cols / 2] = scale;
}

}  // namespace headroom::cuda
