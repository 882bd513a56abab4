// softmax(cap(q . k * scale)) v over the cache of a slot, causal, within the window. The query heads of a KV head go
// together, so that a key is read and decoded once for all of them; in steps of many rows so do neighbouring rows of a
// slot. Keys come in tiles, with the running maximum and sum of an online softmax (arXiv 1805.02867). In steps of few
// rows the keys of a row are split over workgroups, whose results attend_merge.comp adds up (arXiv 2311.01282).
// Groups: (stacks of query heads, rows, splits).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Keys { uvec4 keys[]; };
layout(set = 0, binding = 2) readonly buffer Values { uvec4 values[]; };
layout(set = 0, binding = 3) readonly buffer Query { float query[]; };
layout(set = 0, binding = 4) writeonly buffer Attended { float attended[]; };  // or the results of splits
layout(set = 0, binding = 5) readonly buffer ExactKeys { uvec4 exact_keys[]; };
layout(set = 0, binding = 6) readonly buffer ExactValues { uvec4 exact_values[]; };
layout(set = 0, binding = 7) readonly buffer Sinks { float sinks[]; };  // (n_heads)
#define VEC(which, index) \
  (which == 0u ? keys[index] : which == 1u ? values[index] : which == 2u ? exact_keys[index] : exact_values[index])

layout(constant_id = 0) const uint kHeadDim = 64;
layout(constant_id = 1) const uint kKeyType = 1;
layout(constant_id = 2) const uint kValueType = 1;
layout(constant_id = 3) const uint kHasExactKeys = 0;
layout(constant_id = 4) const uint kHasExactValues = 0;
layout(constant_id = 5) const uint kHasShifts = 0;  // the values have
layout(constant_id = 6) const uint kIsSplit = 0;
// See AttendShape.
layout(constant_id = 7) const uint kHeads = 1;  // query heads of a stack
layout(constant_id = 8) const uint kRows = 1;   // rows of a block
layout(constant_id = 9) const uint kTile = 32;  // keys
layout(constant_id = 10) const uint kAreaWords = 4096;
layout(constant_id = 11) const uint kHasSinks = 0;  // a score of each head that has no value
const uint kThreads = 128;
const uint kQueries = kHeads * kRows;
const uint kTeam = 8;                                                            // threads of a query's scores
const uint kScores = kTile > kTeam ? kTile / kTeam : 1u;                         // of a thread
const uint kKeyLanes = kThreads / kTile;                                         // threads of a key
const uint kChunks = (kHeadDim + 3u) / 4u;                                       // of four elements
const uint kWidth = kChunks < kThreads ? kChunks : kThreads;                     // threads of a value
const uint kRounds = (kChunks + kThreads - 1u) / kThreads;                       // in which they read it
const uint kValueLanes = kTile < kThreads / kWidth ? kTile : kThreads / kWidth;  // values at once
layout(local_size_x = 128) in;
#include "lib/cache.glsl"
#include "lib/splits.glsl"
#include "lib/key_tile.glsl"
layout(push_constant) uniform Push { AttendPush p; };

shared vec4 queries[kQueries * kChunks];
shared float weights[kQueries * kTile];
shared float team_most[kThreads], team_sum[kThreads];
shared float kept[kQueries];  // what a new maximum leaves of what was added up; in the end the softmax's sum

const float kUnseen = -3.0e38;

// What the workgroup has.
uint slot, kv_head, first_row, n_rows, first_head, n_heads;
// What a thread has: its part of each query's product with one key; scores of one query; its part of each result.
float products[kQueries];
float scores[kScores];
vec4 sums[kQueries * kRounds];

uint row_word(uint row, uint word) { return inputs[p.rows_at + row * kRowWords + word]; }
uint position_of(uint row) { return row_word(row, 2u); }
bool is_there(uint q) { return q % kHeads < n_heads && q / kHeads < n_rows; }
uint head_of(uint q) { return first_head + q % kHeads; }

void load_queries(uint thread) {
  for (uint i = thread; i < kQueries * kChunks; i += kThreads) {
    const uint q = i / kChunks, col = i % kChunks * 4u;
    const uint at = ((first_row + q / kHeads) * p.n_heads + head_of(q)) * kHeadDim + col;
    vec4 chunk = vec4(0.0);
    [[unroll]] for (uint k = 0u; k < 4u; ++k) {
      if (is_there(q) && col + k < kHeadDim) chunk[k] = query[at + k];
    }
    queries[i] = chunk;
  }
}

// A tile in shared memory: the byte of its first row, and whether its rows are those of the exact ends.
struct Tile {
  uint at, row_bytes;
  bool is_exact;
};

bool is_exact(CacheRows rows, uint position, uint exact_from) {
  return position < rows.n_sinks || (rows.n_ring != 0u && position >= exact_from);
}

