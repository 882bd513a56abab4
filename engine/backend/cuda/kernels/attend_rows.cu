// What attend.cu does in steps of few rows where keys and values are not F32, by instructions for tiles of f16 with
// sums in f32. A block has one row, one split of its keys, and up to 16 query heads of a KV head: the rows of a tile of
// queries, of which those that are not there count as zeros. Each warp has every second or fourth tile of 16 keys of
// the split for itself, with a running maximum and sums of its own, so that no warp waits for another one before the
// end. Then what the warps have is added up as attend_merge.cu adds up splits. Example: 4 query heads and a split of
// 512 keys; of a block of 4 warps each has 8 tiles. Blocks: (stacks of query heads, rows, splits).
#include "backend/cuda/kernel_limits.h"
#include "lib/half.cuh"
#include "lib/half_tile.cuh"
#include "lib/mma.cuh"
#include "lib/softmax.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kTileKeys = 16, kQueries = kAttendRowQueries;
// A split begins and ends at multiples of kSplitKeys, whatever a window, a ring or a cache with exact ends makes of it:
// so no tile crosses its borders, and the warps share out its tiles by their numbers. Rings and exact ends only cut
// tiles within a split, and a cut tile stays with its warp.
static_assert(kSplitKeys % kTileKeys == 0);

// By head size, up to it. Shared memory of a block has room for two warps with tiles of the longest heads.
DEVICE constexpr u32 warps_of(u32 dim) { return dim > 128 ? 2 : 4; }
DEVICE constexpr u32 threads_of(u32 dim) { return warps_of(dim) * kWarp; }
// Blocks that a multiprocessor has registers for.
DEVICE constexpr u32 blocks_of(u32 dim) { return dim == 128 ? 3 : 4; }
template <u32 kDim>
using RowTile = PaddedTile<kDim, kTileKeys>;
// A warp has two places for tiles.
DEVICE constexpr u32 warp_words(u32 dim) { return 2 * kTileKeys * padded_words(dim); }

// Keys or values of a tile that the warp has begun to load to the word `at`.
struct Loading {
  Tile tile;
  u32 at;
};

