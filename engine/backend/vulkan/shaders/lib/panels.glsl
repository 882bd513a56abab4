// Weights in panels: model/gpu_panel.h. Before it is included, UNIT(which, index) is defined: unit `index` of the
// weights in buffer `which`, a constant, as uvec4. A thread has one row of a panel. All threads of a group call
// open_code_tables() together before they read weights; before this file is included, the constants kType and kSecondType
// say which they have. `type` is a specialization constant in every function: a driver that compiles a pipeline drops
// what other types need.

const uint kF32 = 0, kF16 = 1, kBF16 = 2, kQ8_0 = 3, kQ4_0 = 4, kQ4_1 = 5, kQ5_0 = 6, kQ5_1 = 7, kQ2_K = 8, kQ3_K = 9,
           kQ4_K = 10, kQ5_K = 11, kQ6_K = 12, kIQ4_NL = 13, kIQ4_XS = 14, kMXFP4 = 15,
           kIQ1_S = 16, kIQ1_M = 17, kIQ2_XXS = 18, kIQ2_XS = 19, kIQ2_S = 20, kIQ3_XXS = 21, kIQ3_S = 22;
const uint kPanelRows = 32, kGroup = 32, kBlockGroups = 8;

// What types have in common: sets of them, one bit each.
const uint kTwoBitTypes = 1u << kQ2_K | 1u << kQ3_K;
// Elements are points of a grid, see format/grids.h: of four elements, or of eight.
const uint kIq3Types = 1u << kIQ3_XXS | 1u << kIQ3_S;
const uint kIq2Types = 1u << kIQ2_XXS | 1u << kIQ2_XS | 1u << kIQ2_S;
const uint kIq1Types = 1u << kIQ1_S | 1u << kIQ1_M;
const uint kGridTypes = kIq3Types | kIq2Types | kIq1Types;
const uint kSignWordTypes = 1u << kIQ3_XXS | 1u << kIQ2_XXS | 1u << kIQ2_XS;  // seven signs of eight, and four bits beside them
const uint kHalfUnitTypes = kTwoBitTypes | kIq3Types | kIq2Types;  // a group has two words in the plane of codes
const uint kHighBitTypes = 1u << kQ5_0 | 1u << kQ5_1 | 1u << kQ3_K | 1u << kQ5_K;  // one bit in the plane of highs
const uint kHighWordTypes = kHighBitTypes | kIq3Types | kIq1Types;                 // a word of a group there
const uint kIq4Types = 1u << kIQ4_NL | 1u << kIQ4_XS;
const uint kTableTypes = kIq4Types | 1u << kMXFP4;    // codes stand for numbers of a table
const uint kSignedTypes = 1u << kQ8_0 | kTableTypes | kIq3Types | kIq2Types;  // code_word() has signed bytes
// 16 elements share a scale, not 32.
const uint kHalfScaleTypes = 1u << kQ2_K | 1u << kQ3_K | 1u << kQ6_K | 1u << kIQ2_XS | 1u << kIQ2_S | 1u << kIQ1_M;
const uint kPackedScaleTypes = 1u << kIQ4_XS | 1u << kMXFP4;           // no headers: all is in the plane of scales
const uint kScaleMinTypes = 1u << kQ4_K | 1u << kQ5_K;                 // see group_scale_min() of format/blocks.h
const uint kGroupMinTypes = 1u << kQ4_1 | 1u << kQ5_1;                 // a group has an F16 scale and an F16 min
const uint kMinTypes = kGroupMinTypes | kScaleMinTypes | 1u << kQ2_K;
// 256 elements share F16 scales, and smaller groups have whole numbers with which they are multiplied.
const uint kBlockScaleTypes = kHalfScaleTypes | kScaleMinTypes | kGridTypes | 1u << kIQ4_XS;

bool is_one_of(uint type, uint types) { return ((types >> type) & 1u) != 0u; }
bool is_block_format(uint type) { return type >= kQ8_0; }

// What codes of four bits stand for: kIq4Values and kFp4Values of format/code_values.h. The sixteen words of a table lie in
// as many banks of shared memory, so that threads never wait for each other there. An element takes about three
// instructions; chosen from constants by shifts and selects it would take eight.
const int kCodeValues[32] = int[](-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113,  //
                                  0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12);
