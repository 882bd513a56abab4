#include "backend/vulkan/vulkan_dispatches.h"

#include <algorithm>
#include <initializer_list>

#include "backend/vulkan/vulkan_attend.h"
#include "backend/vulkan/vulkan_cache.h"
#include "backend/vulkan/vulkan_words.h"
#include "base/check.h"
#include "format/dtype_table.h"
#include "model/gpu_panel.h"
#include "plan/kv_regions.h"

namespace headroom {
namespace {

constexpr std::uint32_t kTile = 64;           // features and rows of a workgroup: shaders/matmul.comp
constexpr std::uint32_t kMostParts = 8;       // of the columns, and of the two matrices, in a workgroup of matvec.comp
constexpr std::uint32_t kEncodedGroups = 16;  // of a workgroup: shaders/encode.comp
constexpr std::uint32_t kEmbedCols = 128;     // of a workgroup

// What is done with a product: shaders/lib/then.glsl.
enum class Then : std::uint32_t { kStore, kAdd, kGate, kCap };

// Of matvec.comp.
enum class Experts : std::uint32_t { kNone, kUp, kDown };

// Warps of a workgroup that share out the columns of a matrix: as few as take no longer than the most would.
std::uint32_t column_parts(std::uint64_t n_groups, std::uint32_t most) {
  const std::uint64_t n_blocks = div_up(n_groups, kGpuBlock), rounds = div_up(n_blocks, most);
  return narrow(div_up(n_blocks, rounds));
}

bool is_quantized(const VulkanWeight& weight) { return dtype_row(weight.dtype).block_elems > 1; }
std::uint32_t type_of(const VulkanWeight* weight) {
  return weight == nullptr ? 0 : static_cast<std::uint32_t>(weight->dtype);
}

class OpDispatches {
 public:
  OpDispatches(const VulkanBinding& bound, const Op& op, RowClass rows)
      : bound_(bound),
        model_(*bound.model),
        info_(bound.plan->devices[bound.device]),
        op_(op),
        rows_(rows),
        spec_(op.layer >= 0 ? &model_.layers[static_cast<std::size_t>(op.layer)] : nullptr) {
    parts_.emplace_back();
  }

  std::vector<OpPart> make() {
    switch (op_.kind) {
      case OpKind::kEmbed: embed(); break;
      case OpKind::kQkvRope: qkv_rope(); break;
      case OpKind::kAttend: return attend_parts(bound_, op_, rows_);
      case OpKind::kAttnOut: attn_out(); break;
      case OpKind::kFfnUp: ffn_up(); break;
      case OpKind::kFfnDown: ffn_down(); break;
      case OpKind::kMoeRoute: moe_route(); break;
      case OpKind::kMoeUp: moe_up(); break;
      case OpKind::kMoeDown: moe_down(); break;
      case OpKind::kLogits: logits(); break;
      case OpKind::kTransfer: CHECK(false, "a segment holds a transfer");
    }
    return std::move(parts_);
  }

 private:
  struct Product {
    const VulkanWeight* matrix = nullptr;
    const VulkanWeight* second = nullptr;  // kGate: what the activation is multiplied with
    const VulkanWeight* bias = nullptr;
    VulkanSlice from = {}, to = {};
    bool is_int8 = false;  // `from`
    bool encodes = false;  // to int8
    Then then = Then::kStore;
    bool is_of_logits = false;
    float cap = 0;
    Experts experts = Experts::kNone;
    VulkanSlice ids = {}, weights = {};  // of choices
  };

  // Int8 activations, where all matrices that read them are quantized and the device multiplies such.
  bool takes_int8(std::initializer_list<const VulkanWeight*> readers) const {
    return bound_.tier >= 2 && std::all_of(readers.begin(), readers.end(), [](const VulkanWeight* weight) {
             return is_quantized(*weight) && weight->n_cols % kGpuGroup == 0;
           });
  }