// Rows of neighbouring positions stand together: a tile does not go around the end of a ring.
Tile load_rows(uint thread, uint which, CacheRows rows, uint position, uint n_keys) {
  const uint byte = cache_row(rows, slot, p.n_kv_heads, kv_head, position);
  load_tile(thread, which, byte, n_keys * rows.row_bytes);
  return Tile(byte & 15u, rows.row_bytes, false);
}

Tile load_exact_rows(uint thread, uint which, CacheRows rows, uint position, uint n_keys) {
  const uint byte = exact_row(rows, slot, p.n_kv_heads, kv_head, position, kHeadDim);
  load_tile(thread, which, byte, n_keys * kHeadDim * 2u);
  return Tile(byte & 15u, kHeadDim * 2u, true);
}

vec4 key_elems(Tile tile, uint key, uint chunk) {
  const uint row = tile.at + key * tile.row_bytes;
  return tile.is_exact ? tile_elems4(kF16, row, chunk * 4u, 0.0) : tile_elems4(kKeyType, row, chunk * 4u, 0.0);
}

vec4 value_elems(Tile tile, uint key, uint chunk, float shift) {
  const uint row = tile.at + key * tile.row_bytes;
  return tile.is_exact ? tile_elems4(kF16, row, chunk * 4u, 0.0) : tile_elems4(kValueType, row, chunk * 4u, shift);
}

// The threads of a key share out its chunks.
void multiply_keys(uint thread, Tile tile, uint n_keys) {
  const uint key = thread / kKeyLanes;
  if (key >= n_keys) return;
  for (uint chunk = thread % kKeyLanes; chunk < kChunks; chunk += kKeyLanes) {
    const vec4 elems = key_elems(tile, key, chunk);
    [[unroll]] for (uint q = 0u; q < kQueries; ++q) products[q] += dot(elems, queries[q * kChunks + chunk]);
  }
}

void add_values(uint thread, Tile tile, uint position, uint n_keys) {
  if (thread / kWidth >= kValueLanes) return;
  for (uint key = thread / kWidth; key < n_keys; key += kValueLanes) {
    const float shift = kHasShifts != 0u ? value_shift(position + key) : 0.0;
    [[unroll]] for (uint round = 0u; round < kRounds; ++round) {
      const uint chunk = thread % kWidth + round * kThreads;
      if (chunk >= kChunks) continue;
      const vec4 elems = value_elems(tile, key, chunk, shift);
      [[unroll]] for (uint q = 0u; q < kQueries; ++q) sums[q * kRounds + round] += weights[q * kTile + key] * elems;
    }
  }
}

// The products of a tile become scores of the positions that a query sees: [first, end) of them.
void score_keys(uint thread, uint position, uint n_keys, uint first, uint end) {
  const uint q = thread / kTeam;
  float most = kUnseen;
  [[unroll]] for (uint i = 0u; i < kScores; ++i) {
    const uint key = thread % kTeam + i * kTeam;
    scores[i] = kUnseen;
    if (key >= n_keys || position + key < first || position + key >= end) continue;
    float product = 0.0;
    for (uint lane = 0u; lane < kKeyLanes; ++lane)
      product += uintBitsToFloat(area[q * kThreads + key * kKeyLanes + lane]);
    scores[i] = softcapped(p.cap, product * p.scale);
    most = max(most, scores[i]);
  }
  team_most[thread] = most;
}

// The scores become weights under a new maximum.
float weigh_keys(uint thread, float most) {
  const uint q = thread / kTeam;
  float sum = 0.0;
  [[unroll]] for (uint i = 0u; i < kScores; ++i) {
    const uint key = thread % kTeam + i * kTeam;
    const float weight = scores[i] == kUnseen ? 0.0 : exp(scores[i] - most);
    if (q < kQueries && key < kTile) weights[q * kTile + key] = weight;
    sum += weight;
  }
  return sum;
}

// The threads of a value add up their parts of the results, where the queries were.
void join_sums(uint thread) {
  for (uint lane = 0u; lane < kValueLanes; ++lane) {
    if (thread / kWidth == lane) {
      [[unroll]] for (uint i = 0u; i < kQueries * kRounds; ++i) {
        const uint chunk = thread % kWidth + i % kRounds * kThreads, at = i / kRounds * kChunks + chunk;
        if (chunk < kChunks) queries[at] = lane == 0u ? sums[i] : queries[at] + sums[i];
      }
    }
    barrier();
  }
}

// The results, or those of a split: not divided yet.
void store(uint thread, uint split) {
  for (uint i = thread; i < kQueries * kHeadDim; i += kThreads) {
    const uint q = i / kHeadDim, col = i % kHeadDim;
    if (!is_there(q)) continue;
    const uint row = first_row + q / kHeads;
    const uint place = kIsSplit != 0u ? row * most_splits(p.row_splits) + split : row;
    const float elem = queries[q * kChunks + col / 4u][col % 4u];
    attended[(place * p.n_heads + head_of(q)) * kHeadDim + col] = kIsSplit != 0u ? elem : elem / kept[q];
  }
}

