// What attend.cu does in steps of few rows where keys and values are not F32, by instructions for tiles of f16 with
// sums in f32. A block has one row, one split of its keys, and up to 16 query heads of a KV head: the rows of a tile of
// queries, of which those that are not there count as zeros. Each warp has every second or fourth tile of 16 keys of
// the split for itself, with a running maximum and sums of its own, so that no warp waits for another one before the
// end. Then what the warps have is added up as attend_merge.cu adds up splits. Example: 4 query heads and a split of
// 512 keys; of a block of 4 warps each has 8 tiles. Blocks: (stacks of query heads, rows, splits).
#include "backend/cuda/kernel_limits.h"
#include "lib/cache_tile.cuh"
#include "lib/decode_block.cuh"
#include "lib/half.cuh"
#include "lib/mma.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kTileKeys = 16, kQueries = kAttendRowQueries;

// By head size, up to it. Shared memory of a block has room for two warps with tiles of the longest heads.
DEVICE constexpr u32 warps_of(u32 dim) { return dim > 128 ? 2 : 4; }
DEVICE constexpr u32 threads_of(u32 dim) { return warps_of(dim) * kWarp; }
// Blocks that a multiprocessor has registers for.
DEVICE constexpr u32 blocks_of(u32 dim) { return dim == 128 ? 3 : 4; }
// Words of a row of a tile: eight of them begin in different banks.
DEVICE constexpr u32 row_words(u32 dim) { return dim / 2 + 4; }
DEVICE constexpr u32 tile_words(u32 dim) { return kTileKeys * row_words(dim); }
// A warp has two places for tiles.
DEVICE constexpr u32 warp_words(u32 dim) { return 2 * tile_words(dim); }

// Keys or values of a tile that have begun to be loaded to the word `at`: f16 as they are read, others as they stand in
// the cache.
struct Loading {
  Tile tile;
  u32 at;
};

template <u32 kDim>
DEVICE Loading begin_tile(const AttendParams& p, const Tile& tile, auto& area, u32 at) {
  const u32 lane = lane_index();
  if (!is_direct(tile)) {
    const u32 n_units = divide_up(tile.raw.at + tile.n_keys * tile.raw.row_bytes, 16);
    for (u32 i = lane; i < n_units; i += kWarp) copy_unit(area, at + 4 * i, tile.from + i);
    return {tile, at};
  }
  const u32 n_units = p.words.head_dim / 8;
#pragma unroll
  for (u32 i = lane; i < kTileKeys * (kDim / 8); i += kWarp) {
    const u32 key = i / (kDim / 8), unit = i % (kDim / 8), to = at + key * row_words(kDim) + 4 * unit;
    if (key < tile.n_keys && unit < n_units) {
      copy_unit(area, to, tile.from + key * n_units + unit);
    } else {
      put_unit(area, to, {0, 0, 0, 0});
    }
  }
  return {tile, at};
}

// Where the tile is as f16 then: others than f16 become it at the word `other`, which nobody reads any more behind a
// barrier of the warp.
template <u32 kDim>
DEVICE u32 finish_tile(const AttendParams& p, const Loading& loading, bool has_shifts, auto& area, u32 other) {
  await_copies();
  WARP_BARRIER();
  const Tile& tile = loading.tile;
  if (is_direct(tile)) return loading.at;
  with_cache_type(tile.raw.type, [&]<u32 kType>() {
#pragma unroll 1
    for (u32 i = lane_index(); i < kTileKeys * (kDim / kBlockElems); i += kWarp) {
      const u32 key = i / (kDim / kBlockElems), first = i % (kDim / kBlockElems) * kBlockElems;
      u32 pairs[kBlockElems / 2]{};
      if (key < tile.n_keys && first < p.words.head_dim) {
        const float shift = has_shifts ? value_shift(tile.position + key) : 0;
        decode_block<kType>(area, loading.at * 4 + tile.raw.at + key * tile.raw.row_bytes, first, p.words.head_dim,
                            shift, pairs);
      }
#pragma unroll
      for (u32 n = 0; n < kBlockElems / 8; ++n) {
        put_unit(area, other + key * row_words(kDim) + first / 2 + 4 * n,
                 {pairs[4 * n], pairs[4 * n + 1], pairs[4 * n + 2], pairs[4 * n + 3]});
      }
    }
  });
  WARP_BARRIER();
  return other;
}

