// The choices of all rows by expert, in tiles of at most 64, so that an expert's matrix is read once for many rows. Tiles:
// their number, three words that nobody uses, four words for each (expert, its first choice, how many, 0), and where
// choices_at says the choices, those of a tile together. Groups: (1, 1).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 3) readonly buffer Ids { uint ids[]; };  // (rows, n_used)
layout(set = 0, binding = 4) writeonly buffer Tiles { uint tiles[]; };

const uint kThreads = 256, kTileRows = 64, kMostExperts = 1024;
layout(local_size_x = 256) in;
layout(push_constant) uniform Push { GroupExpertsPush p; };

shared uint counts[kMostExperts];
shared uint firsts[kMostExperts];       // where the choices of an expert begin; then where its next one goes
shared uint first_tiles[kMostExperts];

void main() {
  const uint thread = gl_LocalInvocationID.x, n_choices = step_rows() * p.n_used;
  for (uint i = thread; i < p.n_experts; i += kThreads) counts[i] = 0u;
  barrier();
  for (uint i = thread; i < n_choices; i += kThreads) atomicAdd(counts[ids[i]], 1u);
  barrier();
  if (thread == 0u) {
    uint n_before = 0u, n_tiles = 0u;
    for (uint i = 0u; i < p.n_experts; ++i) {
      firsts[i] = n_before;
      first_tiles[i] = n_tiles;
      n_before += counts[i];
      n_tiles += (counts[i] + kTileRows - 1u) / kTileRows;
    }
    tiles[0] = n_tiles;
  }
  barrier();
  for (uint i = thread; i < p.n_experts; i += kThreads) {
    for (uint from = 0u; from < counts[i]; from += kTileRows) {
      const uint at = 4u + 4u * (first_tiles[i] + from / kTileRows);
      tiles[at] = i;
      tiles[at + 1u] = firsts[i] + from;
      tiles[at + 2u] = min(kTileRows, counts[i] - from);
      tiles[at + 3u] = 0u;
    }
  }
  barrier();
  // In any order: what a row becomes does not depend on those beside it.
  for (uint i = thread; i < n_choices; i += kThreads) tiles[p.choices_at + atomicAdd(firsts[ids[i]], 1u)] = i;
}
