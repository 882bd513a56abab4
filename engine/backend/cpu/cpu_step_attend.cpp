// The attention op of a step: which queries read which keys on which thread.
#include <algorithm>
#include <array>
#include <cmath>

#include "backend/cpu/cpu_step.h"

namespace headroom {
namespace {

// Below this many positions a part is not worth its merge.
constexpr std::uint32_t kMinSplitKeys = 256;

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
  const std::uint32_t position = inputs_.rows[row].position, from = seen_from(layer, position), start = from / kKvRowStep * kKvRowStep;
  const auto size = static_cast<std::uint32_t>(round_up(div_up(position + 1 - start, n_splits(layer, row)), kKvRowStep));
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
    attend_few(layer, bound_.buffer(op.input), thread);
  } else {
    attend_many(layer, bound_.buffer(op.input), bound_.buffer(op.output), thread);
  }
}

// Few rows: parts of the context are shared out, and merged when the next op reads them.
void CpuStep::attend_few(const BoundLayer& layer, const float* query, std::uint32_t thread) {
  const LayerSpec& spec = *layer.spec;
  const AttendScratch scratch = cut_attend_scratch(bound_.scratch.attention(thread), bound_.widest_head_dim);
  const std::uint32_t heads_per_kv = spec.n_heads / spec.n_kv_heads, width = padded(spec.head_dim);
  std::uint32_t item = 0;
  for (std::uint32_t row = 0; row < inputs_.rows.size(); ++row) {
    const StepRow& at = inputs_.rows[row];
    std::array<std::uint32_t, kCpuQueryTile> from, to;
    from.fill(seen_from(spec, at.position));
    to.fill(at.position + 1);
    const std::uint32_t splits = n_splits(spec, row);
    for (std::uint32_t kv_head = 0; kv_head < spec.n_kv_heads; ++kv_head) {
      for (std::uint32_t index = 0; index < splits; ++index) {
        if (item++ % pool_.n_threads() != thread) continue;
        const Split keys = split(spec, row, index);
        for (std::uint32_t first = 0; first < heads_per_kv; first += kCpuQueryTile) {
          const std::uint32_t n = std::min(kCpuQueryTile, heads_per_kv - first), head = kv_head * heads_per_kv + first;
          std::array<const float*, kCpuQueryTile> queries;
          for (std::uint32_t i = 0; i < n; ++i) queries[i] = query + std::size_t{row} * spec.q_dim() + std::size_t{head + i} * spec.head_dim;
          headroom::attend(kernels_,
                           {.keys = &layer.keys,
                            .values = &layer.values,
                            .slot = at.slot,
                            .kv_head = kv_head,
                            .exact_from = exact_from(layer.index, at.slot),
                            .scale = spec.attention_scale,
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
    }
  }
}

const float* CpuStep::merge_partials(const BoundLayer& bound, std::uint32_t row, float* out) const {
  const LayerSpec& layer = *bound.spec;
  const std::uint32_t splits = n_splits(layer, row), width = padded(layer.head_dim);
  for (std::uint32_t head = 0; head < layer.n_heads; ++head) {
    float maximum = partial(layer, row, head, 0)[width], sum = 0.0F;
    for (std::uint32_t index = 1; index < splits; ++index) maximum = std::max(maximum, partial(layer, row, head, index)[width]);
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

// Many rows: tiles of rows that read the same keys, dealt out in turn because later rows see more.
void CpuStep::attend_many(const BoundLayer& layer, const float* query, float* attended, std::uint32_t thread) {
  const LayerSpec& spec = *layer.spec;
  const std::uint32_t tile_rows = std::max(1U, kCpuQueryTile / (spec.n_heads / spec.n_kv_heads));
  std::uint32_t item = 0;
  for (const Run& run : runs_) {
    for (std::uint32_t first = 0; first < run.n_rows; first += tile_rows) {
      for (std::uint32_t kv_head = 0; kv_head < spec.n_kv_heads; ++kv_head) {
        if (item++ % pool_.n_threads() != thread) continue;
        if (stop_.stop_requested()) return;
        attend_rows(layer, query, attended, kv_head, run.first_row + first, std::min(tile_rows, run.n_rows - first), thread);
      }
    }
  }
}

void CpuStep::attend_rows(const BoundLayer& layer, const float* query, float* attended, std::uint32_t kv_head, std::uint32_t first_row,
                          std::uint32_t n_rows, std::uint32_t thread) {
  const LayerSpec& spec = *layer.spec;
  const AttendScratch scratch = cut_attend_scratch(bound_.scratch.attention(thread), bound_.widest_head_dim);
  const std::uint32_t heads_per_kv = spec.n_heads / spec.n_kv_heads, width = padded(spec.head_dim), n_all = n_rows * heads_per_kv;
  for (std::uint32_t first = 0; first < n_all; first += kCpuQueryTile) {
    const std::uint32_t n = std::min(kCpuQueryTile, n_all - first);
    std::array<const float*, kCpuQueryTile> queries;
    std::array<std::size_t, kCpuQueryTile> offsets;
    std::array<std::uint32_t, kCpuQueryTile> from, to;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t row = first_row + (first + i) / heads_per_kv, head = kv_head * heads_per_kv + (first + i) % heads_per_kv;
      const std::uint32_t position = inputs_.rows[row].position;
      offsets[i] = std::size_t{row} * spec.q_dim() + std::size_t{head} * spec.head_dim;
      queries[i] = query + offsets[i];
      from[i] = seen_from(spec, position);
      to[i] = position + 1;
    }
    headroom::attend(kernels_,
                     {.keys = &layer.keys,
                      .values = &layer.values,
                      .slot = inputs_.rows[first_row].slot,
                      .kv_head = kv_head,
                      .exact_from = exact_from(layer.index, inputs_.rows[first_row].slot),
                      .scale = spec.attention_scale,
                      .n_queries = n,
                      .queries = queries.data(),
                      .seen_from = from.data(),
                      .seen_to = to.data(),
                      .first = *std::min_element(from.begin(), from.begin() + n),
                      .last = *std::max_element(to.begin(), to.begin() + n)},
                     scratch);
    for (std::uint32_t i = 0; i < n; ++i) {
      const float inverse = 1.0F / scratch.sums[i];
      for (std::uint32_t d = 0; d < spec.head_dim; ++d) attended[offsets[i] + d] = scratch.acc[std::size_t{i} * width + d] * inverse;
      if (!layer.v_rotation.empty()) kernels_.unrotate(attended + offsets[i], spec.head_dim, layer.v_rotation.data());
    }
  }
}

}  // namespace headroom