// Rows of f16 divided by a power of 2, as lib/half.cuh has them: neighbouring threads have a query.
template <u32 kDim>
DEVICE void load_queries(const AttendParams& p, const Stack& stack, auto& queries, auto& scales) {
  constexpr u32 kBeside = threads_of(kDim) / kQueries, kUnits = kDim / 8 / kBeside;
  const u32 head_dim = p.words.head_dim, q = thread_index() / kBeside;
  const bool is_there = has_query(p.words, stack, q);
  const float4* from = buffer<const float4>(p, 3) + (is_there ? query_at(p.words, stack, q) / 4 : 0);
  const auto col_of = [](u32 unit) { return (unit * kBeside + thread_index() % kBeside) * 8; };
  float4 quads[2 * kUnits];
  float most = 0;
#pragma unroll
  for (u32 i = 0; i < 2 * kUnits; ++i) {
    const u32 col = col_of(i / 2) + i % 2 * 4;
    quads[i] = is_there && col < head_dim ? from[col / 4] : make_float4(0, 0, 0, 0);
    most = fmaxf(most, fmaxf(fmaxf(fabsf(quads[i].x), fabsf(quads[i].y)), fmaxf(fabsf(quads[i].z), fabsf(quads[i].w))));
  }
  for (u32 mask = 1; mask < kBeside; mask *= 2) most = fmaxf(most, shuffle_xor(most, mask));
  const float scale = scale_of_half(most, args::kHalfExponent), inverse = inverse_of(scale);
  if (thread_index() % kBeside == 0) scales[q] = scale;
#pragma unroll
  for (u32 i = 0; i < kUnits; ++i) {
    const float4 low = quads[2 * i], high = quads[2 * i + 1];
    put_unit(
        queries, q * row_words(kDim) + col_of(i) / 2,
        {floats_to_halves(inverse * low.x, inverse * low.y), floats_to_halves(inverse * low.z, inverse * low.w),
         floats_to_halves(inverse * high.x, inverse * high.y), floats_to_halves(inverse * high.z, inverse * high.w)});
  }
}

// What the warps have of a split becomes its result, not divided yet, and its maximum and sum. All threads call
// together; `area` and `shares` have what each warp has.
template <u32 kDim>
DEVICE void add_warps(const AttendParams& p, const Stack& stack, u32 n_splits, u32 split, auto& area, auto& shares) {
  constexpr u32 kWarps = warps_of(kDim), kQuads = kDim / 4;
  const AttendWords& words = p.words;
  float* partial = buffer<float>(p, 4);
  BARRIER();
  for (u32 i = thread_index(); i < stack.n_heads * kQuads; i += threads_of(kDim)) {
    const u32 q = i / kQuads, col = i % kQuads * 4;
    if (col >= words.head_dim) continue;
    float most = shares[2 * q], total = 0;
#pragma unroll
    for (u32 warp = 1; warp < kWarps; ++warp) most = fmaxf(most, shares[2 * (warp * kQueries + q)]);
    float4 result = make_float4(0, 0, 0, 0);
#pragma unroll
    for (u32 warp = 0; warp < kWarps; ++warp) {
      const float weight = exp_of(shares[2 * (warp * kQueries + q)] - most);
      const uint4 quad = unit_at(area, warp * warp_words(kDim) + q * 2 * row_words(kDim) + col);
      total += weight * shares[2 * (warp * kQueries + q) + 1];
      result.x += weight * float_of(quad.x);
      result.y += weight * float_of(quad.y);
      result.z += weight * float_of(quad.z);
      result.w += weight * float_of(quad.w);
    }
    const std::uint64_t to = std::uint64_t{stack.first_row * n_splits + split} * words.n_heads + stack.first_head + q;
    reinterpret_cast<float4*>(partial)[(to * words.head_dim + col) / 4] = result;
    if (col > 0) continue;
    partial[words.shares_at + to * 2] = most;
    partial[words.shares_at + to * 2 + 1] = total;
  }
}

