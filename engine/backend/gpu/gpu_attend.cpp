#include "backend/gpu/gpu_attend.h"

#include <algorithm>

#include "backend/gpu/gpu_args.h"
#include "backend/gpu/gpu_cache.h"
#include "backend/gpu/gpu_words.h"
#include "base/check.h"
#include "format/dtype_table.h"
#include "model/gpu_panel.h"
#include "plan/kv_regions.h"

namespace headroom {
namespace {

constexpr std::uint32_t kLeastTile = 8;  // that more heads in a stack are worth

// The longest row that stands in a tile.
Bytes tile_row_bytes(const LayerSpec& layer, const PlanOptions& options) {
  Bytes most = 0;
  for (const DType dtype : {options.kv_k, options.kv_v}) {
    most = std::max(most, row_bytes(dtype, layer.head_dim));
    if (kv_f16_rows_of(layer, dtype, options).n_rows() > 0)
      most = std::max(most, row_bytes(DType::kF16, layer.head_dim));
  }
  return most;
}

std::uint64_t tile_vectors(const AttendShape& shape, Bytes row_bytes) {
  return div_up(shape.tile_keys * row_bytes, 16) + 2;  // rows begin and end anywhere in one of 16 bytes
}

// Whether a shape is small enough; notes its sizes.
bool fits(AttendShape& shape, const AttendLimits& limits, std::uint32_t head_dim, Bytes row_bytes) {
  const std::uint64_t words = 4 * tile_vectors(shape, row_bytes), n = shape.n_queries();
  const std::uint64_t area =
      std::max<std::uint64_t>({words + words / 32 * 4, n * limits.n_threads, 4 * limits.n_threads});
  const std::uint64_t shared =
      area + n * (round_up(head_dim, 4) + shape.tile_keys + 1) + 2 * std::uint64_t{limits.n_threads};
  shape.area_words = narrow(area);
  shape.shared_words = narrow(shared);
  return shared <= limits.shared_words;
}

// Few stacks come before long tiles. The longest heads have room for a few keys only.
AttendShape one_row(const AttendLimits& limits, std::uint32_t group, std::uint32_t head_dim, Bytes row_bytes) {
  AttendShape shape;
  for (shape.n_stacks = 1; shape.n_stacks <= group; ++shape.n_stacks) {
    shape.n_heads = narrow(div_up(group, shape.n_stacks));
    if (shape.n_heads > limits.most_queries) continue;
    const std::uint32_t least = shape.n_heads == 1 ? 1 : kLeastTile;
    for (shape.tile_keys = kKvRowStep; shape.tile_keys >= least; shape.tile_keys /= 2) {
      if (fits(shape, limits, head_dim, row_bytes)) return shape;
    }
  }
  CHECK(false, "a head is too long for the shared memory of a workgroup");
}

// Where blocks have up to so many queries, and shared memory is the kernel's own.
AttendShape stacked(const LayerSpec& layer, std::uint32_t n_queries) {
  AttendShape shape;
  const std::uint32_t group = layer.n_heads / layer.n_kv_heads;
  shape.n_stacks = narrow(div_up(group, n_queries));
  shape.n_heads = narrow(div_up(group, shape.n_stacks));
  shape.tile_keys = kKvRowStep;
  return shape;
}

class AttendDispatches {
 public:
  AttendDispatches(const GpuBinding& bound, const Op& op, RowClass rows)
      : bound_(bound),
        op_(op),
        rows_(rows),
        layer_(bound.model->layers[static_cast<std::size_t>(op.layer)]),
        cache_(bound, op.layer),
        splits_(gpu_splits(layer_, bound.plan->options)) {}

  // Steps of few rows split the keys; larger ones go by the rows of a submission.
  std::vector<OpPart> make() {
    if (rows_ != RowClass::kMany) {
      OpPart& few = parts_.emplace_back();
      attend(few, 0, true);
      merge(few, 0, true);
      return std::move(parts_);
    }
    n_rows_ = attend_rows_at_once(layer_, bound_.plan->options, bound_.arithmetic);
    for (std::uint32_t first = 0; first < bound_.plan->program.max_rows; first += n_rows_) {
      OpPart& part = parts_.emplace_back();
      part.first_row = first;
      attend(part, first, false);
      if (cache_.is_rotated(false)) merge(part, first, false);
    }
    return std::move(parts_);
  }

 private:
  Dispatch& add(OpPart& part, Kernel kernel, std::uint32_t first, std::uint32_t n_groups) {
    Dispatch& dispatch = part.dispatches.emplace_back();
    dispatch.kernel = kernel;
    dispatch.needs_barrier = kernel == Kernel::kAttendMerge;
    dispatch.slices[0] = bound_.step_inputs();
    dispatch.slices[4] = bound_.buffer(op_.outputs[0]);
    dispatch.groups = {n_groups, GridSize::Of::kRows, 1, first, n_rows_};
    return dispatch;
  }

