// What attend.cu does in steps of many rows, by instructions for whole tiles of f16 with sums in f32: 64 queries of a
// block, which are query heads of a KV head and neighbouring rows of a slot, against tiles of 64 keys. Queries and
// scores stay in registers (arXiv 2307.08691); keys and values become f16 on their way to shared memory, those that are
// f16 already are copied while tiles before them are multiplied. Of heads that are too long for a warp two or four
// share out the elements of the same queries, against tiles of 32 or 16 keys; with four a block has 32 queries, since
// as many threads as 64 would take have no registers for them. Blocks: (stacks of query heads, rows).
#include "backend/cuda/kernel_limits.h"
#include "lib/attend.cuh"
#include "lib/half.cuh"
#include "lib/mma.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kWarpQueries = 16, kLongestOfWarp = 128;

// By head size, up to it: warps that share out the elements of a query, queries, threads, and keys of a tile.
DEVICE constexpr u32 parts_of(u32 dim) { return dim > 2 * kLongestOfWarp ? 4 : dim > kLongestOfWarp ? 2 : 1; }
DEVICE constexpr u32 queries_of(u32 dim) { return dim > kAttendTileHead ? kAttendLongTileQueries : kAttendTileQueries; }
DEVICE constexpr u32 threads_of(u32 dim) { return queries_of(dim) / kWarpQueries * kWarp * parts_of(dim); }
DEVICE constexpr u32 tile_keys(u32 dim) { return 64 / parts_of(dim); }
// Words of a row of a tile: eight of them begin in different banks.
DEVICE constexpr u32 row_words(u32 dim) { return dim / 2 + 4; }
DEVICE constexpr u32 tile_words(u32 dim) { return tile_keys(dim) * row_words(dim); }
// Quantized rows as they are: of Q8_0 at most, which begin and end within units of 16 bytes.
DEVICE constexpr u32 raw_words(u32 dim) {
  const u32 words = 4 * ((tile_keys(dim) * dim / 32 * 34 + 30) / 16 + 1);
  return words + words / 32 * 4;
}

// The scores of two rows of queries that a lane has, as in lib/mma.cuh.
DEVICE constexpr u32 row_of_sum(u32 i) { return i / 2; }

template <u32 kDim>
class Tiles {
 public:
  static constexpr u32 kStride = row_words(kDim), kThreads = threads_of(kDim), kTileKeys = tile_keys(kDim);

  // A tile that has begun to be loaded: rows of f16 to where they are read, others to `raw`.
  struct Loading {
    bool is_direct;
    KeyTile raw;
    u32 position, n_keys;
  };

  DEVICE static Loading begin(const AttendParams& p, const Stack& stack, const CachePart& part, const CacheRows& rows,
                              u32 exact_from, u32 position, u32 n_keys, auto& area, auto& raw) {
    const u32 head_dim = p.words.head_dim;
    const bool from_exact = part.has_exact != 0 && is_exact(rows, position, exact_from);
    const u32 type = from_exact ? kF16 : part.type, row_bytes = from_exact ? head_dim * 2 : rows.row_bytes;
    const std::uint64_t byte = rows_at(p.words, stack, rows, from_exact, position);
    const uint4* cache = buffer<const uint4>(p, from_exact ? part.exact : part.plain);
    Loading loading{type == kF16, {static_cast<u32>(byte % 16), row_bytes, type}, position, n_keys};
    if (!loading.is_direct) {
      load_tile<kThreads>(raw, cache, byte, n_keys * row_bytes);
      return loading;
    }
    const u32 n_units = head_dim / 8;
#pragma unroll
    for (u32 i = thread_index(); i < kTileKeys * (kDim / 8); i += kThreads) {
      const u32 key = i / (kDim / 8), unit = i % (kDim / 8), at = key * kStride + 4 * unit;
      if (key < n_keys && unit < n_units) {
        copy_unit(area, at, cache + byte / 16 + key * n_units + unit);
      } else {
        put_unit(area, at, {0, 0, 0, 0});
      }
    }
    return loading;
  }

