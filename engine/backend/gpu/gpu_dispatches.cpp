#include "backend/gpu/gpu_dispatches.h"

#include <algorithm>
#include <cmath>

#include "backend/gpu/gpu_args.h"
#include "backend/gpu/gpu_attend.h"
#include "backend/gpu/gpu_cache.h"
#include "backend/gpu/gpu_conv.h"
#include "backend/gpu/gpu_delta.h"
#include "backend/gpu/gpu_layer_inputs.h"
#include "backend/gpu/gpu_products.h"
#include "backend/gpu/gpu_words.h"
#include "base/check.h"
#include "plan/kv_regions.h"

namespace headroom {
namespace {

class OpDispatches : ProductDispatches {
 public:
  OpDispatches(const GpuBinding& bound, const Op& op, RowClass rows) : ProductDispatches(bound, op, rows) {}

  std::vector<OpPart> make() {
    switch (op_.kind) {
      case OpKind::kEmbed: embed_tokens(); break;
      case OpKind::kLayerEmbed:
        embed(TensorRole::kLayerEmbedding, std::sqrt(static_cast<float>(model_.layers.front().input_dim)));
        break;
      case OpKind::kLayerInputs: return layer_inputs_parts(bound_, op_, rows_);
      case OpKind::kQkvRope: qkv_rope(); break;
      case OpKind::kAttend: return attend_parts(bound_, op_, rows_);
      case OpKind::kAttnOut: attn_out(); break;
      case OpKind::kFfnUp: ffn_up(); break;
      case OpKind::kFfnDown: ffn_down(); break;
      case OpKind::kMoeRoute: moe_route(); break;
      case OpKind::kMoeUp: moe_up(); break;
      case OpKind::kMoeDown: moe_down(); break;
      case OpKind::kInputUp: return input_up_parts(bound_, op_, rows_);
      case OpKind::kInputDown: input_down(); break;
      case OpKind::kLogits: logits(); break;
      case OpKind::kConvMix: return conv_mix_parts(bound_, op_, rows_);
      case OpKind::kDeltaMix: return delta_mix_parts(bound_, op_, rows_);
      case OpKind::kDeltaRule: return delta_rule_parts(bound_, op_, rows_);
      case OpKind::kDeltaOut: gated_out(bound_.buffer(op_.inputs[0]), bound_.buffer(op_.inputs[1])); break;
      case OpKind::kSharedUp: shared_up(); break;
      case OpKind::kSharedDown: shared_down(); break;
      case OpKind::kTransfer: CHECK(false, "a segment holds a transfer");
    }
    return std::move(parts_);
  }

 private:
  // In place; n_of_row of them for each row of the step.
  void encode_half(const GpuSlice& rows, std::uint64_t n_cols, std::uint32_t n_of_row = 1, bool needs_barrier = false) {
    Dispatch& dispatch = add(Kernel::kEncodeHalf, needs_barrier);
    dispatch.slices[4] = rows;
    dispatch.push =
        words_of(args::EncodeHalfPush{.n_cols = narrow(n_cols), .half_exponent = bound_.arithmetic.half_exponent});
    dispatch.groups = {1, GridSize::Of::kRows, n_of_row};
  }

  void embed(TensorRole role, float scale) {
    const GpuWeight& table = bound_.at(role, -1);
    const std::uint64_t n_panels = div_up(table.n_rows, kGpuPanelRows), at_once = panels_at_once(table, nullptr);
    for (std::uint64_t first = 0; first < n_panels; first += at_once) {
      const std::uint64_t last = std::min(n_panels, first + at_once);
      Dispatch& dispatch = add(Kernel::kEmbed, false);
      dispatch.constants = words_of(args::EmbedConstants{.type = type_of(&table)});
      dispatch.slices[1] = panels(table, first, last);
      dispatch.slices[4] = bound_.buffer(op_.outputs[0]);
      dispatch.push = words_of(args::EmbedPush{.n_cols = narrow(table.n_cols),
                                               .n_groups = narrow(div_up(table.n_cols, kGpuGroup)),
                                               .first = narrow(first * kGpuPanelRows),
                                               .last = narrow(std::min(table.n_rows, last * kGpuPanelRows)),
                                               .rows_at = narrow(bound_.input_layout.rows_at),
                                               .scale = scale});
      dispatch.groups = {narrow(div_up(table.n_cols, bound_.arithmetic.group_sizes.embedded_cols)),
                         GridSize::Of::kRows};
    }
  }

