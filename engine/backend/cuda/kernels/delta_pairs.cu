// What the rows of a chunk make of each other in the rule of delta nets (delta_rule.cu), which no state goes into. With
// A the part below the diagonal of exp(G_t - G_j) k_t . k_j, and B the diagonal matrix of betas,
//   M = (I + B A)^-1 B, column after column from the top,
//   N = the part up to the diagonal of exp(G_t - G_j) q_t . k_j.
// G_t is the sum of the decays up to row t, of rows of the same slot: rows of different ones do not see each other. No
// exponent is above 0. Blocks: (key heads, chunks), of which each has the value heads that share its key head.
#include "lib/delta.cuh"
#include "lib/runs.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kRows = kDeltaChunk, kThreads = kDeltaPairThreads, kTile = kDeltaTile;
static_assert(kThreads == 2 * kRows * kRows && kThreads == kTile);
constexpr u32 kPitch = kTile + 4;  // keeps rows in banks of their own

using DeltaPairsWords = args::KernelArgs<args::DeltaPairsConstants, args::DeltaPairsPush>;
using DeltaPairsParams = Params<DeltaPairsWords>;

// The rows of a chunk, of which those behind the end of the step stand alone and are zeros.
struct Rows {
  u32 first, n;
  bool follows[kRows];  // the row before it is of the same slot
};
DEVICE void read_rows(const DeltaPairsParams& p, Rows& rows) {
  const u32* inputs = inputs_of(p);
  const u32 end = smaller(step_rows(inputs), p.words.end_row);
  rows.first = block_y() * kRows;
  rows.n = rows.first < end ? smaller(end - rows.first, kRows) : 0;
  u32 before = 0;
#pragma unroll
  for (u32 t = 0; t < kRows; ++t) {
    const u32 slot = t < rows.n ? step_row(inputs, p.words.rows_at, rows.first + t).slot : 0;
    rows.follows[t] = t != 0 && t < rows.n && slot == before;
    before = slot;
  }
}

// The product of two rows of keys, or of a query and a key: row t with row j.
DEVICE float product(const DeltaPairsParams& p, const Rows& rows, auto& keys, auto& queries) {
  const DeltaPairsWords& words = p.words;
  const u32 thread = thread_index(), q_dim = words.n_key_heads * words.key_dim;
  const u32 width = 2 * q_dim + words.n_value_heads * words.value_dim;
  const float* from = buffer<const float>(p, 3) + std::uint64_t{rows.first} * width + block_x() * words.key_dim;
  const u32 at_t = thread / kRows % kRows * kPitch, at_j = thread % kRows * kPitch;
  float sum = 0;
  for (u32 first = 0; first < words.key_dim; first += kTile) {
    const u32 i = first + thread;
    BARRIER();  // what stands there has been read
#pragma unroll
    for (u32 t = 0; t < kRows; ++t) {
      const bool is_there = t < rows.n && i < words.key_dim;
      queries[t * kPitch + thread] = is_there ? from[std::uint64_t{t} * width + i] : 0.0F;
      keys[t * kPitch + thread] = is_there ? from[std::uint64_t{t} * width + q_dim + i] : 0.0F;
    }
    BARRIER();
#pragma unroll 8
    for (u32 k = 0; k < kTile; k += 4) {
      const float4 a = thread < kRows * kRows ? quad_at(keys, at_t + k) : quad_at(queries, at_t + k);
      const float4 b = quad_at(keys, at_j + k);
      sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
  }
  return sum;
}

// Column j of M and N of a value head, and the exponentials of row j.
DEVICE void put_column(const DeltaPairsParams& p, const Rows& rows, u32 head, u32 j, auto& products) {
  const u32 n_heads = p.words.n_value_heads;
  const float* rates = buffer<const float>(p, 4) + std::uint64_t{rows.first} * 2 * n_heads + head;
  float* to = buffer<float>(p, 6) + (std::uint64_t{block_y()} * n_heads + head) * DeltaPairs::kWords;
  float sums[kRows], betas[kRows], of_column[kRows];
  u32 begins[kRows];  // the first of the chunk's rows that are of the same slot
#pragma unroll
  for (u32 t = 0; t < kRows; ++t) {
    const float decay = t < rows.n ? rates[2 * t * n_heads] : 0.0F;
    betas[t] = t < rows.n ? rates[(2 * t + 1) * n_heads] : 0.0F;
    sums[t] = decay + (t != 0 && rows.follows[t] ? sums[t == 0 ? 0 : t - 1] : 0.0F);
    begins[t] = t != 0 && rows.follows[t] ? begins[t == 0 ? 0 : t - 1] : t;
  }
  float of_j = 0, last = 0;
#pragma unroll
  for (u32 t = 0; t < kRows; ++t) {
    const bool sees = j <= t && j >= begins[t];
    if (t == j) of_j = sums[t];
    if (sees) last = sums[t];
    float before = 0;
#pragma unroll
    for (u32 i = 0; i < t; ++i)
      if (i >= j && i >= begins[t]) before += exp_of(sums[t] - sums[i]) * products[t * kRows + i] * of_column[i];
    of_column[t] = sees ? betas[t] * ((t == j ? 1.0F : 0.0F) - before) : 0.0F;
    to[DeltaPairs::kCorrect + t * kRows + j] = of_column[t];
    to[DeltaPairs::kRead + t * kRows + j] = sees ? exp_of(sums[t] - of_j) * products[(kRows + t) * kRows + j] : 0.0F;
  }
  to[DeltaPairs::kFromStart + j] = exp_of(of_j);
  to[DeltaPairs::kToEnd + j] = exp_of(last - of_j);
}

}  // namespace

KERNEL(delta_pairs, kDeltaPairThreads, DeltaPairsParams) {
  SHARED(float, keys, kRows* kPitch);
  SHARED(float, queries, kRows* kPitch);
  SHARED(float, products, kThreads);  // k_t . k_j, then q_t . k_j
  const DeltaPairsWords& words = p.words;
  Rows rows;
  read_rows(p, rows);
  if (rows.n == 0 || rows.first < words.first_row) return;
  products[thread_index()] = product(p, rows, keys, queries);
  BARRIER();
  const u32 n_sharing = words.n_value_heads / words.n_key_heads;
  for (u32 i = thread_index() / kRows; i < n_sharing; i += kThreads / kRows) {
    const u32 head = words.heads_are_tiled != 0 ? block_x() + i * words.n_key_heads : block_x() * n_sharing + i;
    put_column(p, rows, head, thread_index() % kRows, products);
  }
}

}  // namespace headroom::cuda