  // All threads call together; then all of the tile is there.
  DEVICE static void finish(const AttendParams& p, const Loading& loading, bool has_shifts, auto& area, auto& raw) {
    await_copies();
    BARRIER();
    if (loading.is_direct) return;
    with_cache_type(loading.raw.type, [&]<u32 kType>() {
      for (u32 i = thread_index(); i < kTileKeys * (kDim / 4); i += kThreads) {
        const u32 key = i / (kDim / 4), col = i % (kDim / 4) * 4, at = key * kStride + col / 2;
        Four elems{};
        if (key < loading.n_keys && col < p.words.head_dim) {
          const float shift = has_shifts ? value_shift(loading.position + key) : 0;
          elems = tile_elems<kType>(raw, loading.raw.at + key * loading.raw.row_bytes, col, p.words.head_dim, shift);
        }
        area[at] = floats_to_halves(elems.of[0], elems.of[1]);
        area[at + 1] = floats_to_halves(elems.of[2], elems.of[3]);
      }
    });
    BARRIER();
  }
};

// Where the elements of a query are that a warp has: those of the first half of the warps in one area, part behind
// part, of the others in another one.
template <u32 kDim>
DEVICE constexpr u32 query_stride() {
  return parts_of(kDim) == 1 ? row_words(kDim) : kLongestOfWarp / 2;
}
template <u32 kDim>
DEVICE constexpr bool is_in_first(u32 part) {
  return parts_of(kDim) == 1 || part < parts_of(kDim) / 2;
}
template <u32 kDim>
DEVICE constexpr u32 query_word(u32 part, u32 q) {
  const u32 in_area = parts_of(kDim) == 1 ? 0 : part % (parts_of(kDim) / 2);
  return (in_area * queries_of(kDim) + q) * query_stride<kDim>();
}