  void embed_tokens() {
    const GpuSlice residual = bound_.buffer(op_.outputs[0]);
    embed(TensorRole::kTokenEmbedding, model_.embedding_scale);
    if (model_.norms_embedding)
      norm({.from = residual, .to = residual, .role = std::nullopt, .lacks_weight = true}, true);
  }

  enum class Heads : std::uint8_t { kQueries, kKeys, kValues };

  // vulkan/shaders/lib/heads.glsl.
  void finish_heads(Heads what, const GpuSlice& heads, bool needs_barrier) {
    const bool is_query = what == Heads::kQueries, is_value = what == Heads::kValues;
    const GpuCache cache(bound_, op_.layer);
    const bool turns_with_keys = !is_value && cache.is_rotated(true);
    const std::uint32_t turned_by = is_query ? spec_->rope_of_queries() : spec_->rope;
    const RopeSpec& rope = model_.ropes[turned_by];
    const TensorRole norm_slot = is_query ? TensorRole::kQNorm : TensorRole::kKNorm;
    const std::uint32_t n_heads = is_query ? spec_->n_heads : spec_->n_kv_heads;
    Dispatch& dispatch = add(is_query ? Kernel::kQueryHeads : Kernel::kCacheHeads, needs_barrier);
    dispatch.constants =
        words_of(args::HeadsConstants{.head_dim = spec_->head_dim,
                                      .is_value = is_value ? 1U : 0U,
                                      .cache_type = static_cast<std::uint32_t>(cache.type(!is_value)),
                                      .norms = static_cast<std::uint32_t>(head_norm(is_value)),
                                      .turns_neighbours = rope.pairing == RopePairing::kNeighbours ? 1U : 0U,
                                      .is_rotated = cache.is_rotated(!is_value) ? 1U : 0U,
                                      .is_balanced = turns_with_keys ? 1U : 0U,
                                      .is_searched = bound_.plan->options.kv_scheme == KvScheme::kPlain ? 0U : 1U});
    if (norms_each_head() && !is_value) dispatch.slices[1] = bound_.at(norm_slot, op_.layer).slice;
    if (turns_with_keys) dispatch.slices[2] = bound_.scratch.balance;
    dispatch.slices[4] = heads;
    if (!is_query) {
      dispatch.slices[5] = cache.part(is_value ? KvPart::kValues : KvPart::kKeys);
      const GpuSlice& exact = cache.part(is_value ? KvPart::kExactValues : KvPart::kExactKeys);
      dispatch.slices[6] = exact ? exact : dispatch.slices[5];
    }
    const Bytes balance_row = bound_.scratch.balance ? bound_.scratch.balance.size / model_.n_layers() / kF32Bytes : 0;
    const bool has_shifts = is_value && has_value_shifts(KvPart::kValues, bound_.plan->options);
    const std::uint64_t rope_at = bound_.input_layout.rope_at(model_, turned_by, bound_.plan->program.max_rows);
    dispatch.push = words_of(args::HeadsPush{.n_heads = n_heads,
                                             .group = is_query ? spec_->n_heads / spec_->n_kv_heads : 1,
                                             .rows_at = narrow(bound_.input_layout.rows_at),
                                             .rope_at = narrow(rope_at),
                                             .rope_dim = rope.rope_dim,
                                             .balance_at = narrow(static_cast<std::uint64_t>(op_.layer) * balance_row),
                                             .epsilon = model_.norm_epsilon,
                                             .has_shifts = has_shifts ? 1U : 0U,
                                             .rows = cache.rows(!is_value)});
    dispatch.groups = {n_heads, GridSize::Of::kRows};
  }

  HeadNorm head_norm(bool is_value) const {
    if (!(is_value ? spec_->has_value_norm : norms_each_head())) return HeadNorm::kNone;
    return !is_value && spec_->norms_turned_heads ? HeadNorm::kBehindRotation : HeadNorm::kBeforeRotation;
  }

  bool norms_each_head() const { return spec_->has_qk_norm && !spec_->norms_heads_together; }

