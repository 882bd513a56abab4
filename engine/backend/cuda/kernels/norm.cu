// RMS norm of rows, or rows as they are: into other rows, as f32, int8 or f16, or added to the residual. Blocks: (norms
// of a row of the step, rows).
#include "lib/half.cuh"
#include "lib/int8.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kThreads = 256;

using NormWords = args::KernelArgs<args::NormConstants, args::NormPush>;
constexpr u32 kInt8 = 1, kHalf = 2;  // enum class Encoding

// What elements are multiplied by, of their squares' sum.
DEVICE float factor_of(const NormWords& words, float sum) {
  return words.is_normed == 0 ? 1 : 1 / sqrtf(sum / static_cast<float>(words.n_cols) + words.epsilon);
}

DEVICE float sum_of_squares(const float4& quad) {
  return quad.x * quad.x + quad.y * quad.y + quad.z * quad.z + quad.w * quad.w;
}

// Quads that a thread holds of a row, with their weights and what they are added to: all that is read of the row is
// under way at once.
constexpr u32 kHeld = 8;

// A row of so few elements, as int8 or as f32. A quad of a group's eight is a thread's, as put_group() has them.
DEVICE void norm_held(const Params<NormWords>& p, const float* from, u32 row, auto& room) {
  const NormWords& words = p.words;
  const u32 thread = thread_index(), n_quads = words.n_cols / 4;
  const bool is_int8 = words.encoding == kInt8, is_added = !is_int8 && words.is_added != 0;
  const auto* quads = reinterpret_cast<const float4*>(from);
  const auto* weights = reinterpret_cast<const float4*>(buffer<const float>(p, 1));
  float4* to = buffer<float4>(p, 4) + std::uint64_t{row} * n_quads;
  u32* groups = buffer<u32>(p, 4) + std::uint64_t{row} * (words.n_cols / 32) * kGroupWords;
  const float4 zeros = make_float4(0, 0, 0, 0), ones = make_float4(1, 1, 1, 1);
  const bool has_weight = words.has_weight != 0;
  float4 held[kHeld], by[kHeld], before[kHeld];
#pragma unroll
  for (u32 i = 0; i < kHeld; ++i) {
    const u32 quad = thread + i * kThreads;
    held[i] = quad < n_quads ? quads[quad] : zeros;
    by[i] = !has_weight ? ones : quad < n_quads ? weights[quad] : zeros;
    before[i] = quad < n_quads && is_added ? to[quad] : zeros;
  }
  float sum = 0;
#pragma unroll
  for (u32 i = 0; i < kHeld; ++i) sum += sum_of_squares(held[i]);
  sum = block_sum<kThreads>(room, sum);
  const float factor = factor_of(words, sum);
  const float scale = is_added ? words.scale : 1;
#pragma unroll
  for (u32 i = 0; i < kHeld; ++i) {
    const u32 quad = thread + i * kThreads;
    if (i * kThreads >= n_quads) break;  // of the whole block
    const Four normed{held[i].x * factor * by[i].x, held[i].y * factor * by[i].y, held[i].z * factor * by[i].z,
                      held[i].w * factor * by[i].w};
    if (is_int8) {
      put_group(groups + quad / 8 * kGroupWords, normed, quad < n_quads);
    } else if (quad < n_quads) {
      to[quad] = make_float4((before[i].x + normed.of[0]) * scale, (before[i].y + normed.of[1]) * scale,
                             (before[i].z + normed.of[2]) * scale, (before[i].w + normed.of[3]) * scale);
    }
  }
}

// Of this thread's elements. Those of several steps are under way at once: a row alone has little else to wait for.
DEVICE float sum_of_squares(const float* from, u32 n_cols) {
  constexpr u32 kAhead = 4;
  float sum = 0;
  if (n_cols % 4 != 0) {
    for (u32 i = thread_index(); i < n_cols; i += kThreads) sum += from[i] * from[i];
    return sum;
  }
  const auto* quads = reinterpret_cast<const float4*>(from);
  for (u32 first = thread_index(); first < n_cols / 4; first += kAhead * kThreads) {
    float4 ahead[kAhead];
#pragma unroll
    for (u32 i = 0; i < kAhead; ++i) ahead[i] = quads[smaller(first + i * kThreads, n_cols / 4 - 1)];
#pragma unroll
    for (u32 i = 0; i < kAhead; ++i) {
      const float4& quad = ahead[i];
      if (first + i * kThreads < n_cols / 4) sum += sum_of_squares(quad);
    }
  }
  return sum;
}

}  // namespace

KERNEL(rms_norm, kThreads, Params<NormWords>) {
  SHARED(float, room, kThreads / kWarp);
  const NormWords& words = p.words;
  const u32 row = block_y() * words.n_per_row + block_x(), thread = thread_index();
  const u32 from_row = words.is_gathered != 0 ? inputs_of(p)[words.logit_rows_at + row] : row;
  const float* from = buffer<const float>(p, 3) + std::uint64_t{from_row} * words.n_cols;
  const float* weight = buffer<const float>(p, 1);
  if (words.encoding != kHalf && words.n_cols % 4 == 0 && words.n_cols <= 4 * kHeld * kThreads) {
    norm_held(p, from, row, room);
    return;
  }
  const float sum = block_sum<kThreads>(room, sum_of_squares(from, words.n_cols));
  const float factor = factor_of(words, sum);
  const bool has_weight = words.has_weight != 0;
  const auto by_weight = [&](u32 i) { return has_weight ? weight[i] : 1; };
  if (words.encoding == kInt8) {
    const u32 n_groups = words.n_cols / 32;
    u32* to = buffer<u32>(p, 4) + std::uint64_t{row} * n_groups * kGroupWords;
    for (u32 base = 0; base < n_groups; base += kThreads / 8) {
      const u32 group = base + thread / 8, i = group * 32 + thread % 8 * 4;
      Four normed{};
      if (group < n_groups) {
        const float4 quad = *reinterpret_cast<const float4*>(from + i),
                     by = has_weight ? *reinterpret_cast<const float4*>(weight + i) : make_float4(1, 1, 1, 1);
        normed = {quad.x * factor * by.x, quad.y * factor * by.y, quad.z * factor * by.z, quad.w * factor * by.w};
      }
      put_group(to + group * kGroupWords, normed, group < n_groups);
    }
    return;
  }
  if (words.encoding == kHalf) {
    float most = 0;
    for (u32 i = thread; i < words.n_cols; i += kThreads) most = fmaxf(most, fabsf(from[i] * factor * by_weight(i)));
    BARRIER();  // the sum has been read
    const float scale = scale_of_row<kThreads>(room, most, words.half_exponent), inverse = inverse_of(scale);
    u32* to = buffer<u32>(p, 4) + std::uint64_t{row} * words.n_cols;
    for (u32 i = 2 * thread; i < words.n_cols; i += 2 * kThreads)
      to[i / 2] = floats_to_halves(inverse * (from[i] * factor * by_weight(i)),
                                   inverse * (from[i + 1] * factor * by_weight(i + 1)));
    if (thread == 0) to[words.n_cols / 2] = bits_of(scale);
    return;
  }
  float* to = buffer<float>(p, 4) + std::uint64_t{row} * words.n_cols;
  for (u32 i = thread; i < words.n_cols; i += kThreads) {
    const float normed = from[i] * factor * by_weight(i);
    to[i] = words.is_added != 0 ? (to[i] + normed) * words.scale : normed;
  }
}

}  // namespace headroom::cuda
