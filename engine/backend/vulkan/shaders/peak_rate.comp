// Multiply-adds on registers alone, for the most that the device computes: in the arithmetic of lib/products.glsl and
// lib/tiles.glsl, which is f32, with HALF f16 or with INT8 products of int8. The sums of a thread do not wait for each
// other. Groups: any number, each kRounds * kSteps * kSums multiply-adds a thread (of two numbers each with HALF, of four
// with INT8).
#version 450
#extension GL_GOOGLE_include_directive : require
#ifdef HALF
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#include "lib/buffers.glsl"
#ifdef INT8
#include "lib/dot4.glsl"
#define SUM int
#define SUM_OF(n) int(n)
#define BITS_OF(sum) uint(sum)
#define NUMBER_OF(word) word
#elif defined(HALF)
#define SUM f16vec2
#define SUM_OF(n) f16vec2(float16_t(n))
#define BITS_OF(sum) packFloat2x16(sum)
#define NUMBER_OF(word) unpackFloat2x16(word)
#else
#define SUM float
#define SUM_OF(n) float(n)
#define BITS_OF(sum) floatBitsToUint(sum)
#define NUMBER_OF(word) uintBitsToFloat(word)
#endif
layout(set = 0, binding = 4) writeonly buffer To { uint to[]; };
layout(local_size_x = 256) in;
layout(push_constant) uniform Push { uint factor, addend; } p;
// Loops of an invocation stay far below what lavapipe skips, even where a driver unrolls none of them.
const uint kRounds = 256, kSteps = 8, kSums = 16;

void main() {
  SUM sums[kSums];
  [[unroll]] for (uint i = 0u; i < kSums; ++i) sums[i] = SUM_OF(gl_LocalInvocationID.x + i);
  [[dont_unroll]] for (uint round_ = 0u; round_ < kRounds; ++round_) {
    [[unroll]] for (uint step_ = 0u; step_ < kSteps; ++step_) {
      // Each product is of the sum itself: of numbers that stay the same it could be made once.
#ifdef INT8
      [[unroll]] for (uint i = 0u; i < kSums; ++i) sums[i] += dot4(uint(sums[i]), p.factor);
#else
      [[unroll]] for (uint i = 0u; i < kSums; ++i) sums[i] = sums[i] * NUMBER_OF(p.factor) + NUMBER_OF(p.addend);
#endif
    }
  }
  uint all = 0u;
  [[unroll]] for (uint i = 0u; i < kSums; ++i) all ^= BITS_OF(sums[i]);
  if (all == 0x9E3779B9u) to[0] = all;  // hardly ever; without it nothing would have to be computed
}