  void qkv_rope() {
    const GpuSlice queries = bound_.buffer(op_.outputs[0]);
    const TensorRole value_matrix = spec_->value_is_key ? TensorRole::kK : TensorRole::kV;
    std::vector<const GpuWeight*> readers{&bound_.at(TensorRole::kQ, op_.layer)};
    if (spec_->has_cache()) {
      readers.push_back(&bound_.at(TensorRole::kK, op_.layer));
      readers.push_back(&bound_.at(value_matrix, op_.layer));
    }
    if (spec_->has_out_gate) readers.push_back(&bound_.at(TensorRole::kOutGate, op_.layer));
    const Encoding encoding = encoding_for(readers);
    pre_norm(TensorRole::kAttnNorm, encoding);
    const auto project = [&](TensorRole matrix, TensorRole bias, const GpuSlice& to, bool needs_barrier) {
      multiply({.matrix = &bound_.at(matrix, op_.layer),
                .bias = bound_.find(bias, op_.layer),
                .from = bound_.scratch.normed,
                .to = to,
                .reads = encoding},
               needs_barrier);
    };
    project(TensorRole::kQ, TensorRole::kQBias, queries, true);
    if (spec_->has_cache()) {
      project(TensorRole::kK, TensorRole::kKBias, bound_.scratch.keys, false);
      project(value_matrix, TensorRole::kVBias, bound_.scratch.values, false);
    }
    if (spec_->has_out_gate) {
      multiply({.matrix = &bound_.at(TensorRole::kOutGate, op_.layer),
                .from = bound_.scratch.normed,
                .to = bound_.buffer(op_.outputs[1]),
                .reads = encoding},
               false);
    }
    if (spec_->norms_heads_together) {
      norm({.from = queries, .to = queries, .role = TensorRole::kQNorm, .n_cols = spec_->q_dim()}, true);
      if (spec_->has_cache()) {
        const GpuSlice& keys = bound_.scratch.keys;
        norm({.from = keys, .to = keys, .role = TensorRole::kKNorm, .n_cols = spec_->kv_dim()}, false);
      }
    }
    finish_heads(Heads::kQueries, queries, true);
    if (!spec_->has_cache()) return;
    finish_heads(Heads::kKeys, bound_.scratch.keys, false);
    finish_heads(Heads::kValues, bound_.scratch.values, false);
  }

  // `heads` times their gates, into the output matrix. Of a delta net heads are normed, and are those of values.
  void gated_out(const GpuSlice& heads, const GpuSlice& gates) {
    const GpuWeight& matrix = bound_.at(TensorRole::kAttnOut, op_.layer);
    const Encoding encoding = encoding_for({&matrix});
    const bool is_delta = spec_->delta_net.has_value();
    const std::uint32_t head_dim = is_delta ? spec_->delta_net->value_dim : spec_->head_dim,
                        n_heads = is_delta ? spec_->delta_net->n_value_heads : spec_->n_heads;
    const bool encodes = encoding == Encoding::kInt8 && head_dim % kGpuGroup == 0;
    Dispatch& dispatch = add(Kernel::kGateHeads, false);
    dispatch.constants = words_of(
        args::GateHeadsConstants{.head_dim = head_dim,
                                 .is_normed = is_delta ? 1U : 0U,
                                 .encoding = static_cast<std::uint32_t>(encodes ? Encoding::kInt8 : Encoding::kF32)});
    if (is_delta) dispatch.slices[1] = bound_.at(TensorRole::kReadNorm, op_.layer).slice;
    dispatch.slices[3] = gates;
    dispatch.slices[4] = heads;
    dispatch.slices[5] = bound_.scratch.normed;
    dispatch.push = words_of(args::GateHeadsPush{.n_heads = n_heads, .epsilon = model_.norm_epsilon});
    dispatch.groups = {n_heads, GridSize::Of::kRows};
    if (encoding == Encoding::kHalf) encode_half(heads, matrix.n_cols, 1, true);
    if (encoding == Encoding::kInt8 && !encodes) encode_int8(heads, bound_.scratch.normed, matrix.n_cols, true);
    add_to_residual({.matrix = &matrix,
                     .bias = bound_.find(TensorRole::kAttnOutBias, op_.layer),
                     .from = encoding == Encoding::kInt8 ? bound_.scratch.normed : heads,
                     .reads = encoding},
                    TensorRole::kAttnPostNorm, true);
  }

