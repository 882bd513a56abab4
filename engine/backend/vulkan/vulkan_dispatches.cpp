#include "backend/vulkan/vulkan_dispatches.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "format/dtype_table.h"
#include "plan/kv_regions.h"

namespace headroom {
namespace {

constexpr std::uint32_t kFeatures = 8;        // rows of a matrix that a workgroup computes: shaders/lib/products.glsl
constexpr std::uint32_t kMostGroups = 65535;  // that every driver takes in one dimension
constexpr std::uint32_t kEmbedCols = 128;     // of a workgroup

std::uint32_t word(float x) { return std::bit_cast<std::uint32_t>(x); }
std::uint32_t narrow(std::uint64_t x) {
  CHECK(x <= ~std::uint32_t{0}, "a number is too large for a kernel");
  return static_cast<std::uint32_t>(x);
}

// What a matrix of the model does beside its product: shaders/matmul.comp.
enum class Then : std::uint32_t { kStore, kAdd, kGate, kCap };

// Rows [first, last) of matrices that one binding sees, and where the first of them is in it.
struct Window {
  std::uint64_t first = 0, last = 0;
  VulkanSlice slice;
  std::uint32_t at = 0;
};

class OpDispatches {
 public:
  OpDispatches(const VulkanBinding& bound, const Op& op)
      : bound_(bound),
        model_(*bound.model),
        info_(bound.plan->devices[bound.device]),
        op_(op),
        spec_(op.layer >= 0 ? &model_.layers[static_cast<std::size_t>(op.layer)] : nullptr) {
    parts_.emplace_back();
  }

