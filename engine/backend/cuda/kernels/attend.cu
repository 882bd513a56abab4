// softmax(cap(q . k * scale)) v over the cache of a slot, causal, within the window. The query heads of a KV head go
// together, so that a key is read and decoded once for all of them; in steps of many rows so do neighbouring rows of a
// slot. Keys come in tiles, with the running maximum and sum of an online softmax (arXiv 1805.02867). In steps of few
// rows the keys of a row are split over blocks, whose results attend_merge.cu adds up (arXiv 2311.01282). Blocks:
// (stacks of query heads, rows, splits).
#include "backend/cuda/kernel_limits.h"
#include "lib/attend.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kThreads = kAttendThreads, kTeam = kAttendTeam, kRoomWords = kAttendRoomWords;
constexpr u32 kMostQueries = kAttendQueries;
constexpr u32 kMostTile = 64;  // keys

// `plain` and `exact` are the numbers of the buffers of keys, or of values. Rows of neighbouring positions stand
// together: a tile does not go around the end of a ring.
DEVICE KeyTile load_rows(const AttendParams& p, auto& area, const Stack& stack, const CacheRows& rows, bool from_exact,
                         u32 plain, u32 exact, u32 type, u32 position, u32 n_keys) {
  const u32 head_dim = p.words.head_dim, row_bytes = from_exact ? head_dim * 2 : rows.row_bytes;
  const std::uint64_t byte = rows_at(p.words, stack, rows, from_exact, position);
  load_tile<kThreads>(area, buffer<const uint4>(p, from_exact ? exact : plain), byte, n_keys * row_bytes);
  return {static_cast<u32>(byte % 16), row_bytes, from_exact ? kF16 : type};
}

