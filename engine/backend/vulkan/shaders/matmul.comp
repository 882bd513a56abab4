// Products of a matrix with many rows, in tiles of 64 features and 64 rows, and what is done with them; also those of
// experts. Groups: (panels / 2, rows / 64, or tiles of rows that chose the same expert); for kGate, whose tiles have a
// panel of each matrix, (panels, as before).
#version 450
#extension GL_GOOGLE_include_directive : require
#ifdef HALF
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Matrix { uvec4 matrix[]; };
layout(set = 0, binding = 2) readonly buffer Second { uvec4 second[]; };
layout(set = 0, binding = 4) buffer Out { uint results[]; };
layout(set = 0, binding = 5) readonly buffer Bias { float bias[]; };  // of experts: of the second matrix
layout(set = 0, binding = 6) readonly buffer Tiles { uint tiles[]; };  // of experts: see group_experts.comp
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
layout(constant_id = 8) const uint kExperts = 0;
layout(local_size_x = 256) in;
layout(push_constant) uniform Push { MatmulPush p; };
const uint kThreads = 256, kTile = 64, kTileFeatures = kTile, kTileRows = kTile;

#include "lib/tile_rows.glsl"
#include "lib/tiles.glsl"
#include "lib/finish.glsl"
#ifdef INT8
#include "lib/int8.glsl"
shared float gated[kTile * kPanelRows];
#endif

void main() {
  const uint thread = gl_LocalInvocationID.x;
  open_code_tables(thread, kThreads);
  if (!open_tile(thread)) return;
  float sums[4][4];  // [feature][row]
  add_tile(sums);
  const uint lane = thread % 16u, first = thread / 16u * 4u;
  [[unroll]] for (uint r = 0u; r < 4u; ++r) {
    const uint row = row_to_write(first + r);
    [[unroll]] for (uint f = 0u; f < 4u; ++f) {
      if (kEpilogue == kGate && f >= 2u) continue;
      const uint n = matrix_row(lane + 16u * f);
      const float total = finished(sums[f][r], sums[(f + 2u) % 4u][r], n);
#ifdef INT8
      if (kEncodes != 0u) gated[(first + r) * kPanelRows + lane + 16u * f] = total;
#endif
      if (kEncodes == 0u && first + r < n_rows && n < end_row()) put_result(row, n, total);
    }
  }
#ifdef INT8
  if (kEncodes == 0u) return;
  barrier();
  const uint word = thread % 8u;
  for (uint row = thread / 8u; row < kTile; row += kThreads / 8u) {
    const uint at = row * kPanelRows + 4u * word;
    vec4 header;
    const uint codes = encode_quad(thread, vec4(gated[at], gated[at + 1u], gated[at + 2u], gated[at + 3u]), header);
    if (row >= n_rows) continue;
    const uint to = (row_to_write(row) * panels_of_matrix() + matrix_row(0u) / kPanelRows) * kGroupWords;
    PUT_QUAD(results, to, word, codes, header)
  }
#endif
}
