// Products of a matrix with many rows, in tiles of 64 features and 64 rows, and what is done with them. Groups: (panels
// / 2, rows / 64); for kGate, whose tiles have a panel of each matrix, (panels, rows / 64).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Matrix { uvec4 matrix[]; };
layout(set = 0, binding = 2) readonly buffer Second { uvec4 second[]; };
layout(set = 0, binding = 4) buffer Out { uint results[]; };
layout(set = 0, binding = 5) readonly buffer Bias { float bias[]; };
#define UNIT(which, index) (which == 0u ? matrix[index] : second[index])
#include "lib/panels.glsl"
#include "lib/then.glsl"

layout(constant_id = 0) const uint kType = 0;
layout(constant_id = 1) const uint kSecondType = 0;
layout(constant_id = 2) const uint kThen = kStore;
layout(constant_id = 3) const uint kHasBias = 0;
layout(constant_id = 4) const uint kActivation = 0;
layout(constant_id = 5) const uint kIsOfLogits = 0;  // as many rows as ask for logits
layout(constant_id = 6) const uint kHasTail = 0;     // n_cols is no multiple of 32
layout(constant_id = 7) const uint kEncodes = 0;     // results as int8
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
  uint n_cols, n_groups, n_out;
  uint first, last;  // rows of the matrix in this window
  float cap;
} p;
const uint kThreads = 256, kTile = 64;

#include "lib/tiles.glsl"
#ifdef INT8
#include "lib/int8.glsl"
shared float gated[kTile * kPanelRows];
#endif

void main() {
  const uint thread = gl_LocalInvocationID.x;
  const uint n_all = kIsOfLogits != 0u ? step_logit_rows() : step_rows(), first_row = gl_WorkGroupID.y * kTile;
  float sums[4][4];  // [feature][row]
  add_tile(first_row, n_all, sums);
  // The features of a thread are two of each panel of the tile, its rows four in a row.
  const uint lane = thread % 16u * 2u, first = thread / 16u * 4u;
  const uint panel = kThen == kGate ? gl_WorkGroupID.x : 2u * gl_WorkGroupID.x;
  [[unroll]] for (uint r = 0u; r < 4u; ++r) {
    const uint row = first_row + first + r;
    [[unroll]] for (uint f = 0u; f < 4u; ++f) {
      if (kThen == kGate && f >= 2u) continue;
      const uint n = p.first + (panel + f / 2u) * kPanelRows + lane + f % 2u;
      float total = sums[f][r];
      if (kHasBias != 0u && n < p.n_out) total += bias[n];
      if (kThen == kGate) total = activated(kActivation, total) * sums[(f + 2u) % 4u][r];
      if (kThen == kCap) total = softcapped(p.cap, total);
#ifdef INT8
      if (kEncodes != 0u) gated[(first + r) * kPanelRows + lane + f] = total;
#endif
      const uint to = row * p.n_out + n;
      if (kEncodes == 0u && row < n_all && n < p.last)
        results[to] = floatBitsToUint(kThen == kAdd ? uintBitsToFloat(results[to]) + total : total);
    }
  }
#ifdef INT8
  if (kEncodes == 0u) return;
  barrier();
  const uint matrix_panels = p.n_out / kPanelRows, word = thread % 8u;
  for (uint row = thread / 8u; row < kTile; row += kThreads / 8u) {
    const uint at = row * kPanelRows + 4u * word;
    vec4 header;
    const uint codes = encode_quad(thread, vec4(gated[at], gated[at + 1u], gated[at + 2u], gated[at + 3u]), header);
    if (first_row + row >= n_all) continue;
    const uint to = ((first_row + row) * matrix_panels + p.first / kPanelRows + panel) * kGroupWords;
    PUT_QUAD(results, to, word, codes, header)
  }
#endif
}
