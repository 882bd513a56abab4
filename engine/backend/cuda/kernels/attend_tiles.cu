// What attend.cu does in steps of many rows, by instructions for whole tiles of f16 with sums in f32: 128 queries of a
// block, which are query heads of a KV head and neighbouring rows of a slot, 32 of each warp, against tiles of 32 or 64
// keys. Example: 32 query heads of 128 elements over 8 KV heads have 32 rows a block, and a step of 2,048 rows has
// 8 x 64 blocks. Results and scores stay in registers (arXiv 2307.08691). Queries are read from shared memory again for
// each tile, so that a warp has registers for 32 of them: 16 would read as many bytes of keys and values for half of
// the products, and wait for them. Values are copied while keys are multiplied, keys of the next tile while values are.
// Blocks: (stacks of query heads, tiles of rows).
#include "lib/attend_tiles.cuh"
#include "lib/half.cuh"
#include "lib/half_tile.cuh"
#include "lib/mma.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kQueries = 128, kWarpQueries = 32, kThreads = kQueries / kWarpQueries * kWarp;
static_assert(kQueries == attend_tile_queries(64) && kQueries == attend_tile_queries(128));
constexpr float kLog2OfE = 1.44269504F;  // scores are powers of 2
constexpr u32 kMinusInfinity = 0xFF800000U;

// Queries, keys and values in shared memory, without room between rows, so that 48 KiB are enough for all of them: the
// units of 16 bytes of a row are exchanged by its number, so that eight rows have the same unit in different banks. A
// Layout of lib/half_tile.cuh.
template <u32 kDim>
struct Area {
  static constexpr u32 kUnits = kDim / 8, kKeys = 4096 / kDim;
  static constexpr u32 kQueryWords = kQueries * kDim / 2, kTileWords = kKeys * kDim / 2;
  DEVICE static u32 at(u32 row, u32 unit) { return row * (kDim / 2) + (unit ^ row % 8) * 4; }
  // at(16 * n + own, 2 * k + second), where own % 8 is that of the lane: its last term is an offset in the instruction.
  DEVICE static u32 at(u32 own, u32 second, u32 n, u32 k) {
    return own * (kDim / 2) + (second ^ lane_index() % 8 ^ 2 * k) * 4 + n * (8 * kDim);
  }
};

// The warp's queries as rows of f16 divided by a power of 2, as lib/half.cuh has them, and those powers: eight lanes
// have a query.
template <u32 kDim>
DEVICE void load_queries(const AttendParams& p, const Stack& stack, auto& area, auto& scales) {
  constexpr u32 kBeside = 8, kOfLane = kDim / 8 / kBeside;  // units
  const AttendWords& words = p.words;
  const u32 own = lane_index() % kBeside;
  for (u32 i = 0; i < kWarpQueries; i += kWarp / kBeside) {
    const u32 q = warp_index() * kWarpQueries + i + lane_index() / kBeside;
    const bool is_there = has_query(words, stack, q);
    const float4* from = buffer<const float4>(p, 3) + (is_there ? query_at(words, stack, q) / 4 : 0);
    float4 elems[kOfLane][2]{};
    float most = 0;
#pragma unroll
    for (u32 n = 0; n < kOfLane; ++n) {
      const u32 unit = own + n * kBeside;
      if (!is_there || unit * 8 >= words.head_dim) continue;
#pragma unroll
      for (u32 half = 0; half < 2; ++half) {
        const float4 quad = from[2 * unit + half];
        elems[n][half] = quad;
        most = fmaxf(most, largest_of(quad));
      }
    }
    for (u32 mask = 1; mask < kBeside; mask *= 2) most = fmaxf(most, shuffle_xor(most, mask));
    const float scale = scale_of_half(most, args::kHalfExponent), inverse = inverse_of(scale);
    if (own == 0) scales[q] = bits_of(scale);
#pragma unroll
    for (u32 n = 0; n < kOfLane; ++n) {
      put_unit(area, Area<kDim>::at(q, own + n * kBeside), unit_of_halves(elems[n][0], elems[n][1], inverse));
    }
  }
}

// What a lane has of its warp's queries: rows lane / 4 + 8 i, of which 2 m and 2 m + 1 are of tile m.
template <u32 kDim>
struct Softmax {
  static constexpr u32 kTiles = Area<kDim>::kKeys / 8;  // of eight keys
  using Scores = float[2][kTiles][4];
  float factor[4], most[4], total[4];
  float sums[2][kDim / 8][4];

