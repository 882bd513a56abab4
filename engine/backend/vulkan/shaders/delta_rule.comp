// The rule of delta nets: the state S of a value head, and with each row
//   S = exp(decay) S, S += k beta (v - S^T k)^T, read = S^T q.
// A group has 32 columns of a state; a lane is a column, and four lanes share out its rows. It takes chunks of rows, in
// which S is read and written once. With G_t the sum of the decays up to row t, row t sees the state from before the
// chunk as exp(G_t) S, and what row j corrected as exp(G_t - G_j) k_j r_j^T. So the corrections are
//   r_t = beta_t (v_t - exp(G_t) S^T k_t - sum over j < t of exp(G_t - G_j) (k_j . k_t) r_j),
// each after the ones before it, and all of the rest are products with S or sums of r. No exponent is above 0.
// Groups: (blocks of columns of all value heads, slots of the step).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 3) readonly buffer Mixed { float mixed[]; };  // (rows, queries, keys and values)
layout(set = 0, binding = 4) readonly buffer Rates { float rates[]; };  // (rows, 2, value heads)
layout(set = 0, binding = 5) buffer State { float state[]; };           // (slots, value heads, key_dim, value_dim)
layout(set = 0, binding = 6) writeonly buffer Read { float read[]; };   // (rows, value heads, value_dim)

layout(constant_id = 0) const uint kKeyDim = 128;
layout(constant_id = 1) const uint kValueDim = 128;
layout(constant_id = 2) const uint kChunkRows = 8;  // of a chunk
const uint kDeltaColumns = 32, kParts = 4, kThreads = kDeltaColumns * kParts;
layout(local_size_x = 128) in;
layout(push_constant) uniform Push { DeltaRulePush p; };
#include "lib/runs.glsl"

// Elements of keys that stand in shared memory at once, four to a vector; the pitch keeps rows in banks of their own.
const uint kTile = 128, kQuads = kTile / 4u, kPitch = kQuads + 1u;
const uint kTiles = (kKeyDim + kTile - 1u) / kTile;
shared vec4 keys[kChunkRows * kPitch];
// Queries of the tile; then what each part has of the products with S: with keys, then with queries.
shared vec4 area[2u * kChunkRows * kThreads / 4u];
shared float corrections[kChunkRows * kDeltaColumns];  // r
// exp(G_t - G_j) times k_j . k_t, and k_j . q_t.
shared float of_keys[kChunkRows * kChunkRows], of_queries[kChunkRows * kChunkRows];
shared float sums[kChunkRows], betas[kChunkRows], from_start[kChunkRows], to_end[kChunkRows];

struct Head {
  uint query, key, value, width;  // in a row of `mixed`, and its elements
  uint rate, state_at;
};

// Rows behind the end are zeros, which change no state.
void load_rates(uint thread, Head head, uint first, uint n) {
  barrier();  // the chunk before has read them
  if (thread < kChunkRows) {
    float sum = 0.0, beta = 0.0;
    for (uint t = 0u; t <= thread && t < n; ++t) sum += rates[2u * (first + t) * p.n_value_heads + head.rate];
    if (thread < n) beta = rates[(2u * (first + thread) + 1u) * p.n_value_heads + head.rate];
    sums[thread] = sum;
    betas[thread] = beta;
  }
  barrier();
  if (thread < kChunkRows) {
    from_start[thread] = exp(sums[thread]);
    to_end[thread] = exp(sums[kChunkRows - 1u] - sums[thread]);
  }
}

float element(Head head, uint which, uint first, uint n, uint t, uint i) {
  return t < n && i < kKeyDim ? mixed[(first + t) * head.width + which + i] : 0.0;
}

void load_tile(uint thread, Head head, uint tile, uint first, uint n, bool has_queries) {
  barrier();  // the tile before has been read
  for (uint at = thread; at < kChunkRows * kQuads; at += kThreads) {
    const uint t = at / kQuads, quad = at % kQuads, i = tile * kTile + 4u * quad;
    vec4 of_key, of_query;
    [[unroll]] for (uint k = 0u; k < 4u; ++k) {
      of_key[k] = element(head, head.key, first, n, t, i + k);
      if (has_queries) of_query[k] = element(head, head.query, first, n, t, i + k);
    }
    keys[t * kPitch + quad] = of_key;
    if (has_queries) area[t * kPitch + quad] = of_query;
  }
  barrier();
}

// Four rows of the state from row i on, of one column.
vec4 load_state(uint at, uint i, bool is_there) {
  vec4 s = vec4(0.0);
  [[unroll]] for (uint k = 0u; k < 4u; ++k) {
    if (is_there && i + k < kKeyDim) s[k] = state[at + (i + k) * kValueDim];
  }
  return s;
}

// Quads of a tile that hold elements, each of which one part takes.
uint quads_of(uint tile) { return (min(kKeyDim - tile * kTile, kTile) + 3u) / 4u; }

float part_sum(uint t, uint lane) {
  float sum = 0.0;
  [[unroll]] for (uint part = 0u; part < kParts; ++part)
    sum += area[(part * 2u * kChunkRows + t) * 8u + lane / 4u][lane % 4u];
  return sum;
}

