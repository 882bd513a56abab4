// The grids of IQ3, IQ2 and IQ1, a byte an element: of four elements a point is a word, of eight two words. They stand
// in the memory of the card, not in shared memory: the cache of a multiprocessor answers for a table of 1 to 16 KiB, no
// block waits until it has one of its own, and as many blocks as without stand on a multiprocessor.
#pragma once

#include "format/grids.h"
#include "lib/numbers.cuh"

namespace headroom::cuda {

template <u32 kWords>
struct GridTable {
  u32 words[kWords];
};

// kLess is taken from the values of codes.
template <int kElems, u32 kWords, u32 n>
DEVICE constexpr GridTable<kWords> grid_table(const u32 (&grid)[n], const std::int8_t (&values)[16], int less) {
  static_assert(kWords == 2 * n * kElems / 4);
  GridTable<kWords> table{};
  for (u32 i = 0; i < 2 * n * kElems; ++i) {
    const int value = values[grid_code<kElems>(grid, i / kElems, static_cast<int>(i % kElems))] - less;
    table.words[i / 4] |= (static_cast<u32>(value) & 255U) << (i % 4 * 8);
  }
  return table;
}

TABLE GridTable<256> kIq3XxsTable = grid_table<4, 256>(kIq3XxsGrid, kIq3XxsValues, 0);
TABLE GridTable<512> kIq3STable = grid_table<4, 512>(kIq3SGrid, kIq3SValues, 0);
TABLE GridTable<512> kIq2XxsTable = grid_table<8, 512>(kIq2XxsGrid, kIq2Values, 0);
TABLE GridTable<1024> kIq2XsTable = grid_table<8, 1024>(kIq2XsGrid, kIq2Values, 0);
TABLE GridTable<2048> kIq2STable = grid_table<8, 2048>(kIq2SGrid, kIq2Values, 0);
// Shifted up by an eighth, and 9 more, so that no byte is negative.
TABLE GridTable<4096> kIq1Table = grid_table<8, 4096>(kIq1Grid, kIq1Values, -9);

template <u32 kType>
DEVICE u32 grid_word(u32 i) {
  if constexpr (kType == kIQ3_XXS) return load_table(&kIq3XxsTable.words[i]);
  if constexpr (kType == kIQ3_S) return load_table(&kIq3STable.words[i]);
  if constexpr (kType == kIQ2_XXS) return load_table(&kIq2XxsTable.words[i]);
  if constexpr (kType == kIQ2_XS) return load_table(&kIq2XsTable.words[i]);
  if constexpr (kType == kIQ2_S) return load_table(&kIq2STable.words[i]);
  return load_table(&kIq1Table.words[i]);
}

DEVICE constexpr bool is_iq3(u32 type) { return type == kIQ3_XXS || type == kIQ3_S; }
DEVICE constexpr bool is_iq2(u32 type) { return type == kIQ2_XXS || type == kIQ2_XS || type == kIQ2_S; }
DEVICE constexpr bool is_iq1(u32 type) { return type == kIQ1_S || type == kIQ1_M; }
DEVICE constexpr bool is_grid_type(u32 type) { return is_iq3(type) || is_iq2(type) || is_iq1(type); }

// What a group has for its points.
struct GridGroup {
  u32 first_indices, last_indices;  // a byte each; of points of eight elements there are the first alone
  u32 higher;                       // their higher bits
  u32 signs;                        // in the order of spread_bits(), format/bit_order.h
};

// A word of PieceOrder::kSigns: the last sign of each eight makes their number even.
DEVICE u32 with_eighth_signs(u32 word) {
  const u32 sevens = word & 0x0FFFFFFFU;
  u32 odd = sevens ^ (sevens >> 16);
  odd ^= odd >> 8;
  odd ^= odd >> 4;
  return sevens ^ (odd << 28);
}

// Four elements of a group as signed bytes, those of word w.
template <u32 kType>
DEVICE u32 grid_values(const GridGroup& group, u32 w) {
  constexpr u32 kBits = kType == kIQ3_S || kType == kIQ2_XS ? 1 : kType == kIQ2_S ? 2 : 3;  // that an index has more
  constexpr u32 kStep = kType == kIQ1_M ? 4 : kBits;
  const u32 k = is_iq3(kType) ? w : w / 2;                                              // which point
  const u32 four = is_iq3(kType) && k >= 4 ? group.last_indices : group.first_indices;  // an array would be memory
  u32 index = (four >> (k % 4 * 8)) & 255U;
  if constexpr (kType != kIQ3_XXS && kType != kIQ2_XXS)
    index |= ((group.higher >> (kStep * k)) & ((1U << kBits) - 1)) << 8;
  const u32 values = grid_word<kType>(is_iq3(kType) ? index : 2 * index + w % 2);
  if constexpr (is_iq1(kType))
    return values - 0x02020202U * ((group.higher >> (kType == kIQ1_S ? 15 : 4 * k + 3)) & 1U);
  const u32 negative = (group.signs >> (w % 2 * 4 + w / 2)) & 0x01010101U;  // no value is 0, so that no byte overflows
  return (values ^ (negative * 255U)) + negative;
}

}  // namespace headroom::cuda