  // Where the maxima and sums of splits are, behind their results.
  std::uint32_t shares_at() const {
    return narrow(std::uint64_t{splits_.n_partials(bound_.plan->program.max_rows)} * layer_.q_dim());
  }

  // As ProductDispatches::encoding_for(): what has F32 weights, or an F32 cache, is computed in f32.
  bool has_half_attend(std::uint32_t most_dim) const {
    const PlanOptions& options = bound_.plan->options;
    return layer_.head_dim <= most_dim && layer_.head_dim % 8 == 0 && options.kv_k != DType::kF32 &&
           options.kv_v != DType::kF32 && bound_.at(TensorRole::kQ, op_.layer).dtype != DType::kF32;
  }

  void attend(OpPart& part, std::uint32_t first, bool is_split) {
    const PlanOptions& options = bound_.plan->options;
    const GpuArithmetic& arithmetic = bound_.arithmetic;
    const AttendLimits& limits = arithmetic.attend;
    const bool is_half = has_half_attend(is_split ? arithmetic.half_attend_row_dim : arithmetic.half_attend_dim);
    const Kernel kernel = !is_half ? Kernel::kAttend : is_split ? Kernel::kAttendRows : Kernel::kAttendTiles;
    const AttendShape shape = !is_half   ? attend_shape(layer_, options, limits, is_split)
                              : is_split ? attend_row_shape(layer_, limits)
                                         : attend_tile_shape(layer_, limits);
    const GpuSlice exact_keys = cache_.part(KvPart::kExactKeys), exact_values = cache_.part(KvPart::kExactValues);
    const GpuWeight* sinks = bound_.find(TensorRole::kAttnSinks, op_.layer);
    part.products_per_row = 2.0 * layer_.q_dim() * gpu_most_seen(layer_, options);
    Dispatch& dispatch = add(part, kernel, first, layer_.n_kv_heads * shape.n_stacks);
    if (kernel == Kernel::kAttendTiles) {
      dispatch.groups.of = GridSize::Of::kTiles;
      dispatch.groups.factor = shape.n_rows;
    }
    dispatch.constants =
        words_of(args::AttendConstants{.head_dim = layer_.head_dim,
                                       .key_type = static_cast<std::uint32_t>(options.kv_k),
                                       .value_type = static_cast<std::uint32_t>(options.kv_v),
                                       .has_exact_keys = exact_keys ? 1U : 0U,
                                       .has_exact_values = exact_values ? 1U : 0U,
                                       .has_shifts = has_value_shifts(KvPart::kValues, options) ? 1U : 0U,
                                       .is_split = is_split ? 1U : 0U,
                                       .heads = shape.n_heads,
                                       .rows = shape.n_rows,
                                       .tile = shape.tile_keys,
                                       .area_words = shape.area_words,
                                       .has_sinks = sinks != nullptr ? 1U : 0U});
    dispatch.slices[1] = cache_.part(KvPart::kKeys);
    dispatch.slices[2] = cache_.part(KvPart::kValues);
    dispatch.slices[3] = bound_.buffer(op_.inputs[0]);
    if (is_split) dispatch.slices[4] = bound_.scratch.partials;
    dispatch.slices[5] = exact_keys;
    dispatch.slices[6] = exact_values;
    if (sinks != nullptr) dispatch.slices[7] = sinks->slice;
    for (const std::size_t read : {1U, 2U, 5U, 6U})
      CHECK(dispatch.slices[read].size % 16 == 0, "a cache does not end where 16 bytes are read at once");
    const std::uint64_t exact_from =
        bound_.input_layout.exact_from_at + static_cast<std::uint64_t>(op_.layer) * options.n_slots;
    dispatch.push = words_of(args::AttendPush{.first_row = first,
                                              .n_rows = n_rows_,
                                              .n_heads = layer_.n_heads,
                                              .n_kv_heads = layer_.n_kv_heads,
                                              .n_stacks = shape.n_stacks,
                                              .rows_at = narrow(bound_.input_layout.rows_at),
                                              .exact_from_at = narrow(exact_from),
                                              .window = splits_.window,
                                              .scale = layer_.attention_scale,
                                              .cap = layer_.attention_softcap,
                                              .row_splits = splits_.row_splits,
                                              .shares_at = shares_at(),
                                              .key_rows = cache_.rows(true),
                                              .value_rows = cache_.rows(false)});
    if (is_split) dispatch.groups.splits = splits_;
  }

