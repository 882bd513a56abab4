// The attention op of a step: which queries read which keys on which thread.
#include <algorithm>
#include <array>
#include <cmath>

#include "backend/cpu/cpu_step.h"

namespace headroom {
namespace {

// Below this many positions a part is not worth its merge.
constexpr std::uint32_t kMinSplitKeys = 256;
constexpr std::uint32_t kAttendItems = 32;  // pieces of work of a step with many rows: enough for as many threads

std::uint32_t padded(std::uint32_t head_dim) { return static_cast<std::uint32_t>(round_up(head_dim, 32)); }

}  // namespace

std::uint32_t CpuStep::seen_from(const LayerSpec& layer, std::uint32_t position) const {
  if (layer.attention != AttentionKind::kWindow || position + 1 <= layer.window) return 0;
  return position + 1 - layer.window;
}

// Fixed by the position alone, so that results do not depend on the number of threads.
std::uint32_t CpuStep::n_splits(const LayerSpec& layer, std::uint32_t row) const {
  const std::uint32_t position = inputs_.rows[row].position;
  const std::uint32_t n_keys = position + 1 - seen_from(layer, position);
  return std::clamp(n_keys / kMinSplitKeys, 1U, kCpuMaxSplits);
}

CpuStep::Split CpuStep::split(const LayerSpec& layer, std::uint32_t row, std::uint32_t index) const {
  const std::uint32_t position = inputs_.rows[row].position, from = seen_from(layer, position),
                      start = from / kKvRowStep * kKvRowStep;
  const auto size =
      static_cast<std::uint32_t>(round_up(div_up(position + 1 - start, n_splits(layer, row)), kKvRowStep));
  return {std::max(from, start + index * size), std::min(position + 1, start + (index + 1) * size)};
}

// (padded head_dim) accumulated values, the maximum, the sum.
float* CpuStep::partial(const LayerSpec& layer, std::uint32_t row, std::uint32_t head, std::uint32_t index) const {
  const std::size_t at = (std::size_t{row} * layer.n_heads + head) * kCpuMaxSplits + index;
  return bound_.scratch.partials + at * (padded(layer.head_dim) + 2);
}

void CpuStep::attend_op(const Op& op, std::uint32_t thread) {
  const BoundLayer& layer = bound_.layers[static_cast<std::size_t>(op.layer)];
  if (is_few(static_cast<std::uint32_t>(inputs_.rows.size()))) {
    attend_few(op, layer, bound_.buffer(op.inputs[0]), thread);
  } else {
    attend_many(op, layer, bound_.buffer(op.inputs[0]), bound_.buffer(op.outputs[0]), thread);
  }
}

// Few rows: parts of the context are dealt out, KV head by KV head as the op before finishes them, and merged when the
// next op reads them. A thread starts here only when every head of that op is finished or taken by another thread, so a
// head that it waits for is always being computed.
void CpuStep::attend_few(const Op& op, const BoundLayer& layer, const float* query, std::uint32_t thread) {
  const LayerSpec& spec = *layer.spec;
  std::uint32_t n_parts = 0;  // of a KV head
  for (std::uint32_t row = 0; row < inputs_.rows.size(); ++row) n_parts += n_splits(spec, row);
  for (;;) {
    const std::uint32_t item = n_dealt(op).fetch_add(1, std::memory_order_relaxed);
    if (item >= n_parts * spec.n_kv_heads) return;
    const std::uint32_t kv_head = item / n_parts;
    std::uint32_t row = 0, index = item % n_parts;
    for (; index >= n_splits(spec, row); ++row) index -= n_splits(spec, row);
    ThreadPool::wait_for(n_finished(op.layer, kv_head), spec.n_heads / spec.n_kv_heads + (spec.has_cache() ? 2 : 0));
    attend_part(layer, query, row, kv_head, index, thread);
  }
}

void CpuStep::attend_part(const BoundLayer& layer, const float* query, std::uint32_t row, std::uint32_t kv_head,
                          std::uint32_t index, std::uint32_t thread) {
  const LayerSpec& spec = *layer.spec;
  const StepRow& at = inputs_.rows[row];
  const FewScratch scratch = cut_few_scratch(bound_.scratch.attention(thread), bound_.widest_head_dim);
  const std::uint32_t heads_per_kv = spec.n_heads / spec.n_kv_heads, width = padded(spec.head_dim);
  std::array<std::uint32_t, kCpuFewQueries> from, to;
  from.fill(seen_from(spec, at.position));
  to.fill(at.position + 1);
  const Split keys = split(spec, row, index);
  for (std::uint32_t first = 0; first < heads_per_kv; first += kCpuFewQueries) {
    const std::uint32_t n = std::min(kCpuFewQueries, heads_per_kv - first), head = kv_head * heads_per_kv + first;
    std::array<const float*, kCpuFewQueries> queries;
    for (std::uint32_t i = 0; i < n; ++i)
      queries[i] = query + std::size_t{row} * spec.q_dim() + std::size_t{head + i} * spec.head_dim;
    headroom::attend_few(kernels_,
                         {.keys = &layer.keys,
                          .values = &layer.values,
                          .slot = at.slot,
                          .kv_head = kv_head,
                          .exact_from = exact_from(layer.index, at.slot),
                          .scale = spec.attention_scale,
                          .softcap = spec.attention_softcap,
                          .sinks = layer.sinks == nullptr || index > 0 ? nullptr : layer.sinks + head,
                          .n_queries = n,
                          .queries = queries.data(),
                          .seen_from = from.data(),
                          .seen_to = to.data(),
                          .first = keys.first,
                          .last = keys.last},
                         scratch);
    for (std::uint32_t i = 0; i < n; ++i) {
      float* part = partial(spec, row, head + i, index);
      std::copy_n(scratch.acc + std::size_t{i} * width, width, part);
      part[width] = scratch.maxima[i];
      part[width + 1] = scratch.sums[i];
    }
  }
}

const float* CpuStep::merge_partials(const BoundLayer& bound, std::uint32_t row, float* out) const {
  const LayerSpec& layer = *bound.spec;
  const std::uint32_t splits = n_splits(layer, row), width = padded(layer.head_dim);
  for (std::uint32_t head = 0; head < layer.n_heads; ++head) {
    float maximum = partial(layer, row, head, 0)[width], sum = 0.0F;
    for (std::uint32_t index = 1; index < splits; ++index)
      maximum = std::max(maximum, partial(layer, row, head, index)[width]);
    float* to = out + std::size_t{head} * layer.head_dim;
    std::fill_n(to, layer.head_dim, 0.0F);
    for (std::uint32_t index = 0; index < splits; ++index) {
      const float* part = partial(layer, row, head, index);
      const float factor = std::exp(part[width] - maximum);
      sum += part[width + 1] * factor;
      for (std::uint32_t i = 0; i < layer.head_dim; ++i) to[i] += part[i] * factor;
    }
    for (std::uint32_t i = 0; i < layer.head_dim; ++i) to[i] /= sum;
    if (!bound.v_rotation.empty()) kernels_.unrotate(to, layer.head_dim, bound.v_rotation.data());
  }
  return out;
}

// Rows that read the same keys: as many as a tile takes, but few enough for kAttendItems pieces of work. Not by the
// number of threads, because where chunks of keys start is a matter of rounding.
std::uint32_t CpuStep::tile_rows(const BoundLayer& layer) const {
  const std::uint32_t heads_per_kv = layer.spec->n_heads / layer.spec->n_kv_heads,
                      n_rows = static_cast<std::uint32_t>(inputs_.rows.size());
  const std::uint32_t most = std::max(1U, most_queries(layer.keys, layer.values) / heads_per_kv);
  const std::uint32_t least = std::min(most, std::max(1U, kTilePanels * kPanelRows / heads_per_kv));
  return std::clamp(n_rows * layer.spec->n_kv_heads / kAttendItems, least, most);
}

// Many rows: tiles of rows and a KV head each, the last rows first because they see most.
void CpuStep::attend_many(const Op& op, const BoundLayer& layer, const float* query, float* attended,
                          std::uint32_t thread) {
  const std::uint32_t n_tile_rows = tile_rows(layer), n_heads = layer.spec->n_kv_heads;
  const auto n_tiles_of = [=](const Run& run) { return (run.n_rows + n_tile_rows - 1) / n_tile_rows; };
  std::uint32_t n_tiles = 0;
  for (const Run& run : runs_) n_tiles += n_tiles_of(run);
  for (;;) {
    const std::uint32_t item = n_dealt(op).fetch_add(1, std::memory_order_relaxed);
    if (item >= n_tiles * n_heads || stop_.stop_requested()) return;
    std::uint32_t tile = n_tiles - 1 - item / n_heads;
    auto run = runs_.begin();
    for (; tile >= n_tiles_of(*run); ++run) tile -= n_tiles_of(*run);
    const std::uint32_t row = tile * n_tile_rows;
    attend_rows(layer, query, attended, item % n_heads, run->first_row + row, std::min(n_tile_rows, run->n_rows - row),
                thread);
  }
}

void CpuStep::attend_rows(const BoundLayer& layer, const float* query, float* attended, std::uint32_t kv_head,
                          std::uint32_t first_row, std::uint32_t n_rows, std::uint32_t thread) {
  const LayerSpec& spec = *layer.spec;
  const std::uint32_t heads_per_kv = spec.n_heads / spec.n_kv_heads, n_all = n_rows * heads_per_kv,
                      most = most_queries(layer.keys, layer.values);
  for (std::uint32_t first = 0; first < n_all; first += most) {
    const std::uint32_t n = std::min(most, n_all - first);
    std::array<const float*, kCpuQueryTile> queries;
    std::array<float*, kCpuQueryTile> outputs;
    std::array<std::uint32_t, kCpuQueryTile> from, to;
    std::array<float, kCpuQueryTile> sinks;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t row = first_row + (first + i) / heads_per_kv,
                          head = kv_head * heads_per_kv + (first + i) % heads_per_kv;
      const std::uint32_t position = inputs_.rows[row].position;
      const std::size_t offset = std::size_t{row} * spec.q_dim() + std::size_t{head} * spec.head_dim;
      queries[i] = query + offset;
      outputs[i] = attended + offset;
      if (layer.sinks != nullptr) sinks[i] = layer.sinks[head];
      from[i] = seen_from(spec, position);
      to[i] = position + 1;
    }
    headroom::attend_many(kernels_,
                          {.keys = &layer.keys,
                           .values = &layer.values,
                           .slot = inputs_.rows[first_row].slot,
                           .kv_head = kv_head,
                           .exact_from = exact_from(layer.index, inputs_.rows[first_row].slot),
                           .scale = spec.attention_scale,
                           .softcap = spec.attention_softcap,
                           .rotation = layer.v_rotation.empty() ? nullptr : layer.v_rotation.data(),
                           .sinks = layer.sinks == nullptr ? nullptr : sinks.data(),
                           .n_queries = n,
                           .queries = queries.data(),
                           .seen_from = from.data(),
                           .seen_to = to.data(),
                           .first = *std::min_element(from.begin(), from.begin() + n),
                           .last = *std::max_element(to.begin(), to.begin() + n)},
                          bound_.widest_head_dim, bound_.scratch.attention(thread), outputs.data());
  }
}

}  // namespace headroom
