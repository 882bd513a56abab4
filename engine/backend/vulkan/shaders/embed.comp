// Rows of the embedding become the residual, scaled. Groups: (d_model / 128, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Table { uvec4 table[]; };
layout(set = 0, binding = 4) writeonly buffer Residual { float residual[]; };
#define UNIT(which, index) table[index]
layout(constant_id = 0) const uint kType = 0;
const uint kSecondType = kType;
#include "lib/panels.glsl"

layout(local_size_x = 32) in;
layout(push_constant) uniform Push { EmbedPush p; };

void main() {
  open_code_tables(gl_LocalInvocationID.x, 32u);
  const uint row = gl_WorkGroupID.y, token = inputs[p.rows_at + row * kRowWords];
  const uint col = gl_GlobalInvocationID.x * 4u;
  if (token < p.first || token >= p.last || col >= p.n_cols) return;
  const uint panel = (token - p.first) / kPanelRows, lane = (token - p.first) % kPanelRows;
  const vec4 elems = row_elems(0u, kType, panel_row(kType, panel, lane, p.n_groups), col / kGroup, col % kGroup / 4u);
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    if (col + i < p.n_cols) residual[row * p.n_cols + col + i] = p.scale * elems[i];
  }
}
