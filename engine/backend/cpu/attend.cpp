#include "backend/cpu/attend.h"

#include <algorithm>
#include <array>

#include "backend/cpu/activations.h"
#include "plan/device_rules.h"

namespace headroom {
namespace {

constexpr float kNoScore = -1e30F;  // below any real score; exp(kNoScore - x) is nothing

std::uint32_t padded(std::uint32_t head_dim) { return static_cast<std::uint32_t>(round_up(head_dim, 32)); }

bool is_block_type(DType dtype) { return dtype == DType::kQ8_0 || dtype == DType::kQ4_0; }

// Positions that stand side by side in one kind of rows of each cache.
struct Segment {
  std::uint32_t first = 0, last = 0;
  const KvView *keys = nullptr, *values = nullptr;
};

// Sinks, what is between, and the newest; a cache without exact ends has all its rows in one view.
std::array<Segment, 3> segments(const AttendJob& job) {
  const KvCache &k = *job.keys, &v = *job.values;
  if (!k.has_ends() && !v.has_ends()) return {Segment{0, job.last, &k.all, &v.all}};
  const std::uint32_t n_sinks = k.has_ends() ? k.sinks.n_rows : v.sinks.n_rows, exact_from = std::max(n_sinks, job.exact_from);
  const auto part = [](const KvCache& cache, const KvView& end) { return cache.has_ends() ? &end : &cache.all; };
  return {Segment{0, n_sinks, part(k, k.sinks), part(v, v.sinks)}, Segment{n_sinks, exact_from, &k.all, &v.all},
          Segment{exact_from, job.last, part(k, k.ring), part(v, v.ring)}};
}

// In the forms that the keys' types read: f32, int8, or both.
Activations load_queries(const KernelTable& kernels, const AttendJob& job, const AttendScratch& scratch) {
  const std::uint32_t head_dim = job.keys->all.head_dim;
  Activations in{.n_rows = job.n_queries, .n_elems = padded(head_dim)};
  const bool is_block = is_block_type(job.keys->all.dtype);
  if (is_block) in.int8 = scratch.int8;
  if (!is_block || job.keys->has_ends()) in.f32 = reinterpret_cast<std::byte*>(scratch.queries);
  for (std::uint32_t query = 0; query < job.n_queries; ++query) {
    float* scaled = scratch.acc;  // not yet in use
    for (std::uint32_t i = 0; i < head_dim; ++i) scaled[i] = job.queries[query][i] * job.scale;
    std::fill(scaled + head_dim, scaled + padded(head_dim), 0.0F);
    put_activation_row(kernels, in, query, scaled);
  }
  return in;
}

// Scores of n_panels groups of keys from `position`. Many queries share what was unpacked once.
void score(const KernelTable& kernels, const AttendJob& job, const KvView& keys, const Activations& in, std::uint32_t position,
           std::uint32_t n_panels, const AttendScratch& scratch) {
  const auto type = static_cast<std::size_t>(keys.dtype);
  const UnpackKeysFn unpack = job.n_queries > kDirectCols ? kernels.unpack_keys[type] : nullptr;
  const DotFn dot = unpack != nullptr ? kernels.dot_keys[type] : kernels.dot[type];
  const std::uint32_t n_elems = is_block_type(keys.dtype) ? in.n_elems : keys.head_dim;
  for (std::uint32_t panel = 0; panel < n_panels; ++panel) {
    const std::byte* group = keys.group(job.slot, job.kv_head, position + panel * kPanelRows);
    if (unpack != nullptr) {
      unpack(group, n_elems, scratch.keys);
      group = scratch.keys;
    }
    for (std::uint32_t tile = 0; tile < in.n_tiles(); ++tile) {
      dot(group, n_elems, in.tile(tile), scratch.scores + std::size_t{tile} * kTileCols * kCpuKeyChunk + panel * kPanelRows, kCpuKeyChunk);
    }
  }
}

void add_values(const KernelTable& kernels, const AttendJob& job, const KvView& values, std::uint32_t position, std::uint32_t n_keys,
                const AttendScratch& scratch) {
  const auto type = static_cast<std::size_t>(values.dtype);
  ValueJob add{.groups = values.group(job.slot, job.kv_head, position),
               .n_keys = n_keys,
               .head_dim = values.head_dim,
               .n_queries = job.n_queries,
               .weights = scratch.scores,
               .weight_stride = kCpuKeyChunk,
               .factors = scratch.factors,
               .acc = scratch.acc,
               .acc_stride = padded(values.head_dim)};
  if (job.n_queries <= kDirectCols) return kernels.values[type](add);
  kernels.unpack_values[type](add.groups, n_keys, values.head_dim, scratch.values);
  add.groups = reinterpret_cast<const std::byte*>(scratch.values);
  kernels.add_rows(add);
}

// Adds the positions of a segment that the job takes to the running results.
void attend_segment(const KernelTable& kernels, const AttendJob& job, const Segment& segment, const Activations& in, const AttendScratch& scratch) {
  const std::uint32_t first = std::max(job.first, segment.first), last = std::min(job.last, segment.last);
  // Chunks start at multiples of kKvRowStep, so that the groups of a chunk stand side by side unless a ring ends between them.
  std::uint32_t position = first / kKvRowStep * kKvRowStep;
  while (position < last) {
    const std::uint32_t until_wrap =
        std::min(segment.keys->n_rows - position % segment.keys->n_rows, segment.values->n_rows - position % segment.values->n_rows);
    const std::uint32_t n_keys = std::min({kCpuKeyChunk, last - position, until_wrap});
    const std::uint32_t n_panels = (n_keys + kPanelRows - 1) / kPanelRows;
    score(kernels, job, *segment.keys, in, position, n_panels, scratch);
    for (std::uint32_t query = 0; query < job.n_queries; ++query) {
      const std::uint32_t from = std::max({job.seen_from[query], first, position});
      const std::uint32_t to = std::min({job.seen_to[query], last, position + n_keys});
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
    add_values(kernels, job, *segment.values, position, n_keys, scratch);
    position += n_keys;
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
  cut.keys = reinterpret_cast<std::byte*>(take(row * kCpuKeyElemBytes / sizeof(float)));
  cut.values = take(std::size_t{kCpuKeyChunk} * row);
  cut.maxima = take(kCpuQueryTile);
  cut.sums = take(kCpuQueryTile);
  cut.factors = take(kCpuQueryTile);
  cut.first = reinterpret_cast<std::int32_t*>(take(kCpuQueryTile));
  cut.last = reinterpret_cast<std::int32_t*>(take(kCpuQueryTile));
  cut.int8 = reinterpret_cast<std::byte*>(floats);
  return cut;
}

void attend(const KernelTable& kernels, const AttendJob& job, const AttendScratch& scratch) {
  const Activations in = load_queries(kernels, job, scratch);
  std::fill_n(scratch.acc, std::size_t{job.n_queries} * padded(job.values->all.head_dim), 0.0F);
  std::fill_n(scratch.maxima, job.n_queries, kNoScore);
  std::fill_n(scratch.sums, job.n_queries, 0.0F);
  for (const Segment& segment : segments(job)) attend_segment(kernels, job, segment, in, scratch);
}

}  // namespace headroom