  // Panels of matrices that are read together and that a kernel sees at once.
  std::uint64_t panels_at_once(const VulkanWeight& matrix, const VulkanWeight* second) const {
    const Bytes most = info_.max_binding_bytes == 0 ? ~std::uint32_t{0} : info_.max_binding_bytes;
    const Bytes each = std::max(panel_bytes_of(matrix), second == nullptr ? 0 : panel_bytes_of(*second));
    return std::clamp<std::uint64_t>(most / each, 1, kMostGroups);
  }

  static Bytes panel_bytes_of(const VulkanWeight& weight) { return gpu_panel(weight.dtype, weight.n_cols).bytes(); }
  static VulkanSlice panels(const VulkanWeight& weight, std::uint64_t first, std::uint64_t last) {
    const Bytes each = panel_bytes_of(weight);
    return weight.slice.part(first * each, (last - first) * each);
  }

  Dispatch& add(Kernel kernel, bool waits) {
    Dispatch& dispatch = parts_.back().dispatches.emplace_back();
    dispatch.kernel = kernel;
    dispatch.waits = waits;
    dispatch.slices[0] = bound_.inputs;
    return dispatch;
  }

  struct Norm {
    VulkanSlice from = {}, to = {};
    WeightSlot slot = WeightSlot::kAttnNorm;
    bool is_gathered = false;  // of rows with logits
    bool is_added = false;
    bool encodes = false;  // to int8
  };

  void norm(const Norm& norm, bool waits) {
    Dispatch& dispatch = add(Kernel::kNorm, waits);
    dispatch.constants = {norm.is_gathered ? 1U : 0U, norm.is_added ? 1U : 0U, norm.encodes ? 1U : 0U};
    dispatch.slices[1] = bound_.at(norm.slot, norm.slot == WeightSlot::kOutputNorm ? -1 : op_.layer).slice;
    dispatch.slices[3] = norm.from;
    dispatch.slices[4] = norm.to;
    dispatch.push = {model_.d_model, narrow(bound_.input_layout.logit_rows_at), word(model_.norm_epsilon)};
    dispatch.groups.of = norm.is_gathered ? GroupRule::Of::kLogitRows : GroupRule::Of::kRows;
  }

  // Rows that a product of quantized matrices reads.
  void encode(const VulkanSlice& from, const VulkanSlice& to, std::uint64_t n_cols) {
    Dispatch& dispatch = add(Kernel::kEncode, false);
    dispatch.slices[3] = from;
    dispatch.slices[4] = to;
    const std::uint64_t n_groups = n_cols / kGpuGroup;
    dispatch.push = {narrow(n_groups)};
    dispatch.groups = {narrow(div_up(n_groups, kEncodedGroups)), GroupRule::Of::kRows};
  }

  void multiply(const Product& product, bool waits) {
    const VulkanWeight& matrix = *product.matrix;
    const std::uint64_t n_panels = div_up(matrix.n_rows, kGpuPanelRows),
                        at_once = panels_at_once(matrix, product.second);
    for (std::uint64_t first = 0; first < n_panels; first += at_once) {
      const std::uint64_t last = std::min(n_panels, first + at_once);
      Dispatch& dispatch = add_product(product, waits && first == 0);
      dispatch.slices[1] = panels(matrix, first, last);
      dispatch.slices[2] = panels(product.second == nullptr ? matrix : *product.second, first, last);
      if (product.bias != nullptr) dispatch.slices[5] = product.bias->slice;
      dispatch.push = {narrow(matrix.n_cols), narrow(div_up(matrix.n_cols, kGpuGroup)), narrow(matrix.n_rows),
                       narrow(first * kGpuPanelRows), narrow(std::min(matrix.n_rows, last * kGpuPanelRows))};
      if (rows_ == RowClass::kMany) {
        const bool is_gate = product.then == Then::kGate;
        dispatch.push.push_back(word(product.cap));
        dispatch.groups = {narrow(is_gate ? last - first : div_up(last - first, kTile / kGpuPanelRows)),
                           product.is_of_logits ? GroupRule::Of::kLogitTiles : GroupRule::Of::kTiles};
      } else {
        dispatch.push.insert(dispatch.push.end(), {0, word(product.cap)});
        dispatch.groups = {narrow(last - first),
                           product.is_of_logits ? GroupRule::Of::kAnyLogits : GroupRule::Of::kAny};
      }
    }
    count_products(product, 1);
  }