  void merge(OpPart& part, std::uint32_t first, bool is_split) {
    Dispatch& dispatch = add(part, Kernel::kAttendMerge, first, layer_.n_heads);
    dispatch.constants = words_of(args::AttendMergeConstants{
        .head_dim = layer_.head_dim, .is_split = is_split ? 1U : 0U, .is_rotated = cache_.is_rotated(false) ? 1U : 0U});
    if (is_split) dispatch.slices[3] = bound_.scratch.partials;
    const bool encodes = is_split && attends_to_int8(bound_, op_.layer, rows_);
    if (encodes) dispatch.slices[5] = bound_.scratch.normed;
    dispatch.push = words_of(args::AttendMergePush{.first_row = first,
                                                   .n_heads = layer_.n_heads,
                                                   .rows_at = narrow(bound_.input_layout.rows_at),
                                                   .window = splits_.window,
                                                   .row_splits = splits_.row_splits,
                                                   .shares_at = shares_at(),
                                                   .encodes = encodes ? 1U : 0U});
  }

  const GpuBinding& bound_;
  const Op& op_;
  RowClass rows_;
  const LayerSpec& layer_;
  GpuCache cache_;
  GpuSplits splits_;
  std::uint32_t n_rows_ = kGpuFewRows;  // of a part
  std::vector<OpPart> parts_;
};

}  // namespace

// Blocks of rows have the tiles of single ones: see attend.comp.
AttendShape attend_shape(const LayerSpec& layer, const PlanOptions& options, const AttendLimits& limits,
                         bool is_split) {
  const Bytes row_bytes = tile_row_bytes(layer, options);
  AttendShape shape = one_row(limits, layer.n_heads / layer.n_kv_heads, layer.head_dim, row_bytes);
  if (is_split) return shape;
  shape.n_rows = std::max(1U, limits.queries_of_rows / shape.n_heads);
  while (!fits(shape, limits, layer.head_dim, row_bytes)) --shape.n_rows;
  return shape;
}

AttendShape attend_tile_shape(const LayerSpec& layer, const AttendLimits& limits) {
  const std::uint32_t n_queries = limits.tile_queries(layer.head_dim);
  AttendShape shape = stacked(layer, n_queries);
  shape.n_rows = n_queries / shape.n_heads;
  return shape;
}

AttendShape attend_row_shape(const LayerSpec& layer, const AttendLimits& limits) {
  return stacked(layer, limits.few_row_queries);
}

// A product here takes up to twice as long as one of a matrix.
std::uint32_t attend_rows_at_once(const LayerSpec& layer, const PlanOptions& options, const GpuArithmetic& arithmetic) {
  const std::uint32_t least = arithmetic.attend.least_rows;
  const double of_row = 4.0 * layer.q_dim() * static_cast<double>(gpu_most_seen(layer, options));
  const double n_units = std::min(arithmetic.most_products / of_row / least, 1e6);
  return std::max(1U, static_cast<std::uint32_t>(n_units)) * least;
}

std::uint64_t attend_loops(const LayerSpec& layer, const PlanOptions& options, const AttendLimits& limits,
                           std::uint64_t n_keys) {
  const AttendShape shape = attend_shape(layer, options, limits, false);
  const std::uint32_t n_threads = limits.n_threads;
  const std::uint64_t tile = shape.tile_keys, chunks = div_up(layer.head_dim, 4),
                      values = std::min<std::uint64_t>(tile, n_threads / std::min<std::uint64_t>(chunks, n_threads));
  const std::uint64_t of_tile = 1 + 2 * div_up(tile_vectors(shape, tile_row_bytes(layer, options)), n_threads) +
                                div_up(chunks * tile, n_threads) + div_up(tile, limits.team) * (n_threads / tile) +
                                2 * limits.team + div_up(tile, values);
  // A tile is cut where the exact ones begin, and another one where the keys begin.
  const std::uint64_t n_tiles = div_up(n_keys, tile) + 2;
  return n_tiles * of_tile + div_up(shape.n_queries() * chunks, n_threads) + shape.n_queries() * values + shape.n_rows;
}

bool attends_to_int8(const GpuBinding& bound, std::int32_t layer, RowClass rows) {
  const GpuWeight* reader = bound.find(TensorRole::kAttnOut, layer);
  const LayerSpec& spec = bound.model->layers[static_cast<std::size_t>(layer)];
  return bound.arithmetic.attends_to_int8 && spec.has_attention() && rows != RowClass::kMany && reader != nullptr &&
         !spec.has_out_gate && dtype_row(reader->dtype).block_elems > 1 && spec.head_dim % kGpuGroup == 0;
}

std::vector<OpPart> attend_parts(const GpuBinding& bound, const Op& op, RowClass rows) {
  return AttendDispatches(bound, op, rows).make();
}

}  // namespace headroom