// Where the tile is as f16 then: others than f16 become it at the word `other`, which nobody reads any more behind a
// barrier of the warp.
template <u32 kDim>
DEVICE u32 finish_loading(const AttendParams& p, const Loading& loading, bool has_shifts, auto& area, u32 other) {
  await_copies();
  WARP_BARRIER();
  const Tile& tile = loading.tile;
  if (is_direct(tile)) return loading.at;
  with_cache_type(tile.raw.type, [&]<u32 kType>() {
#pragma unroll 1
    for (u32 i = lane_index(); i < kTileKeys * (kDim / kBlockElems); i += kWarp) {
      const u32 key = i / (kDim / kBlockElems), first = i % (kDim / kBlockElems) * kBlockElems;
      u32 pairs[kBlockElems / 2]{};
      decode_of_tile<kType>(tile, p.words.head_dim, has_shifts, area, loading.at, key, first, pairs);
      put_block<RowTile<kDim>>(area, other, key, first, pairs);
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
    most = fmaxf(most, largest_of(quads[i]));
  }
  for (u32 mask = 1; mask < kBeside; mask *= 2) most = fmaxf(most, shuffle_xor(most, mask));
  const float scale = scale_of_half(most, args::kHalfExponent), inverse = inverse_of(scale);
  if (thread_index() % kBeside == 0) scales[q] = scale;
#pragma unroll
  for (u32 i = 0; i < kUnits; ++i) {
    put_unit(queries, RowTile<kDim>::at(q, col_of(i) / 8), unit_of_halves(quads[2 * i], quads[2 * i + 1], inverse));
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
      const uint4 quad = unit_at(area, warp * warp_words(kDim) + q * 2 * padded_words(kDim) + col);
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
  constexpr u32 kSteps = kDim / 16, kStride = padded_words(kDim), kWarps = warps_of(kDim);
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
    const Tile tile = tile_of(p, stack, part, exact_from, position, next);
    begin_tile<RowTile<kDim>, kWarp>(tile, words.head_dim, lane, area, at);
    return Loading{tile, at};
  };
  const auto other = [&](u32 at) { return 2 * own + RowTile<kDim>::kWords - at; };  // of the warp's two places

  u32 position = first + warp * kTileKeys;
  Loading of_keys{};
  if (position < end) of_keys = begin(key_part, position, own);
  load_queries<kDim>(p, stack, queries, scales);
  BARRIER();
  // Of the two queries that this lane has scores of.
  float factor[2];
  TwoRowSoftmax<2 * kSteps> softmax{};
#pragma unroll
  for (u32 i = 0; i < 2; ++i) {
    const u32 q = lane / 4 + 8 * i;
    factor[i] = scales[q] * words.scale;
    // Of the warps and splits that have keys of a query one counts its sink.
    const bool has_sink = words.has_sinks != 0 && split == 0 && warp == 0 && has_query(words, stack, q);
    softmax.begin(i, has_sink, has_sink ? sink_of(p, stack, q) : 0);
  }

  while (position < end) {
    const u32 n_keys = of_keys.tile.n_keys;
    u32 next = position + n_keys;
    const u32 keys = finish_loading<kDim>(p, of_keys, false, area, other(of_keys.at));
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
    const bool sees_all = n_keys == kTileKeys && position >= seen_first;
#pragma unroll
    for (u32 n = 0; n < 2; ++n) {
#pragma unroll
      for (u32 i = 0; i < 4; ++i) {
        const u32 key = 8 * n + lane % 4 * 2 + i % 2;
        const bool is_seen = sees_all || (key < n_keys && position + key >= seen_first);
        scores[n][i] = is_seen ? softcapped(words.cap, scores[n][i] * factor[row_of_sum(i)]) : kUnseen;
      }
    }
    u32 weights[1][4];
    softmax.weigh(scores, weights);
    const u32 values = finish_loading<kDim>(p, of_values, words.has_shifts != 0, area, keys);
    // The other warps have the tiles between.
    if (next % kTileKeys == 0) next += (kWarps - 1) * kTileKeys;
    if (next < end) of_keys = begin(key_part, next, other(values));
#pragma unroll
    for (u32 n = 0; n < kSteps; ++n) {
      u32 tiles[4];
      load_tiles<true>(tiles, area, values + lane % 16 * kStride + 8 * n + lane / 16 * 4);
      multiply_halves(softmax.sums[2 * n], weights[0], tiles[0], tiles[1]);
      multiply_halves(softmax.sums[2 * n + 1], weights[0], tiles[2], tiles[3]);
    }
    position = next;
  }

  WARP_BARRIER();  // the last tile has been read
#pragma unroll
  for (u32 row = 0; row < 2; ++row) {
    const float total = softmax.whole_total(row);
    const u32 q = lane / 4 + 8 * row;
    if (q >= stack.n_heads) continue;
    if (lane % 4 == 0) {
      shares[2 * (warp * kQueries + q)] = softmax.most[row];
      shares[2 * (warp * kQueries + q) + 1] = total;
    }
#pragma unroll
    for (u32 n = 0; n < 2 * kSteps; ++n) {
      const u32 to = own + q * 2 * kStride + 8 * n + lane % 4 * 2;
      area[to] = bits_of(softmax.sums[n][2 * row]);
      area[to + 1] = bits_of(softmax.sums[n][2 * row + 1]);
    }
  }
  add_warps<kDim>(p, stack, most_splits(words.row_splits, n_step_rows), split, area, shares);
}

}  // namespace

// One for each head size, up to it.
#define ATTEND_ROWS(name, dim)                                                            \
  KERNEL_PDL_BLOCKS(name, threads_of(dim), blocks_of(dim), AttendParams, nothing_ahead) { \
    SHARED(u32, area, warps_of(dim) * warp_words(dim));                                   \
    SHARED(u32, queries, kQueries* padded_words(dim));                                    \
    SHARED(float, scales, kQueries);                                                      \
    SHARED(float, shares, 2 * warps_of(dim) * kQueries);                                  \
    attend_rows<dim>(p, area, queries, scales, shares);                                   \
  }
ATTEND_ROWS(attend_rows_64, 64)
ATTEND_ROWS(attend_rows_128, 128)
ATTEND_ROWS(attend_rows_256, 256)

}  // namespace headroom::cuda
