// What a delta net makes of the products of a row: the convolution with SiLU, the length of keys and queries, and the
// rates of each value head. Blocks: (heads of queries, keys and values, and one for the rates; rows, or slots of the
// step where it keeps what the next one sees).
#include "lib/numbers.cuh"
#include "lib/reduce.cuh"
#include "lib/runs.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kThreads = 64;

using DeltaMixWords = args::KernelArgs<args::DeltaMixConstants, args::DeltaMixPush>;
using DeltaMixParams = Params<DeltaMixWords>;

DEVICE u32 q_dim(const DeltaMixWords& words) { return words.n_key_heads * words.key_dim; }
DEVICE u32 v_dim(const DeltaMixWords& words) { return words.n_value_heads * words.value_dim; }
DEVICE u32 n_channels(const DeltaMixWords& words) { return 2 * q_dim(words) + v_dim(words); }

// Where a head's elements are: among the products of their kind, of which a row has `width`, and among the channels.
struct Place {
  u32 products_at, width, channel, dim;
};

DEVICE Place place_of(const DeltaMixWords& words, u32 of_heads) {
  if (of_heads < words.n_key_heads) {
    const u32 first = of_heads * words.key_dim;
    return {first, q_dim(words), first, words.key_dim};
  }
  if (of_heads < 2 * words.n_key_heads) {
    const u32 first = (of_heads - words.n_key_heads) * words.key_dim;
    return {words.keys_at + first, q_dim(words), q_dim(words) + first, words.key_dim};
  }
  const u32 first = (of_heads - 2 * words.n_key_heads) * words.value_dim;
  return {words.values_at + first, v_dim(words), 2 * q_dim(words) + first, words.value_dim};
}

DEVICE SeenRow row_of(const DeltaMixParams& p, u32 row) {
  return seen_row(inputs_of(p), p.words.rows_at, p.words.conv_width, row);
}

// Element i of the row that is `back` before this one: of this step, of an earlier one, or before the first.
DEVICE float seen(const DeltaMixParams& p, const Place& place, u32 i, const SeenRow& at, u32 back) {
  if (back <= at.n_before)
    return buffer<const float>(p, 3)[place.products_at + std::uint64_t{at.row - back} * place.width + i];
  if (at.position < back) return 0;
  return buffer<const float>(p, 5)[kept_row(at, p.words.conv_width, back) * n_channels(p.words) + place.channel + i];
}

DEVICE float convolved(const DeltaMixParams& p, const Place& place, u32 i, const SeenRow& at) {
  const DeltaMixWords& words = p.words;
  float sum = 0;
  for (u32 tap = 0; tap < words.conv_width; ++tap)
    sum += buffer<const float>(p, 1)[tap * n_channels(words) + place.channel + i] *
           seen(p, place, i, at, words.conv_width - 1 - tap);
  return silu(sum);
}

DEVICE void compute_head(const DeltaMixParams& p, const Place& place, u32 row, auto& room) {
  const DeltaMixWords& words = p.words;
  const SeenRow at = row_of(p, row);
  float* to = buffer<float>(p, 4) + std::uint64_t{row} * n_channels(words) + place.channel;
  if (place.channel >= 2 * q_dim(words)) {
    for (u32 i = thread_index(); i < place.dim; i += kThreads) to[i] = convolved(p, place, i, at);
    return;
  }
  float squares = 0;
  for (u32 i = thread_index(); i < place.dim; i += kThreads) {
    const float x = convolved(p, place, i, at);
    to[i] = x;
    squares += x * x;
  }
  const float length = sqrtf(block_sum<kThreads>(room, squares) + words.epsilon);
  const float factor = 1 / (place.channel < q_dim(words) ? length * sqrtf(static_cast<float>(words.key_dim)) : length);
  for (u32 i = thread_index(); i < place.dim; i += kThreads) to[i] *= factor;
  BARRIER();  // the sum has been read, before the next row's is written
}

// After the last of a slot's rows. What is read stands behind what is written.
DEVICE void keep_head(const DeltaMixParams& p, const Place& place, u32 row) {
  const SeenRow at = row_of(p, row);
  const u32 n_kept = p.words.conv_width - 1;
  float* to = buffer<float>(p, 5) + std::uint64_t{at.slot} * n_kept * n_channels(p.words) + place.channel;
  for (u32 i = thread_index(); i < place.dim; i += kThreads) {
    for (u32 kept = 0; kept < n_kept; ++kept)
      to[std::uint64_t{kept} * n_channels(p.words) + i] = seen(p, place, i, at, n_kept - 1 - kept);
  }
}

DEVICE void compute_rates(const DeltaMixParams& p, u32 row) {
  const DeltaMixWords& words = p.words;
  const float* products = buffer<const float>(p, 3) + std::uint64_t{row} * words.n_value_heads;
  float* to = buffer<float>(p, 7) + std::uint64_t{row} * 2 * words.n_value_heads;
  for (u32 i = thread_index(); i < words.n_value_heads; i += kThreads) {
    const float x = products[words.alphas_at + i] + buffer<const float>(p, 6)[i];
    to[i] = buffer<const float>(p, 2)[i] * (x > 20 ? x : log1pf(exp_of(x)));
    to[words.n_value_heads + i] = 1 / (1 + exp_of(-products[words.betas_at + i]));
  }
}

}  // namespace

KERNEL(delta_mix, kThreads, DeltaMixParams) {
  SHARED(float, room, kThreads / kWarp);
  const DeltaMixWords& words = p.words;
  const u32* inputs = inputs_of(p);
  const bool is_head = block_x() < 2 * words.n_key_heads + words.n_value_heads;
  u32 first = block_y(), end = first + 1;
  if (words.keeps != 0) {
    first = run_begin(inputs, words.rows_at, block_y());
    end = run_begin(inputs, words.rows_at, block_y() + 1);
    if (first == end) return;
  }
  const Place place = place_of(words, is_head ? block_x() : 0);
  for (u32 row = first; words.computes != 0 && row < end; ++row) {
    if (is_head) {
      compute_head(p, place, row, room);
    } else {
      compute_rates(p, row);
    }
  }
  if (words.keeps != 0 && is_head) keep_head(p, place, end - 1);
}

}  // namespace headroom::cuda
