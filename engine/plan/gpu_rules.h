// What a GPU's kernels need beside the program's buffers, split as they use it. Pure, so that it is in the plan.
#pragma once

#include <algorithm>

#include "plan/device_rules.h"

namespace headroom {

// Steps of no more rows than this read a matrix once for all of them, and split the keys: the rows of larger ones are
// work enough.
inline constexpr std::uint32_t kGpuFewRows = 8;
// Workgroups that attention has in such a step over a long context: four on each core of the largest cards.
inline constexpr std::uint32_t kGpuAttendGroups = 512;
// Keys of a split are a multiple of this; the first split begins at one.
inline constexpr std::uint32_t kGpuSplitKeys = 64;

// The region kScratch of a GPU that computes, in this order.
struct GpuScratch {
  Bytes normed_bytes = 0;    // (max_rows, d_model) f32, or what a product reads as int8: also results of attention
  Bytes keys_bytes = 0;      // (max_rows, widest kv_dim) f32, before they go to the cache
  Bytes values_bytes = 0;    // likewise
  Bytes added_bytes = 0;     // (max_rows, d_model) f32: what is normed, or weighed, before it is added to the residual
  Bytes router_bytes = 0;    // (max_rows, most n_experts) f32
  Bytes balance_bytes = 0;   // (n_layers, widest kv_dim) f32: see key_balance.h; absent unless keys are rotated
  Bytes partials_bytes = 0;  // of the layer with most (GpuSplits::n_partials(), n_heads, head_dim + 2) f32
  Bytes expert_tiles_bytes = 0;  // of the layer with most, GpuExpertTiles; absent where no step has many rows
  Bytes expert_rows_bytes = 0;   // (max_rows, n_experts_used, d_model) f32: what experts make; likewise
  Bytes mixes_bytes = 0;         // of the layer with most, GpuMixes
  Bytes inputs_bytes = 0;        // GpuInputs up to the answers, which a device would read from the host's memory else
  Bytes total() const {
    return normed_bytes + keys_bytes + values_bytes + added_bytes + router_bytes + balance_bytes + partials_bytes +
           expert_tiles_bytes + expert_rows_bytes + mixes_bytes + inputs_bytes;
  }
  // Each part is bound by itself, so that this is all that a kernel sees at once.
  Bytes largest() const {
    return std::max({normed_bytes, keys_bytes, values_bytes, added_bytes, router_bytes, balance_bytes, partials_bytes,
                     expert_tiles_bytes, expert_rows_bytes, mixes_bytes, inputs_bytes});
  }
};
// Bytes of a row of n_elems activations as int8: 32 codes a group, their scale and three sums (f32).
constexpr Bytes gpu_int8_row_bytes(std::uint64_t n_elems) { return div_up(n_elems, 32) * (32 + 4 * kF32Bytes); }
GpuScratch gpu_scratch(const ModelInfo& model, const DeviceInfo& device, const PlanOptions& options,
                       std::uint32_t max_rows);

// An answer about a row of logits, in words of 32 bits: see backend/candidates.h and shaders/lib/candidates.glsl.
struct GpuAnswer {
  std::uint64_t best_at = 0;    // (kMostCandidates, 2): logit and id, the likeliest first
  std::uint64_t logits_at = 0;  // (kMostCandidates) f32, of the ids that were asked for
  std::uint64_t sums_at =
      0;  // (sum blocks, 2) f32: of the exponentials of each, and the logit that they are relative to
  std::uint64_t n_words = 0;  // a multiple of what a binding may begin at
};
GpuAnswer gpu_answer(std::uint32_t n_vocab);

// The region kInputs that the host writes before each step and a GPU reads, in words of 32 bits, with what
// is asked about the logits behind it, and the answers.
struct GpuInputs {
  std::uint64_t counts_at = 0;  // n_rows, n_logit_rows
  // Right behind them, as shaders/lib/grids.glsl has it: write_gpu_grids(), once; 0: the model has no such weights.
  std::uint64_t grids_at = 0;
  std::uint64_t rows_at = 0;  // (max_rows, 4): token, slot, position; the fourth of row i is where the rows of the
                              // step's i-th slot begin, n_rows where it has no more slots
  std::uint64_t logit_rows_at = 0;  // (max_logit_rows)
  std::uint64_t exact_from_at = 0;  // (n_layers, n_slots): see StepInputs
  std::uint64_t ropes_at = 0;       // of each rope (max_rows, rope_dim) f32: cosines, then sines
  std::uint64_t groups_at = 0;      // (max_groups, 4): how many workgroups each kind of dispatch has; the last is 0
  std::uint64_t max_groups = 0;
  std::uint64_t queries_at = 0;  // (candidate_rows, 4): row, how many of the best (0: no query), how many ids, 0
  std::uint64_t ids_at = 0;      // (candidate_rows, kMostCandidates) ids that are asked for
  std::uint64_t answers_at = 0;  // (candidate_rows) answers, where a binding may begin
  std::uint64_t n_words = 0;
  std::uint64_t rope_at(const ModelInfo& model, std::uint32_t rope, std::uint32_t max_rows) const;
  Bytes total() const { return n_words * 4; }
};
inline constexpr std::uint32_t kGpuRowWords = 4;
GpuInputs gpu_inputs(const ModelInfo& model, const PlanOptions& options);  // n_logit_rows is resolved

// Rows of the largest step that kernels take where a dispatch has at most max_groups workgroups in the dimension of
// rows: of experts each choice of a row is one. max_groups 0: any number.
std::uint32_t gpu_most_rows(const ModelInfo& model, std::uint32_t max_groups);

// How steps of few rows share out the keys of each row over workgroups, so that there is work for all of a card.
struct GpuSplits {
  std::uint32_t row_splits = 1;  // of all rows of a step
  std::uint32_t window = 0;      // of the layer; 0: it sees all positions
  bool operator==(const GpuSplits&) const = default;
  std::uint32_t most(std::uint32_t n_rows) const { return std::max(1U, row_splits / n_rows); }  // of one row
  std::uint32_t count(std::uint32_t position, std::uint32_t n_rows) const;
  // Results of splits in one step: at most row_splits, or one of each row.
  std::uint32_t n_partials(std::uint32_t max_rows) const {
    return std::max(row_splits, std::min(kGpuFewRows, max_rows));
  }
};
GpuSplits gpu_splits(const LayerSpec& layer, const PlanOptions& options);

// How steps of many rows share out the choices of experts: tiles of rows that chose the same one. In words of 32 bits:
// see shaders/group_experts.comp.
struct GpuExpertTiles {
  std::uint32_t most = 0;        // tiles
  std::uint64_t choices_at = 0;  // the choices in the order of the tiles
  std::uint64_t n_words = 0;
};
inline constexpr std::uint32_t kGpuTileRows = 64;
// Layers with more experts than this are computed a choice at a time.
inline constexpr std::uint32_t kGpuMostExperts = 1024;
GpuExpertTiles gpu_expert_tiles(const LayerSpec& layer, std::uint32_t n_rows);

// What a delta net's matrices make of a step's rows, before the convolution: in words of 32 bits, each part (n_rows) of
// its width and where a binding may begin. Queries are the first. The rule has its pairs there, when they have been
// read.
struct GpuMixes {
  std::uint64_t keys_at = 0, values_at = 0, alphas_at = 0, betas_at = 0, n_words = 0;
};
// A workgroup of the rule has this many columns of a state, and reads and writes them once for a chunk of so many rows.
// Chunks begin at multiples of that, and where rows of another slot do.
inline constexpr std::uint32_t kGpuDeltaColumns = 32, kGpuDeltaChunk = 8;
inline constexpr std::uint32_t kGpuDeltaTile = 128;  // elements of keys that it has at once
// What the rows of a chunk make of each other for a value head, in words: shaders/lib/delta.glsl.
inline constexpr std::uint32_t kGpuDeltaPairWords = 2 * kGpuDeltaChunk * (kGpuDeltaChunk + 1);
GpuMixes gpu_mixes(const DeltaNetSpec& spec, std::uint32_t n_rows);
// Rows of a slot that the rule takes one after the other in one submission, so that none takes too long.
inline constexpr std::uint32_t kGpuDeltaRows = 1024;

// Positions that a query of this layer sees at most.
std::uint64_t gpu_most_seen(const LayerSpec& layer, const PlanOptions& options);

// A prompt's attention is cut into submissions, because one of many rows over a long context would take longer than
// some drivers allow. No backend cuts it into fewer rows than this (AttendLimits::least_rows): so many kinds of
// dispatch the inputs have room for.
inline constexpr std::uint32_t kGpuLeastAttendRows = 32;
// Kinds of dispatch, apart from those of attention: an op has at most this many, two for each of its matrices that a
// binding does not hold whole.
inline constexpr std::uint32_t kGpuGroupsPerOp = 32;

}  // namespace headroom
