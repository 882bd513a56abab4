#include "backend/gpu/gpu_products.h"

#include <algorithm>

#include "backend/gpu/gpu_words.h"
#include "base/check.h"
#include "format/dtype_table.h"

namespace headroom {
namespace {

constexpr std::uint32_t kTile = kGpuTileRows;  // features and rows of a workgroup: vulkan/shaders/matmul.comp
constexpr std::uint64_t kLargeMatrix = 2048;   // rows
constexpr std::uint32_t kLaneColumns = 8;      // that a lane has at once: cuda/kernels/matvec_split.cu

// Warps of a workgroup that share out blocks of columns: as few as take no longer than the most would.
std::uint32_t warps_for(std::uint64_t n_blocks, std::uint32_t most) {
  const std::uint64_t rounds = div_up(n_blocks, most);
  return narrow(div_up(n_blocks, rounds));
}

bool is_quantized(const GpuWeight& weight) { return dtype_row(weight.dtype).block_elems > 1; }
Bytes panel_bytes_of(const GpuWeight& weight) { return gpu_panel(weight.dtype, weight.n_cols).bytes(); }

}  // namespace

std::uint32_t type_of(const GpuWeight* weight) {
  return weight == nullptr ? 0 : static_cast<std::uint32_t>(weight->dtype);
}

ProductDispatches::ProductDispatches(const GpuBinding& bound, const Op& op, RowClass rows)
    : bound_(bound),
      model_(*bound.model),
      op_(op),
      rows_(rows),
      spec_(op.layer >= 0 ? &model_.layers[static_cast<std::size_t>(op.layer)] : nullptr) {
  parts_.emplace_back();
}

Encoding ProductDispatches::encoding_for(std::span<const GpuWeight* const> readers) const {
  const auto all = [&](auto holds) { return std::all_of(readers.begin(), readers.end(), holds); };
  if (!all([](const GpuWeight* weight) { return weight->n_cols % kGpuGroup == 0; })) return Encoding::kF32;
  const bool is_of_experts = readers.front()->n_matrices > 1;
  const HalfRows half_rows = has_tiles(is_of_experts) ? bound_.arithmetic.half_rows : HalfRows::kNone;
  const bool are_quantized = all([](const GpuWeight* weight) { return is_quantized(*weight); });
  if (half_rows == HalfRows::kOfAllWeights || (half_rows == HalfRows::kOfPlainWeights && !are_quantized))
    return all([](const GpuWeight* weight) { return weight->dtype != DType::kF32; }) ? Encoding::kHalf : Encoding::kF32;
  return bound_.arithmetic.has_int8 && are_quantized ? Encoding::kInt8 : Encoding::kF32;
}

bool ProductDispatches::has_tiles(bool is_of_experts) const {
  return rows_ == RowClass::kMany && (!is_of_experts || spec_->n_experts <= kGpuMostExperts);
}

std::uint64_t ProductDispatches::panels_at_once(const GpuWeight& matrix, const GpuWeight* second) const {
  const Bytes limit = bound_.plan->devices[bound_.device].max_binding_bytes;
  const Bytes most = limit == 0 ? ~std::uint32_t{0} : limit;
  const Bytes each = std::max(panel_bytes_of(matrix), second == nullptr ? 0 : panel_bytes_of(*second));
  return std::clamp<std::uint64_t>(most / each, 1, kMostGroups);
}

GpuSlice ProductDispatches::panels(const GpuWeight& weight, std::uint64_t first, std::uint64_t last) {
  const Bytes each = panel_bytes_of(weight);
  return weight.slice.part(first * each, (last - first) * each);
}

std::uint32_t ProductDispatches::choices_at() const {
  return narrow(gpu_expert_tiles(*spec_, bound_.plan->program.max_rows).choices_at);
}

Dispatch& ProductDispatches::add(Kernel kernel, bool needs_barrier) {
  Dispatch& dispatch = parts_.back().dispatches.emplace_back();
  dispatch.kernel = kernel;
  dispatch.needs_barrier = needs_barrier;
  dispatch.slices[0] = bound_.step_inputs();
  return dispatch;
}

void ProductDispatches::encode_int8(const GpuSlice& from, const GpuSlice& to, std::uint64_t n_cols,
                                    bool needs_barrier) {
  Dispatch& dispatch = add(Kernel::kEncode, needs_barrier);
  dispatch.slices[3] = from;
  dispatch.slices[4] = to;
  const std::uint64_t n_groups = n_cols / kGpuGroup;
  dispatch.push = words_of(args::EncodePush{.n_groups = narrow(n_groups)});
  dispatch.groups = {narrow(div_up(n_groups, bound_.arithmetic.group_sizes.encoded_groups)), GridSize::Of::kRows};
}

void ProductDispatches::norm(const Norm& norm, bool needs_barrier) {
  Dispatch& dispatch = add(Kernel::kNorm, needs_barrier);
  dispatch.constants = words_of(args::NormConstants{.is_gathered = norm.is_gathered ? 1U : 0U,
                                                    .is_added = norm.is_added ? 1U : 0U,
                                                    .is_normed = norm.role || norm.lacks_weight ? 1U : 0U,
                                                    .has_weight = norm.role ? 1U : 0U,
                                                    .encoding = static_cast<std::uint32_t>(norm.encoding),
                                                    .half_exponent = bound_.arithmetic.half_exponent});
  dispatch.slices[1] =
      norm.role ? bound_.at(*norm.role, norm.role == TensorRole::kOutputNorm ? -1 : op_.layer).slice : norm.from;
  dispatch.slices[3] = norm.from;
  dispatch.slices[4] = norm.to;
  dispatch.push = words_of(args::NormPush{.n_cols = norm.n_cols > 0 ? norm.n_cols : model_.d_model,
                                          .logit_rows_at = narrow(bound_.input_layout.logit_rows_at),
                                          .epsilon = norm.is_added ? model_.epsilon_behind() : model_.norm_epsilon,
                                          .scale = norm.scale,
                                          .n_per_row = 1});
  dispatch.groups.of = norm.is_gathered ? GridSize::Of::kLogitRows : GridSize::Of::kRows;
}

void ProductDispatches::pre_norm(TensorRole role, Encoding encoding) {
  norm({.from = bound_.buffer(op_.inputs[0]),
        .to = bound_.scratch.normed,
        .role = spec_->has_pre_norms ? std::optional(role) : std::nullopt,
        .encoding = encoding},
       false);
}

void ProductDispatches::multiply(const Product& product, bool needs_barrier) {
  const GpuWeight& matrix = *product.matrix;
  const std::uint64_t n_panels = div_up(matrix.n_rows, kGpuPanelRows), at_once = panels_at_once(matrix, product.second);
  for (std::uint64_t first = 0; first < n_panels; first += at_once) {
    const std::uint64_t last = std::min(n_panels, first + at_once);
    Dispatch& dispatch = add_product(product, needs_barrier && first == 0);
    dispatch.slices[1] = panels(matrix, first, last);
    dispatch.slices[2] = panels(product.second == nullptr ? matrix : *product.second, first, last);
    if (product.bias != nullptr) dispatch.slices[5] = product.bias->slice;
    dispatch.push =
        push_of(product, narrow(first * kGpuPanelRows), narrow(std::min(matrix.n_rows, last * kGpuPanelRows)));
    if (rows_ == RowClass::kMany) {
      dispatch.groups = {narrow(div_up(last - first, panels_of_tile(product))),
                         product.is_of_logits ? GridSize::Of::kLogitTiles : GridSize::Of::kTiles, tile_rows(product)};
    } else {
      dispatch.groups = {narrow(last - first) * panel_blocks(product),
                         product.is_of_logits ? GridSize::Of::kAnyLogits : GridSize::Of::kAny};
    }
  }
  count_products(product, 1);
}

void ProductDispatches::multiply_experts(const Product& product, bool needs_barrier) {
  const GpuWeight& matrix = *product.matrix;
  const std::uint64_t of_expert = div_up(matrix.n_rows, kGpuPanelRows);
  const std::uint64_t all_at_once = panels_at_once(matrix, product.second), at_once = all_at_once / of_expert;
  CHECK(at_once > 0, "an expert's matrix is larger than what a kernel sees at once");
  const bool is_down = product.experts == Experts::kDown, is_tiled = has_tiles(true);
  for (std::uint64_t first = 0; first < matrix.n_matrices; first += at_once) {
    const std::uint64_t last = std::min(matrix.n_matrices, first + at_once);
    // Sums of windows add up in the same rows one behind the other.
    Product of_window = product;
    if (first > 0 && is_down && !is_tiled) of_window.epilogue = Epilogue::kAdd;
    Dispatch& dispatch = add_product(of_window, first == 0 ? needs_barrier : is_down && !is_tiled);
    dispatch.slices[1] = panels(matrix, first * of_expert, last * of_expert);
    dispatch.slices[2] =
        panels(product.second == nullptr ? matrix : *product.second, first * of_expert, last * of_expert);
    dispatch.push = push_of(product, narrow(first), narrow(last));
    // Where a kernel has neither ids, weights nor tiles.
    if (product.bias != nullptr) dispatch.slices[7] = product.bias->slice;
    if (product.second_bias != nullptr) dispatch.slices[is_tiled ? 5 : 6] = product.second_bias->slice;
    if (is_tiled) {
      dispatch.slices[6] = bound_.scratch.expert_tiles;
      dispatch.groups = {narrow(div_up(of_expert, panels_of_tile(product))), GridSize::Of::kExpertTiles,
                         spec_->n_experts_used, 0, spec_->n_experts};
      continue;
    }
    dispatch.slices[5] = product.ids;
    if (is_down) dispatch.slices[6] = product.weights;
    dispatch.groups = {narrow(of_expert), GridSize::Of::kRows, is_down ? 1 : spec_->n_experts_used};
  }
  count_products(product, spec_->n_experts_used);
}

Kernel ProductDispatches::kernel_of(const Product& product, bool is_many) const {
  switch (product.reads) {
    case Encoding::kF32: return is_many ? Kernel::kMatmul : Kernel::kMatvec;
    case Encoding::kInt8: return is_many ? Kernel::kMatmulInt8 : Kernel::kMatvecInt8;
    case Encoding::kHalf: return bound_.arithmetic.matrices ? Kernel::kMatmulMatrices : Kernel::kMatmulHalf;
  }
  CHECK(false, "an encoding that is not there");
}

// Small matrices have too few large tiles for a card.
std::uint32_t ProductDispatches::tile_features(const Product& product) const {
  if (product.reads == Encoding::kF32) return kTile;
  if (!bound_.arithmetic.matrices) return bound_.arithmetic.tile_features;
  return product.reads == Encoding::kHalf && product.matrix->n_rows >= kLargeMatrix ? 2 * kTile : kTile;
}

// High tiles unpack a weight for more rows, and are fewer: a card that they leave a quarter of idle is better off with
// low ones. Keys and values are taken for as large as the queries that they are launched with.
std::uint32_t ProductDispatches::tile_rows(const Product& product) const {
  const GpuArithmetic& arithmetic = bound_.arithmetic;
  const std::uint32_t max_rows = bound_.plan->program.max_rows;
  if (product.reads == Encoding::kF32 || arithmetic.matrices || max_rows <= kTile) return kTile;
  const std::uint64_t n_features = std::max<std::uint64_t>(product.matrix->n_rows, model_.d_model);
  const std::uint64_t n_tiles =
      div_up(n_features, panels_of_tile(product) * kGpuPanelRows) * div_up(max_rows, arithmetic.tile_rows);
  return 4 * n_tiles >= 3 * std::uint64_t{arithmetic.n_multiprocessors} ? arithmetic.tile_rows : kTile;
}

std::uint32_t ProductDispatches::panels_of_tile(const Product& product) const {
  return tile_features(product) / kGpuPanelRows / (product.epilogue == Epilogue::kGate ? 2 : 1);
}

Dispatch& ProductDispatches::add_product(const Product& product, bool needs_barrier) {
  const bool is_many = has_tiles(product.experts != Experts::kNone);
  Dispatch& dispatch = add(kernel_of(product, is_many), needs_barrier);
  dispatch.constants = dispatch.kernel == Kernel::kMatmulMatrices ? matrices_constants(product)
                       : is_many                                  ? matmul_constants(product)
                                                                  : matvec_constants(product);
  dispatch.slices[3] = product.from;
  dispatch.slices[4] = product.to;
  return dispatch;
}

args::ProductConstants ProductDispatches::product_constants(const Product& product) const {
  return {.type = type_of(product.matrix),
          .second_type = type_of(product.second),
          .epilogue = static_cast<std::uint32_t>(product.epilogue),
          .has_bias = product.bias == nullptr ? 0U : 1U,
          .activation = product.epilogue == Epilogue::kGate ? static_cast<std::uint32_t>(spec_->activation) : 0,
          .is_of_logits = product.is_of_logits ? 1U : 0U,
          .has_tail = product.matrix->n_cols % kGpuGroup == 0 ? 0U : 1U,
          .encodes = product.encodes ? 1U : 0U};
}

std::vector<std::uint32_t> ProductDispatches::matmul_constants(const Product& product) const {
  return words_of(args::MatmulConstants{.product = product_constants(product),
                                        .experts = static_cast<std::uint32_t>(product.experts)});
}

std::vector<std::uint32_t> ProductDispatches::matrices_constants(const Product& product) const {
  const args::ProductConstants common = product_constants(product);
  const MatrixShape& shape = *bound_.arithmetic.matrices;
  const std::uint32_t features = tile_features(product);
  return words_of(args::MatricesConstants{.type = common.type,
                                          .second_type = common.second_type,
                                          .epilogue = common.epilogue,
                                          .has_bias = common.has_bias,
                                          .activation = common.activation,
                                          .is_of_logits = common.is_of_logits,
                                          .tile_features = features,
                                          .m = shape.m,
                                          .n = shape.n,
                                          .k = shape.k,
                                          .n_subgroups = shape.n_subgroups(),
                                          .n_beside = shape.n_beside(features),
                                          .experts = static_cast<std::uint32_t>(product.experts)});
}

// How many warps share out the columns of a panel: arithmetic.column_parts, or half as many where blocks of so many
// warps would wait for others to end while smaller blocks all run at once. Example: an 8B's gates and ups have 448
// panels. An H100 has room for 528 blocks of 8 warps, which take 26 us, and for 264 blocks of 16 warps, of which 184
// wait: 30 us. Up products of experts have a block for each panel of each chosen expert, and a multiprocessor runs two
// blocks of more than half of the warps: where there are more blocks than that, they get half of the warps too.
std::uint32_t ProductDispatches::most_column_parts(const Product& product) const {
  constexpr std::uint64_t kLeastWarps = 24;  // of a multiprocessor
  const GpuArithmetic& arithmetic = bound_.arithmetic;
  const std::uint32_t parts = arithmetic.column_parts;
  if (arithmetic.n_multiprocessors == 0 || product.experts == Experts::kDown) return parts;
  const std::uint64_t n_panels = div_up(product.matrix->n_rows, kGpuPanelRows);
  if (product.experts == Experts::kUp)
    return n_panels * spec_->n_experts_used > 2 * std::uint64_t{arithmetic.n_multiprocessors} ? parts / 2 : parts;
  return n_panels * (parts / 2) >= kLeastWarps * arithmetic.n_multiprocessors ? parts / 2 : parts;
}

// How many blocks share out the rows of a panel, of a matrix of plain numbers. With one block a panel a matrix of few
// panels, as a router's, leaves most multiprocessors idle: one of an H200 takes 7 to 8 us to read 370 KB. So it is the
// most of 8, 4, 2 and 1 with which there are no more blocks than multiprocessors. Example: 128 experts have 4 panels,
// and 8 blocks each on a card of 32 multiprocessors or more.
std::uint32_t ProductDispatches::panel_blocks(const Product& product) const {
  const GpuWeight& matrix = *product.matrix;
  if (product.experts != Experts::kNone || product.reads != Encoding::kF32 || is_quantized(matrix) ||
      matrix.n_cols % kGpuGroup != 0 || product.second != nullptr || product.encodes)
    return 1;
  const std::uint64_t n_panels = div_up(matrix.n_rows, kGpuPanelRows);
  std::uint32_t blocks = bound_.arithmetic.most_panel_blocks;
  while (blocks > 1 && n_panels * blocks > bound_.arithmetic.n_multiprocessors) blocks /= 2;
  return blocks;
}

std::vector<std::uint32_t> ProductDispatches::matvec_constants(const Product& product) const {
  const std::uint32_t n_matrices = product.second == nullptr ? 1 : 2;
  const std::uint32_t most_parts = most_column_parts(product);
  const std::uint64_t n_blocks = div_up(div_up(product.matrix->n_cols, kGpuGroup), kGpuBlock);
  const bool shares_out_experts = product.experts == Experts::kDown && bound_.arithmetic.shares_out_experts;
  std::uint32_t n_parts = shares_out_experts ? warps_for(n_blocks * spec_->n_experts_used, most_parts)
                                             : warps_for(n_blocks, most_parts / n_matrices) * n_matrices;
  // Where several blocks have a panel, as many lanes have each of its rows.
  if (const std::uint32_t of_panel = panel_blocks(product); of_panel > 1)
    n_parts = warps_for(div_up(product.matrix->n_cols, kLaneColumns * of_panel), most_parts);
  const bool is_one = rows_ == RowClass::kOne || product.experts != Experts::kNone;
  return words_of(args::MatvecConstants{.product = product_constants(product),
                                        .most_rows = is_one ? 1 : kGpuFewRows,
                                        .n_threads = n_parts * kGpuPanelRows,
                                        .experts = static_cast<std::uint32_t>(product.experts)});
}

// first, last: rows of the matrix, or experts.
std::vector<std::uint32_t> ProductDispatches::push_of(const Product& product, std::uint32_t first,
                                                      std::uint32_t last) const {
  const bool is_of_experts = product.experts != Experts::kNone;
  const std::uint32_t n_cols = narrow(product.matrix->n_cols), n_groups = narrow(div_up(n_cols, kGpuGroup)),
                      n_out = narrow(product.matrix->n_rows), n_used = is_of_experts ? spec_->n_experts_used : 0;
  if (!has_tiles(is_of_experts)) {
    return words_of(args::MatvecPush{.n_cols = n_cols,
                                     .n_groups = n_groups,
                                     .n_out = n_out,
                                     .first = first,
                                     .last = last,
                                     .n_used = n_used,
                                     .cap = product.cap,
                                     .panel_blocks = panel_blocks(product)});
  }
  return words_of(args::MatmulPush{.n_cols = n_cols,
                                   .n_groups = n_groups,
                                   .n_out = n_out,
                                   .first = first,
                                   .last = last,
                                   .cap = product.cap,
                                   .n_used = n_used,
                                   .choices_at = is_of_experts ? choices_at() : 0});
}

void ProductDispatches::count_products(const Product& product, double n_used) {
  parts_.back().products_per_row += static_cast<double>(product.matrix->n_rows * product.matrix->n_cols) * n_used *
                                    (product.second == nullptr ? 1 : 2);
}

}  // namespace headroom