  std::vector<OpPart> make() {
    switch (op_.kind) {
      case OpKind::kEmbed: embed(); break;
      case OpKind::kQkvRope: qkv_rope(); break;
      case OpKind::kAttend: attend(); break;
      case OpKind::kAttnOut:
        add_to_residual(WeightSlot::kAttnOut, WeightSlot::kAttnOutBias, WeightSlot::kAttnPostNorm);
        break;
      case OpKind::kFfnUp: ffn_up(); break;
      case OpKind::kFfnDown: add_to_residual(WeightSlot::kDown, std::nullopt, WeightSlot::kFfnPostNorm); break;
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
    VulkanSlice from, to;
    Then then = Then::kStore;
    bool is_of_logits = false;
    float cap = 0;
  };

  // Sizes of windows of matrices that are read together, in rows.
  std::uint64_t rows_at_once(Bytes row_bytes) const {
    const Bytes most = info_.max_binding_bytes == 0 ? ~std::uint32_t{0} : info_.max_binding_bytes;
    return std::max<std::uint64_t>(1, (most - 2 * info_.alignment) / row_bytes);
  }

  Window window(const VulkanWeight& weight, std::uint64_t first, std::uint64_t last) const {
    const Bytes each = row_bytes(weight.dtype, weight.n_cols), from = first * each / info_.alignment * info_.alignment;
    const Bytes end = std::min(weight.slice.size, round_up(last * each, 4));
    return {first, last, weight.slice.part(from, end - from), narrow(first * each - from)};
  }

  static Bytes bytes_of_row(const VulkanWeight* weight) {
    return weight == nullptr ? 0 : row_bytes(weight->dtype, weight->n_cols);
  }

  Dispatch& add(Kernel kernel, bool waits) {
    Dispatch& dispatch = parts_.back().dispatches.emplace_back();
    dispatch.kernel = kernel;
    dispatch.waits = waits;
    dispatch.slices[0] = bound_.inputs;
    return dispatch;
  }

  void norm(const VulkanSlice& from, const VulkanSlice& to, WeightSlot slot, bool is_gathered, bool is_added,
            bool waits) {
    Dispatch& dispatch = add(Kernel::kNorm, waits);
    dispatch.constants = {is_gathered ? 1U : 0U, is_added ? 1U : 0U};
    dispatch.slices[1] = bound_.at(slot, slot == WeightSlot::kOutputNorm ? -1 : op_.layer).slice;
    dispatch.slices[3] = from;
    dispatch.slices[4] = to;
    dispatch.push = {model_.d_model, narrow(bound_.input_layout.logit_rows_at), word(model_.norm_epsilon)};
    dispatch.groups.of = is_gathered ? GroupRule::Of::kLogitRows : GroupRule::Of::kRows;
  }

  void multiply(const Product& product, bool waits) {
    const VulkanWeight &matrix = *product.matrix, *second = product.second;
    const std::uint64_t at_once = std::min<std::uint64_t>(
        rows_at_once(std::max(bytes_of_row(&matrix), bytes_of_row(second))), std::uint64_t{kMostGroups} * kFeatures);
    for (std::uint64_t first = 0; first < matrix.n_rows; first += at_once) {
      const std::uint64_t last = std::min(matrix.n_rows, first + at_once);
      const Window rows = window(matrix, first, last);
      Dispatch& dispatch = add(Kernel::kMatmul, waits && first == 0);
      dispatch.constants = {static_cast<std::uint32_t>(matrix.dtype),
                            second == nullptr ? 0 : static_cast<std::uint32_t>(second->dtype),
                            static_cast<std::uint32_t>(product.then),
                            product.bias == nullptr ? 0U : 1U,
                            spec_ == nullptr ? 0 : static_cast<std::uint32_t>(spec_->activation),
                            product.is_of_logits ? 1U : 0U};
      dispatch.slices[1] = rows.slice;
      const Window others = second == nullptr ? rows : window(*second, first, last);
      dispatch.slices[2] = others.slice;
      dispatch.slices[3] = product.from;
      dispatch.slices[4] = product.to;
      if (product.bias != nullptr) dispatch.slices[5] = product.bias->slice;
      dispatch.push = {narrow(matrix.n_cols),
                       narrow(matrix.n_rows),
                       narrow(first),
                       narrow(last),
                       narrow(bytes_of_row(&matrix)),
                       narrow(bytes_of_row(second)),
                       rows.at,
                       others.at,
                       word(product.cap)};
      dispatch.groups = {narrow(div_up(last - first, kFeatures)),
                         product.is_of_logits ? GroupRule::Of::kLogitEights : GroupRule::Of::kEights};
    }
    parts_.back().products_per_row += static_cast<double>(matrix.n_rows * matrix.n_cols) * (second == nullptr ? 1 : 2);
  }

  void embed() {
    const VulkanWeight& table = bound_.at(WeightSlot::kTokenEmbedding, -1);
    const std::uint64_t at_once = rows_at_once(bytes_of_row(&table));
    for (std::uint64_t first = 0; first < table.n_rows; first += at_once) {
      const Window rows = window(table, first, std::min(table.n_rows, first + at_once));
      Dispatch& dispatch = add(Kernel::kEmbed, false);
      dispatch.constants = {static_cast<std::uint32_t>(table.dtype)};
      dispatch.slices[1] = rows.slice;
      dispatch.slices[4] = bound_.buffer(op_.outputs[0]);
      dispatch.push = {narrow(table.n_cols),
                       narrow(bytes_of_row(&table)),
                       narrow(rows.first),
                       narrow(rows.last),
                       rows.at,
                       narrow(bound_.input_layout.rows_at),
                       word(model_.embedding_scale)};
      dispatch.groups = {narrow(div_up(table.n_cols, kEmbedCols)), GroupRule::Of::kRows};
    }
  }

  const VulkanSlice& cache(KvPart part) const {
    return bound_.caches[static_cast<std::size_t>(op_.layer)][static_cast<std::size_t>(part)];
  }

  DType cache_type(bool is_keys) const { return is_keys ? bound_.plan->options.kv_k : bound_.plan->options.kv_v; }
  bool is_rotated(bool is_keys) const {
    return is_quantized_kv(cache_type(is_keys)) && bound_.plan->options.kv_scheme == KvScheme::kRotated;
  }

  // CacheRows of shaders/lib/cache.glsl.
  std::array<std::uint32_t, 4> cache_rows(bool is_keys) const {
    const PlanOptions& options = bound_.plan->options;
    const DType dtype = cache_type(is_keys);
    const KvEnds ends = kv_ends_of(*spec_, dtype, options);
    return {narrow(spec_->kv_rows(options.n_ctx, options.n_batch)), narrow(row_bytes(dtype, spec_->head_dim)),
            narrow(ends.n_sinks), narrow(ends.n_ring)};
  }

  enum class Heads : std::uint8_t { kQueries, kKeys, kValues };

  // shaders/lib/heads.glsl.
  void finish_heads(Heads what, const VulkanSlice& heads, bool waits) {
    const bool is_query = what == Heads::kQueries, is_value = what == Heads::kValues;
    const bool turns_with_keys = !is_value && is_rotated(true);
    const RopeSpec& rope = model_.ropes[spec_->rope];
    const WeightSlot norm_slot = is_query ? WeightSlot::kQNorm : WeightSlot::kKNorm;
    const std::uint32_t n_heads = is_query ? spec_->n_heads : spec_->n_kv_heads;
    Dispatch& dispatch = add(is_query ? Kernel::kQueryHeads : Kernel::kCacheHeads, waits);
    dispatch.constants = {spec_->head_dim,
                          is_value ? 1U : 0U,
                          static_cast<std::uint32_t>(cache_type(!is_value)),
                          spec_->has_qk_norm && !is_value ? 1U : 0U,
                          rope.pairing == RopePairing::kNeighbours ? 1U : 0U,
                          is_rotated(!is_value) ? 1U : 0U,
                          turns_with_keys ? 1U : 0U,
                          bound_.plan->options.kv_scheme == KvScheme::kPlain ? 0U : 1U};
    if (spec_->has_qk_norm && !is_value) dispatch.slices[1] = bound_.at(norm_slot, op_.layer).slice;
    if (turns_with_keys) dispatch.slices[2] = bound_.scratch.balance;
    dispatch.slices[4] = heads;
    if (!is_query) {
      dispatch.slices[5] = cache(is_value ? KvPart::kValues : KvPart::kKeys);
      const VulkanSlice& exact = cache(is_value ? KvPart::kExactValues : KvPart::kExactKeys);
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
    const auto rows = cache_rows(!is_value);
    dispatch.push.insert(dispatch.push.end(), rows.begin(), rows.end());
    dispatch.groups = {n_heads, GroupRule::Of::kRows};
  }

  void qkv_rope() {
    const VulkanSlice queries = bound_.buffer(op_.outputs[0]);
    norm(bound_.buffer(op_.inputs[0]), bound_.scratch.normed, WeightSlot::kAttnNorm, false, false, false);
    const auto project = [&](WeightSlot matrix, WeightSlot bias, const VulkanSlice& to, bool waits) {
      multiply({.matrix = &bound_.at(matrix, op_.layer),
                .second = nullptr,
                .bias = bound_.find(bias, op_.layer),
                .from = bound_.scratch.normed,
                .to = to},
               waits);
    };
    project(WeightSlot::kQ, WeightSlot::kQBias, queries, true);
    project(WeightSlot::kK, WeightSlot::kKBias, bound_.scratch.keys, false);
    project(WeightSlot::kV, WeightSlot::kVBias, bound_.scratch.values, false);
    finish_heads(Heads::kQueries, queries, true);
    finish_heads(Heads::kKeys, bound_.scratch.keys, false);
    finish_heads(Heads::kValues, bound_.scratch.values, false);
  }

  void attend() {
    const PlanOptions& options = bound_.plan->options;
    const VulkanSlice exact_keys = cache(KvPart::kExactKeys), exact_values = cache(KvPart::kExactValues);
    parts_.clear();
    for (std::uint32_t first = 0; first < bound_.plan->program.max_rows; first += kGpuAttendRows) {
      OpPart& part = parts_.emplace_back();
      part.first_row = first;
      part.products_per_row = 2.0 * spec_->q_dim() * options.n_ctx;
      Dispatch& dispatch = add(Kernel::kAttend, false);
      dispatch.constants = {spec_->head_dim,
                            static_cast<std::uint32_t>(options.kv_k),
                            static_cast<std::uint32_t>(options.kv_v),
                            exact_keys ? 1U : 0U,
                            exact_values ? 1U : 0U,
                            is_rotated(false) ? 1U : 0U,
                            has_value_shifts(KvPart::kValues, options) ? 1U : 0U};
      dispatch.slices[1] = cache(KvPart::kKeys);
      dispatch.slices[2] = cache(KvPart::kValues);
      dispatch.slices[3] = bound_.buffer(op_.inputs[0]);
      dispatch.slices[4] = bound_.buffer(op_.outputs[0]);
      dispatch.slices[5] = exact_keys;
      dispatch.slices[6] = exact_values;
      const std::uint64_t exact_from =
          bound_.input_layout.exact_from_at + static_cast<std::uint64_t>(op_.layer) * options.n_slots;
      dispatch.push = {first,
                       spec_->n_heads,
                       spec_->n_kv_heads,
                       narrow(bound_.input_layout.rows_at),
                       narrow(exact_from),
                       spec_->attention == AttentionKind::kWindow ? spec_->window : 0,
                       word(spec_->attention_scale),
                       word(spec_->attention_softcap)};
      for (const bool is_keys : {true, false}) {
        const auto rows = cache_rows(is_keys);
        dispatch.push.insert(dispatch.push.end(), rows.begin(), rows.end());
      }
      dispatch.groups = {spec_->n_heads, GroupRule::Of::kRows, 1, first, kGpuAttendRows};
    }
  }

  void add_to_residual(WeightSlot matrix, std::optional<WeightSlot> bias, WeightSlot post_norm) {
    const VulkanSlice residual = bound_.buffer(op_.outputs[0]);
    const bool has_norm = spec_->has_post_norms;
    multiply({.matrix = &bound_.at(matrix, op_.layer),
              .second = nullptr,
              .bias = bias ? bound_.find(*bias, op_.layer) : nullptr,
              .from = bound_.buffer(op_.inputs[0]),
              .to = has_norm ? bound_.scratch.added : residual,
              .then = has_norm ? Then::kStore : Then::kAdd},
             false);
    if (has_norm) norm(bound_.scratch.added, residual, post_norm, false, true, true);
  }

  void ffn_up() {
    norm(bound_.buffer(op_.inputs[0]), bound_.scratch.normed, WeightSlot::kFfnNorm, false, false, false);
    multiply({.matrix = &bound_.at(WeightSlot::kGate, op_.layer),
              .second = &bound_.at(WeightSlot::kUp, op_.layer),
              .bias = nullptr,
              .from = bound_.scratch.normed,
              .to = bound_.buffer(op_.outputs[0]),
              .then = Then::kGate},
             true);
  }

  void moe_route() {
    norm(bound_.buffer(op_.inputs[0]), bound_.scratch.normed, WeightSlot::kFfnNorm, false, false, false);
    multiply({.matrix = &bound_.at(WeightSlot::kRouter, op_.layer),
              .second = nullptr,
              .bias = nullptr,
              .from = bound_.scratch.normed,
              .to = bound_.scratch.router},
             true);
    Dispatch& dispatch = add(Kernel::kRoute, true);
    dispatch.slices[3] = bound_.scratch.router;
    dispatch.slices[4] = bound_.buffer(op_.outputs[1]);
    dispatch.slices[5] = bound_.buffer(op_.outputs[0]);
    dispatch.push = {spec_->n_experts, spec_->n_experts_used};
    dispatch.groups = {1, GroupRule::Of::kRows};
  }

  // experts.comp; `weights` of a row's experts, when their results are added up.
  void multiply_experts(const VulkanWeight& matrix, const VulkanWeight* second, const VulkanSlice& from,
                        const VulkanSlice& to, BufferId ids, const VulkanSlice& weights, bool waits) {
    const Bytes each = std::max(bytes_of_row(&matrix), bytes_of_row(second));
    const std::uint64_t at_once = std::max<std::uint64_t>(1, rows_at_once(each) / matrix.n_rows);
    CHECK(matrix.n_rows <= rows_at_once(each), "an expert's matrix is larger than what a kernel sees at once");
    for (std::uint64_t first = 0; first < matrix.n_matrices; first += at_once) {
      const std::uint64_t last = std::min(matrix.n_matrices, first + at_once);
      const Window rows = window(matrix, first * matrix.n_rows, last * matrix.n_rows);
      const Window others = second == nullptr ? rows : window(*second, first * matrix.n_rows, last * matrix.n_rows);
      // Sums of windows add up in the residual one behind the other.
      Dispatch& dispatch = add(Kernel::kExperts, first == 0 ? waits : second == nullptr);
      dispatch.constants = {static_cast<std::uint32_t>(matrix.dtype),
                            second == nullptr ? 0 : static_cast<std::uint32_t>(second->dtype),
                            second == nullptr ? 1U : 0U, static_cast<std::uint32_t>(spec_->activation)};
      dispatch.slices[1] = rows.slice;
      dispatch.slices[2] = others.slice;
      dispatch.slices[3] = from;
      dispatch.slices[4] = to;
      dispatch.slices[5] = bound_.buffer(ids);
      dispatch.slices[6] = weights;
      dispatch.push = {narrow(matrix.n_cols),         narrow(matrix.n_rows),        narrow(first), narrow(last),
                       narrow(bytes_of_row(&matrix)), narrow(bytes_of_row(second)), rows.at,       others.at,
                       spec_->n_experts_used};
      dispatch.groups = {narrow(div_up(matrix.n_rows, kFeatures)), GroupRule::Of::kRows,
                         second == nullptr ? 1 : spec_->n_experts_used};
    }
    parts_.back().products_per_row +=
        static_cast<double>(matrix.n_rows * matrix.n_cols) * spec_->n_experts_used * (second == nullptr ? 1 : 2);
  }

  void moe_up() {
    norm(bound_.buffer(op_.inputs[0]), bound_.scratch.normed, WeightSlot::kFfnNorm, false, false, false);
    multiply_experts(bound_.at(WeightSlot::kExpertGate, op_.layer), &bound_.at(WeightSlot::kExpertUp, op_.layer),
                     bound_.scratch.normed, bound_.buffer(op_.outputs[0]), op_.inputs[1], {}, true);
  }

  void moe_down() {
    multiply_experts(bound_.at(WeightSlot::kExpertDown, op_.layer), nullptr, bound_.buffer(op_.inputs[0]),
                     bound_.buffer(op_.outputs[0]), op_.inputs[1], bound_.buffer(op_.inputs[2]), false);
  }

  void logits() {
    const bool has_head = model_.find_weight(WeightSlot::kHead, -1) != nullptr;
    norm(bound_.buffer(op_.inputs[0]), bound_.scratch.normed, WeightSlot::kOutputNorm, true, false, false);
    multiply({.matrix = &bound_.at(has_head ? WeightSlot::kHead : WeightSlot::kTokenEmbedding, -1),
              .second = nullptr,
              .bias = nullptr,
              .from = bound_.scratch.normed,
              .to = bound_.buffer(op_.outputs[0]),
              .then = Then::kCap,
              .is_of_logits = true,
              .cap = model_.logit_softcap},
             true);
  }

  const VulkanBinding& bound_;
  const ModelInfo& model_;
  const DeviceInfo& info_;
  const Op& op_;
  const LayerSpec* spec_;
  std::vector<OpPart> parts_;
};

}  // namespace

std::uint32_t GroupRule::y(std::uint32_t n_rows, std::uint32_t n_logit_rows) const {
  switch (of) {
    case Of::kRows: return std::min(most, n_rows - std::min(first, n_rows)) * factor;
    case Of::kEights: return narrow(div_up(n_rows, 8));
    case Of::kLogitRows: return n_logit_rows;
    case Of::kLogitEights: return narrow(div_up(n_logit_rows, 8));
  }
  return 0;
}

std::vector<OpPart> op_parts(const VulkanBinding& bound, const Op& op) { return OpDispatches(bound, op).make(); }

}  // namespace headroom
