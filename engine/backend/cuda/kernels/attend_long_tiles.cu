// What attend_tiles.cu does, of heads that are too long for a warp: two or four warps share out the elements of the
// same queries, against tiles of 32 or 16 keys. Of up to 256 elements a block has 64 queries, of up to 512 it has 32,
// since as many threads as 64 would take have no registers for them. Scores are added up in shared memory. Blocks:
// (stacks of query heads, tiles of rows).
#include "lib/attend_tiles.cuh"
#include "lib/half.cuh"
#include "lib/half_tile.cuh"
#include "lib/mma.cuh"
#include "lib/softmax.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kWarpQueries = 16, kLongestOfWarp = 128;

// By head size, up to it: warps that share out the elements of a query, queries, threads, and keys of a tile.
DEVICE constexpr u32 parts_of(u32 dim) { return dim > 2 * kLongestOfWarp ? 4 : 2; }
DEVICE constexpr u32 queries_of(u32 dim) { return attend_tile_queries(dim); }
DEVICE constexpr u32 threads_of(u32 dim) { return queries_of(dim) / kWarpQueries * kWarp * parts_of(dim); }
DEVICE constexpr u32 tile_keys(u32 dim) { return 64 / parts_of(dim); }
template <u32 kDim>
using LongTile = PaddedTile<kDim, tile_keys(kDim)>;

// Where the elements of a query are that a warp has: those of the first half of the warps in one area, part behind
// part, of the others in another one.
template <u32 kDim>
DEVICE constexpr bool is_in_first(u32 part) {
  return part < parts_of(kDim) / 2;
}
template <u32 kDim>
DEVICE constexpr u32 query_word(u32 part, u32 q) {
  return (part % (parts_of(kDim) / 2) * queries_of(kDim) + q) * (kLongestOfWarp / 2);
}

// Rows of f16 divided by a power of 2, as lib/half.cuh has them: four or eight neighbouring threads have a query.
template <u32 kDim>
DEVICE void load_queries(const AttendParams& p, const Stack& stack, auto& area, auto& second, auto& scales) {
  constexpr u32 kBeside = threads_of(kDim) / queries_of(kDim), kOfThread = kDim / kBeside;
  constexpr u32 kOfPart = kDim / parts_of(kDim);
  static_assert(query_word<kDim>(parts_of(kDim) - 1, queries_of(kDim)) <= LongTile<kDim>::kWords);
  const AttendWords& words = p.words;
  const u32 q = thread_index() / kBeside, first = thread_index() % kBeside * kOfThread;
  const bool is_there = has_query(words, stack, q);
  const float4* from = buffer<const float4>(p, 3) + (is_there ? query_at(words, stack, q) / 4 : 0);
  const auto quad_of = [&](u32 col) {
    return is_there && col < words.head_dim ? from[col / 4] : make_float4(0, 0, 0, 0);
  };
  float most = 0;
  for (u32 col = first; col < first + kOfThread; col += 4) most = fmaxf(most, largest_of(quad_of(col)));
  for (u32 mask = 1; mask < kBeside; mask *= 2) most = fmaxf(most, shuffle_xor(most, mask));
  const float scale = scale_of_half(most, args::kHalfExponent), inverse = inverse_of(scale);
  if (first == 0) scales[q] = scale;
  for (u32 col = first; col < first + kOfThread; col += 8) {
    const u32 part = col / kOfPart, at = query_word<kDim>(part, q) + col % kOfPart / 2;
    put_unit(is_in_first<kDim>(part) ? area : second, at, unit_of_halves(quad_of(col), quad_of(col + 4), inverse));
  }
}

// Of the warps with the same queries, each of which has multiplied its elements: all have the sums then, added up in
// one order. All threads call together, when nobody reads the area any more that they were multiplied from.
template <u32 kParts, u32 kQueryWarps, u32 kTiles>
DEVICE void add_scores(auto& area, float (&scores)[kTiles][4]) {
  const u32 warp = warp_index();
  const auto place_of = [](u32 of, u32 i) { return (of * kTiles * 4 + i) * kWarp + lane_index(); };
  BARRIER();
#pragma unroll
  for (u32 i = 0; i < kTiles * 4; ++i) area[place_of(warp, i)] = bits_of(scores[i / 4][i % 4]);
  BARRIER();
#pragma unroll
  for (u32 i = 0; i < kTiles * 4; ++i) {
    float sum = float_of(area[place_of(warp % kQueryWarps, i)]);
#pragma unroll
    for (u32 part = 1; part < kParts; ++part)
      sum += float_of(area[place_of(warp % kQueryWarps + part * kQueryWarps, i)]);
    scores[i / 4][i % 4] = sum;
  }
}

