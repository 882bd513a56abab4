// Weights in panels: model/gpu_panel.h. Before it is included, UNIT(which, index) is defined: unit `index` of the weights
// in buffer `which`, a constant, as uvec4. A thread has one row of a panel.

const uint kF32 = 0, kF16 = 1, kBF16 = 2, kQ8_0 = 3, kQ4_0 = 4, kQ4_1 = 5, kQ5_0 = 6, kQ5_1 = 7, kQ2_K = 8, kQ3_K = 9,
           kQ4_K = 10, kQ5_K = 11, kQ6_K = 12, kIQ4_NL = 13, kIQ4_XS = 14, kMXFP4 = 15;
const uint kPanelRows = 32, kGroup = 32, kBlockGroups = 8;

bool is_block_format(uint type) { return type >= kQ8_0; }

uint group_units(uint type) { return type == kF32 ? 8u : type == kF16 || type == kBF16 ? 4u : type == kQ8_0 ? 2u : 1u; }

// Where the planes of a row begin, in units; unit u of a plane stands at plane + u * kPanelRows.
struct PanelRow {
  uint codes, highs, headers, scales;
};

PanelRow panel_row(uint type, uint panel, uint lane, uint n_groups) {
  const uint n_blocks = (n_groups + kBlockGroups - 1u) / kBlockGroups, n_codes = n_groups * group_units(type);
  const uint n_highs = type == kQ5_K ? 2u * n_blocks : type == kQ6_K ? 4u * n_blocks : 0u;
  const uint n_headers = is_block_format(type) ? n_blocks : 0u, n_scales = type == kQ6_K ? (n_blocks + 7u) / 8u : 0u;
  PanelRow row;
  row.codes = panel * (n_codes + n_highs + n_headers + n_scales) * kPanelRows + lane;
  row.highs = row.codes + n_codes * kPanelRows;
  row.headers = row.highs + n_highs * kPanelRows;
  row.scales = row.headers + n_headers * kPanelRows;
  return row;
}

// What a block has for its groups; nothing in plain formats.
struct Block {
  uvec4 header;
  float scale;  // Q6_K
};

Block read_block(uint which, uint type, PanelRow row, uint block) {
  Block result = Block(uvec4(0u), 0.0);
  if (is_block_format(type)) result.header = UNIT(which, row.headers + block * kPanelRows);
  if (type == kQ6_K) {
    const uint word = UNIT(which, row.scales + block / 8u * kPanelRows)[block % 8u / 2u];
    result.scale = f16_to_f32((word >> (block % 2u * 16u)) & 0xFFFFu);
  }
  return result;
}

// A group's codes are multiplied with .xy, the first and the last 16, and .zw is added.
vec4 group_factors(uint type, Block block, uint in_block) {
  if (type == kQ8_0 || type == kQ4_0) {
    const float scale = f16_to_f32((block.header[in_block / 2u] >> (in_block % 2u * 16u)) & 0xFFFFu);
    return vec4(scale, scale, vec2(type == kQ4_0 ? -8.0 * scale : 0.0));
  }
  if (type == kQ6_K) {
    const int word = int(block.header[in_block / 2u]), shift = int(in_block % 2u * 16u);
    const vec2 scales = block.scale * vec2(bitfieldExtract(word, shift, 8), bitfieldExtract(word, shift + 8, 8));
    return vec4(scales, -32.0 * scales);
  }
  if (type == kQ4_K || type == kQ5_K) {
    // The packed bytes of group_scale_min(), four groups at once.
    const uint shift = in_block % 4u * 8u;
    uint scales = block.header.y & 0x3F3F3F3Fu, minima = block.header.z & 0x3F3F3F3Fu;
    if (in_block >= 4u) {
      scales = (block.header.w & 0x0F0F0F0Fu) | ((block.header.y >> 2) & 0x30303030u);
      minima = ((block.header.w >> 4) & 0x0F0F0F0Fu) | ((block.header.z >> 2) & 0x30303030u);
    }
    const float scale = f16_to_f32(block.header.x & 0xFFFFu) * float((scales >> shift) & 255u);
    return vec4(scale, scale, vec2(-f16_to_f32(block.header.x >> 16) * float((minima >> shift) & 255u)));
  }
  return vec4(1.0, 1.0, 0.0, 0.0);
}

// The codes of a group of a block format.
struct Codes {
  uvec4 first, second;  // second: Q8_0
  uvec2 high;
};

Codes read_codes(uint which, uint type, PanelRow row, uint group) {
  Codes codes = Codes(uvec4(0u), uvec4(0u), uvec2(0u));
  codes.first = UNIT(which, row.codes + group * group_units(type) * kPanelRows);
  if (type == kQ8_0) codes.second = UNIT(which, row.codes + (2u * group + 1u) * kPanelRows);
  if (type == kQ5_K) codes.high.x = UNIT(which, row.highs + group / 4u * kPanelRows)[group % 4u];
  if (type == kQ6_K) {
    const uvec4 both = UNIT(which, row.highs + group / 2u * kPanelRows);
    codes.high = group % 2u == 0u ? both.xy : both.zw;
  }
  return codes;
}

// Four codes of one byte each, those of elements 4 w to 4 w + 3; signed in Q8_0.
uint code_word(uint type, Codes codes, uint w) {
  if (type == kQ8_0) return w < 4u ? codes.first[w & 3u] : codes.second[w & 3u];
  uint word = (codes.first[w & 3u] >> (w < 4u ? 0u : 4u)) & 0x0F0F0F0Fu;
  if (type == kQ5_K) word |= ((codes.high.x >> w) & 0x01010101u) << 4;
  if (type == kQ6_K) word |= (((w < 4u ? codes.high.x : codes.high.y) >> (2u * (w & 3u))) & 0x03030303u) << 4;
  return word;
}

vec4 bytes_of(uint type, uint word) {
  const int signed_word = int(word);
  if (type == kQ8_0)
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
  return vec4(f16_to_f32(halves.x), f16_to_f32(halves.y), f16_to_f32(halves.z), f16_to_f32(halves.w));
}

// Four elements of a row, those of word w of a group.
vec4 row_elems(uint which, uint type, PanelRow row, uint group, uint w) {
  if (!is_block_format(type)) return plain_elems(which, type, row, group, w);
  const vec4 factors = group_factors(type, read_block(which, type, row, group / kBlockGroups), group % kBlockGroups);
  const vec4 codes = bytes_of(type, code_word(type, read_codes(which, type, row, group), w));
  return w < 4u ? factors.x * codes + factors.z : factors.y * codes + factors.w;
}
