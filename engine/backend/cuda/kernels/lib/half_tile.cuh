// Tiles of keys or values as f16 in shared memory, from where instructions for tiles read them. Rows of f16 are copied
// to where they are read. Rows of other formats are copied as they stand in the cache, and decoded when they have
// arrived.
//
// A type Layout says how a tile of f16 stands in an area of words: it has kKeys rows of kUnits units of 16 bytes each,
// and at(key, unit) is the first word of a unit.
#pragma once

#include "lib/cache_tile.cuh"
#include "lib/decode_block.cuh"

namespace headroom::cuda {

// Words of a row that is followed by four words that nobody uses: the same unit of eight rows is in different banks.
DEVICE constexpr u32 padded_words(u32 dim) { return dim / 2 + 4; }

// A Layout of such rows.
template <u32 kDim, u32 kRows>
struct PaddedTile {
  static constexpr u32 kKeys = kRows, kUnits = kDim / 8, kWords = kRows * padded_words(kDim);
  DEVICE static u32 at(u32 key, u32 unit) { return key * padded_words(kDim) + 4 * unit; }
};

// Begins to load a tile to the word `to` of the area. kThreads call together, a block or a warp, each with its number
// among them.
template <class Layout, u32 kThreads>
DEVICE void begin_tile(const Tile& tile, u32 head_dim, u32 thread, auto& area, u32 to) {
  static_assert(kThreads % Layout::kUnits == 0 && Layout::kKeys * Layout::kUnits % kThreads == 0);
  if (!is_direct(tile)) {
    const u32 n = divide_up(tile.raw.at + tile.n_keys * tile.raw.row_bytes, 16);
    for (u32 i = thread; i < n; i += kThreads) copy_unit(area, to + 4 * i, tile.from + i);
    return;
  }
  const u32 n_units = head_dim / 8;
#pragma unroll
  for (u32 i = 0; i < Layout::kKeys * Layout::kUnits / kThreads; ++i) {
    const u32 key = (thread + i * kThreads) / Layout::kUnits, unit = thread % Layout::kUnits;
    if (key < tile.n_keys && unit < n_units) {
      copy_unit(area, to + Layout::at(key, unit), tile.from + key * n_units + unit);
    } else {
      put_unit(area, to + Layout::at(key, unit), {0, 0, 0, 0});
    }
  }
}

// Elements `first` to first + 31 of a key of a tile that is at the word `from` as it stands in the cache. `pairs` stay
// as they are where the tile has no such elements.
template <u32 kType>
DEVICE void decode_of_tile(const Tile& tile, u32 head_dim, bool has_shifts, auto& area, u32 from, u32 key, u32 first,
                           u32 (&pairs)[kBlockElems / 2]) {
  if (key >= tile.n_keys || first >= head_dim) return;
  const u32 row = 4 * from + tile.raw.at + key * tile.raw.row_bytes;
  decode_block<kType>(area, row, first, head_dim, has_shifts ? value_shift(tile.position + key) : 0, pairs);
}

// Puts what decode_of_tile() gives into the tile of f16 that begins at the word `to`.
template <class Layout>
DEVICE void put_block(auto& area, u32 to, u32 key, u32 first, const u32 (&pairs)[kBlockElems / 2]) {
#pragma unroll
  for (u32 i = 0; i < kBlockElems / 8; ++i) {
    put_unit(area, to + Layout::at(key, first / 8 + i),
             {pairs[4 * i], pairs[4 * i + 1], pairs[4 * i + 2], pairs[4 * i + 3]});
  }
}

// Awaits a tile that a block has begun to load to the beginning of the area, and decodes it in place: each thread has
// 32 elements. All threads call together; then all of the tile is there, and everybody has read what was there before.
template <class Layout, u32 kThreads>
DEVICE void finish_tile(const Tile& tile, u32 head_dim, bool has_shifts, auto& area) {
  constexpr u32 kBlocks = Layout::kUnits * 8 / kBlockElems;  // of a row
  static_assert(Layout::kKeys * kBlocks == kThreads);
  await_copies();
  BARRIER();
  if (is_direct(tile)) return;
  const u32 key = thread_index() / kBlocks, first = thread_index() % kBlocks * kBlockElems;
  u32 pairs[kBlockElems / 2]{};
  with_cache_type(tile.raw.type,
                  [&]<u32 kType>() { decode_of_tile<kType>(tile, head_dim, has_shifts, area, 0, key, first, pairs); });
  BARRIER();
  put_block<Layout>(area, 0, key, first, pairs);
  BARRIER();
}

}  // namespace headroom::cuda
