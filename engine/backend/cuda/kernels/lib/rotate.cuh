// format/rotation.h, on a head in shared memory. All threads of the block call together, and each has the elements of
// its own number and every kThreads further on when it comes; unrotate_head() also leaves it so, others may not read
// yet.
#pragma once

#include "lib/params.cuh"

namespace headroom::cuda {

DEVICE u32 rotation_block(u32 head_dim) { return head_dim & (~head_dim + 1); }

DEVICE float rotation_factor(u32 head_dim, u32 i) {
  u32 bits = i + 1;
  bits = (bits ^ (bits >> 16)) * 0x85EBCA6BU;
  bits = (bits ^ (bits >> 13)) * 0xC2B2AE35U;
  const float root = sqrtf(static_cast<float>(rotation_block(head_dim)));
  return ((bits ^ (bits >> 16)) & 1U) != 0 ? -1 / root : 1 / root;
}

template <u32 kThreads>
DEVICE void multiply_signs(auto& head, u32 head_dim) {
  for (u32 i = thread_index(); i < head_dim; i += kThreads) head[i] = head[i] * rotation_factor(head_dim, i);
}

template <u32 kThreads>
DEVICE void transform_blocks(auto& head, u32 head_dim) {
  for (u32 stride = 1; stride < rotation_block(head_dim); stride *= 2) {
    for (u32 pair = thread_index(); pair < head_dim / 2; pair += kThreads) {
      const u32 i = pair / stride * 2 * stride + pair % stride;
      const float a = head[i], b = head[i + stride];
      head[i] = a + b;
      head[i + stride] = a - b;
    }
    BARRIER();
  }
}

template <u32 kThreads>
DEVICE void reflect_blocks(auto& head, u32 head_dim) {
  const u32 block = rotation_block(head_dim), n_blocks = head_dim / block;
  if (n_blocks == 1) return;
  for (u32 i = thread_index(); i < block; i += kThreads) {
    float sum = 0;
    for (u32 at = i; at < head_dim; at += block) sum += head[at];
    for (u32 at = i; at < head_dim; at += block) head[at] = head[at] - 2 / static_cast<float>(n_blocks) * sum;
  }
  BARRIER();
}

template <u32 kThreads>
DEVICE void rotate_head(auto& head, u32 head_dim) {
  multiply_signs<kThreads>(head, head_dim);
  BARRIER();
  transform_blocks<kThreads>(head, head_dim);
  reflect_blocks<kThreads>(head, head_dim);
}

template <u32 kThreads>
DEVICE void unrotate_head(auto& head, u32 head_dim) {
  reflect_blocks<kThreads>(head, head_dim);
  transform_blocks<kThreads>(head, head_dim);
  multiply_signs<kThreads>(head, head_dim);
}

}  // namespace headroom::cuda