// Rows of f16 divided by a power of 2, as lib/half.cuh has them: two, four or eight neighbouring threads have a query.
template <u32 kDim>
DEVICE void load_queries(const AttendParams& p, const Stack& stack, auto& area, auto& second, auto& scales) {
  constexpr u32 kBeside = threads_of(kDim) / queries_of(kDim), kOfThread = kDim / kBeside;
  constexpr u32 kOfPart = kDim / parts_of(kDim);
  static_assert(query_word<kDim>(parts_of(kDim) - 1, queries_of(kDim)) <= tile_words(kDim));
  const AttendWords& words = p.words;
  const u32 q = thread_index() / kBeside, first = thread_index() % kBeside * kOfThread;
  const bool is_there = has_query(words, stack, q);
  const float* from = buffer<const float>(p, 3) + (is_there ? query_at(words, stack, q) : 0);
  const auto elem = [&](u32 col) { return is_there && col < words.head_dim ? from[col] : 0; };
  float most = 0;
  for (u32 col = first; col < first + kOfThread; ++col) most = fmaxf(most, fabsf(elem(col)));
  for (u32 mask = 1; mask < kBeside; mask *= 2) most = fmaxf(most, shuffle_xor(most, mask));
  const float scale = scale_of_half(most, args::kHalfExponent), inverse = inverse_of(scale);
  if (first == 0) scales[q] = scale;
  for (u32 col = first; col < first + kOfThread; col += 8) {
    u32 pairs[4];
#pragma unroll
    for (u32 i = 0; i < 4; ++i)
      pairs[i] = floats_to_halves(inverse * elem(col + 2 * i), inverse * elem(col + 2 * i + 1));
    const u32 part = col / kOfPart, at = query_word<kDim>(part, q) + col % kOfPart / 2;
    put_unit(is_in_first<kDim>(part) ? area : second, at, {pairs[0], pairs[1], pairs[2], pairs[3]});
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
DEVICE void attend_tiles(const AttendParams& p, auto& keys, auto& values, auto& raw, auto& scales) {
  using Of = Tiles<kDim>;
  constexpr u32 kParts = parts_of(kDim), kSteps = kDim / kParts / 16, kTileKeys = Of::kTileKeys;
  constexpr u32 kKeySteps = kTileKeys / 16, kQueryWarps = queries_of(kDim) / kWarpQueries;
  const AttendWords& words = p.words;
  Stack stack;
  if (!open_stack(p, stack)) return;
  const u32* inputs = inputs_of(p);
  const auto position_of = [&](u32 row) { return step_row(inputs, words.rows_at, row).position; };
  const u32 exact_from = inputs[words.exact_from_at + stack.slot];
  const u32 lane = lane_index(), first_query = warp_index() % kQueryWarps * kWarpQueries;
  const u32 share = warp_index() / kQueryWarps, first_word = share * (kDim / kParts / 2);  // of a row
  // Rows of a slot ascend.
  const u32 end = position_of(stack.first_row + stack.n_rows - 1) + 1;
  const CachePart key_part{1, 5, words.key_type, words.has_exact_keys},
      value_part{2, 6, words.value_type, words.has_exact_values};
  // Tiles begin at multiples of their size, and where rows do not stand behind those before them.
  const auto end_of_tile = [&](u32 position) {
    const u32 last = smaller((position / kTileKeys + 1) * kTileKeys, end);
    return smaller(last, smaller(end_of_rows(key_part, words.key_rows, exact_from, position),
                                 end_of_rows(value_part, words.value_rows, exact_from, position)));
  };
  const auto begin = [&](const CachePart& part, const CacheRows& rows, u32 position, auto& area) {
    return Of::begin(p, stack, part, rows, exact_from, position, end_of_tile(position) - position, area, raw);
  };

  load_queries<kDim>(p, stack, keys, values, scales);
  if constexpr (kParts == 1) {
    WARP_BARRIER();  // of whose queries they are
  } else {
    BARRIER();
  }
  u32 queries[kSteps][4];
#pragma unroll
  for (u32 k = 0; k < kSteps; ++k) {
    const u32 at = query_word<kDim>(share, first_query + lane % 16) + 8 * k + lane / 16 * 4;
    load_tiles<false>(queries[k], is_in_first<kDim>(share) ? keys : values, at);
  }
  // Of the two rows of queries that this lane has scores of.
  u32 seen_first[2], seen_end[2];
  float factor[2], most[2], total[2]{};
#pragma unroll
  for (u32 i = 0; i < 2; ++i) {
    const u32 q = first_query + lane / 4 + 8 * i;
    seen_end[i] = has_query(words, stack, q) ? position_of(query_row(words, stack, q)) + 1 : 0;
    seen_first[i] = seen_end[i] == 0 ? 0 : seen_from(words.window, seen_end[i] - 1);
    factor[i] = scales[q] * words.scale;
    most[i] = kUnseen;
    if (words.has_sinks != 0 && seen_end[i] != 0) {
      most[i] = sink_of(p, stack, q);
      total[i] = lane % 4 == 0 ? 1 : 0;  // the lanes of a query add up theirs in the end
    }
  }
  BARRIER();  // the queries have been read

  float sums[2 * kSteps][4]{};
  u32 position = seen_from(words.window, position_of(stack.first_row)) / kTileKeys * kTileKeys;
  typename Of::Loading of_keys = begin(key_part, words.key_rows, position, keys);
  while (position < end) {
    const u32 next = end_of_tile(position);
    Of::finish(p, of_keys, false, keys, raw);
    const typename Of::Loading of_values = begin(value_part, words.value_rows, position, values);
    float scores[2 * kKeySteps][4]{};
#pragma unroll
    for (u32 k = 0; k < kSteps; ++k) {
#pragma unroll
      for (u32 n = 0; n < kKeySteps; ++n) {
        u32 tiles[4];
        const u32 key = 16 * n + lane % 8 + lane / 16 * 8;
        load_tiles<false>(tiles, keys, key * Of::kStride + first_word + 8 * k + lane / 8 % 2 * 4);
        multiply_halves(scores[2 * n], queries[k], tiles[0], tiles[1]);
        multiply_halves(scores[2 * n + 1], queries[k], tiles[2], tiles[3]);
      }
    }
    if constexpr (kParts > 1) add_scores<kParts, kQueryWarps>(keys, scores);
    // Scores of what a query sees become weights under a new maximum.
    float of_tile[2] = {kUnseen, kUnseen};
#pragma unroll
    for (u32 n = 0; n < 2 * kKeySteps; ++n) {
#pragma unroll
      for (u32 i = 0; i < 4; ++i) {
        const u32 row = row_of_sum(i), at = position + 8 * n + lane % 4 * 2 + i % 2;
        const bool is_seen = at < next && at >= seen_first[row] && at < seen_end[row];
        scores[n][i] = is_seen ? softcapped(words.cap, scores[n][i] * factor[row]) : kUnseen;
        of_tile[row] = fmaxf(of_tile[row], scores[n][i]);
      }
    }
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
    }
    u32 weights[kKeySteps][4];
#pragma unroll
    for (u32 n = 0; n < 2 * kKeySteps; ++n) {
#pragma unroll
      for (u32 row = 0; row < 2; ++row) {
        float pair[2];
#pragma unroll
        for (u32 i = 0; i < 2; ++i) {
          const float score = scores[n][2 * row + i];
          pair[i] = score == kUnseen ? 0 : exp_of(score - most[row]);
          total[row] += pair[i];
        }
        weights[n / 2][n % 2 * 2 + row] = floats_to_halves(pair[0], pair[1]);
      }
    }
    Of::finish(p, of_values, words.has_shifts != 0, values, raw);
    if (next < end) of_keys = begin(key_part, words.key_rows, next, keys);
#pragma unroll
    for (u32 k = 0; k < kKeySteps; ++k) {
#pragma unroll
      for (u32 n = 0; n < kSteps; ++n) {
        u32 tiles[4];
        load_tiles<true>(tiles, values, (16 * k + lane % 16) * Of::kStride + first_word + 8 * n + lane / 16 * 4);
        multiply_halves(sums[2 * n], weights[k], tiles[0], tiles[1]);
        multiply_halves(sums[2 * n + 1], weights[k], tiles[2], tiles[3]);
      }
    }
    position = next;
  }

#pragma unroll
  for (u32 row = 0; row < 2; ++row) {
    for (u32 mask = 1; mask < 4; mask *= 2) total[row] += shuffle_xor(total[row], mask);
    const u32 q = first_query + lane / 4 + 8 * row;
    if (!has_query(words, stack, q)) continue;
    float* to = buffer<float>(p, 4) + query_at(words, stack, q);
#pragma unroll
    for (u32 n = 0; n < 2 * kSteps; ++n) {
      const u32 col = 2 * first_word + 8 * n + lane % 4 * 2;
      if (col >= words.head_dim) continue;
      to[col] = sums[n][2 * row] / total[row];
      to[col + 1] = sums[n][2 * row + 1] / total[row];
    }
  }
}

}  // namespace

// One for each head size, up to it.
#define ATTEND_TILES(name, dim)                      \
  KERNEL(name, threads_of(dim), AttendParams) {      \
    SHARED(u32, keys, tile_words(dim));              \
    SHARED(u32, values, tile_words(dim));            \
    SHARED(u32, raw, raw_words(dim));                \
    SHARED(float, scales, queries_of(dim));          \
    attend_tiles<dim>(p, keys, values, raw, scales); \
  }
ATTEND_TILES(attend_tiles_64, 64)
ATTEND_TILES(attend_tiles_128, 128)
ATTEND_TILES(attend_tiles_256, 256)
ATTEND_TILES(attend_tiles_512, 512)

}  // namespace headroom::cuda
