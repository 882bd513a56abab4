// The gate of a shared expert: the sigmoid of the normed row times the gate's weights. Both sums are of the row as it
// is, as the matrices of the expert may read a norm of fewer bits. Blocks: (1, rows).
#include "lib/reduce.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kThreads = 256;

}  // namespace

KERNEL(shared_gate, kThreads, Params<args::SharedGatePush>) {
  SHARED(float, room, kThreads / kWarp);
  SHARED(float, more_room, kThreads / kWarp);
  const u32 n_cols = p.words.n_cols, row = block_y();
  const float *weight = buffer<const float>(p, 1), *gate = buffer<const float>(p, 2),
              *elems = buffer<const float>(p, 3) + std::uint64_t{row} * n_cols;
  float squares = 0, product = 0;
  for (u32 i = thread_index(); i < n_cols; i += kThreads) {
    squares += elems[i] * elems[i];
    product += elems[i] * (weight[i] * gate[i]);
  }
  squares = block_sum<kThreads>(room, squares);
  product = block_sum<kThreads>(more_room, product);
  if (thread_index() != 0) return;
  product /= sqrtf(squares / static_cast<float>(n_cols) + p.words.epsilon);
  buffer<float>(p, 4)[row] = 1 / (1 + exp_of(-product));
}

}  // namespace headroom::cuda