// Grids stand there likewise. Threads ask for any of their words, and of 32 requests about three meet in a bank. A
// pipeline has room for the tables of its types alone.
#define TABLE_WORDS(type)                                            \
  (((1u << type) & kIq1Types) != 0u                       ? 1024u    \
   : type == kIQ2_S || type == kIQ3_S                     ? 512u     \
   : type == kIQ2_XS || type == kIQ3_XXS                  ? 256u     \
   : type == kIQ2_XXS                                     ? 128u     \
   : ((1u << type) & kTableTypes) != 0u                   ? 32u      \
                                                          : 0u)
const uint kFirstWords = TABLE_WORDS(kType), kSecondWords = kSecondType == kType ? 0u : TABLE_WORDS(kSecondType);
shared uint code_tables[kFirstWords + kSecondWords == 0u ? 1u : kFirstWords + kSecondWords];
uint table_at(uint type) { return type == kType ? 0u : kFirstWords; }
#include "grids.glsl"

void open_table(uint thread, uint n_threads, uint type, uint n_words) {
  for (uint i = thread; i < n_words; i += n_threads)
    code_tables[table_at(type) + i] = is_one_of(type, kGridTypes) ? grid_word(type, i) : uint(kCodeValues[i]) & 255u;
}
void open_code_tables(uint thread, uint n_threads) {
  if (kFirstWords + kSecondWords == 0u) return;
  open_table(thread, n_threads, kType, kFirstWords);
  open_table(thread, n_threads, kSecondType, kSecondWords);
  barrier();
}

// What a block has of a row: units in the planes of codes, highs and headers, and bytes in that of scales. Two blocks of
// IQ2_XS share a unit of headers.
uvec4 block_sizes(uint type) {
  uvec4 sizes = uvec4(8u, 0u, 1u, 0u);
  if (!is_block_format(type)) sizes.xz = uvec2(type == kF32 ? 64u : 32u, 0u);
  if (type == kQ8_0) sizes.x = 16u;
  if (is_one_of(type, kHalfUnitTypes)) sizes.x = 4u;
  if (is_one_of(type, kIq1Types)) sizes.x = 0u;
  if (is_one_of(type, kHighWordTypes)) sizes.y = 2u;
  if (is_one_of(type, kGroupMinTypes)) sizes.z = 2u;
  if (is_one_of(type, kPackedScaleTypes)) sizes.zw = uvec2(0u, 8u);
  if (type == kQ2_K) sizes.w = 4u;
  if (type == kQ6_K) sizes.yw = uvec2(4u, 2u);
  if (is_one_of(type, kGridTypes)) sizes.w = type == kIQ3_S ? 0u : type == kIQ1_M ? 8u : 2u;
  if (type == kIQ3_XXS || type == kIQ2_XXS) sizes.z = 0u;
  return sizes;
}

// Where the planes of a row begin, in units; unit u of a plane stands at plane + u * kPanelRows.
struct PanelRow {
  uint codes, highs, headers, scales;
};

PanelRow panel_row(uint type, uint panel, uint lane, uint n_groups) {
  const uvec4 sizes = block_sizes(type);
  const uint n_blocks = (n_groups + kBlockGroups - 1u) / kBlockGroups, n_codes = n_groups * sizes.x / kBlockGroups;
  const uint n_scales = (n_blocks * sizes.w + 15u) / 16u;
  const uint n_headers = type == kIQ2_XS ? (n_blocks + 1u) / 2u : n_blocks * sizes.z;
  PanelRow row;
  row.codes = panel * (n_codes + n_blocks * sizes.y + n_headers + n_scales) * kPanelRows + lane;
  row.highs = row.codes + n_codes * kPanelRows;
  row.headers = row.highs + n_blocks * sizes.y * kPanelRows;
  row.scales = row.headers + n_headers * kPanelRows;
  return row;
}

// What a block has for its groups; nothing in plain formats.
struct Block {
  uvec4 header, second;  // second: of Q4_1 and Q5_1
  uvec2 packed;          // its bytes of the plane of scales
  vec2 scales;           // that of all its groups, and that of their minima
};

