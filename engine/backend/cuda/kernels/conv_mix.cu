// What a short convolution makes of the products of a row: gate * sum of tap * (input * factor) over the row and those
// before it. Blocks: (64 channels each; rows, or slots of the step where it keeps what the next one sees).
#include "lib/runs.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kThreads = 64;

using ConvMixWords = args::KernelArgs<args::ConvMixConstants, args::ConvMixPush>;
using ConvMixParams = Params<ConvMixWords>;

// What went in at the row that is `back` before this one: of this step, of an earlier one, or before the first.
DEVICE float seen(const ConvMixParams& p, u32 channel, const SeenRow& at, u32 back) {
  const u32 n = p.words.n_channels;
  if (back <= at.n_before) {
    const std::uint64_t elem = std::uint64_t{at.row - back} * n + channel;
    return buffer<const float>(p, 3)[elem] * buffer<const float>(p, 2)[elem];
  }
  return at.position < back ? 0 : buffer<const float>(p, 5)[kept_row(at, p.words.width, back) * n + channel];
}

}  // namespace

KERNEL(conv_mix, kThreads, ConvMixParams) {
  const ConvMixWords& words = p.words;
  const u32* inputs = inputs_of(p);
  const u32 n = words.n_channels, channel = block_x() * kThreads + thread_index();
  u32 first = block_y(), end = first + 1;
  if (words.keeps != 0) {
    first = run_begin(inputs, words.rows_at, block_y());
    end = run_begin(inputs, words.rows_at, block_y() + 1);
  }
  if (channel >= n || first == end) return;
  for (u32 row = first; words.computes != 0 && row < end; ++row) {
    const SeenRow at = seen_row(inputs, words.rows_at, words.width, row);
    float sum = 0;
    for (u32 tap = 0; tap < words.width; ++tap)
      sum += buffer<const float>(p, 1)[tap * n + channel] * seen(p, channel, at, words.width - 1 - tap);
    const std::uint64_t elem = std::uint64_t{row} * n + channel;
    buffer<float>(p, 4)[elem] = buffer<const float>(p, 6)[elem] * sum;
  }
  if (words.keeps == 0) return;
  // After the last of a slot's rows. What is read stands behind what is written.
  const SeenRow at = seen_row(inputs, words.rows_at, words.width, end - 1);
  const u32 n_kept = words.width - 1;
  for (u32 kept = 0; kept < n_kept; ++kept) {
    buffer<float>(p, 5)[(std::uint64_t{at.slot} * n_kept + kept) * n + channel] =
        seen(p, channel, at, n_kept - 1 - kept);
  }
}

}  // namespace headroom::cuda