void main() {
  const uint thread = gl_LocalInvocationID.x, in_block = gl_WorkGroupID.y % kRows, split = gl_WorkGroupID.z;
  const uint group = p.n_heads / p.n_kv_heads, stack = gl_WorkGroupID.x % p.n_stacks;
  first_row = p.first_row + gl_WorkGroupID.y;
  slot = row_word(first_row, 1u);
  // A row behind one of the same slot in its block goes with that.
  if (in_block > 0u && row_word(first_row - 1u, 1u) == slot) return;
  n_rows = 1u;
  while (in_block + n_rows < kRows && gl_WorkGroupID.y + n_rows < gl_NumWorkGroups.y &&
         row_word(first_row + n_rows, 1u) == slot)
    ++n_rows;
  kv_head = gl_WorkGroupID.x / p.n_stacks;
  first_head = kv_head * group + stack * kHeads;
  n_heads = min(kHeads, group - stack * kHeads);

  // Rows of a slot ascend. Tiles begin at multiples of kTile, and a team is of one size, so that a row is added up in
  // the same order whatever is beside it.
  uint position = seen_from(p.window, position_of(first_row)) / kTile * kTile;
  uint end = position_of(first_row + n_rows - 1u) + 1u;
  if (kIsSplit != 0u) {
    const Splits splits = splits_of(p.row_splits, p.window, position_of(first_row));
    if (split >= splits.n) return;
    position = splits.first + split * splits.n_keys;
    end = min(end, position + splits.n_keys);
  }
  const uint exact_from = inputs[p.exact_from_at + slot];
  const uint q = thread / kTeam;
  uint seen_first = 0u, seen_end = 0u;
  float most = kUnseen, total = 0.0;
  if (q < kQueries && is_there(q)) {
    seen_end = position_of(first_row + q / kHeads) + 1u;
    seen_first = seen_from(p.window, seen_end - 1u);
    if (kHasSinks != 0u && (kIsSplit == 0u || split == 0u)) {
      most = sinks[head_of(q)];
      total = 1.0;
    }
  }
  [[unroll]] for (uint i = 0u; i < kQueries * kRounds; ++i) sums[i] = vec4(0.0);
  load_queries(thread);

  while (position < end) {
    uint last = min((position / kTile + 1u) * kTile, end);
    if ((kHasExactKeys | kHasExactValues) != 0u && position < exact_from) last = min(last, exact_from);
    const uint n_keys = last - position;
    const bool has_exact_keys = kHasExactKeys != 0u && is_exact(p.key_rows, position, exact_from);
    const bool has_exact_values = kHasExactValues != 0u && is_exact(p.value_rows, position, exact_from);
    const Tile key_tile = has_exact_keys ? load_exact_rows(thread, 2u, p.key_rows, position, n_keys)
                                         : load_rows(thread, 0u, p.key_rows, position, n_keys);
    barrier();
    [[unroll]] for (uint i = 0u; i < kQueries; ++i) products[i] = 0.0;
    multiply_keys(thread, key_tile, n_keys);
    barrier();  // the keys have been read
    [[unroll]] for (uint i = 0u; i < kQueries; ++i) area[i * kThreads + thread] = floatBitsToUint(products[i]);
    barrier();
    score_keys(thread, position, n_keys, seen_first, seen_end);
    barrier();  // the products have been read
    const Tile value_tile = has_exact_values ? load_exact_rows(thread, 3u, p.value_rows, position, n_keys)
                                             : load_rows(thread, 1u, p.value_rows, position, n_keys);
    float more = most;
    for (uint i = 0u; i < kTeam; ++i) more = max(more, team_most[q * kTeam + i]);
    const float left = exp(most - more);
    most = more;
    team_sum[thread] = weigh_keys(thread, most);
    if (q < kQueries && thread % kTeam == 0u) kept[q] = left;
    barrier();
    total *= left;
    for (uint i = 0u; i < kTeam; ++i) total += team_sum[q * kTeam + i];
    [[unroll]] for (uint i = 0u; i < kQueries * kRounds; ++i) sums[i] *= kept[i / kRounds];
    add_values(thread, value_tile, position, n_keys);
    barrier();  // values, weights and what was kept have been read
    position = last;
  }

  if (q < kQueries && thread % kTeam == 0u) {
    kept[q] = total;
    if (kIsSplit != 0u && is_there(q)) {
      const uint at = p.shares_at + ((first_row * most_splits(p.row_splits) + split) * p.n_heads + head_of(q)) * 2u;
      attended[at] = most;
      attended[at + 1u] = total;
    }
  }
  join_sums(thread);
  store(thread, split);
}
