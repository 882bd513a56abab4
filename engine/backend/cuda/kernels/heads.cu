// Queries are finished where they stand; keys and values are, and go into the cache. Blocks: (heads of all three,
// rows).
#include "lib/grouped.cuh"
#include "lib/heads.cuh"

namespace headroom::cuda {
namespace {

// Rows stand at even bytes.
DEVICE void put_half(std::uint8_t* at, u32 bits) {
  *reinterpret_cast<std::uint16_t*>(at) = static_cast<std::uint16_t>(bits);
}

DEVICE u32 scale_bits(float scale) { return float_to_half(fminf(fmaxf(scale, -65504.0F), 65504.0F)); }

// Blocks of 32 elements: a warp has one, a lane an element. A row that does not end on a block is padded with zeros.
DEVICE void each_block(auto& head, u32 head_dim, auto put) {
  for (u32 block = warp_index(); block * kWarp < head_dim; block += kHeadThreads / kWarp) {
    const u32 i = block * kWarp + lane_index();
    put(block, i < head_dim ? static_cast<float>(head[i]) : 0);
  }
}

DEVICE void put_q8_block(float x, std::uint8_t* to) {
  const float scale = warp_max(fabsf(x)) / 127, code = x * inverse_of(scale);
  const float rounded = fminf(floorf(fabsf(code) + 0.5F), 127.0F);
  if (lane_index() == 0) put_half(to, scale_bits(scale));
  to[2 + lane_index()] = static_cast<std::uint8_t>(static_cast<int>(code < 0 ? -rounded : rounded));
}

DEVICE float q4_code(float x, float shift) { return rintf(fminf(fmaxf(x - shift, -8.0F), 7.0F)); }

// The first element of largest magnitude.
DEVICE float extreme_of(float x) {
  const float most = warp_max(fabsf(x));
  u32 first = fabsf(x) == most ? lane_index() : kWarp;
  for (u32 mask = kWarp / 2; mask > 0; mask /= 2) first = smaller(first, shuffle_xor(first, mask));
  return shuffle(x, first % kWarp);
}

// Of codes from 0 to 15. A byte has those of two elements, 16 apart.
DEVICE void put_q4_codes(float scale, u32 code, std::uint8_t* to) {
  const u32 other = shuffle_xor(code, 16);
  if (lane_index() == 0) put_half(to, scale_bits(scale));
  if (lane_index() < 16) to[2 + lane_index()] = static_cast<std::uint8_t>(code | other << 4);
}

// The scale of the six that leaves least squared error: see encode_kv_row().
DEVICE void put_q4_block(float x, float shift, std::uint8_t* to) {
  constexpr u32 kTried = 6;
  const float divisors[kTried] = {6.6F, 7.0F, 7.4F, 7.8F, 8.2F, 8.6F};
  const float extreme = extreme_of(x);
  float best_gain = 0, best_inverse = 0, best_scale = 0;
#pragma unroll
  for (u32 tried = 0; tried < kTried; ++tried) {
    const float inverse = inverse_of(extreme / -divisors[tried]), code = q4_code(x * inverse, shift) + shift;
    const float code_x = warp_sum(code * x), code2 = warp_sum(code * code);
    const float gain = code2 > 0 ? code_x * code_x / code2 : 0;
    if (gain > best_gain) {
      best_gain = gain;
      best_inverse = inverse;
      best_scale = code_x / code2;
    }
  }
  put_q4_codes(best_scale, static_cast<u32>(q4_code(x * best_inverse, shift) + 8), to);
}

// The element of largest magnitude becomes -8: see encode_row().
DEVICE void put_plain_q4_block(float x, std::uint8_t* to) {
  const float scale = extreme_of(x) / -8;
  put_q4_codes(scale, static_cast<u32>(fminf(fmaxf(x * inverse_of(scale) + 8.5F, 0.0F), 15.0F)), to);
}

DEVICE void put_fp8(auto& head, auto& room, u32 head_dim, std::uint8_t* to) {
  float most = 0;
  for (u32 i = thread_index(); i < head_dim; i += kHeadThreads) most = fmaxf(most, fabsf(head[i]));
  const u32 bits = scale_bits(block_max<kHeadThreads>(room, most) / 448);
  const float inverse = inverse_of(half_to_float(static_cast<std::uint16_t>(bits)));
  for (u32 i = thread_index(); i < head_dim; i += kHeadThreads)
    to[i] = static_cast<std::uint8_t>(float_to_e4m3(head[i] * inverse));
  if (thread_index() == 0) put_half(to + head_dim, bits);
}

DEVICE void put_halves(auto& head, u32 head_dim, std::uint8_t* to) {
  for (u32 i = thread_index(); i < head_dim; i += kHeadThreads) put_half(to + 2 * i, float_to_half(head[i]));
}

// Whether a later row of this step takes the row's place in the ring of the exact ends, which may be shorter than a
// step: both are written at the same time, and the newer one has to be there. Rows of a slot stand together, ascending.
DEVICE bool is_replaced(const HeadsParams& p, const StepRow& row) {
  const u32* inputs = inputs_of(p);
  const u32 later = block_y() + p.words.rows.n_ring;
  return row.position >= p.words.rows.n_sinks && later < step_rows(inputs) &&
         step_row(inputs, p.words.rows_at, later).slot == row.slot;
}

// Keys or values.
DEVICE void put_in_cache(const HeadsParams& p, u32 of_heads, auto& head, auto& room) {
  const HeadsWords& words = p.words;
  const StepRow row = step_row(inputs_of(p), words.rows_at, block_y());
  const u32 head_dim = words.head_dim;
  std::uint8_t* to =
      buffer<std::uint8_t>(p, 5) + cache_row(words.rows, row.slot, words.n_heads, of_heads, row.position);
  if (words.cache_type == kF32) {
    for (u32 i = thread_index(); i < head_dim; i += kHeadThreads) reinterpret_cast<float*>(to)[i] = head[i];
  } else if (words.cache_type == kF16) {
    put_halves(head, head_dim, to);
  } else if (words.cache_type == kQ8_0) {
    each_block(head, head_dim, [&](u32 block, float x) { put_q8_block(x, to + block * 34); });
  } else if (words.cache_type == kQ4_0) {
    const float shift = words.has_shifts != 0 ? value_shift(row.position) : 0;
    each_block(head, head_dim, [&](u32 block, float x) {
      if (words.is_searched != 0) {
        put_q4_block(x, shift, to + block * 18);
      } else {
        put_plain_q4_block(x, to + block * 18);
      }
    });
  } else {
    put_fp8(head, room, head_dim, to);
  }
  if (words.rows.n_sinks + words.rows.n_ring == 0 || is_replaced(p, row)) return;
  put_halves(
      head, head_dim,
      buffer<std::uint8_t>(p, 6) + exact_row(words.rows, row.slot, words.n_heads, of_heads, row.position, head_dim));
}

}  // namespace

KERNEL(heads, kHeadThreads, BatchedLaunch<HeadsWords>) {
  SHARED(float, head, kMostHeadDim);
  SHARED(float, room, kHeadThreads / kWarp);
  const u32 member = member_at(p, block_x()), of_heads = block_x() - p.firsts[member];
  const HeadsParams& of = p.members[member].params;
  finish_head(of, of_heads, head, room);
  if (of.words.is_query == 0) {
    put_in_cache(of, of_heads, head, room);
    return;
  }
  float* to = buffer<float>(of, 4) + (std::uint64_t{block_y()} * of.words.n_heads + of_heads) * of.words.head_dim;
  for (u32 i = thread_index(); i < of.words.head_dim; i += kHeadThreads) to[i] = head[i];
}

}  // namespace headroom::cuda
