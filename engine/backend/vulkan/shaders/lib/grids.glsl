// The grids of IQ3, IQ2 and IQ1 in shared memory: see format/grids.h for what a point is. They come from the inputs, which
// have all of them (model/gpu_grids.h): as constants of the shader they take drivers minutes to compile. Included by
// panels.glsl, behind buffers.glsl.
const uint kGrids = kRowWords;  // behind the counts
const uint kIq3SWords = 256u, kIq2XxsWords = 768u, kIq2XsWords = 896u, kIq2SWords = 1152u, kIq1Words = 1664u;

// The codes of four elements of a point of eight, a byte each. The last four begin four bits higher.
uint first_codes(uint point) { return (point & 0x0303u) | ((point << 14) & 0x03030000u); }

// Word i of a type's grid in shared memory.
uint grid_word(uint type, uint i) {
  const uint first = type == kIQ3_S     ? kIq3SWords
                     : type == kIQ2_XXS ? kIq2XxsWords
                     : type == kIQ2_XS  ? kIq2XsWords
                     : type == kIQ2_S   ? kIq2SWords
                     : is_one_of(type, kIq1Types) ? kIq1Words : 0u;
  return inputs[kGrids + first + i];
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
