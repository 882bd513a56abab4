// What the rows of a chunk make of each other in the rule of delta nets (delta_rule.comp), which no state goes into.
// With A the part below the diagonal of exp(G_t - G_j) k_t . k_j, and B the diagonal matrix of betas,
//   M = (I + B A)^-1 B, column after column from the top,
//   N = the part up to the diagonal of exp(G_t - G_j) q_t . k_j.
// G_t is the sum of the decays up to row t, of rows of the same slot: rows of different ones do not see each other. No
// exponent is above 0. Groups: (key heads, chunks), of which each has the value heads that share its key head.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 3) readonly buffer Mixed { float mixed[]; };   // (rows, queries, keys and values)
layout(set = 0, binding = 4) readonly buffer Rates { float rates[]; };   // (rows, 2, value heads)
layout(set = 0, binding = 6) writeonly buffer Pairs { float pairs[]; };  // (chunks, value heads, kPairWords)

layout(constant_id = 0) const uint kKeyDim = 128;
layout(constant_id = 1) const uint kValueDim = 128;
#include "lib/delta.glsl"
const uint kThreads = 2u * kDeltaChunk * kDeltaChunk;  // each has two rows of a chunk
layout(local_size_x = 128) in;
layout(push_constant) uniform Push { DeltaPairsPush p; };
#include "lib/runs.glsl"

// Elements that stand in shared memory at once, four to a vector; the pitch keeps rows in banks of their own.
const uint kTile = 128, kQuads = kTile / 4u, kPitch = kQuads + 1u;
shared vec4 keys[kDeltaChunk * kPitch], queries[kDeltaChunk * kPitch];
shared float products[kThreads];  // k_t . k_j, then q_t . k_j

// The rows of the chunk: those behind the end of the step stand alone and are zeros.
uint first_row, n_rows;
bool follows(uint t) {
  return t != 0u && t < n_rows && slot_of(first_row + t) == slot_of(first_row + t - 1u);
}

float product(uint thread) {
  const uint q_dim = p.n_key_heads * kKeyDim, width = 2u * q_dim + p.n_value_heads * kValueDim;
  const uint from = first_row * width + gl_WorkGroupID.x * kKeyDim;
  const uint t = thread / kDeltaChunk % kDeltaChunk, j = thread % kDeltaChunk;
  float sum = 0.0;
  for (uint first = 0u; first < kKeyDim; first += kTile) {
    barrier();  // what stands there has been read
    for (uint at = thread; at < kDeltaChunk * kQuads; at += kThreads) {
      const uint row = at / kQuads, quad = at % kQuads;
      vec4 of_key = vec4(0.0), of_query = vec4(0.0);
      [[unroll]] for (uint k = 0u; k < 4u; ++k) {
        const uint i = first + 4u * quad + k;
        if (row < n_rows && i < kKeyDim) {
          of_query[k] = mixed[from + row * width + i];
          of_key[k] = mixed[from + row * width + q_dim + i];
        }
      }
      keys[row * kPitch + quad] = of_key;
      queries[row * kPitch + quad] = of_query;
    }
    barrier();
    for (uint quad = 0u; quad < kQuads; ++quad) {
      const vec4 of_t = thread < kDeltaChunk * kDeltaChunk ? keys[t * kPitch + quad] : queries[t * kPitch + quad];
      sum += dot(keys[j * kPitch + quad], of_t);
    }
  }
  return sum;
}

// Column j of M and N of a value head, and the exponentials of row j.
void put_column(uint head, uint j) {
  const uint to = (gl_WorkGroupID.y * p.n_value_heads + head) * kPairWords;
  float sums[kDeltaChunk], of_column[kDeltaChunk];
  uint begins[kDeltaChunk];  // the first of the chunk's rows that are of the same slot
  float of_j = 0.0, last = 0.0;
  [[unroll]] for (uint t = 0u; t < kDeltaChunk; ++t) {
    const bool is_next = follows(t);
    const uint rate = 2u * (first_row + t) * p.n_value_heads + head;
    const float decay = t < n_rows ? rates[rate] : 0.0, beta = t < n_rows ? rates[rate + p.n_value_heads] : 0.0;
    sums[t] = decay;
    begins[t] = t;
    if (t > 0u && is_next) {
      sums[t] += sums[t - 1u];
      begins[t] = begins[t - 1u];
    }
    const bool sees = j <= t && j >= begins[t];
    if (t == j) of_j = sums[t];
    if (sees) last = sums[t];
    float before = 0.0;
    [[unroll]] for (uint i = 0u; i < t; ++i) {
      if (i >= j && i >= begins[t]) before += exp(sums[t] - sums[i]) * products[t * kDeltaChunk + i] * of_column[i];
    }
    of_column[t] = sees ? beta * ((t == j ? 1.0 : 0.0) - before) : 0.0;
    pairs[to + kCorrectAt + t * kDeltaChunk + j] = of_column[t];
    pairs[to + kReadAt + t * kDeltaChunk + j] =
        sees ? exp(sums[t] - of_j) * products[(kDeltaChunk + t) * kDeltaChunk + j] : 0.0;
  }
  pairs[to + kFromStartAt + j] = exp(of_j);
  pairs[to + kToEndAt + j] = exp(last - of_j);
}

void main() {
  const uint thread = gl_LocalInvocationID.x, end = min(step_rows(), p.end_row);
  first_row = gl_WorkGroupID.y * kDeltaChunk;
  if (first_row >= end || first_row < p.first_row) return;
  n_rows = min(end - first_row, kDeltaChunk);
  products[thread] = product(thread);
  barrier();
  const uint n_sharing = p.n_value_heads / p.n_key_heads;
  for (uint i = thread / kDeltaChunk; i < n_sharing; i += kThreads / kDeltaChunk) {
    const uint head =
        p.heads_are_tiled != 0u ? gl_WorkGroupID.x + i * p.n_key_heads : gl_WorkGroupID.x * n_sharing + i;
    put_column(head, thread % kDeltaChunk);
  }
}