  // Of the experts that rows chose, a row at a time.
  void multiply_experts(const Product& product, bool waits) {
    const VulkanWeight& matrix = *product.matrix;
    const std::uint64_t of_expert = div_up(matrix.n_rows, kGpuPanelRows);
    const std::uint64_t all_at_once = panels_at_once(matrix, product.second), at_once = all_at_once / of_expert;
    CHECK(at_once > 0, "an expert's matrix is larger than what a kernel sees at once");
    const bool is_down = product.experts == Experts::kDown;
    for (std::uint64_t first = 0; first < matrix.n_matrices; first += at_once) {
      const std::uint64_t last = std::min(matrix.n_matrices, first + at_once);
      // Sums of windows add up in the residual one behind the other.
      Dispatch& dispatch = add_product(product, first == 0 ? waits : is_down);
      dispatch.slices[1] = panels(matrix, first * of_expert, last * of_expert);
      dispatch.slices[2] =
          panels(product.second == nullptr ? matrix : *product.second, first * of_expert, last * of_expert);
      dispatch.slices[5] = product.ids;
      dispatch.slices[6] = product.weights;
      dispatch.push = {narrow(matrix.n_cols),
                       narrow(div_up(matrix.n_cols, kGpuGroup)),
                       narrow(matrix.n_rows),
                       narrow(first),
                       narrow(last),
                       spec_->n_experts_used,
                       word(0)};
      dispatch.groups = {narrow(of_expert), GroupRule::Of::kRows, is_down ? 1 : spec_->n_experts_used};
    }
    count_products(product, spec_->n_experts_used);
  }

  // The kernel of a product with its constants and activations.
  Dispatch& add_product(const Product& product, bool waits) {
    const bool is_many = rows_ == RowClass::kMany && product.experts == Experts::kNone;
    const Kernel exact = is_many ? Kernel::kMatmul : Kernel::kMatvec,
                 rounded = is_many ? Kernel::kMatmulInt8 : Kernel::kMatvecInt8;
    Dispatch& dispatch = add(product.is_int8 ? rounded : exact, waits);
    const std::uint64_t n_cols = product.matrix->n_cols;
    dispatch.constants = {type_of(product.matrix),
                          type_of(product.second),
                          static_cast<std::uint32_t>(product.then),
                          product.bias == nullptr ? 0U : 1U,
                          product.then == Then::kGate ? static_cast<std::uint32_t>(spec_->activation) : 0,
                          product.is_of_logits ? 1U : 0U,
                          n_cols % kGpuGroup == 0 ? 0U : 1U,
                          product.encodes ? 1U : 0U};
    if (!is_many) {
      const std::uint32_t n_matrices = product.second == nullptr ? 1 : 2;
      const std::uint32_t n_parts = column_parts(div_up(n_cols, kGpuGroup), kMostParts / n_matrices) * n_matrices;
      const bool is_one = rows_ == RowClass::kOne || product.experts != Experts::kNone;
      dispatch.constants.insert(dispatch.constants.end(), {is_one ? 1 : kGpuFewRows, n_parts * kGpuPanelRows,
                                                           static_cast<std::uint32_t>(product.experts)});
    }
    dispatch.slices[3] = product.from;
    dispatch.slices[4] = product.to;
    return dispatch;
  }

  void count_products(const Product& product, double n_used) {
    parts_.back().products_per_row += static_cast<double>(product.matrix->n_rows * product.matrix->n_cols) * n_used *
                                      (product.second == nullptr ? 1 : 2);
  }

