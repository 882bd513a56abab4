// Tiles of weights and of activations as f16 in shared memory: a group of 32 columns of kTileFeatures rows of weights, and
// of kTileRows rows that half.glsl wrote. Before it is included: panels.glsl, tile_rows.glsl with what it needs, kType
// and kSecondType.
layout(set = 0, binding = 3) readonly buffer In { uvec4 halves[]; };

// Units of eight f16 that a row of a tile takes: one more than it has, so that neighbours begin in different banks.
const uint kTileStride = 5;
shared uvec4 tile_weights[kTileFeatures * kTileStride];
shared uvec4 tile_inputs[kTileRows * kTileStride];

uvec4 packed_halves(vec4 low, vec4 high) {
  return uvec4(packHalf2x16(low.xy), packHalf2x16(low.zw), packHalf2x16(high.xy), packHalf2x16(high.zw));
}

// Elements 8 unit to 8 unit + 7 of a group of a row of weights.
uvec4 weight_halves(uint which, uint type, PanelRow row, uint group, uint unit) {
  if (type == kF16) return UNIT(which, row.codes + (4u * group + unit) * kPanelRows);
  if (!is_block_format(type))
    return packed_halves(plain_elems(which, type, row, group, 2u * unit),
                         plain_elems(which, type, row, group, 2u * unit + 1u));
  const Block block = read_block(which, type, row, group / kBlockGroups);
  Codes codes = read_codes(which, type, row, group);
  add_header(type, block, group % kBlockGroups, codes);
  const vec4 factors = group_factors(type, block, codes, group % kBlockGroups);
  const vec2 half_factors = unit < 2u ? factors.xz : factors.yw;
  return packed_halves(half_factors.x * bytes_of(type, code_word(type, codes, 2u * unit)) + half_factors.y,
                       half_factors.x * bytes_of(type, code_word(type, codes, 2u * unit + 1u)) + half_factors.y);
}

void load_group(uint thread, uint group) {
  [[unroll]] for (uint i = thread; i < kTileFeatures * 4u; i += kThreads) {
    const uint feature = i % kTileFeatures, unit = i / kTileFeatures;
    uvec4 elems;
    if (is_of_second(feature)) {
      elems = weight_halves(1u, kSecondType,
                            panel_row(kSecondType, tile_panel(feature), feature % kPanelRows, p.n_groups), group, unit);
    } else {
      elems = weight_halves(0u, kType, panel_row(kType, tile_panel(feature), feature % kPanelRows, p.n_groups), group,
                            unit);
    }
    tile_weights[feature * kTileStride + unit] = elems;
  }
  [[unroll]] for (uint i = thread; i < kTileRows * 4u; i += kThreads) {
    const uint row = i / 4u, unit = i % 4u;
    tile_inputs[row * kTileStride + unit] = halves[row_to_read(row) * 8u * p.n_groups + 4u * group + unit];
  }
}

float row_scale(uint row) { return uintBitsToFloat(halves[(row * 8u + 4u) * p.n_groups].x); }
