// The rule of delta nets: the state S of a value head, and with each row
//   S = exp(decay) S, S += k beta (v - S^T k)^T, read = S^T q.
// A group has 32 columns of a state; a lane is a column, and four lanes share out its rows. It takes chunks of rows, in
// which S is read and written once: with G_t the sum of the decays up to row t of the chunk,
//   x_t = v_t - exp(G_t) S^T k_t            what row t asks to be corrected,
//   r_t = sum over j <= t of M_tj x_j       what it corrects,
//   read_t = exp(G_t) S^T q_t + sum over j <= t of N_tj r_j,
//   S = exp(G_last) S + sum over t of exp(G_last - G_t) k_t r_t^T.
// M, N and the exponentials do not depend on S: delta_pairs.comp has made them for all chunks at once. A step of one row
// has none. Of keys of up to kTile elements a thread holds its part of the state from the first chunk to the last.
// Groups: (blocks of columns of all value heads, slots of the step).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 3) readonly buffer Mixed { float mixed[]; };  // (rows, queries, keys and values)
layout(set = 0, binding = 4) readonly buffer Rates { float rates[]; };  // (rows, 2, value heads)
layout(set = 0, binding = 5) buffer State { float state[]; };           // (slots, value heads, key_dim, value_dim)
layout(set = 0, binding = 6) writeonly buffer Read { float read[]; };   // (rows, value heads, value_dim)
layout(set = 0, binding = 7) readonly buffer Pairs { float pairs[]; };  // (chunks, value heads, kPairWords)

layout(constant_id = 0) const uint kKeyDim = 128;
layout(constant_id = 1) const uint kValueDim = 128;
layout(constant_id = 2) const uint kChunkRows = 8;  // kDeltaChunk, or 1
#include "lib/delta.glsl"
const uint kDeltaColumns = 32, kParts = 4, kThreads = kDeltaColumns * kParts;
layout(local_size_x = 128) in;
layout(push_constant) uniform Push { DeltaRulePush p; };
#include "lib/runs.glsl"

// Elements of keys that stand in shared memory at once, four to a vector, and those that a part has of them.
const uint kTile = 128, kQuads = kTile / 4u, kPartQuads = kQuads / kParts;
const bool kHolds = kKeyDim <= kTile;
shared vec4 keys[kChunkRows * kQuads], queries[kChunkRows * kQuads];
// What each part has of the products with S: with keys, then with queries; of one row with its query and key, too.
const uint kSums = 2u * kChunkRows + 1u;
shared float area[kParts * kSums * kDeltaColumns];
shared float asked[kChunkRows * kDeltaColumns];        // x
shared float corrections[kChunkRows * kDeltaColumns];  // r
shared float of_chunk[kPairWords];

struct Head {
  uint query, key, value, width;  // in a row of `mixed`, and its elements
  uint rate, state_at;
};
// Rows [first, end) of a chunk are the slot's.
struct Chunk {
  uint row, first, end;
};
vec4 held[kPartQuads];

float element(Head head, Chunk chunk, uint which, uint t, uint i) {
  return t >= chunk.first && t < chunk.end && i < kKeyDim ? mixed[(chunk.row + t) * head.width + which + i] : 0.0;
}

// Rows that are not the slot's are zeros, which change no state.
void load_tile(uint thread, Head head, Chunk chunk, uint first) {
  barrier();  // the tile before has been read
  for (uint at = thread; at < kChunkRows * kQuads; at += kThreads) {
    const uint t = at / kQuads, i = first + 4u * (at % kQuads);
    vec4 of_key, of_query;
    [[unroll]] for (uint k = 0u; k < 4u; ++k) {
      of_key[k] = element(head, chunk, head.key, t, i + k);
      of_query[k] = element(head, chunk, head.query, t, i + k);
    }
    keys[at] = of_key;
    queries[at] = of_query;
  }
  barrier();
}

// M, N and the exponentials of the chunk. Of one row M is beta, and N comes from the sums.
void load_pairs(uint thread, Head head, Chunk chunk) {
  if (kChunkRows == 1u) {
    const uint rate = 2u * chunk.row * p.n_value_heads + head.rate;
    if (thread == 0u) {
      of_chunk[kCorrectAt] = rates[rate + p.n_value_heads];
      of_chunk[kFromStartAt] = exp(rates[rate]);
      of_chunk[kToEndAt] = 1.0;
    }
  } else {
    const uint from = (chunk.row / kDeltaChunk * p.n_value_heads + head.rate) * kPairWords;
    for (uint i = thread; i < kPairWords; i += kThreads) of_chunk[i] = pairs[from + i];
  }
}

// Four rows of the state from row i on, of one column.
vec4 load_state(uint at, uint i, bool is_there) {
  vec4 s = vec4(0.0);
  [[unroll]] for (uint k = 0u; k < 4u; ++k) {
    if (is_there && i + k < kKeyDim) s[k] = state[at + (i + k) * kValueDim];
  }
  return s;
}
void store_state(uint at, uint i, bool is_there, vec4 s) {
  [[unroll]] for (uint k = 0u; k < 4u; ++k) {
    if (is_there && i + k < kKeyDim) state[at + (i + k) * kValueDim] = s[k];
  }
}

