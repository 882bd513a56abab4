// The products of the experts that rows chose. Up: hidden[choice] = act(gate . in) * (up . in), groups (features / 8,
// rows * n_used). Down: residual[row] += the sum over a row's choices of weight * (down . hidden), groups (features / 8,
// rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Matrix { uint matrix[]; };
layout(set = 0, binding = 2) readonly buffer Second { uint second[]; };
layout(set = 0, binding = 3) readonly buffer In { float values[]; };
layout(set = 0, binding = 4) buffer Out { float results[]; };
layout(set = 0, binding = 5) readonly buffer Ids { uint ids[]; };
layout(set = 0, binding = 6) readonly buffer Weights { float weights[]; };
#define WORD(which, index) (which == 0u ? matrix[index] : second[index])
#include "lib/decode.glsl"
#include "lib/products.glsl"

layout(constant_id = 0) const uint kType = 0;
layout(constant_id = 1) const uint kSecondType = 0;
layout(constant_id = 2) const uint kIsDown = 0;
layout(constant_id = 3) const uint kActivation = 0;
layout(push_constant) uniform Push {
  uint n_cols, n_out;  // of one expert's matrix
  uint first, last;    // experts in this window
  uint row_bytes, second_row_bytes;
  uint matrix_at, second_at;  // bytes of the window's first row
  uint n_used;
} p;

shared float sums[kFeatures][kLanes];
shared float second_sums[kFeatures][kLanes];

// matrix[n] . in, the sum of all lanes, in each of them; of both matrices.
vec2 products(uint feature, uint lane, uint n, uint expert, uint from) {
  float sum = 0.0, second_sum = 0.0;
  if (n < p.n_out) {
    const uint row = (expert - p.first) * p.n_out + n;
    const uint at = p.matrix_at + row * p.row_bytes, second_from = p.second_at + row * p.second_row_bytes;
    for (uint col = lane * 4u; col < p.n_cols; col += kLanes * 4u) {
      vec4 x = vec4(0.0);
      [[unroll]] for (uint i = 0u; i < 4u; ++i) {
        if (col + i < p.n_cols) x[i] = values[from + col + i];
      }
      sum += dot(elems4(0u, kType, at, col, p.n_cols, 0.0), x);
      if (kIsDown == 0u) second_sum += dot(elems4(1u, kSecondType, second_from, col, p.n_cols, 0.0), x);
    }
  }
  barrier();  // the sums before these have been read
  sums[feature][lane] = sum;
  second_sums[feature][lane] = second_sum;
  barrier();
  vec2 total = vec2(0.0);
  [[unroll]] for (uint i = 0u; i < kLanes; ++i) total += vec2(sums[feature][i], second_sums[feature][i]);
  return total;
}

void main() {
  const uint lane = gl_LocalInvocationID.x % kLanes, feature = gl_LocalInvocationID.x / kLanes;
  const uint n = gl_WorkGroupID.x * kFeatures + feature;
  if (kIsDown == 0u) {
    const uint choice = gl_WorkGroupID.y, expert = ids[choice];
    if (expert < p.first || expert >= p.last) return;  // the whole group: its other windows have it
    const vec2 total = products(feature, lane, n, expert, choice / p.n_used * p.n_cols);
    if (lane == 0u && n < p.n_out) results[choice * p.n_out + n] = activated(kActivation, total.x) * total.y;
    return;
  }
  const uint row = gl_WorkGroupID.y;
  float sum = 0.0;
  for (uint i = 0u; i < p.n_used; ++i) {
    const uint choice = row * p.n_used + i, expert = ids[choice];
    if (expert < p.first || expert >= p.last) continue;
    sum += weights[choice] * products(feature, lane, n, expert, choice * p.n_cols).x;
  }
  if (lane == 0u && n < p.n_out) results[row * p.n_out + n] += sum;
}