  void embed() {
    const VulkanWeight& table = bound_.at(WeightSlot::kTokenEmbedding, -1);
    const std::uint64_t n_panels = div_up(table.n_rows, kGpuPanelRows), at_once = panels_at_once(table, nullptr);
    for (std::uint64_t first = 0; first < n_panels; first += at_once) {
      const std::uint64_t last = std::min(n_panels, first + at_once);
      Dispatch& dispatch = add(Kernel::kEmbed, false);
      dispatch.constants = {type_of(&table)};
      dispatch.slices[1] = panels(table, first, last);
      dispatch.slices[4] = bound_.buffer(op_.outputs[0]);
      dispatch.push = {narrow(table.n_cols),
                       narrow(div_up(table.n_cols, kGpuGroup)),
                       narrow(first * kGpuPanelRows),
                       narrow(std::min(table.n_rows, last * kGpuPanelRows)),
                       narrow(bound_.input_layout.rows_at),
                       word(model_.embedding_scale)};
      dispatch.groups = {narrow(div_up(table.n_cols, kEmbedCols)), GroupRule::Of::kRows};
    }
  }

  enum class Heads : std::uint8_t { kQueries, kKeys, kValues };

  // shaders/lib/heads.glsl.
  void finish_heads(Heads what, const VulkanSlice& heads, bool waits) {
    const bool is_query = what == Heads::kQueries, is_value = what == Heads::kValues;
    const VulkanCache cache(bound_, op_.layer);
    const bool turns_with_keys = !is_value && cache.is_rotated(true);
    const RopeSpec& rope = model_.ropes[spec_->rope];
    const WeightSlot norm_slot = is_query ? WeightSlot::kQNorm : WeightSlot::kKNorm;
    const std::uint32_t n_heads = is_query ? spec_->n_heads : spec_->n_kv_heads;
    Dispatch& dispatch = add(is_query ? Kernel::kQueryHeads : Kernel::kCacheHeads, waits);
    dispatch.constants = {spec_->head_dim,
                          is_value ? 1U : 0U,
                          static_cast<std::uint32_t>(cache.type(!is_value)),
                          spec_->has_qk_norm && !is_value ? 1U : 0U,
                          rope.pairing == RopePairing::kNeighbours ? 1U : 0U,
                          cache.is_rotated(!is_value) ? 1U : 0U,
                          turns_with_keys ? 1U : 0U,
                          bound_.plan->options.kv_scheme == KvScheme::kPlain ? 0U : 1U};
    if (spec_->has_qk_norm && !is_value) dispatch.slices[1] = bound_.at(norm_slot, op_.layer).slice;
    if (turns_with_keys) dispatch.slices[2] = bound_.scratch.balance;
    dispatch.slices[4] = heads;
    if (!is_query) {
      dispatch.slices[5] = cache.part(is_value ? KvPart::kValues : KvPart::kKeys);
      const VulkanSlice& exact = cache.part(is_value ? KvPart::kExactValues : KvPart::kExactKeys);
      dispatch.slices[6] = exact ? exact : dispatch.slices[5];
    }
    const Bytes balance_row = bound_.scratch.balance ? bound_.scratch.balance.size / model_.n_layers() / kF32Bytes : 0;
    const bool has_shifts = is_value && has_value_shifts(KvPart::kValues, bound_.plan->options);
    dispatch.push = {n_heads,
                     is_query ? spec_->n_heads / spec_->n_kv_heads : 1,
                     narrow(bound_.input_layout.rows_at),
                     narrow(bound_.input_layout.rope_at(model_, spec_->rope, bound_.plan->program.max_rows)),
                     rope.rope_dim,
                     narrow(static_cast<std::uint64_t>(op_.layer) * balance_row),
                     word(model_.norm_epsilon),
                     has_shifts ? 1U : 0U};
    const auto rows = cache.rows(!is_value);
    dispatch.push.insert(dispatch.push.end(), rows.begin(), rows.end());
    dispatch.groups = {n_heads, GroupRule::Of::kRows};
  }

