// What all kernels share: eight buffers, of which a kernel uses what it needs, and numbers of 16 bits without the types
// for them. Tier 0: nothing but f32, u32 and what Vulkan 1.2 has everywhere.
#extension GL_EXT_control_flow_attributes : require
#include "../../../gpu/gpu_args.inl"

layout(set = 0, binding = 0) readonly buffer Inputs { uint inputs[]; };  // see plan/gpu_rules.h

const uint kCounts = 0;  // n_rows, n_logit_rows
const uint kRowWords = 4;

uint step_rows() { return inputs[kCounts]; }
uint step_logit_rows() { return inputs[kCounts + 1]; }

// IEEE half precision; exact, subnormal numbers included, which a driver may lose in unpackHalf2x16. Without branches:
// kernels that read weights have it many times, and each branch takes a driver's compiler longer than what it skips.
float f16_to_f32(uint bits) {
  const uint exponent = (bits >> 10) & 31u, mantissa = bits & 1023u;
  const uint subnormal = floatBitsToUint(float(mantissa) * 5.9604644775390625e-8);  // 2^-24
  const uint normal = mix((exponent + 112u) << 23, 0x7F800000u, exponent == 31u) | mantissa << 13;
  return uintBitsToFloat((bits & 0x8000u) << 16 | mix(normal, subnormal, exponent == 0u));
}

vec2 f16s_to_f32(uint both) { return vec2(f16_to_f32(both & 0xFFFFu), f16_to_f32(both >> 16)); }

// To nearest, ties to even; beyond the range becomes infinity.
uint f32_to_f16(float value) {
  const uint bits = floatBitsToUint(value);
  const uint sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return sign | 0x7E00u;
  if (magnitude >= 0x477FF000u) return sign | 0x7C00u;
  if (magnitude < 0x38800000u) {  // below 2^-14: a multiple of 2^-24
    const float steps = uintBitsToFloat(magnitude) * 16777216.0;
    return sign | uint(roundEven(steps));
  }
  const uint rounded = magnitude + 0xFFFu + ((magnitude >> 13) & 1u);
  return sign | ((rounded - 0x38000000u) >> 13);
}

// E4M3 without infinities.
float e4m3_to_f32(uint bits) {
  const uint exponent = (bits >> 3) & 15u, mantissa = bits & 7u;
  float magnitude;
  if (exponent == 15u && mantissa == 7u) {
    magnitude = uintBitsToFloat(0x7FC00000u);
  } else if (exponent == 0u) {
    magnitude = float(mantissa) * 0.001953125;  // 2^-9
  } else {
    magnitude = uintBitsToFloat(((exponent + 120u) << 23) | (mantissa << 20));
  }
  return (bits & 0x80u) != 0u ? -magnitude : magnitude;
}

uint f32_to_e4m3(float value) {
  const uint bits = floatBitsToUint(value);
  const uint sign = (bits >> 24) & 0x80u, magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return sign | 0x7Fu;
  if (magnitude >= 0x43E00000u) return sign | 0x7Eu;  // 448
  if (magnitude < 0x3C800000u) return sign | uint(roundEven(uintBitsToFloat(magnitude) * 512.0));  // below 2^-6
  const uint rounded = magnitude + 0x7FFFFu + ((magnitude >> 20) & 1u);
  return sign | ((rounded - 0x3C000000u) >> 20);
}

// Vulkan's own may lose all digits near zero.
float tanh_of(float x) {
  const float magnitude = min(abs(x), 15.0);
  if (magnitude < 0.03125) return x - x * x * x * (1.0 / 3.0) + x * x * x * x * x * (2.0 / 15.0);
  const float e = exp(2.0 * magnitude);
  return sign(x) * (1.0 - 2.0 / (e + 1.0));
}

float softcapped(float cap, float x) { return cap > 0.0 ? cap * tanh_of(x / cap) : x; }

float silu(float x) { return x / (1.0 + exp(-x)); }

// Of a gate and an up: enum class Activation, with its numbers.
float activated(uint kind, float gate, float up) {
  if (kind == 0u) return silu(gate) * up;
  if (kind == 1u) return 0.5 * gate * (1.0 + tanh_of(0.7978845608028654 * (gate + 0.044715 * gate * gate * gate))) * up;
  const float below = min(gate, 7.0);
  return below / (1.0 + exp(-1.702 * below)) * (clamp(up, -7.0, 7.0) + 1.0);
}
