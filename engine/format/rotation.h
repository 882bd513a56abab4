// The transform of heads before a quantized cache keeps them. It spreads one large channel over the whole head, so that
// the scale of a block fits all of its elements. Example: a head of 64 elements, one of which is 8 and the others near
// 0, becomes 64 elements of about 1. Source: arXiv 2404.00456 (Hadamard rotation); the reflection across blocks and the
// signs are ours.
#pragma once

#include <cstdint>
#include <span>

namespace headroom {

// Elements that one Walsh-Hadamard transform mixes: the largest power of two that divides head_dim.
constexpr std::uint32_t rotation_block(std::uint32_t head_dim) { return head_dim & (~head_dim + 1U); }

// What element `i` of a head is multiplied with before its block is transformed: a fixed pseudo-random sign, over the
// root of the block's length.
float rotation_factor(std::uint32_t head_dim, std::uint32_t i);

// In place, any head size; orthonormal. A head of m blocks, m odd and above 1 (80 = 5 x 16, 96 = 3 x 32), is reflected
// across its blocks afterwards: each becomes itself less 2/m of the sum of all, which mixes them evenly and is its own
// inverse.
void rotate_head(std::span<float> head);
void unrotate_head(std::span<float> head);

}  // namespace headroom