void take_chunk(uint thread, Head head, uint column, uint first, uint n, bool is_new) {
  const uint lane = thread % kDeltaColumns, part = thread / kDeltaColumns, at = head.state_at + column;
  const bool is_there = column < kValueDim;
  load_rates(thread, head, first, n);
  float with_keys[kChunkRows], with_queries[kChunkRows], pair = 0.0;
  [[unroll]] for (uint t = 0u; t < kChunkRows; ++t) with_keys[t] = with_queries[t] = 0.0;
  // Threads have a product of two rows each: of keys, then of queries with keys.
  const uint pair_t = thread / kChunkRows % kChunkRows, pair_j = thread % kChunkRows;
  const bool is_of_keys = thread < kChunkRows * kChunkRows, has_pair = thread < 2u * kChunkRows * kChunkRows;
  for (uint tile = 0u; tile < kTiles; ++tile) {
    load_tile(thread, head, tile, first, n, true);
    const uint n_quads = quads_of(tile);
    if (has_pair) {
      for (uint quad = 0u; quad < n_quads; ++quad) {
        const vec4 of_t = is_of_keys ? keys[pair_t * kPitch + quad] : area[pair_t * kPitch + quad];
        pair += dot(keys[pair_j * kPitch + quad], of_t);
      }
    }
    for (uint quad = part; quad < n_quads && !is_new; quad += kParts) {
      const vec4 s = load_state(at, tile * kTile + 4u * quad, is_there);
      [[unroll]] for (uint t = 0u; t < kChunkRows; ++t) {
        with_keys[t] += dot(keys[t * kPitch + quad], s);
        with_queries[t] += dot(area[t * kPitch + quad], s);
      }
    }
  }
  barrier();  // queries have been read
  [[unroll]] for (uint t = 0u; t < kChunkRows; ++t) {
    area[(part * 2u * kChunkRows + t) * 8u + lane / 4u][lane % 4u] = with_keys[t];
    area[((part * 2u + 1u) * kChunkRows + t) * 8u + lane / 4u][lane % 4u] = with_queries[t];
  }
  if (has_pair) {
    const float product = pair_j <= pair_t ? exp(sums[pair_t] - sums[pair_j]) * pair : 0.0;
    if (is_of_keys) {
      of_keys[pair_t * kChunkRows + pair_j] = product;
    } else {
      of_queries[pair_t * kChunkRows + pair_j] = product;
    }
  }
  barrier();
  if (part == 0u) {
    float more[kChunkRows];
    [[unroll]] for (uint t = 0u; t < kChunkRows; ++t) {
      float before = from_start[t] * part_sum(t, lane);
      [[unroll]] for (uint j = 0u; j < t; ++j) before += of_keys[t * kChunkRows + j] * more[j];
      const float value = t < n && is_there ? mixed[(first + t) * head.width + head.value + column] : 0.0;
      more[t] = betas[t] * (value - before);
      corrections[t * kDeltaColumns + lane] = more[t];
    }
  }
  barrier();
  for (uint t = part; t < n; t += kParts) {
    float sum = from_start[t] * part_sum(kChunkRows + t, lane);
    for (uint j = 0u; j <= t; ++j) sum += of_queries[t * kChunkRows + j] * corrections[j * kDeltaColumns + lane];
    if (is_there) read[((first + t) * p.n_value_heads + head.rate) * kValueDim + column] = sum;
  }
  float added[kChunkRows];
  [[unroll]] for (uint t = 0u; t < kChunkRows; ++t) added[t] = to_end[t] * corrections[t * kDeltaColumns + lane];
  for (uint tile = 0u; tile < kTiles; ++tile) {
    if (kTiles > 1u) load_tile(thread, head, tile, first, n, false);
    const uint n_quads = quads_of(tile);
    for (uint quad = part; quad < n_quads; quad += kParts) {
      const uint i = tile * kTile + 4u * quad;
      vec4 s = vec4(0.0);
      if (!is_new) s = from_start[kChunkRows - 1u] * load_state(at, i, is_there);
      [[unroll]] for (uint t = 0u; t < kChunkRows; ++t) s += added[t] * keys[t * kPitch + quad];
      [[unroll]] for (uint k = 0u; k < 4u; ++k) {
        if (is_there && i + k < kKeyDim) state[at + (i + k) * kValueDim] = s[k];
      }
    }
  }
}

void main() {
  const uint thread = gl_LocalInvocationID.x, of_head = (kValueDim + kDeltaColumns - 1u) / kDeltaColumns;
  const uint block = p.first_block + gl_WorkGroupID.x, value_head = block / of_head;
  const uint column = block % of_head * kDeltaColumns + thread % kDeltaColumns;
  const uint run_first = run_begin(gl_WorkGroupID.y), run_end = run_begin(gl_WorkGroupID.y + 1u);
  const uint begin = max(run_first, p.first_row), end = min(run_end, p.end_row);
  if (begin >= end) return;
  const uint q_dim = p.n_key_heads * kKeyDim;
  const uint key_head =
      p.heads_are_tiled != 0u ? value_head % p.n_key_heads : value_head / (p.n_value_heads / p.n_key_heads);
  const Head head = Head(key_head * kKeyDim, q_dim + key_head * kKeyDim, 2u * q_dim + value_head * kValueDim,
                         2u * q_dim + p.n_value_heads * kValueDim, value_head,
                         (slot_of(begin) * p.n_value_heads + value_head) * kKeyDim * kValueDim);
  const bool begins_anew = position_of(run_first) == 0u;
  for (uint first = begin; first < end; first += kChunkRows)
    take_chunk(thread, head, column, first, min(kChunkRows, end - first), begins_anew && first == run_first);
}
