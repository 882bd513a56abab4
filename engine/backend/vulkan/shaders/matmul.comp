// out[row][n] = matrix[n] . in[row], for up to eight rows at once, and what is done with it. Groups: (features / 8,
// rows / 8).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Matrix { uint matrix[]; };
layout(set = 0, binding = 2) readonly buffer Second { uint second[]; };
layout(set = 0, binding = 3) readonly buffer In { float values[]; };
layout(set = 0, binding = 4) buffer Out { float results[]; };
layout(set = 0, binding = 5) readonly buffer Bias { float bias[]; };
#define WORD(which, index) (which == 0u ? matrix[index] : second[index])
#include "lib/decode.glsl"
#include "lib/products.glsl"

const uint kStore = 0, kAdd = 1, kGate = 2, kCap = 3;
layout(constant_id = 0) const uint kType = 0;
layout(constant_id = 1) const uint kSecondType = 0;
layout(constant_id = 2) const uint kThen = kStore;
layout(constant_id = 3) const uint kHasBias = 0;
layout(constant_id = 4) const uint kActivation = 0;
layout(constant_id = 5) const uint kIsOfLogits = 0;  // as many rows as ask for logits
const uint kRows = 8;
layout(push_constant) uniform Push {
  uint n_cols, n_out;
  uint first, last;  // rows of the matrix in this window
  uint row_bytes, second_row_bytes;
  uint matrix_at, second_at;  // bytes of the window's first row
  float cap;
} p;

shared float sums[kFeatures][kRows][kLanes];
shared float second_sums[kFeatures][kRows][kLanes];

void main() {
  const uint lane = gl_LocalInvocationID.x % kLanes, feature = gl_LocalInvocationID.x / kLanes;
  const uint n = p.first + gl_WorkGroupID.x * kFeatures + feature, first_row = gl_WorkGroupID.y * kRows;
  const uint n_all = kIsOfLogits != 0u ? step_logit_rows() : step_rows();
  const uint n_rows = min(kRows, n_all - first_row);
  float sum[kRows], second_sum[kRows];
  [[unroll]] for (uint row = 0u; row < kRows; ++row) sum[row] = second_sum[row] = 0.0;
  if (n < p.last) {
    const uint at = p.matrix_at + (n - p.first) * p.row_bytes;
    const uint second_from = p.second_at + (n - p.first) * p.second_row_bytes;
    for (uint col = lane * 4u; col < p.n_cols; col += kLanes * 4u) {
      const vec4 elems = elems4(0u, kType, at, col, p.n_cols, 0.0);
      vec4 second_elems = vec4(0.0);
      if (kThen == kGate) second_elems = elems4(1u, kSecondType, second_from, col, p.n_cols, 0.0);
      [[unroll]] for (uint row = 0u; row < kRows; ++row) {
        if (row < n_rows) {
          const uint from = (first_row + row) * p.n_cols + col;
          vec4 x = vec4(0.0);
          [[unroll]] for (uint i = 0u; i < 4u; ++i) {
            if (col + i < p.n_cols) x[i] = values[from + i];
          }
          sum[row] += dot(elems, x);
          if (kThen == kGate) second_sum[row] += dot(second_elems, x);
        }
      }
    }
  }
  [[unroll]] for (uint row = 0u; row < kRows; ++row) {
    sums[feature][row][lane] = sum[row];
    if (kThen == kGate) second_sums[feature][row][lane] = second_sum[row];
  }
  barrier();
  // From here on a thread has one result: of a feature and a row.
  const uint row = gl_LocalInvocationID.x % kLanes;
  if (row >= n_rows || n >= p.last) return;
  float total = kHasBias != 0u ? bias[n] : 0.0, second_total = 0.0;
  [[unroll]] for (uint i = 0u; i < kLanes; ++i) {
    total += sums[feature][row][i];
    if (kThen == kGate) second_total += second_sums[feature][row][i];
  }
  const uint to = (first_row + row) * p.n_out + n;
  if (kThen == kStore) results[to] = total;
  if (kThen == kAdd) results[to] += total;
  if (kThen == kGate) results[to] = activated(kActivation, total) * second_total;
  if (kThen == kCap) results[to] = softcapped(p.cap, total);
}