template <u32 kDim>
DEVICE void attend_rows(const AttendParams& p, auto& area, auto& queries, auto& scales, auto& shares) {
  constexpr u32 kSteps = kDim / 16, kStride = row_words(kDim), kWarps = warps_of(kDim);
  const AttendWords& words = p.words;
  Stack stack;
  if (!open_stack(p, stack)) return;
  const u32* inputs = inputs_of(p);
  const u32 n_step_rows = step_rows(inputs), split = block_z();
  const u32 of_row = step_row(inputs, words.rows_at, stack.first_row).position;
  const Splits splits = splits_of(words.row_splits, n_step_rows, words.window, of_row);
  if (split >= splits.n) return;
  const u32 exact_from = inputs[words.exact_from_at + stack.slot];
  const u32 lane = lane_index(), warp = warp_index(), own = warp * warp_words(kDim);
  const u32 first = splits.first + split * splits.n_keys, end = smaller(of_row + 1, first + splits.n_keys);
  const u32 seen_first = seen_from(words.window, of_row);
  const Part key_part = keys_of(words), value_part = values_of(words);
  const auto begin = [&](const Part& part, u32 position, u32 at) {
    const u32 next = end_of_tile<kTileKeys>(key_part, value_part, exact_from, position, end);
    return begin_tile<kDim>(p, tile_of(p, stack, part, exact_from, position, next), area, at);
  };
  const auto other = [&](u32 at) { return 2 * own + tile_words(kDim) - at; };  // of the warp's two places

  u32 position = first + warp * kTileKeys;
  Loading of_keys{};
  if (position < end) of_keys = begin(key_part, position, own);
  load_queries<kDim>(p, stack, queries, scales);
  BARRIER();
  // Of the two queries that this lane has scores of.
  float factor[2], most[2], total[2]{};
#pragma unroll
  for (u32 i = 0; i < 2; ++i) {
    const u32 q = lane / 4 + 8 * i;
    factor[i] = scales[q] * words.scale;
    most[i] = kUnseen;
    if (words.has_sinks != 0 && split == 0 && warp == 0 && has_query(words, stack, q)) {
      most[i] = sink_of(p, stack, q);
      total[i] = lane % 4 == 0 ? 1 : 0;  // the lanes of a query add up theirs in the end
    }
  }

  float sums[2 * kSteps][4]{};
  while (position < end) {
    const u32 n_keys = of_keys.tile.n_keys;
    u32 next = position + n_keys;
    const u32 keys = finish_tile<kDim>(p, of_keys, false, area, other(of_keys.at));
    const Loading of_values = begin(value_part, position, other(keys));
    float scores[2][4]{};
#pragma unroll
    for (u32 k = 0; k < kSteps; ++k) {
      u32 query[4], tiles[4];
      load_tiles<false>(query, queries, lane % 16 * kStride + 8 * k + lane / 16 * 4);
      load_tiles<false>(tiles, area, keys + (lane % 8 + lane / 16 * 8) * kStride + 8 * k + lane / 8 % 2 * 4);
      multiply_halves(scores[0], query, tiles[0], tiles[1]);
      multiply_halves(scores[1], query, tiles[2], tiles[3]);
    }
    // Scores of what the row sees become weights under a new maximum.
    const bool sees_all = n_keys == kTileKeys && position >= seen_first;
    float of_tile[2] = {kUnseen, kUnseen};
#pragma unroll
    for (u32 n = 0; n < 2; ++n) {
#pragma unroll
      for (u32 i = 0; i < 4; ++i) {
        const u32 key = 8 * n + lane % 4 * 2 + i % 2;
        const bool is_seen = sees_all || (key < n_keys && position + key >= seen_first);
        scores[n][i] = is_seen ? softcapped(words.cap, scores[n][i] * factor[i / 2]) : kUnseen;
        of_tile[i / 2] = fmaxf(of_tile[i / 2], scores[n][i]);
      }
    }
    u32 weights[4];
#pragma unroll
    for (u32 row = 0; row < 2; ++row) {
      for (u32 mask = 1; mask < 4; mask *= 2) of_tile[row] = fmaxf(of_tile[row], shuffle_xor(of_tile[row], mask));
      const float more = fmaxf(most[row], of_tile[row]), left = exp_of(most[row] - more);
      most[row] = more;
      total[row] *= left;
#pragma unroll
      for (u32 n = 0; n < 2 * kSteps; ++n) {
        sums[n][2 * row] *= left;
        sums[n][2 * row + 1] *= left;
      }
#pragma unroll
      for (u32 n = 0; n < 2; ++n) {
        float pair[2];
#pragma unroll
        for (u32 i = 0; i < 2; ++i) {
          const float score = scores[n][2 * row + i];
          pair[i] = score == kUnseen ? 0 : exp_of(score - more);
          total[row] += pair[i];
        }
        weights[2 * n + row] = floats_to_halves(pair[0], pair[1]);
      }
    }
    const u32 values = finish_tile<kDim>(p, of_values, words.has_shifts != 0, area, keys);
    // The other warps have the tiles between.
    if (next % kTileKeys == 0) next += (kWarps - 1) * kTileKeys;
    if (next < end) of_keys = begin(key_part, next, other(values));
#pragma unroll
    for (u32 n = 0; n < kSteps; ++n) {
      u32 tiles[4];
      load_tiles<true>(tiles, area, values + lane % 16 * kStride + 8 * n + lane / 16 * 4);
      multiply_halves(sums[2 * n], weights, tiles[0], tiles[1]);
      multiply_halves(sums[2 * n + 1], weights, tiles[2], tiles[3]);
    }
    position = next;
  }

  WARP_BARRIER();  // the last tile has been read
#pragma unroll
  for (u32 row = 0; row < 2; ++row) {
    for (u32 mask = 1; mask < 4; mask *= 2) total[row] += shuffle_xor(total[row], mask);
    const u32 q = lane / 4 + 8 * row;
    if (q >= stack.n_heads) continue;
    if (lane % 4 == 0) {
      shares[2 * (warp * kQueries + q)] = most[row];
      shares[2 * (warp * kQueries + q) + 1] = total[row];
    }
#pragma unroll
    for (u32 n = 0; n < 2 * kSteps; ++n) {
      const u32 to = own + q * 2 * kStride + 8 * n + lane % 4 * 2;
      area[to] = bits_of(sums[n][2 * row]);
      area[to + 1] = bits_of(sums[n][2 * row + 1]);
    }
  }
  add_warps<kDim>(p, stack, most_splits(words.row_splits, n_step_rows), split, area, shares);
}

}  // namespace

// One for each head size, up to it.
#define ATTEND_ROWS(name, dim)                                                            \
  KERNEL_PDL_BLOCKS(name, threads_of(dim), blocks_of(dim), AttendParams, nothing_ahead) { \
    SHARED(u32, area, warps_of(dim) * warp_words(dim));                                   \
    SHARED(u32, queries, kQueries* row_words(dim));                                       \
    SHARED(float, scales, kQueries);                                                      \
    SHARED(float, shares, 2 * warps_of(dim) * kQueries);                                  \
    attend_rows<dim>(p, area, queries, scales, shares);                                   \
  }
ATTEND_ROWS(attend_rows_64, 64)
ATTEND_ROWS(attend_rows_128, 128)
ATTEND_ROWS(attend_rows_256, 256)

}  // namespace headroom::cuda