  void attn_out() {
    if (spec_->has_out_gate) return gated_out(bound_.buffer(op_.inputs[0]), bound_.buffer(op_.inputs[1]));
    const GpuWeight& matrix = bound_.at(TensorRole::kAttnOut, op_.layer);
    const Encoding encoding = encoding_for({&matrix});
    GpuSlice from = bound_.buffer(op_.inputs[0]);
    if (encoding == Encoding::kHalf) encode_half(from, matrix.n_cols);
    const bool is_int8_already = encoding == Encoding::kInt8 && attends_to_int8(bound_, op_.layer, rows_);
    if (encoding == Encoding::kInt8) {
      if (!is_int8_already) encode_int8(from, bound_.scratch.normed, matrix.n_cols);
      from = bound_.scratch.normed;
    }
    add_to_residual(
        {.matrix = &matrix, .bias = bound_.find(TensorRole::kAttnOutBias, op_.layer), .from = from, .reads = encoding},
        TensorRole::kAttnPostNorm, encoding != Encoding::kF32 && !is_int8_already);
  }

  // `scale`: on the sum; not 1: of layers with post-norms.
  void add_to_residual(Product product, TensorRole post_norm, bool needs_barrier, float scale = 1.0F) {
    const GpuSlice residual = bound_.buffer(op_.outputs[0]);
    const bool has_norm = spec_->has_post_norms;
    product.to = has_norm ? bound_.scratch.added : residual;
    product.epilogue = has_norm ? Epilogue::kStore : Epilogue::kAdd;
    multiply(product, needs_barrier);
    if (!has_norm) return;
    norm({.from = bound_.scratch.added, .to = residual, .role = post_norm, .is_added = true, .scale = scale}, true);
  }

  // How what stands between the matrices of an FFN is read, and what is before them: both its ops go by this.
  Encoding ffn_encoding() const {
    return encoding_for({&bound_.at(TensorRole::kGate, op_.layer), &bound_.at(TensorRole::kUp, op_.layer),
                         &bound_.at(TensorRole::kDown, op_.layer)});
  }
  Encoding experts_encoding() const {
    return encoding_for({&bound_.at(TensorRole::kExpertGate, op_.layer), &bound_.at(TensorRole::kExpertUp, op_.layer),
                         &bound_.at(TensorRole::kExpertDown, op_.layer)});
  }

  void ffn_norm(Encoding encoding, TensorRole role = TensorRole::kFfnNorm) { pre_norm(role, encoding); }

  void ffn_up() {
    const Encoding encoding = ffn_encoding();
    ffn_norm(encoding);
    multiply({.matrix = &bound_.at(TensorRole::kGate, op_.layer),
              .second = &bound_.at(TensorRole::kUp, op_.layer),
              .from = bound_.scratch.normed,
              .to = bound_.buffer(op_.outputs[0]),
              .reads = encoding,
              .encodes = encoding == Encoding::kInt8,
              .epilogue = Epilogue::kGate},
             true);
  }

  void ffn_down() {
    const GpuWeight& matrix = bound_.at(TensorRole::kDown, op_.layer);
    const Encoding encoding = ffn_encoding();
    const GpuSlice from = bound_.buffer(op_.inputs[0]);
    // A row of f16 is scaled by its largest element, which no workgroup of the matrix before knows.
    if (encoding == Encoding::kHalf) encode_half(from, matrix.n_cols);
    add_to_residual({.matrix = &matrix, .from = from, .reads = encoding}, TensorRole::kFfnPostNorm,
                    encoding == Encoding::kHalf, spec_->ffn_scale());
  }

  void moe_route() {
    const GpuWeight& router = bound_.at(TensorRole::kRouter, op_.layer);
    // The choice of experts is made from f32, whatever type the router has.
    ffn_norm(Encoding::kF32, spec_->has_branch_norms ? TensorRole::kRouterNorm : TensorRole::kFfnNorm);
    multiply({.matrix = &router,
              .bias = bound_.find(TensorRole::kRouterBias, op_.layer),
              .from = bound_.scratch.normed,
              .to = bound_.scratch.router},
             true);
    Dispatch& dispatch = add(Kernel::kRoute, true);
    dispatch.slices[3] = bound_.scratch.router;
    dispatch.slices[4] = bound_.buffer(op_.outputs[1]);
    dispatch.slices[5] = bound_.buffer(op_.outputs[0]);
    if (spec_->has_expert_scales) dispatch.slices[1] = bound_.at(TensorRole::kExpertScale, op_.layer).slice;
    const GpuWeight* choice_bias = bound_.find(TensorRole::kChoiceBias, op_.layer);
    if (choice_bias != nullptr) dispatch.slices[2] = choice_bias->slice;
    dispatch.push = words_of(args::RoutePush{.n_experts = spec_->n_experts,
                                             .n_used = spec_->n_experts_used,
                                             .has_scales = spec_->has_expert_scales ? 1U : 0U,
                                             .has_choice_bias = choice_bias != nullptr ? 1U : 0U,
                                             .is_sigmoid = is_sigmoid(spec_->router) ? 1U : 0U,
                                             .scale = spec_->router_scale,
                                             .least_sum = divides_by_sum(spec_->router) ? kLeastWeightSum : 0,
                                             .weight_scale = spec_->expert_weight_scale});
    dispatch.groups = {1, GridSize::Of::kRows};
  }

