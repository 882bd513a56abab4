// Sums of products of a row of a panel with rows of activations. Before it is included: panels.glsl, kMostRows, kHasTail,
// and a push constant p with n_cols and n_groups. With INT8 the activations are int8 as int8.glsl writes them.
#ifdef INT8
#include "dot4.glsl"
layout(set = 0, binding = 3) readonly buffer In { uvec4 encoded[]; };
// Groups that are read before the first of them is used.
const uint kAhead = kMostRows == 1u ? 4u : 1u;

// Adds matrix row . in[first_row + i] to sums[i]: the blocks part, part + n_parts, ...
void add_products(uint which, uint type, PanelRow row, uint part, uint n_parts, uint first_row, uint n_rows,
                  inout float sums[kMostRows]) {
  for (uint block = part; block * kBlockGroups < p.n_groups; block += n_parts) {
    const Block scales = read_block(which, type, row, block);
    const uint end = min(p.n_groups, (block + 1u) * kBlockGroups);
    for (uint first = block * kBlockGroups; first < end; first += kAhead) {
      Codes ahead[kAhead];
      [[unroll]] for (uint i = 0u; i < kAhead; ++i)
        ahead[i] = read_codes(which, type, row, min(first + i, end - 1u), first / 4u, kAhead == 4u ? i : first % 4u);
      [[unroll]] for (uint k = 0u; k < kAhead; ++k) {
        const uint group = first + k;
        if (group >= end) break;
        add_header(type, scales, group % kBlockGroups, ahead[k]);
        const vec4 factors = group_factors(type, scales, ahead[k], group % kBlockGroups);
        uint words[8];
        [[unroll]] for (uint w = 0u; w < 8u; ++w) words[w] = code_word(type, ahead[k], w);
        [[unroll]] for (uint i = 0u; i < kMostRows; ++i) {
          if (i >= n_rows) break;
          const uint at = ((first_row + i) * p.n_groups + group) * 3u;
          const uvec4 low = encoded[at], high = encoded[at + 1u];
          const vec4 header = uintBitsToFloat(encoded[at + 2u]);
          int first_half = 0, second_half = 0;
          [[unroll]] for (uint w = 0u; w < 4u; ++w) {
            first_half += dot4(words[w], low[w]);
            second_half += dot4(words[w + 4u], high[w]);
          }
          if (is_one_of(type, kHalfScaleTypes)) {
            sums[i] += header.x * (factors.x * float(first_half) + factors.y * float(second_half)) +
                       dot(factors.zw, header.yz);
          } else {
            sums[i] += header.x * factors.x * float(first_half + second_half) + factors.z * header.w;
          }
        }
      }
    }
  }
}
#else
layout(set = 0, binding = 3) readonly buffer In { float values[]; };

// Four activations; 0 behind the end of the row.
vec4 activations(uint row, uint col) {
  const uint at = row * p.n_cols + col;
  if (kHasTail == 0u) return vec4(values[at], values[at + 1u], values[at + 2u], values[at + 3u]);
  vec4 found = vec4(0.0);
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    if (col + i < p.n_cols) found[i] = values[at + i];
  }
  return found;
}

void add_products(uint which, uint type, PanelRow row, uint part, uint n_parts, uint first_row, uint n_rows,
                  inout float sums[kMostRows]) {
  for (uint block = part; block * kBlockGroups < p.n_groups; block += n_parts) {
    const Block scales = read_block(which, type, row, block);
    const uint end = min(p.n_groups, (block + 1u) * kBlockGroups);
    for (uint group = block * kBlockGroups; group < end; ++group) {
      Codes codes;
      if (is_block_format(type)) codes = read_codes(which, type, row, group);
      add_header(type, scales, group % kBlockGroups, codes);
      const vec4 factors = group_factors(type, scales, codes, group % kBlockGroups);
      [[dont_unroll]] for (uint w = 0u; w < 8u; ++w) {
        vec4 elems;
        if (is_block_format(type)) {
          const vec2 half_factors = w < 4u ? factors.xz : factors.yw;
          elems = half_factors.x * bytes_of(type, code_word(type, codes, w)) + half_factors.y;
        } else {
          elems = plain_elems(which, type, row, group, w);
        }
        [[unroll]] for (uint i = 0u; i < kMostRows; ++i) {
          if (i < n_rows) sums[i] += dot(elems, activations(first_row + i, group * kGroup + 4u * w));
        }
      }
    }
  }
}
#endif
