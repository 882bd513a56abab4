// The grids of IQ3, IQ2 and IQ1 in shared memory: see format/grids.h for what a point is. Of four elements a word there
// has the values of a point, a byte each; of eight it has two points as they stand in the table. Included by panels.glsl.
const uint kIq3XxsGrid[128] = uint[](
#include "../../../../format/grids/iq3_xxs.inl"
);
const uint kIq3SGrid[256] = uint[](
#include "../../../../format/grids/iq3_s.inl"
);
const uint kIq2XxsGrid[128] = uint[](
#include "../../../../format/grids/iq2_xxs.inl"
);
const uint kIq2XsGrid[256] = uint[](
#include "../../../../format/grids/iq2_xs.inl"
);
const uint kIq2SGrid[512] = uint[](
#include "../../../../format/grids/iq2_s.inl"
);
const uint kIq1Grid[1024] = uint[](
#include "../../../../format/grids/iq1_s.inl"
);

// The codes of four elements of a point, a byte each. Of eight elements the first four; the last four begin four bits
// higher.
uint four_codes(uint point) { return (point & 0x0707u) | ((point << 12) & 0x07070000u); }
uint first_codes(uint point) { return (point & 0x0303u) | ((point << 14) & 0x03030000u); }

// Word i of a type's grid in shared memory.
uint grid_word(uint type, uint i) {
  if (type == kIQ2_XXS) return kIq2XxsGrid[i];
  if (type == kIQ2_XS) return kIq2XsGrid[i];
  if (type == kIQ2_S) return kIq2SGrid[i];
  if (is_one_of(type, kIq1Types)) return kIq1Grid[i];
  const uint two_points = type == kIQ3_S ? kIq3SGrid[i / 2u] : kIq3XxsGrid[i / 2u];
  const uint codes = four_codes(two_points >> (i % 2u * 16u));
  if (type == kIQ3_S) return 2u * codes + 0x01010101u;
  return 8u * codes + 0x04040404u + 2u * (codes & (codes >> 1) & (codes >> 2) & 0x01010101u);  // the last one is 62
}

// Four elements of a group as signed bytes, those of word w, where indices, their higher bits and signs are known.
// `at`: where the type's grid begins.
uint grid_values(uint type, uint at, uvec2 indices, uint higher, uint signs, uint w) {
  const uint k = is_one_of(type, kIq3Types) ? w : w / 2u;  // which point
  uint index = ((k < 4u ? indices.x : indices.y) >> (k % 4u * 8u)) & 255u;
  if (type == kIQ3_S || type == kIQ2_XS) index |= ((higher >> k) & 1u) << 8;
  if (type == kIQ2_S) index |= ((higher >> (2u * k)) & 3u) << 8;
  if (type == kIQ1_S) index |= ((higher >> (3u * k)) & 7u) << 8;
  if (type == kIQ1_M) index |= ((higher >> (4u * k)) & 7u) << 8;
  uint values;
  if (is_one_of(type, kIq3Types)) {
    values = code_tables[at + index];
  } else {
    const uint codes = first_codes(code_tables[at + index / 2u] >> (index % 2u * 16u + w % 2u * 4u));
    // IQ1: eighths, less the shift of kIq1Values and with 9 added.
    if (is_one_of(type, kIq1Types))
      return 8u * codes + 0x02020202u - 0x02020202u * ((higher >> (type == kIQ1_S ? 15u : 4u * k + 3u)) & 1u);
    values = 17u * codes + 0x08080808u + ((codes >> 1) & 0x01010101u);  // 8, 25, 43
  }
  const uint negative = (signs >> (w % 2u * 4u + w / 2u)) & 0x01010101u;  // no value is 0, so that no byte overflows
  return (values ^ (negative * 255u)) + negative;
}

// A word of signs whose last sign of each eight makes their number even: see PieceOrder::kSigns.
uint with_eighth_signs(uint word) {
  const uint sevens = word & 0x0FFFFFFFu;
  uint odd = sevens ^ (sevens >> 16);
  odd ^= odd >> 8;
  odd ^= odd >> 4;
  return sevens ^ (odd << 28);
}