Block read_block(uint which, uint type, PanelRow row, uint block) {
  Block result = Block(uvec4(0u), uvec4(0u), uvec2(0u), vec2(0.0));
  const uvec4 sizes = block_sizes(type);
  if (type == kIQ2_XS) {
    const uvec4 unit = UNIT(which, row.headers + block / 2u * kPanelRows);
    result.header.xy = block % 2u == 0u ? unit.xy : unit.zw;
  } else if (sizes.z > 0u) {
    result.header = UNIT(which, row.headers + block * sizes.z * kPanelRows);
  }
  if (sizes.z > 1u) result.second = UNIT(which, row.headers + (block * sizes.z + 1u) * kPanelRows);
  if (sizes.w > 0u) {
    const uint at = block * sizes.w % 16u;
    const uvec4 unit = UNIT(which, row.scales + block * sizes.w / 16u * kPanelRows);
    result.packed = sizes.w == 8u ? (at == 0u ? unit.xy : unit.zw) : uvec2(unit[at / 4u] >> (at % 4u * 8u), 0u);
  }
  if (is_one_of(type, kBlockScaleTypes)) {
    uint both = result.packed.x;
    if (is_one_of(type, kScaleMinTypes)) both = result.header.x;
    if (type == kQ3_K || type == kIQ3_S) both = result.header.w;
    if (type == kIQ1_M) {  // four bits of each of four words
      const uvec2 tops = (result.packed >> 12) & 0x000F000Fu;
      both = (tops.x & 15u) | (tops.x >> 12) | (tops.y & 15u) << 8 | (tops.y >> 4);
    }
    result.scales = f16s_to_f32(both);
  }
  return result;
}

// What is subtracted from a code.
float code_offset(uint type) {
  return type == kQ4_0 ? 8.0 : type == kQ5_0 ? 16.0 : type == kQ3_K ? 4.0 : type == kQ6_K ? 32.0
         : is_one_of(type, kIq1Types) ? 9.0 : 0.0;
}

// Words of the header that have two bytes of each group.
uint header_halves(Block block, uint in_block) { return block.header[in_block / 2u] >> (in_block % 2u * 16u); }

// The codes of a group of a block format.
struct Codes {
  uvec4 first, second;  // first: two words of kHalfUnitTypes; second: Q8_0; of grids higher bits of indices, and signs
  uvec2 high;
};

// The word of signs of a group of a grid.
uint sign_word(uint type, Codes codes) { return is_one_of(type, kIq3Types) ? codes.high.x : codes.first.y; }

