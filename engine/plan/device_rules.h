// Scratch that a backend needs beside the program's buffers, as a pure function, so that it is in the plan.
#pragma once

#include <span>

#include "devices/device_info.h"
#include "model/weight_layout.h"
#include "plan/memory_plan.h"

namespace headroom {

// What a device does in a step: a CPU that only embeds needs next to nothing for it.
enum class DeviceWork : std::uint8_t { kNone, kEmbeds, kComputes };
DeviceWork work_on(const Placement& placement, const WeightStreaming& streaming, DeviceIndex device);

// Bytes of the scratch region on a device for steps of at most `max_rows` rows. The backend carves its scratch from
// this one region and CHECKs that it suffices.
Bytes scratch_bytes(const ModelInfo& model, const DeviceInfo& device, const PlanOptions& options,
                    std::uint32_t max_rows, DeviceWork work);

// A token's logit and its id, as they come from a backend.
inline constexpr Bytes kCandidateBytes = 8;
// Of one row of logits: the most tokens that are asked for as its likeliest, and the most that are asked for by id.
// What needs more takes the whole row.
inline constexpr std::uint32_t kMostCandidates = 512;
// Rows whose candidates are found at once; those of a larger step go one group after the other.
inline constexpr std::uint32_t kMostCandidateRows = 8;
std::uint32_t candidate_rows(
    const PlanOptions& options);  // of one group in steps of this plan; n_logit_rows is resolved

// Likeliest tokens are looked for in blocks of this many, whose largest logits say which of them to look into; sums of
// exponentials are made in larger ones.
inline constexpr std::uint32_t kRowBlock = 64;
inline constexpr std::uint32_t kRowSumBlock = 1024;

// The region kCandidates of the device that has the head, in this order; all sizes are multiples of 64.
struct CandidateScratch {
  // Of one row:
  Bytes maxima_bytes = 0;  // (blocks) f32
  Bytes order_bytes = 0;   // likewise, in another order
  Bytes sums_bytes = 0;    // (sum blocks) f32
  Bytes picked_bytes = 0;  // (2 * kMostCandidates) candidates
  std::uint32_t n_rows = 0;
  Bytes per_row() const { return maxima_bytes + order_bytes + sums_bytes + picked_bytes; }
  Bytes total() const { return per_row() * n_rows; }
};
CandidateScratch candidate_scratch(const ModelInfo& model, const PlanOptions& options);

// The region kSampler in the session arena of the device that is the host, whatever device computes the
// logits, in this order; all sizes are multiples of 64.
struct SamplerLayout {
  Bytes known_bytes = 0;  // (n_vocab) candidates: what is known of the row that is sampled
  // Of one row, as it comes from the device that has the head:
  Bytes best_bytes = 0;    // (kMostCandidates) candidates
  Bytes ids_bytes = 0;     // (kMostCandidates) ids of tokens that are asked for
  Bytes logits_bytes = 0;  // (kMostCandidates) f32, theirs
  std::uint32_t n_rows = 0;
  Bytes per_row() const { return best_bytes + ids_bytes + logits_bytes; }
  Bytes total() const { return known_bytes + per_row() * n_rows; }
};
SamplerLayout sampler_layout(const ModelInfo& model, const PlanOptions& options);

// The region kTokens beside it, (n_slots, n_ctx) token ids: what the cache of each slot holds.
inline constexpr Bytes kTokenIdBytes = 4;
Bytes slot_token_bytes(const PlanOptions& options);

// A region kStaging, through which bytes cross between devices: the residual or the layer inputs of one transfer at a
// time from its start, and behind it the one row of logits that is read at a time from another device than the CPU.
// Each device that copies page-locked memory has its own; the host has one for what the others send.
struct StagingLayout {
  Bytes transfer = 0;       // of the largest transfer of a step
  Bytes logits_offset = 0;  // a multiple of 64
  Bytes total = 0;          // 0: nothing crosses
};
StagingLayout staging_layout(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options,
                             const Placement& placement, const WeightStreaming& streaming, DeviceIndex device);

// The host as page-locked memory that a device copies from and to: with regions where that device can bind them.
DeviceInfo page_locked_host(const DeviceInfo& host, const DeviceInfo& device);

// The region kUpload of the arena that is mapped for the load where DeviceInfo::needs_upload() holds: panels are packed
// into it on all threads and then copied.
inline constexpr Bytes kUploadBytes = 32 * kMiB;

// Of 256 activations, those that are multiplied apart: up to four values, their columns, and how many.
inline constexpr Bytes kCpuOutlierBytes = 4 * 4 + 4 + 1;
// Bytes of one row of n_elems activations as integer kernels read it: per 32 int8 values a scale, a sum and two sums of
// 16; per 256 their sum, the eight again as bytes, and outliers. Whole cache lines, so that rows that are kept one
// behind another begin at a line.
constexpr Bytes cpu_int8_row_bytes(std::uint64_t n_elems) {
  return round_up(div_up(n_elems, 32) * (32 + 4 + 4 + 8) + div_up(n_elems, 256) * (4 + 16 + kCpuOutlierBytes), 64);
}

// Steps of at most this many rows are prepared by every thread for itself, which is cheaper than waiting for another,
// and split long contexts.
inline constexpr std::uint32_t kCpuFewRows = 4;
inline constexpr std::uint32_t kCpuMaxSplits = 8;     // parts of one context that few rows attend to side by side
inline constexpr std::uint32_t kCpuFewQueries = 8;    // queries that are attended for without unpacking keys
inline constexpr std::uint32_t kCpuQueryTile = 256;   // query heads times rows that read the same unpacked keys
inline constexpr std::uint32_t kCpuKeyChunk = 128;    // keys between two updates of the running softmax
inline constexpr std::uint32_t kCpuTilePanels = 2;    // panels of 16 queries that are attended for at once
inline constexpr Bytes kCpuWordBytes = 2;             // of an element of an unpacked query, key or value
inline constexpr std::uint32_t kCpuTileCols = 8;      // activation rows that a kernel takes at once
inline constexpr std::uint32_t kCpuBlockTiles = 64;   // tiles whose products with a pair of panels stand in scratch
inline constexpr Bytes kCpuPairSlabBytes = 9 * kKiB;  // of a pair of panels: 256 unpacked columns and their scales

// The CPU's share, split as the kernels use it. All sizes are multiples of 64.
struct CpuScratch {
  Bytes rope_bytes = 0;  // (max_rows, 2 * rope_dim of every rope) cosines and sines of the positions of a step
  // f32 in tiles: what float kernels read of max_rows rows, for each expert that a row chose where that is more; absent
  // when no matrix is of a float type.
  Bytes f32_bytes = 0;
  Bytes int8_bytes = 0;  // likewise int8 rows; absent when all matrices are of float types
  // (max_rows, 2 * widest kv_dim) f32: K and V before they go to the cache. In ops that norm what they add to the
  // residual, (max_rows, d_model): what they norm.
  Bytes step_rows_bytes = 0;
  Bytes partials_bytes =
      0;  // (kCpuFewRows, n_heads, kCpuMaxSplits, head_dim rounded up to 32 + 2) f32: results of parts of a context
  Bytes router_bytes = 0;  // (max_rows, most n_experts) f32: a router's logits
  // Of one thread:
  Bytes row_bytes = 0;       // (widest input) f32
  Bytes few_f32_bytes = 0;   // of kCpuFewRows rows, as f32_bytes
  Bytes few_int8_bytes = 0;  // likewise, as int8_bytes
  Bytes slab_bytes = 0;      // unpacked columns of a pair of panels
  Bytes product_bytes = 0;   // for two matrices: products of a pair of panels with a block of tiles, or of as
                             // many panels of few rows as have room there, f32
  Bytes attention_bytes =
      0;  // queries, scores and results of the few, or of a tile with a chunk of unpacked keys and values
  Bytes grouping_bytes = 0;  // the rows of a step in the order of their experts
  std::uint32_t n_threads = 1;
  Bytes per_thread() const {
    return row_bytes + few_f32_bytes + few_int8_bytes + slab_bytes + product_bytes + attention_bytes + grouping_bytes;
  }
  Bytes total() const {
    return rope_bytes + f32_bytes + int8_bytes + step_rows_bytes + partials_bytes + router_bytes +
           per_thread() * n_threads;
  }
};
// A CPU that only embeds has row_bytes alone: a row of the embedding in file layout, as each thread decodes it.
CpuScratch cpu_scratch(const ModelInfo& model, const PlanOptions& options, std::uint32_t max_rows,
                       std::uint32_t n_threads, DeviceWork work = DeviceWork::kComputes);

}  // namespace headroom