  // Scores of what a query does not see become minus infinity. first_query: of the warp.
  DEVICE static void mask(const AttendParams& p, const Stack& stack, u32 first_query, u32 position, u32 next,
                          Scores& scores) {
    const u32* inputs = inputs_of(p);
    const u32 first_key = position + lane_index() % 4 * 2;
#pragma unroll
    for (u32 i = 0; i < 4; ++i) {
      const u32 row = smaller((first_query + lane_index() / 4 + 8 * i) / p.words.heads, stack.n_rows - 1);
      const u32 own = step_row(inputs, p.words.rows_at, stack.first_row + row).position;
      const u32 from = seen_from(p.words.window, own), end = smaller(next, own + 1);
#pragma unroll
      for (u32 n = 0; n < 2 * kTiles; ++n) {
        const u32 at = first_key + n / 2 * 8 + n % 2;
        if (at < from || at >= end) scores[i / 2][n / 2][i % 2 * 2 + n % 2] = float_of(kMinusInfinity);
      }
    }
  }

  // Scores become weights under a new maximum.
  DEVICE void weigh(bool is_capped, const Scores& scores, u32 (&weights)[2][kTiles / 2][4]) {
#pragma unroll
    for (u32 i = 0; i < 4; ++i) {
      const u32 m = i / 2, row = i % 2;
      float of_tile = float_of(kMinusInfinity);
#pragma unroll
      for (u32 n = 0; n < kTiles; ++n)
        of_tile = fmaxf(of_tile, fmaxf(scores[m][n][2 * row], scores[m][n][2 * row + 1]));
      for (u32 mask = 1; mask < 4; mask *= 2) of_tile = fmaxf(of_tile, shuffle_xor(of_tile, mask));
      const float scale = is_capped ? 1 : factor[i], more = fmaxf(most[i], of_tile * scale);
      const float base = more == float_of(kMinusInfinity) ? 0 : more;  // nothing seen yet
      const float left = exp2_of(most[i] - base);
      most[i] = more;
      // Late tiles seldom have a new maximum.
      if (left != 1) {
        total[i] *= left;
#pragma unroll
        for (u32 n = 0; n < kDim / 8; ++n) {
          sums[m][n][2 * row] *= left;
          sums[m][n][2 * row + 1] *= left;
        }
      }
#pragma unroll
      for (u32 n = 0; n < kTiles; ++n) {
        const float first = exp2_of(scores[m][n][2 * row] * scale - base),
                    second = exp2_of(scores[m][n][2 * row + 1] * scale - base);
        total[i] += first + second;
        weights[m][n / 2][n % 2 * 2 + row] = floats_to_halves(first, second);
      }
    }
  }
};