// A group's codes are multiplied with .xy, the first and the last 16, and .zw is added.
vec4 group_factors(uint type, Block block, Codes codes, uint in_block) {
  if (!is_block_format(type)) return vec4(1.0, 1.0, 0.0, 0.0);
  vec2 scales = block.scales;
  if (!is_one_of(type, kBlockScaleTypes)) {
    uint both = header_halves(block, in_block);
    if (is_one_of(type, kGroupMinTypes)) both = in_block < 4u ? block.header[in_block] : block.second[in_block - 4u];
    scales = f16s_to_f32(both);
  }
  vec2 factors = vec2(scales.x), minima = vec2(scales.y);
  if (is_one_of(type, kScaleMinTypes)) {
    // The packed bytes of group_scale_min(), four groups at once.
    const uint at = in_block % 4u * 8u;
    uint of_scale = block.header.y & 0x3F3F3F3Fu, of_min = block.header.z & 0x3F3F3F3Fu;
    if (in_block >= 4u) {
      of_scale = (block.header.w & 0x0F0F0F0Fu) | ((block.header.y >> 2) & 0x30303030u);
      of_min = ((block.header.w >> 4) & 0x0F0F0F0Fu) | ((block.header.z >> 2) & 0x30303030u);
    }
    factors *= float((of_scale >> at) & 255u);
    minima *= -float((of_min >> at) & 255u);
  }
  if (type == kQ2_K) {
    const uint bytes = header_halves(block, in_block);
    factors *= vec2(bytes & 15u, (bytes >> 8) & 15u);
    minima *= -vec2((bytes >> 4) & 15u, (bytes >> 12) & 15u);
  }
  if (type == kQ3_K) {
    // six_bit_scale() of 2 in_block and of the number behind it.
    const uint shift = in_block % 2u * 16u;
    const uint low = (in_block % 4u < 2u ? block.header.x : block.header.y) >> (shift + in_block / 4u * 4u);
    const uint high = block.header.z >> (shift + in_block / 2u * 2u);
    const uvec2 six_bits = uvec2((low & 15u) | (high & 3u) << 4, ((low >> 8) & 15u) | ((high >> 8) & 3u) << 4);
    factors *= vec2(six_bits) - 32.0;
  }
  if (type == kQ6_K) {
    const int bytes = int(header_halves(block, in_block));
    factors *= vec2(bitfieldExtract(bytes, 0, 8), bitfieldExtract(bytes, 8, 8));
  }
  if (type == kIQ4_XS) {
    // group_scale() of format/blocks.h.
    const uint low = block.packed.y >> (4u * in_block), high = block.packed.x >> (16u + 2u * in_block);
    factors *= float((low & 15u) | (high & 3u) << 4) - 32.0;
  }
  if (is_one_of(type, kGridTypes)) {
    uvec2 numbers = uvec2(sign_word(type, codes) >> 28);
    if (type == kIQ3_S) numbers = uvec2(block.header.z >> (4u * in_block)) & 15u;
    if (type == kIQ2_XS || type == kIQ2_S) {
      const uint first_word = type == kIQ2_S ? 2u : 0u;
      const uint both = block.header[first_word + in_block / 4u] >> (in_block % 4u * 8u);
      numbers = uvec2(both, both >> 4) & 15u;
    }
    if (type == kIQ1_S) numbers = uvec2(header_halves(block, in_block) >> 12) & 7u;
    if (type == kIQ1_M) {
      const uint both = block.packed[in_block / 4u] >> (in_block / 2u % 2u * 16u + in_block % 2u * 6u);
      numbers = uvec2(both, both >> 3) & 7u;
    }
    factors *= (type == kIQ3_S ? 1.0 : type == kIQ3_XXS ? 0.25 : 0.125) * vec2(2u * numbers + 1u);
  }
  if (type == kMXFP4) {
    // 2^(exponent - 128); the first two have no normal numbers, and a driver may take them for zero.
    const uint exponent = (block.packed[in_block / 4u] >> (in_block % 4u * 8u)) & 255u;
    factors = vec2(uintBitsToFloat(exponent < 2u ? 0x00200000u << min(exponent, 1u) : (exponent - 1u) << 23));
  }
  if (is_one_of(type, kMinTypes)) return vec4(factors, minima);
  return vec4(factors, -code_offset(type) * factors);
}

// Of group 4 four + in_four, whose codes are read at `group`. A caller that knows in_four as a constant reads once what
// neighbours share; then `group` may also be another one, where the row has ended.
Codes read_codes(uint which, uint type, PanelRow row, uint group, uint four, uint in_four) {
  Codes codes = Codes(uvec4(0u), uvec4(0u), uvec2(0u));
  if (type == kQ8_0) {
    codes.first = UNIT(which, row.codes + 2u * group * kPanelRows);
    codes.second = UNIT(which, row.codes + (2u * group + 1u) * kPanelRows);
  } else if (is_one_of(type, kHalfUnitTypes)) {
    const uvec4 both = UNIT(which, row.codes + (2u * four + in_four / 2u) * kPanelRows);
    codes.first.xy = in_four % 2u == 0u ? both.xy : both.zw;
  } else if (!is_one_of(type, kIq1Types)) {
    codes.first = UNIT(which, row.codes + group * kPanelRows);
  }
  if (is_one_of(type, kHighWordTypes)) codes.high.x = UNIT(which, row.highs + four * kPanelRows)[in_four];
  if (type == kQ6_K) {
    const uvec4 both = UNIT(which, row.highs + (2u * four + in_four / 2u) * kPanelRows);
    codes.high = in_four % 2u == 0u ? both.xy : both.zw;
  }
  return codes;
}

Codes read_codes(uint which, uint type, PanelRow row, uint group) {
  return read_codes(which, type, row, group, group / 4u, group % 4u);
}

