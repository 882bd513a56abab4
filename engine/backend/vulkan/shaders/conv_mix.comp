// What a short convolution makes of the products of a row: gate * sum of tap * (input * factor) over the row and those
// before it. Groups: (64 channels each; rows, or slots of the step where kKeeps is set).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Taps { float taps[]; };  // (width, channels), the newest last
layout(set = 0, binding = 2) readonly buffer Factors { float factors[]; };
layout(set = 0, binding = 3) readonly buffer From { float from[]; };
layout(set = 0, binding = 4) writeonly buffer Mixed { float mixed[]; };
layout(set = 0, binding = 5) buffer State { float state[]; };  // (slots, width - 1, channels), the newest last
layout(set = 0, binding = 6) readonly buffer Gates { float gates[]; };

layout(constant_id = 0) const uint kWidth = 3;
layout(constant_id = 1) const uint kComputes = 1;  // rows: of a slot, or one where it does not keep
layout(constant_id = 2) const uint kKeeps = 1;     // what the next step's convolution sees of each slot
const uint kThreads = 64;
const uint kBefore = kWidth - 1u;
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { ConvMixPush p; };

#include "lib/runs.glsl"

// What went in at the row that is `back` before this one: of this step, of an earlier one, or before the first.
float seen(uint channel, uint row, uint n_before, uint back) {
  const uint elem = (row - back) * p.n_channels + channel;
  if (back <= n_before) return from[elem] * factors[elem];
  if (position_of(row) < back) return 0.0;
  const uint kept = kBefore - (back - n_before);
  return state[(slot_of(row) * kBefore + kept) * p.n_channels + channel];
}

void main() {
  const uint channel = gl_WorkGroupID.x * kThreads + gl_LocalInvocationID.x;
  uint first = gl_WorkGroupID.y, end = first + 1u;
  if (kKeeps != 0u) {
    first = run_begin(gl_WorkGroupID.y);
    end = run_begin(gl_WorkGroupID.y + 1u);
  }
  if (channel >= p.n_channels || first == end) return;
  for (uint row = first; kComputes != 0u && row < end; ++row) {
    const uint n_before = rows_before(row, kBefore), elem = row * p.n_channels + channel;
    float sum = 0.0;
    for (uint tap = 0u; tap < kWidth; ++tap)
      sum += taps[tap * p.n_channels + channel] * seen(channel, row, n_before, kBefore - tap);
    mixed[elem] = gates[elem] * sum;
  }
  if (kKeeps == 0u) return;
  // After the last of a slot's rows. What is read stands behind what is written.
  const uint n_before = rows_before(end - 1u, kBefore), to = slot_of(end - 1u) * kBefore;
  for (uint kept = 0u; kept < kBefore; ++kept)
    state[(to + kept) * p.n_channels + channel] = seen(channel, end - 1u, n_before, kBefore - 1u - kept);
}
