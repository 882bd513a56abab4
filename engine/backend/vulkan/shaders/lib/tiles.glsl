// Products of 64 features, two panels, with 64 rows of activations, in a group of 256 threads of 4 x 4 results each.
// Before it is included: panels.glsl, tile_rows.glsl with what it needs. With INT8 the activations are int8 as int8.glsl
// writes them, with HALF f16 as half.glsl does. A thread has the features lane + 16 f of the tile, so that the two
// matrices of kGate meet in one thread, and four neighbouring rows.

#ifdef INT8
#include "dot4.glsl"
layout(set = 0, binding = 3) readonly buffer In { uvec4 encoded[]; };

shared uint tile_codes[8][kTile];    // [word][feature]
shared vec4 tile_factors[kTile];     // of features
shared uint tile_inputs[8][kTile];   // [word][row]
shared vec4 tile_headers[kTile];     // of rows

void load_group(uint which, uint type, uint feature, uint quarter, uint group) {
  const PanelRow row = panel_row(type, tile_panel(feature), feature % kPanelRows, p.n_groups);
  Codes codes = read_codes(which, type, row, group);
  const Block block = read_block(which, type, row, group / kBlockGroups);
  add_header(type, block, group % kBlockGroups, codes);
  [[unroll]] for (uint i = 0u; i < 2u; ++i) {
    const uint w = 2u * quarter + i;
    tile_codes[w][feature] = code_word(type, codes, w);
  }
  if (quarter == 0u) tile_factors[feature] = group_factors(type, block, codes, group % kBlockGroups);
}

void add_tile(out float sums[4][4]) {
  const uint thread = gl_LocalInvocationID.x, lane = thread % 16u, first = thread / 16u * 4u;
  const uint feature = thread % kTile, quarter = thread / kTile;
  [[unroll]] for (uint f = 0u; f < 4u; ++f) [[unroll]] for (uint r = 0u; r < 4u; ++r) sums[f][r] = 0.0;
  for (uint group = 0u; group < p.n_groups; ++group) {
    if (is_of_second(feature)) {
      load_group(1u, kSecondType, feature, quarter, group);
    } else {
      load_group(0u, kType, feature, quarter, group);
    }
    const uint row = thread / 4u, part = thread % 4u;
    const uint at = (row_to_read(row) * p.n_groups + group) * 3u;
    const uvec4 unit = encoded[at + part / 2u];
    const uvec2 words = part % 2u == 0u ? unit.xy : unit.zw;
    tile_inputs[2u * part][row] = words.x;
    tile_inputs[2u * part + 1u][row] = words.y;
    if (part == 0u) tile_headers[row] = uintBitsToFloat(encoded[at + 2u]);
    barrier();
    [[unroll]] for (uint h = 0u; h < 2u; ++h) {
      if (first >= n_rows) break;
      int products[4][4];
      [[unroll]] for (uint f = 0u; f < 4u; ++f) [[unroll]] for (uint r = 0u; r < 4u; ++r) products[f][r] = 0;
      [[dont_unroll]] for (uint w = 4u * h; w < 4u * h + 4u; ++w) {
        uint codes[4], inputs_of[4];
        [[unroll]] for (uint i = 0u; i < 4u; ++i) {
          codes[i] = tile_codes[w][lane + 16u * i];
          inputs_of[i] = tile_inputs[w][first + i];
        }
        [[unroll]] for (uint f = 0u; f < 4u; ++f) {
          [[unroll]] for (uint r = 0u; r < 4u; ++r) products[f][r] += dot4(codes[f], inputs_of[r]);
        }
      }
      [[unroll]] for (uint f = 0u; f < 4u; ++f) {
        const vec4 factors = tile_factors[lane + 16u * f];
        [[unroll]] for (uint r = 0u; r < 4u; ++r) {
          const vec4 header = tile_headers[first + r];
          sums[f][r] += header.x * factors[h] * float(products[f][r]) + factors[h + 2u] * header[h + 1u];
        }
      }
    }
    barrier();
  }
}
#elif defined(HALF)
#include "half_tile.glsl"