template <u32 kDim>
DEVICE void attend_tiles(const AttendParams& p, const Stack& stack, auto& keys, auto& values, auto& scales) {
  using Of = LongTile<kDim>;
  constexpr u32 kParts = parts_of(kDim), kSteps = kDim / kParts / 16, kTileKeys = Of::kKeys;
  constexpr u32 kThreads = threads_of(kDim), kStride = padded_words(kDim);
  constexpr u32 kKeySteps = kTileKeys / 16, kQueryWarps = queries_of(kDim) / kWarpQueries;
  const AttendWords& words = p.words;
  const u32* inputs = inputs_of(p);
  const auto position_of = [&](u32 row) { return step_row(inputs, words.rows_at, row).position; };
  const u32 exact_from = inputs[words.exact_from_at + stack.slot];
  const u32 lane = lane_index(), first_query = warp_index() % kQueryWarps * kWarpQueries;
  const u32 share = warp_index() / kQueryWarps, first_word = share * (kDim / kParts / 2);  // of a row
  // Rows of a slot ascend.
  const u32 end = position_of(stack.first_row + stack.n_rows - 1) + 1;
  const Part key_part = keys_of(words), value_part = values_of(words);
  const auto end_at = [&](u32 position) {
    return end_of_tile<kTileKeys>(key_part, value_part, exact_from, position, end);
  };
  const auto begin = [&](const Part& part, u32 position, auto& area) {
    const Tile tile = tile_of(p, stack, part, exact_from, position, end_at(position));
    begin_tile<Of, kThreads>(tile, words.head_dim, thread_index(), area, 0);
    return tile;
  };

  load_queries<kDim>(p, stack, keys, values, scales);
  BARRIER();
  u32 queries[kSteps][4];
#pragma unroll
  for (u32 k = 0; k < kSteps; ++k) {
    const u32 at = query_word<kDim>(share, first_query + lane % 16) + 8 * k + lane / 16 * 4;
    load_tiles<false>(queries[k], is_in_first<kDim>(share) ? keys : values, at);
  }
  // Of the two rows of queries that this lane has scores of.
  u32 seen_first[2], seen_end[2];
  float factor[2];
  TwoRowSoftmax<2 * kSteps> softmax{};
#pragma unroll
  for (u32 i = 0; i < 2; ++i) {
    const u32 q = first_query + lane / 4 + 8 * i;
    seen_end[i] = has_query(words, stack, q) ? position_of(query_row(words, stack, q)) + 1 : 0;
    seen_first[i] = seen_end[i] == 0 ? 0 : seen_from(words.window, seen_end[i] - 1);
    factor[i] = scales[q] * words.scale;
    const bool has_sink = words.has_sinks != 0 && seen_end[i] != 0;
    softmax.begin(i, has_sink, has_sink ? sink_of(p, stack, q) : 0);
  }
  BARRIER();  // the queries have been read

  u32 position = seen_from(words.window, position_of(stack.first_row)) / kTileKeys * kTileKeys;
  Tile of_keys = begin(key_part, position, keys);
  while (position < end) {
    const u32 next = end_at(position);
    finish_tile<Of, kThreads>(of_keys, words.head_dim, false, keys);
    const Tile of_values = begin(value_part, position, values);
    float scores[2 * kKeySteps][4]{};
#pragma unroll
    for (u32 k = 0; k < kSteps; ++k) {
#pragma unroll
      for (u32 n = 0; n < kKeySteps; ++n) {
        u32 tiles[4];
        const u32 key = 16 * n + lane % 8 + lane / 16 * 8;
        load_tiles<false>(tiles, keys, key * kStride + first_word + 8 * k + lane / 8 % 2 * 4);
        multiply_halves(scores[2 * n], queries[k], tiles[0], tiles[1]);
        multiply_halves(scores[2 * n + 1], queries[k], tiles[2], tiles[3]);
      }
    }
    add_scores<kParts, kQueryWarps>(keys, scores);
#pragma unroll
    for (u32 n = 0; n < 2 * kKeySteps; ++n) {
#pragma unroll
      for (u32 i = 0; i < 4; ++i) {
        const u32 row = row_of_sum(i), at = position + 8 * n + lane % 4 * 2 + i % 2;
        const bool is_seen = at < next && at >= seen_first[row] && at < seen_end[row];
        scores[n][i] = is_seen ? softcapped(words.cap, scores[n][i] * factor[row]) : kUnseen;
      }
    }
    u32 weights[kKeySteps][4];
    softmax.weigh(scores, weights);
    finish_tile<Of, kThreads>(of_values, words.head_dim, words.has_shifts != 0, values);
    if (next < end) of_keys = begin(key_part, next, keys);
#pragma unroll
    for (u32 k = 0; k < kKeySteps; ++k) {
#pragma unroll
      for (u32 n = 0; n < kSteps; ++n) {
        u32 tiles[4];
        load_tiles<true>(tiles, values, (16 * k + lane % 16) * kStride + first_word + 8 * n + lane / 16 * 4);
        multiply_halves(softmax.sums[2 * n], weights[k], tiles[0], tiles[1]);
        multiply_halves(softmax.sums[2 * n + 1], weights[k], tiles[2], tiles[3]);
      }
    }
    position = next;
  }

#pragma unroll
  for (u32 row = 0; row < 2; ++row) {
    const float total = softmax.whole_total(row);
    const u32 q = first_query + lane / 4 + 8 * row;
    if (!has_query(words, stack, q)) continue;
    float* to = buffer<float>(p, 4) + query_at(words, stack, q);
#pragma unroll
    for (u32 n = 0; n < 2 * kSteps; ++n) {
      const u32 col = 2 * first_word + 8 * n + lane % 4 * 2;
      if (col >= words.head_dim) continue;
      to[col] = softmax.sums[n][2 * row] / total;
      to[col + 1] = softmax.sums[n][2 * row + 1] / total;
    }
  }
}

}  // namespace

// One for each head size, up to it.
#define ATTEND_TILES(name, dim)                                                                        \
  KERNEL(name, threads_of(dim), AttendParams) {                                                        \
    SHARED(u32, keys, LongTile<dim>::kWords);                                                          \
    SHARED(u32, values, LongTile<dim>::kWords);                                                        \
    SHARED(float, scales, queries_of(dim));                                                            \
    for_each_stack(p, [&](const Stack& stack) { attend_tiles<dim>(p, stack, keys, values, scales); }); \
  }
ATTEND_TILES(attend_tiles_256, 256)
ATTEND_TILES(attend_tiles_512, 512)

}  // namespace headroom::cuda