// What a group has of its block's header beside its scale, before code_word() reads its codes.
void add_header(uint type, Block block, uint in_block, inout Codes codes) {
  if (!is_one_of(type, kGridTypes)) return;
  const uint signs = sign_word(type, codes);
  codes.second.y = is_one_of(type, kSignWordTypes) ? with_eighth_signs(signs) : signs;
  codes.second.x = signs >> 28;
  if (type == kIQ3_S || type == kIQ2_S) codes.second.x = (block.header[in_block / 4u] >> (in_block % 4u * 8u)) & 255u;
  if (is_one_of(type, kIq1Types)) codes.second.x = header_halves(block, in_block);
}

// Two bits of each of elements 4 w to 4 w + 3, of a group that has a word of them for each half.
uint pair_word(uvec2 pairs, uint w) { return ((w < 4u ? pairs.x : pairs.y) >> (2u * (w & 3u))) & 0x03030303u; }

// Four codes, of one byte each, become the bytes that they stand for.
uint value_word(uint type, uint codes) {
  const uint table = table_at(type) + (is_one_of(type, kIq4Types) ? 0u : 16u);
  return code_tables[table + (codes & 255u)] | code_tables[table + ((codes >> 8) & 255u)] << 8 |
         code_tables[table + ((codes >> 16) & 255u)] << 16 | code_tables[table + (codes >> 24)] << 24;
}

// Four codes of one byte each, those of elements 4 w to 4 w + 3.
uint code_word(uint type, Codes codes, uint w) {
  if (is_one_of(type, kGridTypes)) {
    const uvec2 indices = is_one_of(type, kIq1Types) ? codes.high : codes.first.xy;
    return grid_values(type, table_at(type), indices, codes.second.x, codes.second.y, w);
  }
  uint word;
  if (type == kQ8_0) {
    word = w < 4u ? codes.first[w & 3u] : codes.second[w & 3u];
  } else if (is_one_of(type, kTwoBitTypes)) {
    word = pair_word(codes.first.xy, w);
  } else {
    word = (codes.first[w & 3u] >> (w < 4u ? 0u : 4u)) & 0x0F0F0F0Fu;
  }
  if (is_one_of(type, kHighBitTypes)) word |= ((codes.high.x >> w) & 0x01010101u) << (type == kQ3_K ? 2u : 4u);
  if (type == kQ6_K) word |= pair_word(codes.high, w) << 4;
  if (is_one_of(type, kTableTypes)) word = value_word(type, word);
  return word;
}

vec4 bytes_of(uint type, uint word) {
  const int signed_word = int(word);
  if (is_one_of(type, kSignedTypes))
    return vec4(bitfieldExtract(signed_word, 0, 8), bitfieldExtract(signed_word, 8, 8),
                bitfieldExtract(signed_word, 16, 8), bitfieldExtract(signed_word, 24, 8));
  return vec4(word & 255u, (word >> 8) & 255u, (word >> 16) & 255u, word >> 24);
}

// Four elements of a group of a plain format.
vec4 plain_elems(uint which, uint type, PanelRow row, uint group, uint w) {
  if (type == kF32) return uintBitsToFloat(UNIT(which, row.codes + (8u * group + w) * kPanelRows));
  const uvec4 unit = UNIT(which, row.codes + (4u * group + w / 2u) * kPanelRows);
  const uvec2 words = (w & 1u) == 0u ? unit.xy : unit.zw;
  const uvec4 halves = uvec4(words.x & 0xFFFFu, words.x >> 16, words.y & 0xFFFFu, words.y >> 16);
  if (type == kBF16) return uintBitsToFloat(halves << 16);
  return vec4(f16s_to_f32(words.x), f16s_to_f32(words.y));
}

// Four elements of a row, those of word w of a group.
vec4 row_elems(uint which, uint type, PanelRow row, uint group, uint w) {
  if (!is_block_format(type)) return plain_elems(which, type, row, group, w);
  const Block block = read_block(which, type, row, group / kBlockGroups);
  Codes codes = read_codes(which, type, row, group);
  add_header(type, block, group % kBlockGroups, codes);
  const vec4 factors = group_factors(type, block, codes, group % kBlockGroups);
  const vec4 bytes = bytes_of(type, code_word(type, codes, w));
  return w < 4u ? factors.x * bytes + factors.z : factors.y * bytes + factors.w;
}