  void qkv_rope() {
    const VulkanSlice queries = bound_.buffer(op_.outputs[0]);
    const bool is_int8 = takes_int8({&bound_.at(WeightSlot::kQ, op_.layer), &bound_.at(WeightSlot::kK, op_.layer),
                                     &bound_.at(WeightSlot::kV, op_.layer)});
    norm({.from = bound_.buffer(op_.inputs[0]), .to = bound_.scratch.normed, .encodes = is_int8}, false);
    const auto project = [&](WeightSlot matrix, WeightSlot bias, const VulkanSlice& to, bool waits) {
      multiply({.matrix = &bound_.at(matrix, op_.layer),
                .bias = bound_.find(bias, op_.layer),
                .from = bound_.scratch.normed,
                .to = to,
                .is_int8 = is_int8},
               waits);
    };
    project(WeightSlot::kQ, WeightSlot::kQBias, queries, true);
    project(WeightSlot::kK, WeightSlot::kKBias, bound_.scratch.keys, false);
    project(WeightSlot::kV, WeightSlot::kVBias, bound_.scratch.values, false);
    finish_heads(Heads::kQueries, queries, true);
    finish_heads(Heads::kKeys, bound_.scratch.keys, false);
    finish_heads(Heads::kValues, bound_.scratch.values, false);
  }

  void attn_out() {
    const VulkanWeight& matrix = bound_.at(WeightSlot::kAttnOut, op_.layer);
    const bool is_int8 = takes_int8({&matrix});
    VulkanSlice from = bound_.buffer(op_.inputs[0]);
    if (is_int8) {
      encode(from, bound_.scratch.normed, matrix.n_cols);
      from = bound_.scratch.normed;
    }
    add_to_residual(
        {.matrix = &matrix, .bias = bound_.find(WeightSlot::kAttnOutBias, op_.layer), .from = from, .is_int8 = is_int8},
        WeightSlot::kAttnPostNorm, is_int8);
  }

  void add_to_residual(Product product, WeightSlot post_norm, bool waits) {
    const VulkanSlice residual = bound_.buffer(op_.outputs[0]);
    const bool has_norm = spec_->has_post_norms;
    product.to = has_norm ? bound_.scratch.added : residual;
    product.then = has_norm ? Then::kStore : Then::kAdd;
    multiply(product, waits);
    if (has_norm) norm({.from = bound_.scratch.added, .to = residual, .slot = post_norm, .is_added = true}, true);
  }

  // Whether what stands between the matrices of an FFN is int8: both its ops go by this.
  bool has_int8_hidden() const {
    if (spec_->has_experts()) {
      return takes_int8({&bound_.at(WeightSlot::kExpertGate, op_.layer), &bound_.at(WeightSlot::kExpertUp, op_.layer),
                         &bound_.at(WeightSlot::kExpertDown, op_.layer)});
    }
    return takes_int8({&bound_.at(WeightSlot::kGate, op_.layer), &bound_.at(WeightSlot::kUp, op_.layer),
                       &bound_.at(WeightSlot::kDown, op_.layer)});
  }

  void ffn_norm(bool encodes) {
    norm({.from = bound_.buffer(op_.inputs[0]),
          .to = bound_.scratch.normed,
          .slot = WeightSlot::kFfnNorm,
          .encodes = encodes},
         false);
  }

  void ffn_up() {
    const bool is_int8 = has_int8_hidden();
    ffn_norm(is_int8);
    multiply({.matrix = &bound_.at(WeightSlot::kGate, op_.layer),
              .second = &bound_.at(WeightSlot::kUp, op_.layer),
              .from = bound_.scratch.normed,
              .to = bound_.buffer(op_.outputs[0]),
              .is_int8 = is_int8,
              .encodes = is_int8,
              .then = Then::kGate},
             true);
  }

  void ffn_down() {
    add_to_residual({.matrix = &bound_.at(WeightSlot::kDown, op_.layer),
                     .from = bound_.buffer(op_.inputs[0]),
                     .is_int8 = has_int8_hidden()},
                    WeightSlot::kFfnPostNorm, false);
  }

