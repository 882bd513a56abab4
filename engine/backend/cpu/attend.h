// Attention over a quantized cache: scores by the panel kernels, a running softmax in f32, values read as they are kept.
// Source of the running softmax: arXiv 2205.14135.
#pragma once

#include <span>

#include "backend/cpu/kernel_table.h"
#include "backend/cpu/kv_rows.h"

namespace headroom {

// Scratch of one thread, cut as attend() needs it.
struct AttendScratch {
  float* queries = nullptr;                                      // (kCpuQueryTile, padded head_dim), in tiles
  std::byte* int8 = nullptr;                                     // likewise as int8
  float* acc = nullptr;                                          // (kCpuQueryTile, padded head_dim)
  float* scores = nullptr;                                       // (kCpuQueryTile, kCpuKeyChunk)
  std::byte* keys = nullptr;                                     // an unpacked panel: kCpuKeyElemBytes per element of the padded head
  float* values = nullptr;                                       // (kCpuKeyChunk, padded head_dim), unpacked
  float *maxima = nullptr, *sums = nullptr, *factors = nullptr;  // (kCpuQueryTile)
  std::int32_t *first = nullptr, *last = nullptr;                // (kCpuQueryTile)
};
AttendScratch cut_attend_scratch(std::byte* bytes, std::uint32_t widest_head_dim);

// Up to kCpuQueryTile queries that read the keys of one KV head of one slot.
struct AttendJob {
  const KvCache *keys = nullptr, *values = nullptr;
  std::uint32_t slot = 0, kv_head = 0;
  std::uint32_t exact_from = 0;  // positions from here on stand in the rings of caches that have them
  float scale = 1.0F;
  std::uint32_t n_queries = 0;
  const float* const* queries = nullptr;  // (n_queries) rows of head_dim
  // Query i sees positions [seen_from[i], seen_to[i]); of these this job takes those in [first, last).
  const std::uint32_t *seen_from = nullptr, *seen_to = nullptr;
  std::uint32_t first = 0, last = 0;
};

// Leaves the unnormalized results in scratch: acc, sums and maxima of each query.
void attend(const KernelTable& kernels, const AttendJob& job, const AttendScratch& scratch);

}  // namespace headroom