float part_sum(uint i, uint lane) {
  float sum = 0.0;
  [[unroll]] for (uint part = 0u; part < kParts; ++part) sum += area[(part * kSums + i) * kDeltaColumns + lane];
  return sum;
}

void take_chunk(uint thread, Head head, uint column, Chunk chunk, bool is_new) {
  const uint lane = thread % kDeltaColumns, part = thread / kDeltaColumns, at = head.state_at + column;
  const bool is_there = column < kValueDim;
  float with_keys[kChunkRows], with_queries[kChunkRows], pair = 0.0;
  [[unroll]] for (uint t = 0u; t < kChunkRows; ++t) with_keys[t] = with_queries[t] = 0.0;
  for (uint first = 0u; first < kKeyDim; first += kTile) {
    load_tile(thread, head, chunk, first);
    if (first == 0u) load_pairs(thread, head, chunk);
    [[unroll]] for (uint i = 0u; i < kPartQuads; ++i) {
      const uint quad = i * kParts + part;
      vec4 s = vec4(0.0);
      if (kHolds) {
        s = held[i];
      } else if (!is_new) {
        s = load_state(at, first + 4u * quad, is_there);
      }
      [[unroll]] for (uint t = 0u; t < kChunkRows; ++t) {
        with_keys[t] += dot(keys[t * kQuads + quad], s);
        with_queries[t] += dot(queries[t * kQuads + quad], s);
      }
      if (kChunkRows == 1u) pair += dot(keys[quad], queries[quad]);
    }
  }
  [[unroll]] for (uint t = 0u; t < kChunkRows; ++t) {
    area[(part * kSums + t) * kDeltaColumns + lane] = with_keys[t];
    area[(part * kSums + kChunkRows + t) * kDeltaColumns + lane] = with_queries[t];
  }
  if (kChunkRows == 1u) area[(part * kSums + 2u) * kDeltaColumns + lane] = pair;
  barrier();
  for (uint t = part; t < kChunkRows; t += kParts) {
    const bool has_row = t >= chunk.first && t < chunk.end && is_there;
    const float value = has_row ? mixed[(chunk.row + t) * head.width + head.value + column] : 0.0;
    asked[t * kDeltaColumns + lane] = value - of_chunk[kFromStartAt + t] * part_sum(t, lane);
  }
  barrier();
  for (uint t = part; t < kChunkRows; t += kParts) {
    float sum = 0.0;
    [[unroll]] for (uint j = 0u; j < kChunkRows; ++j)
      sum += of_chunk[kCorrectAt + t * kDeltaChunk + j] * asked[j * kDeltaColumns + lane];
    corrections[t * kDeltaColumns + lane] = sum;
  }
  barrier();
  for (uint t = part; t < chunk.end; t += kParts) {
    if (t < chunk.first) continue;
    float sum = of_chunk[kFromStartAt + t] * part_sum(kChunkRows + t, lane);
    if (kChunkRows == 1u) {
      sum += part_sum(2u, lane) * corrections[lane];
    } else {
      [[unroll]] for (uint j = 0u; j < kChunkRows; ++j)
        sum += of_chunk[kReadAt + t * kDeltaChunk + j] * corrections[j * kDeltaColumns + lane];
    }
    if (is_there) read[((chunk.row + t) * p.n_value_heads + head.rate) * kValueDim + column] = sum;
  }
  const float decay = of_chunk[kFromStartAt + chunk.end - 1u];
  float added[kChunkRows];
  [[unroll]] for (uint t = 0u; t < kChunkRows; ++t)
    added[t] = of_chunk[kToEndAt + t] * corrections[t * kDeltaColumns + lane];
  for (uint first = 0u; first < kKeyDim; first += kTile) {
    if (!kHolds) load_tile(thread, head, chunk, first);
    [[unroll]] for (uint i = 0u; i < kPartQuads; ++i) {
      const uint quad = i * kParts + part;
      vec4 s = vec4(0.0);
      if (kHolds) {
        s = decay * held[i];
      } else if (!is_new) {
        s = decay * load_state(at, first + 4u * quad, is_there);
      }
      [[unroll]] for (uint t = 0u; t < kChunkRows; ++t) s += added[t] * keys[t * kQuads + quad];
      if (kHolds) {
        held[i] = s;
      } else {
        store_state(at, first + 4u * quad, is_there, s);
      }
    }
  }
}

void main() {
  const uint thread = gl_LocalInvocationID.x, of_head = (kValueDim + kDeltaColumns - 1u) / kDeltaColumns;
  const uint block = p.first_block + gl_WorkGroupID.x, value_head = block / of_head, part = thread / kDeltaColumns;
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
  const bool is_new = begin == run_first && position_of(run_first) == 0u, is_there = column < kValueDim;
  [[unroll]] for (uint i = 0u; i < kPartQuads; ++i) {
    held[i] = vec4(0.0);
    if (kHolds && !is_new) held[i] = load_state(head.state_at + column, 4u * (i * kParts + part), is_there);
  }
  for (uint row = begin / kChunkRows * kChunkRows; row < end; row += kChunkRows)
    take_chunk(thread, head, column, Chunk(row, max(begin, row) - row, min(end - row, kChunkRows)),
               is_new && row <= begin);
  if (!kHolds) return;
  [[unroll]] for (uint i = 0u; i < kPartQuads; ++i)
    store_state(head.state_at + column, 4u * (i * kParts + part), is_there, held[i]);
}
