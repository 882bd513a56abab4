// Arithmetic on single numbers.
#pragma once

#include "lib/params.cuh"
#include "model/activation.h"

namespace headroom::cuda {

struct Four {
  float of[4];
};

DEVICE float dot(const Four& a, const Four& b) {
  return a.of[0] * b.of[0] + a.of[1] * b.of[1] + a.of[2] * b.of[2] + a.of[3] * b.of[3];
}

DEVICE float half_of_word(u32 word, bool is_high) {
  return half_to_float(static_cast<std::uint16_t>(is_high ? word >> 16 : word));
}
DEVICE float signed_byte(u32 word, u32 i) { return static_cast<float>(static_cast<std::int8_t>(word >> (8 * i))); }
DEVICE float plain_byte(u32 word, u32 i) { return static_cast<float>((word >> (8 * i)) & 255U); }

// E4M3 without infinities.
DEVICE float e4m3_to_float(u32 bits) {
  const u32 sign = (bits & 0x80U) << 24, magnitude = bits & 0x7FU;
  if (magnitude == 0x7FU) return float_of(sign | 0x7FC00000U);
  if (magnitude < 8) return float_of(sign | bits_of(static_cast<float>(magnitude) * 0x1p-9F));
  return float_of(sign | ((magnitude << 20) + 0x3C000000U));
}

// To nearest, ties to even; beyond 448 saturates.
DEVICE u32 float_to_e4m3(float value) {
  const u32 bits = bits_of(value), sign = (bits >> 24) & 0x80U, magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return sign | 0x7FU;
  if (magnitude >= 0x43E00000U) return sign | 0x7EU;                                                 // 448
  if (magnitude < 0x3C800000U) return sign | static_cast<u32>(rintf(float_of(magnitude) * 512.0F));  // below 2^-6
  return sign | ((magnitude + 0x7FFFFU + ((magnitude >> 20) & 1U) - 0x3C000000U) >> 20);
}

DEVICE float softcapped(float cap, float x) { return cap > 0 ? cap * tanhf(x / cap) : x; }

DEVICE float silu(float x) { return x / (1 + exp_of(-x)); }

// Of a gate and an up: enum class Activation.
DEVICE float activated(u32 kind, float gate, float up) {
  if (kind == static_cast<u32>(Activation::kSilu)) return silu(gate) * up;
  if (kind == static_cast<u32>(Activation::kGelu))
    return 0.5F * gate * (1 + tanhf(0.7978845608028654F * (gate + 0.044715F * gate * gate * gate))) * up;
  const float below = fminf(gate, kClampedLimit), within = fmaxf(fminf(up, kClampedLimit), -kClampedLimit);
  return below / (1 + exp_of(-kClampedSlope * below)) * (within + 1);
}

// 0 where there is none.
DEVICE float inverse_of(float x) {
  const float inverse = x == 0 ? 0 : 1 / x;
  return inverse - inverse == 0 ? inverse : 0;  // neither infinite nor NaN
}

}  // namespace headroom::cuda
