// Products of a matrix with one row, or with up to eight, and what is done with them; also those of experts. A group has
// a panel, each of its warps of 32 threads a part of the columns. Groups: (panels, 1); of experts (panels, choices of all
// rows) up, (panels, rows) down.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Matrix { uvec4 matrix[]; };
layout(set = 0, binding = 2) readonly buffer Second { uvec4 second[]; };
layout(set = 0, binding = 4) buffer Out { uint results[]; };
layout(set = 0, binding = 5) readonly buffer Extra { uint extra[]; };  // f32 bias, or the ids of choices
layout(set = 0, binding = 6) readonly buffer Weights { float weights[]; };  // of choices; up: biases of the second matrix
layout(set = 0, binding = 7) readonly buffer ExpertBias { float expert_bias[]; };  // (experts, n_out)
#define UNIT(which, index) (which == 0u ? matrix[index] : second[index])
layout(constant_id = 0) const uint kType = 0;
layout(constant_id = 1) const uint kSecondType = 0;
#include "lib/panels.glsl"
#include "lib/epilogue.glsl"

layout(constant_id = 2) const uint kEpilogue = kStore;
layout(constant_id = 3) const uint kHasBias = 0;
layout(constant_id = 4) const uint kActivation = 0;
layout(constant_id = 5) const uint kIsOfLogits = 0;  // as many rows as ask for logits
layout(constant_id = 6) const uint kHasTail = 0;     // n_cols is no multiple of 32
layout(constant_id = 7) const uint kEncodes = 0;     // results as int8
layout(constant_id = 8) const uint kMostRows = 1;
layout(constant_id = 9) const uint kThreads = 32;  // 32 for each part of the columns, of each matrix
layout(constant_id = 10) const uint kExperts = 0;
const uint kUp = 1, kDown = 2;
layout(local_size_x_id = 9) in;
layout(push_constant) uniform Push { MatvecPush p; };
const uint kParts = kThreads / kPanelRows, kMatrices = kEpilogue == kGate ? 2u : 1u;

#include "lib/products.glsl"
#ifdef INT8
#include "lib/int8.glsl"
shared float gated[kMostRows * kPanelRows];
#endif
shared float part_sums[kMostRows * kThreads];

void main() {
  const uint thread = gl_LocalInvocationID.x, lane = thread % kPanelRows, part = thread / kPanelRows;
  open_code_tables(thread, kThreads);
  const uint matrix_panels = (p.n_out + kPanelRows - 1u) / kPanelRows, first_out = kExperts == 0u ? 0u : gl_WorkGroupID.y;
  const uint n = gl_WorkGroupID.x * kPanelRows + lane + (kExperts == 0u ? p.first : 0u);
  const uint of_matrix = part % kMatrices;
  uint n_rows = 1u;
  if (kMostRows > 1u) n_rows = min(kMostRows, kIsOfLogits != 0u ? step_logit_rows() : step_rows());
  float sums[kMostRows];
  [[unroll]] for (uint i = 0u; i < kMostRows; ++i) sums[i] = 0.0;
  const uint n_choices = kExperts == kDown ? p.n_used : 1u;
  const bool has_expert_bias = kExperts != 0u && kHasBias != 0u && n < p.n_out;
  for (uint i = 0u; i < n_choices; ++i) {
    uint panel = gl_WorkGroupID.x, from = 0u;
    float weight = 1.0;
    if (kExperts != 0u) {
      const uint choice = first_out * n_choices + i, expert = extra[choice];
      if (expert < p.first || expert >= p.last) continue;  // another window has it
      panel += (expert - p.first) * matrix_panels;
      from = kExperts == kUp ? choice / p.n_used : choice;
      if (kExperts == kDown) weight = weights[choice];
    }
    float more[kMostRows];
    [[unroll]] for (uint k = 0u; k < kMostRows; ++k) more[k] = 0.0;
    if (of_matrix == 0u) {
      add_products(0u, kType, panel_row(kType, panel, lane, p.n_groups), part / kMatrices, kParts / kMatrices, from,
                   n_rows, more);
    } else if (kMatrices == 2u) {
      add_products(1u, kSecondType, panel_row(kSecondType, panel, lane, p.n_groups), part / 2u, kParts / 2u, from,
                   n_rows, more);
    }
    // Of each choice once; up, it counts when the parts are added up.
    if (kExperts == kDown && has_expert_bias && part == 0u) more[0] += expert_bias[extra[first_out * n_choices + i] * p.n_out + n];
    [[unroll]] for (uint k = 0u; k < kMostRows; ++k) sums[k] += weight * more[k];
  }
  if (kExperts == kUp && (extra[first_out] < p.first || extra[first_out] >= p.last)) return;  // the whole group
  [[unroll]] for (uint i = 0u; i < kMostRows; ++i) part_sums[i * kThreads + thread] = sums[i];
  barrier();
  // From here on a thread has one result at a time: of a feature and a row.
  for (uint row = part; row < n_rows; row += kParts) {
    float total = 0.0, second_total = 0.0;
    for (uint i = 0u; i < kParts; ++i) {
      const float more = part_sums[row * kThreads + i * kPanelRows + lane];
      if (kEpilogue == kGate && i % 2u == 1u) {
        second_total += more;
      } else {
        total += more;
      }
    }
    if (kExperts == 0u && kHasBias != 0u && n < p.n_out) total += uintBitsToFloat(extra[n]);
    if (kExperts == kUp && has_expert_bias) {
      total += expert_bias[extra[first_out] * p.n_out + n];
      second_total += weights[extra[first_out] * p.n_out + n];
    }
    const uint to = (first_out + row) * p.n_out + n;
    if (kEpilogue == kGate) total = activated(kActivation, total, second_total);
    if (kEpilogue == kCap) total = softcapped(p.cap, total);
#ifdef INT8
    gated[row * kPanelRows + lane] = total;
#endif
    if (kEncodes == 0u && n < p.n_out)
      results[to] = floatBitsToUint(kEpilogue == kAdd ? uintBitsToFloat(results[to]) + total : total);
  }
#ifdef INT8
  if (kEncodes == 0u) return;
  barrier();
  // A panel is a group of the activations. There are two parts at least: as many eights of threads as rows.
  const uint row = thread / 8u, word = thread % 8u, at = min(row, kMostRows - 1u) * kPanelRows + 4u * word;
  vec4 header;
  const uint codes = encode_quad(thread, vec4(gated[at], gated[at + 1u], gated[at + 2u], gated[at + 3u]), header);
  if (row >= n_rows) return;
  const uint to = ((first_out + row) * matrix_panels + n / kPanelRows) * kGroupWords;
  PUT_QUAD(results, to, word, codes, header)
#endif
}
