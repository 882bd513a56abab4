// The orders in which panels keep 32 bits, one for each of 32 elements.
#pragma once

namespace headroom {

// A word with a bit for each element in the order of spread_bit(): of element 4 j + k bit spread_bit(j) of byte k. Done
// twice it changes nothing: bits change places whose indices differ by 14 (bits 4 and 1 of the index) and by 7 (bits 3
// and 0). Word: 32 bits, or a vector of them.
template <class Word>
constexpr Word spread_bits(Word word) {
  const Word far = ((word >> 14) ^ word) & 0x0000CCCCU;
  word ^= far ^ (far << 14);
  const Word near = ((word >> 7) ^ word) & 0x00AA00AAU;
  return word ^ near ^ (near << 7);
}

// Four times 7 signs become the low bits of four bytes, and the four bits above them the highest bits; and back.
// Spread, those four bits are the top four again.
template <class Word>
constexpr Word open_signs(Word word) {
  return (word & 0x7FU) | ((word & 0x3F80U) << 1) | ((word & 0x1FC000U) << 2) | ((word & 0xFE00000U) << 3) |
         ((word & 0x10000000U) >> 21) | ((word & 0x20000000U) >> 14) | ((word & 0x40000000U) >> 7) |
         (word & 0x80000000U);
}
template <class Word>
constexpr Word close_signs(Word word) {
  return (word & 0x7FU) | ((word & 0x7F00U) >> 1) | ((word & 0x7F0000U) >> 2) | ((word & 0x7F000000U) >> 3) |
         ((word & 0x80U) << 21) | ((word & 0x8000U) << 14) | ((word & 0x800000U) << 7) | (word & 0x80000000U);
}

}  // namespace headroom