// Sums of 16 products stay in f16.
void multiply_group(uint lane, uint first, inout float sums[4][4]) {
  f16vec2 products[4][4];
  [[unroll]] for (uint f = 0u; f < 4u; ++f) [[unroll]] for (uint r = 0u; r < 4u; ++r) products[f][r] = f16vec2(0.0);
  [[dont_unroll]] for (uint unit = 0u; unit < 4u; ++unit) {
    uvec4 of_features[4], of_rows[4];
    [[unroll]] for (uint i = 0u; i < 4u; ++i) {
      of_features[i] = tile_weights[(lane + 16u * i) * kTileStride + unit];
      of_rows[i] = tile_inputs[(first + i) * kTileStride + unit];
    }
    [[unroll]] for (uint f = 0u; f < 4u; ++f) {
      [[unroll]] for (uint r = 0u; r < 4u; ++r) {
        [[unroll]] for (uint k = 0u; k < 4u; ++k)
          products[f][r] += unpackFloat2x16(of_features[f][k]) * unpackFloat2x16(of_rows[r][k]);
      }
    }
  }
  [[unroll]] for (uint f = 0u; f < 4u; ++f) {
    [[unroll]] for (uint r = 0u; r < 4u; ++r) sums[f][r] += float(products[f][r].x) + float(products[f][r].y);
  }
}

void add_tile(out float sums[4][4]) {
  const uint thread = gl_LocalInvocationID.x, lane = thread % 16u, first = thread / 16u * 4u;
  [[unroll]] for (uint f = 0u; f < 4u; ++f) [[unroll]] for (uint r = 0u; r < 4u; ++r) sums[f][r] = 0.0;
  for (uint group = 0u; group < p.n_groups; ++group) {
    load_group(thread, group);
    barrier();
    if (first < n_rows) multiply_group(lane, first, sums);
    barrier();
  }
  [[unroll]] for (uint r = 0u; r < 4u; ++r) {
    const float scale = row_scale(row_to_read(first + r));
    [[unroll]] for (uint f = 0u; f < 4u; ++f) sums[f][r] *= scale;
  }
}
#else
layout(set = 0, binding = 3) readonly buffer In { float values[]; };
const uint kStep = 16;  // columns

shared float tile_elems[kStep][kTile];   // [column][feature]
shared float tile_inputs[kStep][kTile];  // [column][row]

vec4 weight_elems(uint which, uint type, uint feature, uint group, uint w) {
  return row_elems(which, type, panel_row(type, tile_panel(feature), feature % kPanelRows, p.n_groups), group, w);
}

void add_tile(out float sums[4][4]) {
  const uint thread = gl_LocalInvocationID.x, lane = thread % 16u, first = thread / 16u * 4u;
  const uint feature = thread % kTile, quarter = thread / kTile;
  [[unroll]] for (uint f = 0u; f < 4u; ++f) [[unroll]] for (uint r = 0u; r < 4u; ++r) sums[f][r] = 0.0;
  for (uint step = 0u; step < 2u * p.n_groups; ++step) {
    const uint group = step / 2u, w = step % 2u * 4u + quarter;
    const vec4 elems = is_of_second(feature) ? weight_elems(1u, kSecondType, feature, group, w)
                                             : weight_elems(0u, kType, feature, group, w);
    const uint row = thread / 4u, col = step * kStep + thread % 4u * 4u;
    const uint at = row_to_read(row) * p.n_cols + col;
    [[unroll]] for (uint i = 0u; i < 4u; ++i) {
      tile_elems[4u * quarter + i][feature] = elems[i];
      float value = 0.0;
      if (kHasTail == 0u || col + i < p.n_cols) value = values[at + i];
      tile_inputs[thread % 4u * 4u + i][row] = value;
    }
    barrier();
    const uint end = first < n_rows ? kStep : 0u;
    [[dont_unroll]] for (uint k = 0u; k < end; ++k) {
      float of_features[4], of_rows[4];
      [[unroll]] for (uint i = 0u; i < 4u; ++i) {
        of_features[i] = tile_elems[k][lane + 16u * i];
        of_rows[i] = tile_inputs[k][first + i];
      }
      [[unroll]] for (uint f = 0u; f < 4u; ++f) {
        [[unroll]] for (uint r = 0u; r < 4u; ++r) sums[f][r] += of_features[f] * of_rows[r];
      }
    }
    barrier();
  }
}
#endif