  void moe_route() {
    const VulkanWeight& router = bound_.at(WeightSlot::kRouter, op_.layer);
    ffn_norm(false);  // the choice of experts is made from f32, whatever type the router has
    multiply({.matrix = &router, .from = bound_.scratch.normed, .to = bound_.scratch.router}, true);
    Dispatch& dispatch = add(Kernel::kRoute, true);
    dispatch.slices[3] = bound_.scratch.router;
    dispatch.slices[4] = bound_.buffer(op_.outputs[1]);
    dispatch.slices[5] = bound_.buffer(op_.outputs[0]);
    dispatch.push = {spec_->n_experts, spec_->n_experts_used};
    dispatch.groups = {1, GroupRule::Of::kRows};
  }

  void moe_up() {
    const bool is_int8 = has_int8_hidden();
    ffn_norm(is_int8);
    multiply_experts({.matrix = &bound_.at(WeightSlot::kExpertGate, op_.layer),
                      .second = &bound_.at(WeightSlot::kExpertUp, op_.layer),
                      .from = bound_.scratch.normed,
                      .to = bound_.buffer(op_.outputs[0]),
                      .is_int8 = is_int8,
                      .encodes = is_int8,
                      .then = Then::kGate,
                      .experts = Experts::kUp,
                      .ids = bound_.buffer(op_.inputs[1])},
                     true);
  }

  void moe_down() {
    multiply_experts({.matrix = &bound_.at(WeightSlot::kExpertDown, op_.layer),
                      .from = bound_.buffer(op_.inputs[0]),
                      .to = bound_.buffer(op_.outputs[0]),
                      .is_int8 = has_int8_hidden(),
                      .then = Then::kAdd,
                      .experts = Experts::kDown,
                      .ids = bound_.buffer(op_.inputs[1]),
                      .weights = bound_.buffer(op_.inputs[2])},
                     false);
  }

  void logits() {
    const bool has_head = model_.find_weight(WeightSlot::kHead, -1) != nullptr;
    const VulkanWeight& head = bound_.at(has_head ? WeightSlot::kHead : WeightSlot::kTokenEmbedding, -1);
    const bool is_int8 = takes_int8({&head});
    norm({.from = bound_.buffer(op_.inputs[0]),
          .to = bound_.scratch.normed,
          .slot = WeightSlot::kOutputNorm,
          .is_gathered = true,
          .encodes = is_int8},
         false);
    multiply({.matrix = &head,
              .from = bound_.scratch.normed,
              .to = bound_.buffer(op_.outputs[0]),
              .is_int8 = is_int8,
              .then = Then::kCap,
              .is_of_logits = true,
              .cap = model_.logit_softcap},
             true);
  }

  const VulkanBinding& bound_;
  const ModelInfo& model_;
  const DeviceInfo& info_;
  const Op& op_;
  RowClass rows_;
  const LayerSpec* spec_;
  std::vector<OpPart> parts_;
};

}  // namespace

RowClass row_class(std::uint32_t n_rows) {
  return n_rows <= 1 ? RowClass::kOne : n_rows <= kGpuFewRows ? RowClass::kFew : RowClass::kMany;
}

std::uint32_t GroupRule::y(std::uint32_t n_rows, std::uint32_t n_logit_rows) const {
  switch (of) {
    case Of::kRows: return std::min(most, n_rows - std::min(first, n_rows)) * factor;
    case Of::kAny: return n_rows > 0 ? 1 : 0;
    case Of::kTiles: return narrow(div_up(n_rows, kTile));
    case Of::kLogitRows: return n_logit_rows;
    case Of::kAnyLogits: return n_logit_rows > 0 ? 1 : 0;
    case Of::kLogitTiles: return narrow(div_up(n_logit_rows, kTile));
  }
  return 0;
}

std::uint32_t GroupRule::z(std::span<const StepRow> rows) const {
  std::uint32_t n = 1;
  if (!splits || rows.size() > kGpuFewRows) return n;
  for (const StepRow& row : rows) n = std::max(n, splits->count(row.position, static_cast<std::uint32_t>(rows.size())));
  return n;
}

std::vector<OpPart> op_parts(const VulkanBinding& bound, const Op& op, RowClass rows) {
  return OpDispatches(bound, op, rows).make();
}

}  // namespace headroom