// kQueries of the stack's heads and rows; kRounds in which the threads read a value.
template <u32 kQueries, u32 kRounds>
DEVICE void attend(const AttendParams& p, auto& area, auto& queries, auto& weights, auto& team_most, auto& team_sum,
                   auto& kept) {
  const AttendWords& words = p.words;
  const u32 thread = thread_index(), head_dim = words.head_dim, tile = words.tile;
  const u32 n_chunks = divide_up(head_dim, 4), key_lanes = kThreads / tile;
  const u32 width = smaller(n_chunks, kThreads), value_lanes = smaller(tile, kThreads / width);
  const u32* inputs = inputs_of(p);
  const u32 split = block_z();
  Stack stack;
  if (!open_stack(p, stack)) return;
  const auto position_of = [&](u32 row) { return step_row(inputs, words.rows_at, row).position; };

  // Rows of a slot ascend. Tiles begin at multiples of their size, and a team is of one size, so that a row is added up
  // in the same order whatever is beside it.
  u32 position = seen_from(words.window, position_of(stack.first_row)) / tile * tile;
  u32 end = position_of(stack.first_row + stack.n_rows - 1) + 1;
  const u32 n_step_rows = step_rows(inputs);
  if (words.is_split != 0) {
    const Splits splits = splits_of(words.row_splits, n_step_rows, words.window, position_of(stack.first_row));
    if (split >= splits.n) return;
    position = splits.first + split * splits.n_keys;
    end = smaller(end, position + splits.n_keys);
  }
  const u32 exact_from = inputs[words.exact_from_at + stack.slot];
  const u32 q = thread / kTeam, in_team = thread % kTeam;
  u32 seen_first = 0, seen_end = 0;
  float most = kUnseen, total = 0;
  if (q < kQueries && has_query(words, stack, q)) {
    seen_end = position_of(query_row(words, stack, q)) + 1;
    seen_first = seen_from(words.window, seen_end - 1);
    if (words.has_sinks != 0 && (words.is_split == 0 || split == 0)) most = sink_of(p, stack, q), total = 1;
  }
  for (u32 i = thread; i < kQueries * n_chunks; i += kThreads) {
    const u32 of = i / n_chunks, col = i % n_chunks * 4;
    const float* from = buffer<const float>(p, 3) + query_at(words, stack, of) + col;
    float4 chunk = make_float4(0, 0, 0, 0);
    if (has_query(words, stack, of)) {
      chunk.x = from[0];
      chunk.y = from[1];
      if (col + 4 <= head_dim) chunk.z = from[2], chunk.w = from[3];
    }
    queries[i] = chunk;
  }

  Four sums[kQueries * kRounds]{};
  while (position < end) {
    u32 last = smaller((position / tile + 1) * tile, end);
    if ((words.has_exact_keys | words.has_exact_values) != 0 && position < exact_from) last = smaller(last, exact_from);
    const u32 n_keys = last - position;
    const bool exact_keys = words.has_exact_keys != 0 && is_exact(words.key_rows, position, exact_from);
    const bool exact_values = words.has_exact_values != 0 && is_exact(words.value_rows, position, exact_from);
    const KeyTile keys = load_rows(p, area, stack, words.key_rows, exact_keys, 1, 5, words.key_type, position, n_keys);
    BARRIER();
    // The threads of a key share out its chunks.
    float products[kQueries]{};
    if (thread / key_lanes < n_keys) {
      const u32 row = keys.at + thread / key_lanes * keys.row_bytes;
      with_cache_type(keys.type, [&]<u32 kType>() {
        for (u32 chunk = thread % key_lanes; chunk < n_chunks; chunk += key_lanes) {
          const Four elems = tile_elems<kType>(area, row, chunk * 4, head_dim, 0);
#pragma unroll
          for (u32 i = 0; i < kQueries; ++i) {
            const float4 query = queries[i * n_chunks + chunk];
            products[i] +=
                elems.of[0] * query.x + elems.of[1] * query.y + elems.of[2] * query.z + elems.of[3] * query.w;
          }
        }
      });
    }
    BARRIER();  // the keys have been read
#pragma unroll
    for (u32 i = 0; i < kQueries; ++i) area[i * kThreads + thread] = bits_of(products[i]);
    BARRIER();
    // They become scores of the positions that a query sees.
    float scores[kMostTile / kTeam], of_team = kUnseen;
#pragma unroll
    for (u32 i = 0; i < kMostTile / kTeam; ++i) {
      const u32 key = in_team + i * kTeam;
      scores[i] = kUnseen;
      if (key >= n_keys || position + key < seen_first || position + key >= seen_end) continue;
      float product = 0;
      for (u32 lane = 0; lane < key_lanes; ++lane) product += float_of(area[q * kThreads + key * key_lanes + lane]);
      scores[i] = softcapped(words.cap, product * words.scale);
      of_team = fmaxf(of_team, scores[i]);
    }
    team_most[thread] = of_team;
    BARRIER();  // the products have been read
    const KeyTile values =
        load_rows(p, area, stack, words.value_rows, exact_values, 2, 6, words.value_type, position, n_keys);
    float more = most;
    for (u32 i = 0; i < kTeam; ++i) more = fmaxf(more, team_most[q * kTeam + i]);
    const float left = exp_of(most - more);
    most = more;
    // The scores become weights under a new maximum.
    float sum = 0;
#pragma unroll
    for (u32 i = 0; i < kMostTile / kTeam; ++i) {
      const u32 key = in_team + i * kTeam;
      const float weight = scores[i] == kUnseen ? 0 : exp_of(scores[i] - most);
      if (q < kQueries && key < tile) weights[q * kMostTile + key] = weight;
      sum += weight;
    }
    team_sum[thread] = sum;
    if (q < kQueries && in_team == 0) kept[q] = left;
    BARRIER();
    total *= left;
    for (u32 i = 0; i < kTeam; ++i) total += team_sum[q * kTeam + i];
#pragma unroll
    for (u32 i = 0; i < kQueries * kRounds; ++i) {
      const float of_query = kept[i / kRounds];
      for (float& elem : sums[i].of) elem *= of_query;
    }
    if (thread / width < value_lanes) {
      with_cache_type(values.type, [&]<u32 kType>() {
        for (u32 key = thread / width; key < n_keys; key += value_lanes) {
          const float shift = words.has_shifts != 0 ? value_shift(position + key) : 0;
#pragma unroll
          for (u32 round = 0; round < kRounds; ++round) {
            const u32 chunk = thread % width + round * kThreads;
            if (chunk >= n_chunks) continue;
            const Four elems = tile_elems<kType>(area, values.at + key * values.row_bytes, chunk * 4, head_dim, shift);
#pragma unroll
            for (u32 i = 0; i < kQueries; ++i) {
              const float weight = weights[i * kMostTile + key];
#pragma unroll
              for (u32 k = 0; k < 4; ++k) sums[i * kRounds + round].of[k] += weight * elems.of[k];
            }
          }
        }
      });
    }
    BARRIER();  // values, weights and what was kept have been read
    position = last;
  }

  const u32 n_splits = most_splits(words.row_splits, n_step_rows);
  float* attended = buffer<float>(p, 4);
  if (q < kQueries && in_team == 0) {
    kept[q] = total;
    if (words.is_split != 0 && has_query(words, stack, q)) {
      float* share =
          attended + words.shares_at +
          (std::uint64_t{stack.first_row * n_splits + split} * words.n_heads + stack.first_head + q % words.heads) * 2;
      share[0] = most;
      share[1] = total;
    }
  }
  // The threads of a value add up their parts of the results, where the queries were.
  for (u32 lane = 0; lane < value_lanes; ++lane) {
    if (thread / width == lane) {
#pragma unroll
      for (u32 i = 0; i < kQueries * kRounds; ++i) {
        const u32 chunk = thread % width + i % kRounds * kThreads, at = i / kRounds * n_chunks + chunk;
        if (chunk >= n_chunks) continue;
        float4 result = make_float4(sums[i].of[0], sums[i].of[1], sums[i].of[2], sums[i].of[3]);
        if (lane > 0) {
          const float4 before = queries[at];
          result = make_float4(before.x + result.x, before.y + result.y, before.z + result.z, before.w + result.w);
        }
        queries[at] = result;
      }
    }
    BARRIER();
  }
  // The results, or those of a split: not divided yet.
  for (u32 i = thread; i < kQueries * n_chunks; i += kThreads) {
    const u32 of = i / n_chunks, col = i % n_chunks * 4;
    if (!has_query(words, stack, of)) continue;
    const u32 row = query_row(words, stack, of);
    const u32 to_row = words.is_split != 0 ? row * n_splits + split : row;
    const float by = words.is_split != 0 ? 1.0F : static_cast<float>(kept[of]);
    const float4 result = queries[i];
    float* to =
        attended + (std::uint64_t{to_row} * words.n_heads + stack.first_head + of % words.heads) * head_dim + col;
    to[0] = result.x / by;
    to[1] = result.y / by;
    if (col + 4 <= head_dim) to[2] = result.z / by, to[3] = result.w / by;
  }
}

}  // namespace

// One for each number of queries of a block, up to it.
#define ATTEND(name, n_queries, n_rounds)                                              \
  KERNEL(name, kThreads, AttendParams) {                                               \
    SHARED(u32, area, kRoomWords);                                                     \
    SHARED(float4, queries, kRoomWords / 4);                                           \
    SHARED(float, weights, (n_queries)*kMostTile);                                     \
    SHARED(float, team_most, kThreads);                                                \
    SHARED(float, team_sum, kThreads);                                                 \
    SHARED(float, kept, kMostQueries);                                                 \
    attend<n_queries, n_rounds>(p, area, queries, weights, team_most, team_sum, kept); \
  }
ATTEND(attend_1, 1, 1)
ATTEND(attend_2, 2, 1)
ATTEND(attend_4, 4, 1)
ATTEND(attend_8, 8, 1)
ATTEND(attend_16, 16, 1)
// Heads of more than 512 elements.
ATTEND(attend_long, kMostQueries, 2)

}  // namespace headroom::cuda