template <u32 kDim>
DEVICE void attend_tiles(const AttendParams& p, const Stack& stack, auto& queries, auto& keys, auto& values) {
  using Of = Area<kDim>;
  constexpr u32 kSteps = kDim / 16, kKeySteps = Of::kKeys / 16;
  constexpr bool kHoldsQueries = kDim <= 64;
  const AttendWords& words = p.words;
  const u32* inputs = inputs_of(p);
  const auto position_of = [&](u32 row) {
    return step_row(inputs, words.rows_at, stack.first_row + smaller(row, stack.n_rows - 1)).position;
  };
  const u32 exact_from = inputs[words.exact_from_at + stack.slot];
  const u32 lane = lane_index(), first_query = warp_index() * kWarpQueries;
  // Rows of a slot ascend. Tiles from all_from to all_end are seen by all queries of the warp.
  const u32 end = position_of(stack.n_rows - 1) + 1, all_end = position_of(first_query / words.heads) + 1;
  const u32 all_from = seen_from(words.window, position_of((first_query + kWarpQueries - 1) / words.heads));
  const Part key_part = keys_of(words), value_part = values_of(words);
  const auto end_at = [&](u32 position) {
    return end_of_tile<Of::kKeys>(key_part, value_part, exact_from, position, end);
  };
  const auto begin = [&](const Part& part, u32 position, u32 next, auto& area) {
    const Tile tile = tile_of(p, stack, part, exact_from, position, next);
    begin_tile<Of, kThreads>(tile, words.head_dim, thread_index(), area, 0);
    return tile;
  };

  u32 position = seen_from(words.window, position_of(0)) / Of::kKeys * Of::kKeys, next = end_at(position);
  Tile of_keys = begin(key_part, position, next, keys);
  load_queries<kDim>(p, stack, queries, values);
  WARP_BARRIER();  // of whose queries they are
  const bool is_capped = words.cap > 0;
  Softmax<kDim> softmax{};
#pragma unroll
  for (u32 i = 0; i < 4; ++i) {
    const u32 q = first_query + lane / 4 + 8 * i;
    const float scale = float_of(values[q]) * words.scale * (is_capped ? 1 / words.cap : kLog2OfE);
    softmax.factor[i] = fmaxf(scale, 0x1p-126F);  // infinities stay such
    const bool has_sink = words.has_sinks != 0 && has_query(words, stack, q);
    softmax.most[i] = has_sink ? kLog2OfE * sink_of(p, stack, q) : float_of(kMinusInfinity);
    softmax.total[i] = has_sink && lane % 4 == 0 ? 1 : 0;  // the lanes of a query add up theirs in the end
  }
  u32 of_queries[kHoldsQueries ? kSteps : 1][2][4];
  const auto read_queries = [&](u32 k, u32(&to)[2][4]) {
#pragma unroll
    for (u32 m = 0; m < 2; ++m) load_tiles<false>(to[m], queries, Of::at(first_query + lane % 16, lane / 16, m, k));
  };
  if constexpr (kHoldsQueries) {
#pragma unroll
    for (u32 k = 0; k < kSteps; ++k) read_queries(k, of_queries[k]);
  }

  while (true) {
    finish_tile<Of, kThreads>(of_keys, words.head_dim, false, keys);
    const Tile of_values = begin(value_part, position, next, values);
    typename Softmax<kDim>::Scores scores{};
#pragma unroll
    for (u32 k = 0; k < kSteps; ++k) {
      auto& of_step = of_queries[kHoldsQueries ? k : 0];
      if constexpr (!kHoldsQueries) read_queries(k, of_step);
#pragma unroll
      for (u32 n = 0; n < kKeySteps; ++n) {
        u32 tiles[4];
        load_tiles<false>(tiles, keys, Of::at(lane % 8 + lane / 16 * 8, lane / 8 % 2, n, k));
#pragma unroll
        for (u32 m = 0; m < 2; ++m) {
          multiply_halves(scores[m][2 * n], of_step[m], tiles[0], tiles[1]);
          multiply_halves(scores[m][2 * n + 1], of_step[m], tiles[2], tiles[3]);
        }
      }
    }
    if (is_capped) {
#pragma unroll
      for (u32 i = 0; i < 8 * Softmax<kDim>::kTiles; ++i) {
        float& score = scores[i / 4 % 2][i / 8][i % 4];
        score = kLog2OfE * words.cap * tanhf(score * softmax.factor[i / 4 % 2 * 2 + row_of_sum(i % 4)]);
      }
    }
    if (position < all_from || next > all_end || next - position < Of::kKeys)
      Softmax<kDim>::mask(p, stack, first_query, position, next, scores);
    u32 weights[2][kKeySteps][4];
    softmax.weigh(is_capped, scores, weights);
    finish_tile<Of, kThreads>(of_values, words.head_dim, words.has_shifts != 0, values);
    position = next;
    if (position < end) {
      next = end_at(position);
      of_keys = begin(key_part, position, next, keys);
    }
#pragma unroll
    for (u32 k = 0; k < kKeySteps; ++k) {
#pragma unroll
      for (u32 n = 0; n < kSteps; ++n) {
        u32 tiles[4];
        load_tiles<true>(tiles, values, Of::at(lane % 16, lane / 16, k, n));
#pragma unroll
        for (u32 m = 0; m < 2; ++m) {
          multiply_halves(softmax.sums[m][2 * n], weights[m][k], tiles[0], tiles[1]);
          multiply_halves(softmax.sums[m][2 * n + 1], weights[m][k], tiles[2], tiles[3]);
        }
      }
    }
    if (position >= end) break;
  }

#pragma unroll
  for (u32 i = 0; i < 4; ++i) {
    float total = softmax.total[i];
    for (u32 mask = 1; mask < 4; mask *= 2) total += shuffle_xor(total, mask);
    const u32 q = first_query + lane / 4 + 8 * i;
    if (!has_query(words, stack, q)) continue;
    float* to = buffer<float>(p, 4) + query_at(words, stack, q);
    const float inverse = 1 / total;
#pragma unroll
    for (u32 n = 0; n < kDim / 8; ++n) {
      const u32 col = 8 * n + lane % 4 * 2;
      if (col >= words.head_dim) continue;
      const float* sums = &softmax.sums[i / 2][n][i % 2 * 2];
      *reinterpret_cast<uint2*>(to + col) = {bits_of(inverse * sums[0]), bits_of(inverse * sums[1])};
    }
  }
}

}  // namespace

// One for each head size, up to it.
#define ATTEND_TILES(name, dim)                                                                         \
  KERNEL(name, kThreads, AttendParams) {                                                                \
    SHARED(u32, queries, Area<dim>::kQueryWords);                                                       \
    SHARED(u32, keys, Area<dim>::kTileWords);                                                           \
    SHARED(u32, values, Area<dim>::kTileWords);                                                         \
    for_each_stack(p, [&](const Stack& stack) { attend_tiles<dim>(p, stack, queries, keys, values); }); \
  }
ATTEND_TILES(attend_tiles_64, 64)
ATTEND_TILES(attend_tiles_128, 128)

}  // namespace headroom::cuda
