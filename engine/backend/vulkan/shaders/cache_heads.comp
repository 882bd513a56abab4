// Keys or values are finished and go into the cache. Groups: (heads, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 5) buffer Cache { uint cache[]; };
layout(set = 0, binding = 6) buffer Exact { uint exact[]; };  // the cache itself where there are no exact ends
#include "lib/heads.glsl"

const uint kQ8_0 = 3, kQ4_0 = 4, kF32 = 0, kF16 = 1;  // else FP8

// Two bytes at an even one. Rows share words, so that another thread may write the other half meanwhile.
void put_half(uint byte, uint bits) {
  const uint shift = (byte & 2u) * 8u;
  atomicAnd(cache[byte >> 2], ~(0xFFFFu << shift));
  atomicOr(cache[byte >> 2], bits << shift);
}

float safe_inverse(float x) {
  const float inverse = x == 0.0 ? 0.0 : 1.0 / x;
  return isinf(inverse) || isnan(inverse) ? 0.0 : inverse;
}

uint scale_bits(float scale) { return f32_to_f16(clamp(scale, -65504.0, 65504.0)); }

float at_or_0(uint i) { return i < kHeadDim ? head[i] : 0.0; }

void put_q8_block(uint at, uint first) {
  float largest = 0.0;
  for (uint i = 0u; i < 32u; ++i) largest = max(largest, abs(at_or_0(first + i)));
  const float scale = largest / 127.0, inverse = safe_inverse(scale);
  put_half(at, scale_bits(scale));
  for (uint i = 0u; i < 32u; i += 2u) {
    uint bits = 0u;
    [[unroll]] for (uint k = 0u; k < 2u; ++k) {
      const float code = at_or_0(first + i + k) * inverse;
      const float rounded = clamp(sign(code) * floor(abs(code) + 0.5), -127.0, 127.0);
      bits |= (uint(int(rounded)) & 255u) << (8u * k);
    }
    put_half(at + 2u + i, bits);
  }
}

float q4_code(float x, float shift) { return roundEven(clamp(x - shift, -8.0, 7.0)); }

// The scale of the six that leaves least squared error: see encode_kv_row().
void put_q4_block(uint at, uint first, float shift) {
  const float divisors[6] = float[6](6.6, 7.0, 7.4, 7.8, 8.2, 8.6);
  float extreme = 0.0;
  for (uint i = 0u; i < 32u; ++i) {
    const float x = at_or_0(first + i);
    if (abs(x) > abs(extreme)) extreme = x;
  }
  float best_gain = 0.0, best_inverse = 0.0, best_scale = 0.0;
  for (uint tried = 0u; tried < 6u; ++tried) {
    const float inverse = safe_inverse(extreme / -divisors[tried]);
    float code_x = 0.0, code2 = 0.0;
    for (uint i = 0u; i < 32u; ++i) {
      const float x = at_or_0(first + i), code = q4_code(x * inverse, shift) + shift;
      code_x += code * x;
      code2 += code * code;
    }
    const float gain = code2 > 0.0 ? code_x * code_x / code2 : 0.0;
    if (gain > best_gain) {
      best_gain = gain;
      best_inverse = inverse;
      best_scale = code_x / code2;
    }
  }
  put_half(at, scale_bits(best_scale));
  for (uint i = 0u; i < 16u; i += 2u) {
    uint bits = 0u;
    [[unroll]] for (uint k = 0u; k < 2u; ++k) {
      const uint low = uint(int(q4_code(at_or_0(first + i + k) * best_inverse, shift)) + 8);
      const uint high = uint(int(q4_code(at_or_0(first + i + k + 16u) * best_inverse, shift)) + 8);
      bits |= (low | high << 4) << (8u * k);
    }
    put_half(at + 2u + i, bits);
  }
}

