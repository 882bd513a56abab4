// Reads a buffer once, for the device's speed: each thread adds up what it reads. Groups: as many as the buffer has
// pieces of 128 * 64 words.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer From { uvec4 from[]; };
layout(set = 0, binding = 4) writeonly buffer To { uint to[]; };
layout(local_size_x = 128) in;

void main() {
  const uint first = gl_WorkGroupID.x * 128u * 16u + gl_LocalInvocationID.x;
  uvec4 sum = uvec4(0u);
  [[unroll]] for (uint i = 0u; i < 16u; ++i) sum ^= from[first + i * 128u];
  const uint all = sum.x ^ sum.y ^ sum.z ^ sum.w;
  if (all == 0x9E3779B9u) to[0] = all;  // hardly ever; without it nothing would have to be read
}