  void moe_up() {
    const Encoding encoding = experts_encoding();
    ffn_norm(encoding, spec_->has_branch_norms ? TensorRole::kExpertNorm : TensorRole::kFfnNorm);
    if (has_tiles(true)) group_experts();
    multiply_experts({.matrix = &bound_.at(TensorRole::kExpertGate, op_.layer),
                      .second = &bound_.at(TensorRole::kExpertUp, op_.layer),
                      .bias = bound_.find(TensorRole::kExpertGateBias, op_.layer),
                      .second_bias = bound_.find(TensorRole::kExpertUpBias, op_.layer),
                      .from = bound_.scratch.normed,
                      .to = bound_.buffer(op_.outputs[0]),
                      .reads = encoding,
                      .encodes = encoding == Encoding::kInt8,
                      .epilogue = Epilogue::kGate,
                      .experts = Experts::kUp,
                      .ids = bound_.buffer(op_.inputs[1])},
                     true);
  }

  void group_experts() {
    Dispatch& dispatch = add(Kernel::kGroupExperts, false);
    dispatch.slices[3] = bound_.buffer(op_.inputs[1]);
    dispatch.slices[4] = bound_.scratch.expert_tiles;
    dispatch.push = words_of(args::GroupExpertsPush{
        .n_experts = spec_->n_experts, .n_used = spec_->n_experts_used, .choices_at = choices_at()});
    dispatch.groups = {1, GridSize::Of::kAny};
  }

  void moe_down() {
    const GpuWeight& matrix = bound_.at(TensorRole::kExpertDown, op_.layer);
    const Encoding encoding = experts_encoding();
    const bool is_tiled = has_tiles(true), is_branch = spec_->has_branch_norms;
    const GpuSlice from = bound_.buffer(op_.inputs[0]),
                   sums = is_branch ? bound_.scratch.added : bound_.buffer(op_.outputs[0]);
    if (encoding == Encoding::kHalf) encode_half(from, matrix.n_cols, spec_->n_experts_used);
    multiply_experts({.matrix = &matrix,
                      .bias = bound_.find(TensorRole::kExpertDownBias, op_.layer),
                      .from = from,
                      .to = is_tiled ? bound_.scratch.expert_rows : sums,
                      .reads = encoding,
                      .epilogue = is_tiled || is_branch ? Epilogue::kStore : Epilogue::kAdd,
                      .experts = Experts::kDown,
                      .ids = bound_.buffer(op_.inputs[1]),
                      .weights = bound_.buffer(op_.inputs[2])},
                     encoding == Encoding::kHalf);
    // Several experts write to a row: each to a place of its own first.
    if (is_tiled)
      add_experts(bound_.scratch.expert_rows, bound_.buffer(op_.inputs[2]), spec_->n_experts_used, sums, !is_branch);
    if (is_branch) norm({.from = sums, .to = bound_.buffer(op_.outputs[0]), .role = TensorRole::kExpertPostNorm}, true);
  }

  // What n_used experts made of each row, times their weights: into `to`, or added to it.
  void add_experts(const GpuSlice& made, const GpuSlice& weights, std::uint32_t n_used, const GpuSlice& to,
                   bool is_added) {
    Dispatch& dispatch = add(Kernel::kAddExperts, true);
    dispatch.slices[3] = made;
    dispatch.slices[4] = to;
    dispatch.slices[6] = weights;
    dispatch.push =
        words_of(args::AddExpertsPush{.n_cols = model_.d_model, .n_used = n_used, .is_added = is_added ? 1U : 0U});
    dispatch.groups = {narrow(div_up(model_.d_model, bound_.arithmetic.group_sizes.added_cols)), GridSize::Of::kRows};
  }

