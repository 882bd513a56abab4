#include "backend/cpu/attend.h"

#include <algorithm>

#include "backend/cpu/activations.h"
#include "plan/device_rules.h"

namespace headroom {
namespace {

constexpr float kNoScore = -1e30F;  // below any real score; exp(kNoScore - x) is nothing

std::uint32_t padded(std::uint32_t head_dim) { return static_cast<std::uint32_t>(round_up(head_dim, 32)); }

bool is_block_type(DType dtype) { return dtype == DType::kQ8_0 || dtype == DType::kQ4_0; }

Activations load_queries(const KernelTable& kernels, const AttendJob& job, const AttendScratch& scratch) {
  const std::uint32_t head_dim = job.keys.head_dim;
  Activations in{.n_rows = job.n_queries, .n_elems = head_dim};
  if (is_block_type(job.keys.dtype)) {
    in.int8 = scratch.int8;
    in.n_elems = padded(head_dim);
  } else {
    in.f32 = reinterpret_cast<std::byte*>(scratch.queries);
  }
  for (std::uint32_t query = 0; query < job.n_queries; ++query) {
    float* scaled = scratch.acc;  // not yet in use
    for (std::uint32_t i = 0; i < head_dim; ++i) scaled[i] = job.queries[query][i] * job.scale;
    std::fill(scaled + head_dim, scaled + padded(head_dim), 0.0F);
    put_activation_row(kernels, in, query, scaled);
  }
  return in;
}

// Scores of n_panels groups of keys from `position`.
void score(const KernelTable& kernels, const AttendJob& job, const Activations& in, std::uint32_t position, std::uint32_t n_panels, float* scores) {
  const DotFn dot = kernels.dot[static_cast<std::size_t>(job.keys.dtype)];
  for (std::uint32_t tile = 0; tile < in.n_tiles(); ++tile) {
    const ActTile columns = in.tile(tile);
    float* out = scores + std::size_t{tile} * kTileCols * kCpuKeyChunk;
    for (std::uint32_t panel = 0; panel < n_panels; ++panel) {
      dot(job.keys.group(job.slot, job.kv_head, position + panel * kPanelRows), in.n_elems, columns, out + panel * kPanelRows, kCpuKeyChunk);
    }
  }
}

}  // namespace

AttendScratch cut_attend_scratch(std::byte* bytes, std::uint32_t widest_head_dim) {
  const std::size_t row = padded(widest_head_dim);
  AttendScratch cut;
  auto* floats = reinterpret_cast<float*>(bytes);
  const auto take = [&floats](std::size_t n) {
    float* taken = floats;
    floats += n;
    return taken;
  };
  cut.queries = take(kCpuQueryTile * row);
  cut.acc = take(kCpuQueryTile * row);
  cut.scores = take(std::size_t{kCpuQueryTile} * kCpuKeyChunk);
  cut.maxima = take(kCpuQueryTile);
  cut.sums = take(kCpuQueryTile);
  cut.factors = take(kCpuQueryTile);
  cut.first = reinterpret_cast<std::int32_t*>(take(kCpuQueryTile));
  cut.last = reinterpret_cast<std::int32_t*>(take(kCpuQueryTile));
  cut.int8 = reinterpret_cast<std::byte*>(floats);
  return cut;
}

void attend(const KernelTable& kernels, const AttendJob& job, const AttendScratch& scratch) {
  const std::uint32_t row = padded(job.keys.head_dim);
  const Activations in = load_queries(kernels, job, scratch);
  std::fill_n(scratch.acc, std::size_t{job.n_queries} * row, 0.0F);
  std::fill_n(scratch.maxima, job.n_queries, kNoScore);
  std::fill_n(scratch.sums, job.n_queries, 0.0F);
  // Chunks start at multiples of kKvRowStep, so that the groups of a chunk stand side by side unless a ring ends between them.
  std::uint32_t position = job.first / kKvRowStep * kKvRowStep;
  while (position < job.last) {
    const std::uint32_t until_wrap = job.keys.n_rows - position % job.keys.n_rows;
    const std::uint32_t n_keys = std::min({kCpuKeyChunk, job.last - position, until_wrap});
    const std::uint32_t n_panels = (n_keys + kPanelRows - 1) / kPanelRows;
    score(kernels, job, in, position, n_panels, scratch.scores);
    for (std::uint32_t query = 0; query < job.n_queries; ++query) {
      const std::uint32_t from = std::max({job.seen_from[query], job.first, position});
      const std::uint32_t to = std::min({job.seen_to[query], job.last, position + n_keys});
      scratch.first[query] = static_cast<std::int32_t>(from - position);
      scratch.last[query] = static_cast<std::int32_t>(std::max(from, to) - position);
    }
    kernels.softmax({.scores = scratch.scores,
                     .n_queries = job.n_queries,
                     .n_keys = n_panels * kPanelRows,
                     .stride = kCpuKeyChunk,
                     .first = scratch.first,
                     .last = scratch.last,
                     .maxima = scratch.maxima,
                     .sums = scratch.sums,
                     .factors = scratch.factors});
    kernels.values[static_cast<std::size_t>(job.values.dtype)]({.groups = job.values.group(job.slot, job.kv_head, position),
                                                                .n_keys = n_keys,
                                                                .head_dim = job.values.head_dim,
                                                                .n_queries = job.n_queries,
                                                                .weights = scratch.scores,
                                                                .weight_stride = kCpuKeyChunk,
                                                                .factors = scratch.factors,
                                                                .acc = scratch.acc,
                                                                .acc_stride = row});
    position += n_keys;
  }
}

}  // namespace headroom