// The element of largest magnitude becomes -8: see encode_row().
void put_plain_q4_block(uint at, uint first) {
  float extreme = 0.0;
  for (uint i = 0u; i < 32u; ++i) {
    const float x = at_or_0(first + i);
    if (abs(x) > abs(extreme)) extreme = x;
  }
  const float scale = extreme / -8.0, inverse = safe_inverse(scale);
  put_half(at, scale_bits(scale));
  for (uint i = 0u; i < 16u; i += 2u) {
    uint bits = 0u;
    [[unroll]] for (uint k = 0u; k < 2u; ++k) {
      const uint low = uint(clamp(at_or_0(first + i + k) * inverse + 8.5, 0.0, 15.0));
      const uint high = uint(clamp(at_or_0(first + i + k + 16u) * inverse + 8.5, 0.0, 15.0));
      bits |= (low | high << 4) << (8u * k);
    }
    put_half(at + 2u + i, bits);
  }
}

void put_fp8(uint thread, uint at) {
  sums[thread] = 0.0;
  for (uint i = thread; i < kHeadDim; i += kThreads) sums[thread] = max(sums[thread], abs(head[i]));
  barrier();
  for (uint half_n = kThreads / 2u; half_n > 0u; half_n /= 2u) {
    if (thread < half_n) sums[thread] = max(sums[thread], sums[thread + half_n]);
    barrier();
  }
  const uint bits = scale_bits(sums[0] / 448.0);
  const float inverse = safe_inverse(f16_to_f32(bits));
  for (uint i = thread * 2u; i < kHeadDim; i += kThreads * 2u)
    put_half(at + i, f32_to_e4m3(head[i] * inverse) | f32_to_e4m3(head[i + 1u] * inverse) << 8);
  if (thread == 0u) put_half(at + kHeadDim, bits);
}

// Whether a later row of this step takes the row's place in the ring of the exact ends, which may be shorter than a step:
// both are written at the same time, and the newer one has to be there. Rows of a slot stand together, ascending.
bool is_replaced(uint slot, uint position) {
  const uint later = gl_WorkGroupID.y + p.rows.n_ring;
  return position >= p.rows.n_sinks && later < step_rows() && inputs[p.rows_at + later * kRowWords + 1u] == slot;
}

void store(uint thread, uint slot, uint position) {
  const uint at = cache_row(p.rows, slot, p.n_heads, gl_WorkGroupID.x, position);
  if (kCacheType == kF32) {
    for (uint i = thread; i < kHeadDim; i += kThreads) cache[at / 4u + i] = floatBitsToUint(head[i]);
  } else if (kCacheType == kF16) {
    for (uint i = thread; i < kHeadDim / 2u; i += kThreads)
      cache[at / 4u + i] = f32_to_f16(head[2u * i]) | f32_to_f16(head[2u * i + 1u]) << 16;
  } else if (kCacheType == kQ8_0) {
    for (uint first = thread * 32u; first < kHeadDim; first += kThreads * 32u) put_q8_block(at + first / 32u * 34u, first);
  } else if (kCacheType == kQ4_0) {
    const float shift = p.has_shifts != 0u ? value_shift(position) : 0.0;
    for (uint first = thread * 32u; first < kHeadDim; first += kThreads * 32u) {
      if (kIsSearched != 0u) {
        put_q4_block(at + first / 32u * 18u, first, shift);
      } else {
        put_plain_q4_block(at + first / 32u * 18u, first);
      }
    }
  } else {
    put_fp8(thread, at);
  }
  if (p.rows.n_sinks + p.rows.n_ring == 0u || is_replaced(slot, position)) return;
  const uint exact_at = exact_row(p.rows, slot, p.n_heads, gl_WorkGroupID.x, position, kHeadDim);
  for (uint i = thread; i < kHeadDim / 2u; i += kThreads)
    exact[exact_at / 4u + i] = f32_to_f16(head[2u * i]) | f32_to_f16(head[2u * i + 1u]) << 16;
}

void main() {
  const uint thread = gl_LocalInvocationID.x;
  finish_head(thread, (gl_WorkGroupID.y * p.n_heads + gl_WorkGroupID.x) * kHeadDim, true);
  const uint of_row = p.rows_at + gl_WorkGroupID.y * kRowWords;
  store(thread, inputs[of_row + 1u], inputs[of_row + 2u]);
}
