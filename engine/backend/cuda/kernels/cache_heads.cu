// Keys or values are finished and go into the cache. Blocks: (heads, rows).
#include "lib/heads.cuh"

namespace headroom::cuda {
namespace {

// Rows stand at even bytes.
DEVICE void put_half(std::uint8_t* at, u32 bits) {
  *reinterpret_cast<std::uint16_t*>(at) = static_cast<std::uint16_t>(bits);
}

DEVICE u32 scale_bits(float scale) { return float_to_half(fminf(fmaxf(scale, -65504.0F), 65504.0F)); }

// A row that does not end on a block is padded with zeros.
DEVICE float elem_or_0(auto& head, u32 head_dim, u32 i) { return i < head_dim ? static_cast<float>(head[i]) : 0; }

DEVICE void put_q8_block(auto& head, u32 head_dim, u32 first, std::uint8_t* to) {
  float most = 0;
  for (u32 i = 0; i < 32; ++i) most = fmaxf(most, fabsf(elem_or_0(head, head_dim, first + i)));
  const float scale = most / 127, inverse = inverse_of(scale);
  put_half(to, scale_bits(scale));
  for (u32 i = 0; i < 32; i += 2) {
    u32 bits = 0;
    for (u32 k = 0; k < 2; ++k) {
      const float code = elem_or_0(head, head_dim, first + i + k) * inverse;
      const float rounded = fminf(floorf(fabsf(code) + 0.5F), 127.0F);
      bits |= (static_cast<u32>(static_cast<int>(code < 0 ? -rounded : rounded)) & 255U) << (8 * k);
    }
    put_half(to + 2 + i, bits);
  }
}

DEVICE float q4_code(float x, float shift) { return rintf(fminf(fmaxf(x - shift, -8.0F), 7.0F)); }

// The element of largest magnitude.
DEVICE float extreme_of(auto& head, u32 head_dim, u32 first) {
  float extreme = 0;
  for (u32 i = 0; i < 32; ++i) {
    const float x = elem_or_0(head, head_dim, first + i);
    if (fabsf(x) > fabsf(extreme)) extreme = x;
  }
  return extreme;
}

// The scale of the six that leaves least squared error: see encode_kv_row().
DEVICE void put_q4_block(auto& head, u32 head_dim, u32 first, float shift, std::uint8_t* to) {
  const float extreme = extreme_of(head, head_dim, first);
  float best_gain = 0, best_inverse = 0, best_scale = 0;
  for (u32 tried = 0; tried < 6; ++tried) {
    const float divisor = tried == 0   ? 6.6F
                          : tried == 1 ? 7.0F
                          : tried == 2 ? 7.4F
                          : tried == 3 ? 7.8F
                          : tried == 4 ? 8.2F
                                       : 8.6F;
    const float inverse = inverse_of(extreme / -divisor);
    float code_x = 0, code2 = 0;
    for (u32 i = 0; i < 32; ++i) {
      const float x = elem_or_0(head, head_dim, first + i), code = q4_code(x * inverse, shift) + shift;
      code_x += code * x;
      code2 += code * code;
    }
    const float gain = code2 > 0 ? code_x * code_x / code2 : 0;
    if (gain > best_gain) {
      best_gain = gain;
      best_inverse = inverse;
      best_scale = code_x / code2;
    }
  }
  put_half(to, scale_bits(best_scale));
  for (u32 i = 0; i < 16; i += 2) {
    u32 bits = 0;
    for (u32 k = 0; k < 2; ++k) {
      const float low = q4_code(elem_or_0(head, head_dim, first + i + k) * best_inverse, shift) + 8;
      const float high = q4_code(elem_or_0(head, head_dim, first + i + k + 16) * best_inverse, shift) + 8;
      bits |= (static_cast<u32>(low) | static_cast<u32>(high) << 4) << (8 * k);
    }
    put_half(to + 2 + i, bits);
  }
}

// The element of largest magnitude becomes -8: see encode_row().
DEVICE void put_plain_q4_block(auto& head, u32 head_dim, u32 first, std::uint8_t* to) {
  const float scale = extreme_of(head, head_dim, first) / -8, inverse = inverse_of(scale);
  put_half(to, scale_bits(scale));
  const auto code = [&](u32 i) {
    return static_cast<u32>(fminf(fmaxf(elem_or_0(head, head_dim, i) * inverse + 8.5F, 0.0F), 15.0F));
  };
  for (u32 i = 0; i < 16; i += 2) {
    u32 bits = 0;
    for (u32 k = 0; k < 2; ++k) bits |= (code(first + i + k) | code(first + i + k + 16) << 4) << (8 * k);
    put_half(to + 2 + i, bits);
  }
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

}  // namespace

KERNEL(cache_heads, kHeadThreads, HeadsParams) {
  SHARED(float, head, kMostHeadDim);
  SHARED(float, room, kHeadThreads / kWarp);
  finish_head(p, head, room, true);
  const HeadsWords& words = p.words;
  const StepRow row = step_row(inputs_of(p), words.rows_at, block_y());
  const u32 head_dim = words.head_dim;
  std::uint8_t* to =
      buffer<std::uint8_t>(p, 5) + cache_row(words.rows, row.slot, words.n_heads, block_x(), row.position);
  if (words.cache_type == kF32) {
    for (u32 i = thread_index(); i < head_dim; i += kHeadThreads) reinterpret_cast<float*>(to)[i] = head[i];
  } else if (words.cache_type == kF16) {
    put_halves(head, head_dim, to);
  } else if (words.cache_type == kQ8_0) {
    for (u32 first = thread_index() * 32; first < head_dim; first += kHeadThreads * 32)
      put_q8_block(head, head_dim, first, to + first / 32 * 34);
  } else if (words.cache_type == kQ4_0) {
    const float shift = words.has_shifts != 0 ? value_shift(row.position) : 0;
    for (u32 first = thread_index() * 32; first < head_dim; first += kHeadThreads * 32) {
      if (words.is_searched != 0) {
        put_q4_block(head, head_dim, first, shift, to + first / 32 * 18);
      } else {
        put_plain_q4_block(head, head_dim, first, to + first / 32 * 18);
      }
    }
  } else {
    put_fp8(head, room, head_dim, to);
  }
  if (words.rows.n_sinks + words.rows.n_ring == 0) return;
  put_halves(
      head, head_dim,
      buffer<std::uint8_t>(p, 6) + exact_row(words.rows, row.slot, words.n_heads, block_x(), row.position, head_dim));
}

}  // namespace headroom::cuda
