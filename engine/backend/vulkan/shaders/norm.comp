// RMS norm of rows, or rows as they are: into other rows, as f32, int8 or f16, or added to the residual. Groups: (norms of
// a row of the step, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Weight { float weight[]; };
layout(set = 0, binding = 3) readonly buffer From { float from[]; };
layout(set = 0, binding = 4) buffer To { uint to[]; };

layout(constant_id = 0) const uint kIsGathered = 0;  // of the rows that ask for logits
layout(constant_id = 1) const uint kIsAdded = 0;
layout(constant_id = 2) const uint kIsNormed = 0;   // else rows are encoded as they are
layout(constant_id = 3) const uint kHasWeight = 0;  // rows are multiplied by the norm's weight
layout(constant_id = 4) const uint kEncoding = 0;   // of what it writes, as enum class Encoding
layout(constant_id = 5) const uint kHalfExponent = 0;
const uint kInt8 = 1, kHalf = 2;
const uint kThreads = 128;
layout(local_size_x = 128) in;
layout(push_constant) uniform Push { NormPush p; };

#include "lib/int8.glsl"
#include "lib/half.glsl"
shared float sums[kThreads];

float normed_elem(uint first, uint i, float factor) {
  const float elem = kIsNormed != 0u ? from[first + i] * factor : from[first + i];
  return kHasWeight != 0u ? elem * weight[i] : elem;
}

void encode_row(uint thread, uint row, uint first, float factor) {
  const uint n_groups = p.n_cols / 32u, word = thread % 8u;
  for (uint base = 0u; base < n_groups; base += kThreads / 8u) {
    const uint group = base + thread / 8u, i = group * 32u + 4u * word;
    vec4 normed = vec4(0.0), header;
    [[unroll]] for (uint k = 0u; k < 4u; ++k) {
      if (group < n_groups) normed[k] = normed_elem(first, i + k, factor);
    }
    const uint codes = encode_quad(thread, normed, header);
    if (group >= n_groups) continue;
    PUT_QUAD(to, (row * n_groups + group) * kGroupWords, word, codes, header)
  }
}

void encode_half_row(uint thread, uint row, uint first, float factor) {
  float most = 0.0;
  for (uint i = thread; i < p.n_cols; i += kThreads) most = max(most, abs(normed_elem(first, i, factor)));
  const float scale = scale_of_row(thread, most, kHalfExponent), inverse = inverse_of(scale);
  for (uint i = 2u * thread; i < p.n_cols; i += 2u * kThreads) {
    const vec2 normed = vec2(normed_elem(first, i, factor), normed_elem(first, i + 1u, factor));
    to[row * p.n_cols + i / 2u] = packHalf2x16(inverse * normed);
  }
  if (thread == 0u) to[row * p.n_cols + p.n_cols / 2u] = floatBitsToUint(scale);
}

void main() {
  const uint thread = gl_LocalInvocationID.x, row = gl_WorkGroupID.y * p.n_per_row + gl_WorkGroupID.x;
  const uint first = (kIsGathered != 0u ? inputs[p.logit_rows_at + row] : row) * p.n_cols;
  float sum = 0.0;
  for (uint i = thread; i < p.n_cols; i += kThreads) sum += from[first + i] * from[first + i];
  sums[thread] = sum;
  barrier();
  for (uint half_n = kThreads / 2u; half_n > 0u; half_n /= 2u) {
    if (thread < half_n) sums[thread] += sums[thread + half_n];
    barrier();
  }
  const float factor = 1.0 / sqrt(sums[0] / float(p.n_cols) + p.epsilon);
  if (kEncoding == kInt8) {
    encode_row(thread, row, first, factor);
    return;
  }
  if (kEncoding == kHalf) {
    encode_half_row(thread, row, first, factor);
    return;
  }
  for (uint i = thread; i < p.n_cols; i += kThreads) {
    const uint at = row * p.n_cols + i;
    const float normed = normed_elem(first, i, factor);
    to[at] = floatBitsToUint(kIsAdded != 0u ? (uintBitsToFloat(to[at]) + normed) * p.scale : normed);
  }
}
