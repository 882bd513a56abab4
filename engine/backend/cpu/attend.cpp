#include "backend/cpu/attend.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <utility>

#include "backend/cpu/activations.h"
#include "backend/cpu/prefetch.h"
#include "plan/device_rules.h"

namespace headroom {
namespace {

static_assert(kCpuKeyChunk == kKeyChunk && kCpuTilePanels == kTilePanels && kCpuFewQueries <= kTileCols,
              "the plan's sizes are those of the kernels");

constexpr std::uint32_t kTileQueries = kTilePanels * kPanelRows;

std::uint32_t padded(std::uint32_t head_dim) { return static_cast<std::uint32_t>(round_up(head_dim, 32)); }

std::uint32_t n_panels_of(std::uint32_t n_rows) { return (n_rows + kPanelRows - 1) / kPanelRows; }

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
  const std::uint32_t n_sinks = k.has_ends() ? k.sinks.n_rows : v.sinks.n_rows,
                      exact_from = std::max(n_sinks, job.exact_from);
  const auto part = [](const KvCache& cache, const KvView& end) { return cache.has_ends() ? &end : &cache.all; };
  return {Segment{0, n_sinks, part(k, k.sinks), part(v, v.sinks)}, Segment{n_sinks, exact_from, &k.all, &v.all},
          Segment{exact_from, job.last, part(k, k.ring), part(v, v.ring)}};
}

// Calls work(segment, position, n_keys) for the positions that a job takes: at most kKeyChunk of one segment, in groups
// that stand side by side.
template <class Work>
void for_each_chunk(const AttendJob& job, Work work) {
  for (const Segment& segment : segments(job)) {
    const std::uint32_t last = std::min(job.last, segment.last);
    // Chunks start at multiples of kKvRowStep, and end where a ring does.
    std::uint32_t position = std::max(job.first, segment.first) / kKvRowStep * kKvRowStep;
    while (position < last) {
      const std::uint32_t until_wrap = std::min(segment.keys->n_rows - position % segment.keys->n_rows,
                                                segment.values->n_rows - position % segment.values->n_rows);
      const std::uint32_t n_keys = std::min({kKeyChunk, last - position, until_wrap});
      work(segment, position, n_keys);
      position += n_keys;
    }
  }
}

struct Seen {  // of a chunk
  std::uint32_t first = 0, last = 0;
};
Seen seen_keys(const AttendJob& job, const Segment& segment, std::uint32_t query, std::uint32_t position,
               std::uint32_t n_keys) {
  const std::uint32_t from = std::max({job.seen_from[query], job.first, segment.first, position});
  const std::uint32_t to = std::min(job.seen_to[query], position + n_keys);
  return {from - position, std::max(from, to) - position};
}

// Where the running softmax of n queries begins: with the sink of each, or with nothing. `unit`: of scores, per that of
// sinks.
void begin_softmax(const AttendJob& job, std::size_t n, float unit, float* maxima, float* sums) {
  std::fill_n(maxima, n, kNoScore);
  std::fill_n(sums, n, 0.0F);
  for (std::uint32_t query = 0; query < job.n_queries && job.sinks != nullptr; ++query) {
    maxima[query] = job.sinks[query] * unit;
    sums[query] = 1.0F;
  }
}

// --- few queries ---

// In the forms that the keys' types read: f32, int8, or both.
Activations load_queries(const KernelTable& kernels, const AttendJob& job, const FewScratch& scratch) {
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

// Scores of n_panels groups of keys from `position`.
void score(const KernelTable& kernels, const AttendJob& job, const KvView& keys, const Activations& in,
           std::uint32_t position, std::uint32_t n_panels, const FewScratch& scratch) {
  const DotFn dot = kernels.dot[static_cast<std::size_t>(keys.dtype)];
  const std::uint32_t n_elems = is_block_type(keys.dtype) ? in.n_elems : keys.head_dim;
  for (std::uint32_t panel = 0; panel < n_panels; ++panel) {
    dot(keys.group(job.slot, job.kv_head, position + panel * kPanelRows), n_elems, in.tile(0),
        scratch.scores + panel * kPanelRows, kKeyChunk);
  }
}

// --- many queries ---

// Hands out a region in parts; all sizes are multiples of 64 bytes.
class Cutter {
 public:
  explicit Cutter(std::byte* bytes) : bytes_(bytes) {}
  std::byte* bytes(std::size_t n) { return std::exchange(bytes_, bytes_ + n); }
  float* floats(std::size_t n) { return reinterpret_cast<float*>(bytes(n * sizeof(float))); }

 private:
  std::byte* bytes_;
};

void load_query_words(const KernelTable& kernels, const AttendJob& job, const TileScratch& scratch) {
  const std::uint32_t head_dim = job.keys->all.head_dim;
  const std::size_t panel_bytes = head_dim * kPanelRows * kCpuWordBytes;
  const std::uint32_t n_panels = n_panels_of(job.n_queries);
  std::fill_n(scratch.queries + (n_panels - 1) * panel_bytes, panel_bytes, std::byte{0});  // lanes without a query
  std::fill_n(scratch.query_scales, n_panels * kPanelRows, 1.0F);
  for (std::uint32_t query = 0; query < job.n_queries; ++query) {
    const std::uint32_t panel = query / kPanelRows;
    kernels.query_words(job.queries[query], head_dim, job.scale, query % kPanelRows,
                        scratch.queries + panel * panel_bytes, scratch.query_scales + panel * kPanelRows);
  }
}

// What some panels of queries see between them.
struct PanelsSeen {
  std::uint32_t from_most = 0, to_least = ~0U, to_most = 0;
};
PanelsSeen seen_between(const AttendJob& job, std::uint32_t first, std::uint32_t n) {
  PanelsSeen seen;
  for (std::uint32_t query = first; query < first + n; ++query) {
    seen.from_most = std::max(seen.from_most, job.seen_from[query]);
    seen.to_least = std::min(seen.to_least, job.seen_to[query]);
    seen.to_most = std::max(seen.to_most, job.seen_to[query]);
  }
  return seen;
}

// A chunk in scratch, and the bytes that the next is unpacked from: asked for while products of this one run, up to 5 %
// at depth 16,384.
struct Chunk {
  const Segment* segment = nullptr;
  std::uint32_t position = 0, n_keys = 0;
  std::span<const std::byte> next_keys, next_values;
};

// Panels `tile` to `tile` + kTilePanels - 1 and an unpacked chunk.
void attend_panels(const KernelTable& kernels, const AttendJob& job, const Chunk& chunk, std::uint32_t tile,
                   const PanelsSeen& between, const TileScratch& scratch) {
  const std::uint32_t query = tile * kTileQueries, n = std::min(kTileQueries, job.n_queries - query),
                      n_panels = n_panels_of(n);
  const std::uint32_t head_dim = job.keys->all.head_dim,
                      begin = std::max({job.first, chunk.segment->first, chunk.position});
  const std::uint32_t end = std::min(chunk.position + chunk.n_keys, between.to_most);
  if (end <= begin) return;
  const std::uint32_t n_seen = n_panels_of(end - chunk.position) * kPanelRows;
  const bool all_seen =
      std::max(begin, between.from_most) == chunk.position && between.to_least >= end && end == chunk.position + n_seen;
  if (!all_seen) {
    std::fill_n(scratch.first, n_panels * kPanelRows, 0.0F);
    std::fill_n(scratch.last, n_panels * kPanelRows, 0.0F);
    for (std::uint32_t i = 0; i < n; ++i) {
      const Seen seen = seen_keys(job, *chunk.segment, query + i, chunk.position, chunk.n_keys);
      scratch.first[i] = static_cast<float>(seen.first);
      scratch.last[i] = static_cast<float>(seen.last);
    }
  }
  kernels.attend_tile({.n_panels = n_panels,
                       .head_dim = head_dim,
                       .n_keys = n_seen,
                       .queries = scratch.queries + std::size_t{query} * head_dim * kCpuWordBytes,
                       .keys = scratch.keys,
                       .values = scratch.values,
                       .query_scales = scratch.query_scales + query,
                       .key_scales = scratch.key_scales,
                       .value_scales = scratch.value_scales,
                       .softcap = job.softcap * std::numbers::log2e_v<float>,
                       .all_seen = all_seen,
                       .first = scratch.first,
                       .last = scratch.last,
                       .scores = scratch.scores,
                       .acc = scratch.acc + std::size_t{query} * padded(head_dim),
                       .maxima = scratch.maxima + query,
                       .sums = scratch.sums + query});
}

void attend_by_words(const KernelTable& kernels, const AttendJob& job, const TileScratch& scratch) {
  const std::uint32_t head_dim = job.keys->all.head_dim, n_tiles = (job.n_queries + kTileQueries - 1) / kTileQueries;
  const std::size_t n_lanes = std::size_t{n_panels_of(job.n_queries)} * kPanelRows;
  load_query_words(kernels, job, scratch);
  std::fill_n(scratch.acc, n_lanes * padded(head_dim), 0.0F);
  begin_softmax(job, n_lanes, std::numbers::log2e_v<float>, scratch.maxima, scratch.sums);
  std::array<PanelsSeen, kCpuQueryTile / kTileQueries> between;
  for (std::uint32_t tile = 0; tile < n_tiles; ++tile) {
    between[tile] = seen_between(job, tile * kTileQueries, std::min(kTileQueries, job.n_queries - tile * kTileQueries));
  }
  for_each_chunk(job, [&](const Segment& segment, std::uint32_t position, std::uint32_t n_keys) {
    const KvView &keys = *segment.keys, &values = *segment.values;
    const std::byte *key_groups = keys.group(job.slot, job.kv_head, position),
                    *value_groups = values.group(job.slot, job.kv_head, position);
    const std::size_t n_groups = n_panels_of(n_keys);
    for (std::uint32_t group = 0; group < n_groups; ++group) {
      kernels.key_words[static_cast<std::size_t>(keys.dtype)](
          key_groups + group * keys.group_bytes, head_dim,
          scratch.keys + std::size_t{group} * kPanelRows * head_dim * kCpuWordBytes,
          scratch.key_scales + group * kPanelRows);
    }
    kernels.value_words[static_cast<std::size_t>(values.dtype)](value_groups, n_keys, head_dim, values.shifts,
                                                                scratch.values, scratch.value_scales);
    const std::uint32_t next = position + n_keys;
    const std::size_t n_next = next < std::min(job.last, segment.last) ? n_groups : 0;
    const Chunk chunk{&segment,
                      position,
                      n_keys,
                      {keys.group(job.slot, job.kv_head, next), n_next * keys.group_bytes},
                      {values.group(job.slot, job.kv_head, next), n_next * values.group_bytes}};
    for (std::uint32_t tile = 0; tile < n_tiles; ++tile) {
      prefetch_part(chunk.next_keys, tile, n_tiles);
      prefetch_part(chunk.next_values, tile, n_tiles);
      attend_panels(kernels, job, chunk, tile, between[tile], scratch);
    }
  });
}

}  // namespace

FewScratch cut_few_scratch(std::byte* bytes, std::uint32_t widest_head_dim) {
  const std::size_t row = padded(widest_head_dim);
  Cutter cut(bytes);
  FewScratch scratch;
  scratch.queries = cut.floats(kCpuFewQueries * row);
  scratch.acc = cut.floats(kCpuFewQueries * row);
  scratch.scores = cut.floats(kCpuFewQueries * kKeyChunk);
  scratch.maxima = cut.floats(kCpuFewQueries);
  scratch.sums = cut.floats(kCpuFewQueries);
  scratch.factors = cut.floats(kCpuFewQueries);
  scratch.first = reinterpret_cast<std::int32_t*>(cut.floats(kCpuFewQueries));
  scratch.last = reinterpret_cast<std::int32_t*>(cut.floats(kCpuFewQueries));
  scratch.int8 = cut.bytes(kCpuFewQueries * cpu_int8_row_bytes(row));
  return scratch;
}

TileScratch cut_tile_scratch(std::byte* bytes, std::uint32_t widest_head_dim) {
  const std::size_t row = padded(widest_head_dim), lanes = kTileQueries;
  Cutter cut(bytes);
  TileScratch scratch;
  scratch.queries = cut.bytes(kCpuQueryTile * row * kCpuWordBytes);
  scratch.keys = cut.bytes(kKeyChunk * row * kCpuWordBytes);
  scratch.values = cut.bytes(kKeyChunk * row * kCpuWordBytes);
  scratch.acc = cut.floats(kCpuQueryTile * row);
  scratch.query_scales = cut.floats(kCpuQueryTile);
  scratch.maxima = cut.floats(kCpuQueryTile);
  scratch.sums = cut.floats(kCpuQueryTile);
  scratch.key_scales = cut.floats(kKeyChunk);
  scratch.value_scales = cut.floats(row);
  scratch.scores = cut.floats(lanes * kKeyChunk);
  scratch.first = cut.floats(lanes);
  scratch.last = cut.floats(lanes);
  return scratch;
}

std::uint32_t most_queries(const KvCache& keys, const KvCache& values) {
  const bool exact = keys.all.dtype == DType::kF32 || values.all.dtype == DType::kF32;
  return exact ? kCpuFewQueries : kCpuQueryTile;
}

void attend_few(const KernelTable& kernels, const AttendJob& job, const FewScratch& scratch) {
  const std::uint32_t head_dim = job.values->all.head_dim;
  const Activations in = load_queries(kernels, job, scratch);
  std::fill_n(scratch.acc, std::size_t{job.n_queries} * padded(head_dim), 0.0F);
  begin_softmax(job, job.n_queries, 1.0F, scratch.maxima, scratch.sums);
  for_each_chunk(job, [&](const Segment& segment, std::uint32_t position, std::uint32_t n_keys) {
    const std::uint32_t n_panels = n_panels_of(n_keys);
    score(kernels, job, *segment.keys, in, position, n_panels, scratch);
    for (std::uint32_t query = 0; query < job.n_queries && job.softcap > 0; ++query)
      kernels.softcap(scratch.scores + std::size_t{query} * kKeyChunk, n_panels * kPanelRows, job.softcap);
    for (std::uint32_t query = 0; query < job.n_queries; ++query) {
      const Seen seen = seen_keys(job, segment, query, position, n_keys);
      scratch.first[query] = static_cast<std::int32_t>(seen.first);
      scratch.last[query] = static_cast<std::int32_t>(seen.last);
    }
    kernels.softmax({.scores = scratch.scores,
                     .n_queries = job.n_queries,
                     .n_keys = n_panels * kPanelRows,
                     .stride = kKeyChunk,
                     .first = scratch.first,
                     .last = scratch.last,
                     .maxima = scratch.maxima,
                     .sums = scratch.sums,
                     .factors = scratch.factors});
    kernels.values[static_cast<std::size_t>(segment.values->dtype)](
        {.groups = segment.values->group(job.slot, job.kv_head, position),
         .n_keys = n_keys,
         .head_dim = head_dim,
         .n_queries = job.n_queries,
         .weights = scratch.scores,
         .weight_stride = kKeyChunk,
         .factors = scratch.factors,
         .shifts = segment.values->shifts,
         .acc = scratch.acc,
         .acc_stride = padded(head_dim)});
  });
}

void attend_many(const KernelTable& kernels, const AttendJob& job, std::uint32_t widest_head_dim, std::byte* bytes,
                 float* const* outputs) {
  const std::uint32_t head_dim = job.values->all.head_dim;
  const std::size_t width = padded(head_dim);
  if (job.n_queries <= kCpuFewQueries) {
    const FewScratch scratch = cut_few_scratch(bytes, widest_head_dim);
    attend_few(kernels, job, scratch);
    for (std::uint32_t query = 0; query < job.n_queries; ++query) {
      const float inverse = 1.0F / scratch.sums[query];
      for (std::uint32_t i = 0; i < head_dim; ++i) outputs[query][i] = scratch.acc[query * width + i] * inverse;
      if (job.rotation != nullptr) kernels.unrotate(outputs[query], head_dim, job.rotation);
    }
    return;
  }
  const TileScratch scratch = cut_tile_scratch(bytes, widest_head_dim);
  attend_by_words(kernels, job, scratch);
  for (std::uint32_t first = 0; first < job.n_queries; first += kPanelRows) {
    kernels.take_results({.acc = scratch.acc + first * width,
                          .sums = scratch.sums + first,
                          .rotation = job.rotation,
                          .head_dim = head_dim,
                          .n_queries = std::min(job.n_queries - first, kPanelRows),
                          .outputs = outputs + first});
  }
}

}  // namespace headroom
