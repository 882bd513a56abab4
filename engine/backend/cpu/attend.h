// Attention over a cache that may be quantized, with a running softmax. Few queries: panel kernels read keys and values
// as they are kept. Many: a chunk of both is unpacked to 16-bit words, which all of them read. Source of the running
// softmax: arXiv 2205.14135.
#pragma once

#include <span>

#include "backend/cpu/kernel_table.h"
#include "backend/cpu/kv_rows.h"

namespace headroom {

// Of attend_few(): up to kCpuFewQueries.
struct FewScratch {
  float* queries = nullptr;                                      // (n_queries, padded head_dim), in tiles
  std::byte* int8 = nullptr;                                     // likewise as int8
  float* acc = nullptr;                                          // (n_queries, padded head_dim)
  float* scores = nullptr;                                       // (n_queries, kKeyChunk)
  float *maxima = nullptr, *sums = nullptr, *factors = nullptr;  // (n_queries)
  std::int32_t *first = nullptr, *last = nullptr;                // (n_queries)
};
FewScratch cut_few_scratch(std::byte* bytes, std::uint32_t widest_head_dim);

// Of attend_many(): up to kCpuQueryTile in panels of 16, as TileJob has them.
struct TileScratch {
  std::byte *queries = nullptr, *keys = nullptr, *values = nullptr;
  float *query_scales = nullptr, *key_scales = nullptr, *value_scales = nullptr;
  float *scores = nullptr, *acc = nullptr, *maxima = nullptr, *sums = nullptr, *first = nullptr, *last = nullptr;
};
TileScratch cut_tile_scratch(std::byte* bytes, std::uint32_t widest_head_dim);

// Queries that read the keys of one KV head of one slot.
struct AttendJob {
  const KvCache *keys = nullptr, *values = nullptr;
  std::uint32_t slot = 0, kv_head = 0;
  std::uint32_t exact_from = 0;        // positions from here on stand in the rings of caches that have them
  float scale = 1.0F, softcap = 0.0F;  // of scores; see LayerSpec
  const float* rotation =
      nullptr;  // (head_dim) factors that values were rotated with, or null; attend_many() turns results back
  // (n_queries) one more score of each query, which has no value; null: none, or another part of the keys counts it.
  const float* sinks = nullptr;
  std::uint32_t n_queries = 0;
  const float* const* queries = nullptr;  // (n_queries) rows of head_dim
  // Query i sees positions [seen_from[i], seen_to[i]); of these this job takes those in [first, last).
  const std::uint32_t *seen_from = nullptr, *seen_to = nullptr;
  std::uint32_t first = 0, last = 0;
};

// The most queries of a job. F32 caches have no form in 16-bit words, so a job on them has as few as attend_few()
// takes.
std::uint32_t most_queries(const KvCache& keys, const KvCache& values);

// Few queries. The results stay in scratch and are not normalized: acc, sums and maxima of each query, so that the
// parts of several jobs can be merged.
void attend_few(const KernelTable& kernels, const AttendJob& job, const FewScratch& scratch);

// Many queries, at most most_queries(). Writes the result of each to outputs[query] (head_dim). `bytes` is scratch of
// CpuScratch::attention_bytes.
void attend_many(const KernelTable& kernels, const AttendJob& job, std::uint32_t widest_head_dim, std::byte* bytes,
                 float* const* outputs);

}  // namespace headroom