  void shared_up() {
    ffn_up();
    if (!spec_->has_shared_gate) return;
    Dispatch& dispatch = add(Kernel::kSharedGate, false);
    dispatch.slices[1] = bound_.at(TensorRole::kFfnNorm, op_.layer).slice;
    dispatch.slices[2] = bound_.at(TensorRole::kSharedGate, op_.layer).slice;
    dispatch.slices[3] = bound_.buffer(op_.inputs[0]);
    dispatch.slices[4] = bound_.buffer(op_.outputs[1]);
    dispatch.push = words_of(args::SharedGatePush{.n_cols = model_.d_model, .epsilon = model_.norm_epsilon});
    dispatch.groups = {1, GridSize::Of::kRows};
  }

  // With a gate it is added as an expert that every row has chosen: the matrices need not know of it. With norms of
  // branches it joins that of the experts, which is then added.
  void shared_down() {
    if (!spec_->has_shared_gate && !spec_->has_branch_norms) return ffn_down();
    const GpuWeight& matrix = bound_.at(TensorRole::kDown, op_.layer);
    const Encoding encoding = ffn_encoding();
    const GpuSlice from = bound_.buffer(op_.inputs[0]);
    if (encoding == Encoding::kHalf) encode_half(from, matrix.n_cols);
    multiply({.matrix = &matrix, .from = from, .to = bound_.scratch.added, .reads = encoding},
             encoding == Encoding::kHalf);
    const GpuSlice &beside = bound_.buffer(op_.inputs[1]), residual = bound_.buffer(op_.outputs[0]);
    if (!spec_->has_branch_norms) return add_experts(bound_.scratch.added, beside, 1, residual, true);
    norm({.from = bound_.scratch.added, .to = beside, .role = TensorRole::kSharedPostNorm, .is_added = true}, true);
    norm({.from = beside,
          .to = residual,
          .role = TensorRole::kFfnPostNorm,
          .is_added = true,
          .scale = spec_->ffn_scale()},
         true);
  }

  void input_down() {
    const GpuWeight& matrix = bound_.at(TensorRole::kInputOut, op_.layer);
    const Encoding encoding = input_encoding(bound_, op_, rows_);
    add_to_residual({.matrix = &matrix, .from = bound_.buffer(op_.inputs[0]), .reads = encoding},
                    TensorRole::kInputPostNorm, false, spec_->output_scale);
  }

  void logits() {
    const bool has_head = model_.find_weight(TensorRole::kHead, -1) != nullptr;
    const GpuWeight& head = bound_.at(has_head ? TensorRole::kHead : TensorRole::kTokenEmbedding, -1);
    const Encoding encoding = encoding_for({&head});
    norm({.from = bound_.buffer(op_.inputs[0]),
          .to = bound_.scratch.normed,
          .role = TensorRole::kOutputNorm,
          .is_gathered = true,
          .encoding = encoding},
         false);
    multiply({.matrix = &head,
              .from = bound_.scratch.normed,
              .to = bound_.buffer(op_.outputs[0]),
              .reads = encoding,
              .epilogue = Epilogue::kCap,
              .is_of_logits = true,
              .cap = model_.logit_softcap},
             true);
  }
};

}  // namespace

RowClass row_class(std::uint32_t n_rows) {
  return n_rows <= 1 ? RowClass::kOne : n_rows <= kGpuFewRows ? RowClass::kFew : RowClass::kMany;
}

std::uint32_t GridSize::y(std::uint32_t n_rows, std::uint32_t n_logit_rows) const {
  const std::uint32_t n_own = std::min(most, n_rows - std::min(first, n_rows));
  switch (of) {
    case Of::kRows: return n_own * factor;
    case Of::kAny: return n_rows > 0 ? 1 : 0;
    case Of::kTiles: return narrow(div_up(n_own, factor));
    case Of::kExpertTiles: {
      const std::uint32_t n_choices = n_rows * factor;
      return n_choices / kGpuTileRows + std::min(most, n_choices);
    }
    case Of::kLogitRows: return n_logit_rows;
    case Of::kAnyLogits: return n_logit_rows > 0 ? 1 : 0;
    case Of::kLogitTiles: return narrow(div_up(n_logit_rows, factor));
  }
  return 0;
}

std::uint32_t GridSize::z(std::span<const StepRow> rows) const {
  std::uint32_t n = 1;
  if (!splits || rows.size() > kGpuFewRows) return n;
  for (const StepRow& row : rows) n = std::max(n, splits->count(row.position, static_cast<std::uint32_t>(rows.size())));
  return n;
}

std::vector<OpPart> op_parts(const GpuBinding& bound, const Op& op, RowClass rows) {
  return OpDispatches(bound, op, rows).make();
}

}  // namespace headroom
