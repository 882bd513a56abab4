// Which rows of a cache a tile of keys or values has, for kernels of attention that multiply tiles.
#pragma once

#include "lib/attend.cuh"

namespace headroom::cuda {

// Keys or values of a layer.
struct Part {
  u32 plain, exact;  // the numbers of their buffers
  u32 type, has_exact, has_shifts;
  CacheRows rows;
};
DEVICE Part keys_of(const AttendWords& words) {
  return {1, 5, words.key_type, words.has_exact_keys, 0, words.key_rows};
}
DEVICE Part values_of(const AttendWords& words) {
  return {2, 6, words.value_type, words.has_exact_values, words.has_shifts, words.value_rows};
}

// A tile that has begun to be loaded: where its rows stand in the memory of the card, and which positions they are of.
struct Tile {
  const uint4* from;  // the unit in which the first row begins
  KeyTile raw;        // as a copy of these units has it
  u32 position, n_keys;
};
DEVICE bool is_direct(const Tile& tile) { return tile.raw.type == kF16; }

// Where rows end that stand together from `position` on: at the end of a ring, and where others are exact.
DEVICE u32 end_of_rows(const Part& part, u32 exact_from, u32 position) {
  const CacheRows& rows = part.rows;
  const u32 last = position < rows.n_rows ? rows.n_rows : (position / rows.n_rows + 1) * rows.n_rows;
  if (part.has_exact == 0) return last;
  if (position < rows.n_sinks) return smaller(last, rows.n_sinks);
  if (rows.n_ring == 0) return last;
  return smaller(last, position < exact_from ? exact_from : (position / rows.n_ring + 1) * rows.n_ring);
}

// Tiles begin at multiples of their size, and where rows do not stand behind those before them.
template <u32 kTileKeys>
DEVICE u32 end_of_tile(const Part& keys, const Part& values, u32 exact_from, u32 position, u32 end) {
  const u32 last = smaller((position / kTileKeys + 1) * kTileKeys, end);
  return smaller(last, smaller(end_of_rows(keys, exact_from, position), end_of_rows(values, exact_from, position)));
}

DEVICE Tile tile_of(const AttendParams& p, const Stack& stack, const Part& part, u32 exact_from, u32 position,
                    u32 next) {
  const bool from_exact = part.has_exact != 0 && is_exact(part.rows, position, exact_from);
  const std::uint64_t byte = rows_at(p.words, stack, part.rows, from_exact, position);
  return {buffer<const uint4>(p, from_exact ? part.exact : part.plain) + byte / 16,
          {static_cast<u32>(byte % 16), from_exact ? p.words.head_dim * 2 : part.rows.row_bytes,
           from_exact ? kF16 : part.type},
          position,
          next - position};
}

}  // namespace headroom::cuda
