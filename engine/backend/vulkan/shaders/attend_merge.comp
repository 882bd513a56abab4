// What comes behind attend.comp: the results of the splits of a row's keys are added up, and heads of rotated values
// turned back. Groups: (query heads, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 3) readonly buffer Partial { float partial[]; };  // of splits: results, maxima and sums
layout(set = 0, binding = 4) buffer Attended { float attended[]; };

layout(constant_id = 0) const uint kHeadDim = 64;
layout(constant_id = 1) const uint kIsSplit = 0;
layout(constant_id = 2) const uint kIsRotated = 0;
const uint kThreads = 64;
layout(local_size_x = 64) in;
#include "lib/splits.glsl"
layout(push_constant) uniform Push { AttendMergePush p; };

shared float result[kHeadDim];
#define HEAD(i) result[i]
#include "lib/rotate.glsl"

// Each thread counts for itself: splits are few.
void add_splits(uint thread, uint row, uint head) {
  const uint n = splits_of(p.row_splits, p.window, inputs[p.rows_at + row * kRowWords + 2u]).n;
  const uint first = row * most_splits(p.row_splits) * p.n_heads + head;
  float most = partial[p.shares_at + first * 2u], total = 0.0;
  for (uint i = 1u; i < n; ++i) most = max(most, partial[p.shares_at + (first + i * p.n_heads) * 2u]);
  for (uint col = thread; col < kHeadDim; col += kThreads) result[col] = 0.0;
  for (uint i = 0u; i < n; ++i) {
    const uint at = first + i * p.n_heads;
    const float weight = exp(partial[p.shares_at + at * 2u] - most);
    total += weight * partial[p.shares_at + at * 2u + 1u];
    for (uint col = thread; col < kHeadDim; col += kThreads) result[col] += weight * partial[at * kHeadDim + col];
  }
  for (uint col = thread; col < kHeadDim; col += kThreads) result[col] /= total;
}

void main() {
  const uint thread = gl_LocalInvocationID.x, head = gl_WorkGroupID.x, row = p.first_row + gl_WorkGroupID.y;
  const uint first = (row * p.n_heads + head) * kHeadDim;
  if (kIsSplit != 0u) {
    add_splits(thread, row, head);
  } else {
    for (uint col = thread; col < kHeadDim; col += kThreads) result[col] = attended[first + col];
  }
  barrier();
  if (kIsRotated != 0u) unrotate_head(thread);
  for (uint col = thread; col < kHeadDim; col += kThreads) attended[first + col] = result[col];
}
