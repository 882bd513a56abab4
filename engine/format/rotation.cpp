#include "format/rotation.h"

#include <cmath>

namespace headroom {
namespace {

// Without the factor 1 / sqrt(n).
void hadamard(std::span<float> block) {
  for (std::size_t stride = 1; stride < block.size(); stride *= 2) {
    for (std::size_t first = 0; first < block.size(); first += 2 * stride) {
      for (std::size_t i = first; i < first + stride; ++i) {
        const float a = block[i], b = block[i + stride];
        block[i] = a + b;
        block[i + stride] = a - b;
      }
    }
  }
}

void reflect_blocks(std::span<float> head, std::size_t block) {
  const std::size_t n_blocks = head.size() / block;
  if (n_blocks == 1) return;
  for (std::size_t i = 0; i < block; ++i) {
    float sum = 0.0F;
    for (std::size_t at = i; at < head.size(); at += block) sum += head[at];
    for (std::size_t at = i; at < head.size(); at += block) head[at] -= 2.0F / static_cast<float>(n_blocks) * sum;
  }
}

void transform_blocks(std::span<float> head, std::size_t block) {
  for (std::size_t first = 0; first < head.size(); first += block) hadamard(head.subspan(first, block));
}

}  // namespace

float rotation_factor(std::uint32_t head_dim, std::uint32_t i) {
  // The finalizer of MurmurHash3: neighbouring numbers give unrelated bits.
  std::uint32_t bits = i + 1;
  bits = (bits ^ (bits >> 16)) * 0x85EBCA6BU;
  bits = (bits ^ (bits >> 13)) * 0xC2B2AE35U;
  const float root = std::sqrt(static_cast<float>(rotation_block(head_dim)));
  return ((bits ^ (bits >> 16)) & 1U) != 0 ? -1.0F / root : 1.0F / root;
}

void rotate_head(std::span<float> head) {
  const auto head_dim = static_cast<std::uint32_t>(head.size());
  for (std::uint32_t i = 0; i < head_dim; ++i) head[i] *= rotation_factor(head_dim, i);
  transform_blocks(head, rotation_block(head_dim));
  reflect_blocks(head, rotation_block(head_dim));
}

void unrotate_head(std::span<float> head) {
  const auto head_dim = static_cast<std::uint32_t>(head.size());
  reflect_blocks(head, rotation_block(head_dim));
  transform_blocks(head, rotation_block(head_dim));
  for (std::uint32_t i = 0; i < head_dim; ++i) head[i] *= rotation_factor(head_dim, i);
}

}  // namespace headroom
