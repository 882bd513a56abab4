#include "backend/gpu/gpu_delta.h"

#include <algorithm>

#include "backend/gpu/gpu_args.h"
#include "backend/gpu/gpu_products.h"
#include "backend/gpu/gpu_words.h"
#include "base/check.h"
#include "plan/gpu_rules.h"

namespace headroom {
namespace {

class DeltaDispatches : ProductDispatches {
 public:
  DeltaDispatches(const GpuBinding& bound, const Op& op, RowClass rows) : ProductDispatches(bound, op, rows) {}

  std::vector<OpPart> delta_mix() {
    const DeltaNetSpec& spec = *spec_->delta_net;
    std::vector<const GpuWeight*> readers;
    for (const TensorRole role :
         {TensorRole::kQ, TensorRole::kK, TensorRole::kV, TensorRole::kOutGate, TensorRole::kAlpha, TensorRole::kBeta})
      readers.push_back(&bound_.at(role, op_.layer));
    const Encoding encoding = encoding_for(readers);
    pre_norm(TensorRole::kAttnNorm, encoding);
    const GpuMixes mixes = gpu_mixes(spec, bound_.plan->program.max_rows);
    const auto project = [&](TensorRole matrix, const GpuSlice& to, bool needs_barrier) {
      multiply({.matrix = &bound_.at(matrix, op_.layer), .from = bound_.scratch.normed, .to = to, .reads = encoding},
               needs_barrier);
    };
    const auto part = [&](std::uint64_t at, std::uint64_t width) {
      return bound_.scratch.mixes.part(at * 4, bound_.plan->program.max_rows * width * 4);
    };
    project(TensorRole::kQ, part(0, spec.q_dim()), true);
    project(TensorRole::kK, part(mixes.keys_at, spec.q_dim()), false);
    project(TensorRole::kV, part(mixes.values_at, spec.v_dim()), false);
    project(TensorRole::kOutGate, bound_.buffer(op_.outputs[2]), false);
    project(TensorRole::kAlpha, part(mixes.alphas_at, spec.n_value_heads), false);
    project(TensorRole::kBeta, part(mixes.betas_at, spec.n_value_heads), false);
    // Of many rows each is computed by itself, and what they begin with is overwritten once all are.
    if (rows_ != RowClass::kMany) {
      mix(mixes, true, true);
    } else {
      mix(mixes, true, false);
      mix(mixes, false, true);
    }
    return std::move(parts_);
  }

  std::vector<OpPart> delta_rule() {
    const DeltaNetSpec& spec = *spec_->delta_net;
    const std::uint32_t max_rows = rows_ == RowClass::kMany ? bound_.plan->program.max_rows : kGpuFewRows,
                        of_head = narrow(div_up(spec.value_dim, kGpuDeltaColumns)),
                        n_blocks = spec.n_value_heads * of_head;
    // One row has no pairs; of longer keys the states would be read twice for it.
    const bool has_pairs = rows_ != RowClass::kOne || spec.key_dim > kGpuDeltaTile;
    parts_.clear();
    for (std::uint32_t first_row = 0; first_row < max_rows; first_row += kGpuDeltaRows) {
      parts_.push_back({{}, first_row, spec.products_per_row()});
      if (has_pairs) pairs(first_row);
      for (std::uint32_t first = 0; first < n_blocks; first += kMostGroups) {
        Dispatch& dispatch = add(Kernel::kDeltaRule, has_pairs && first == 0);
        dispatch.constants = words_of(args::DeltaRuleConstants{
            .key_dim = spec.key_dim, .value_dim = spec.value_dim, .chunk_rows = has_pairs ? kGpuDeltaChunk : 1});
        dispatch.slices[3] = bound_.buffer(op_.inputs[0]);
        dispatch.slices[4] = bound_.buffer(op_.inputs[1]);
        dispatch.slices[5] = bound_.state(op_.layer, StatePart::kMatrix);
        dispatch.slices[6] = bound_.buffer(op_.outputs[0]);
        dispatch.slices[7] = bound_.scratch.mixes;
        dispatch.push = words_of(args::DeltaRulePush{.n_key_heads = spec.n_key_heads,
                                                     .n_value_heads = spec.n_value_heads,
                                                     .heads_are_tiled = spec.heads_are_tiled ? 1U : 0U,
                                                     .rows_at = narrow(bound_.input_layout.rows_at),
                                                     .first_row = first_row,
                                                     .end_row = first_row + kGpuDeltaRows,
                                                     .first_block = first});
        dispatch.groups = {std::min(kMostGroups, n_blocks - first), GridSize::Of::kRows, 1, 0,
                           bound_.plan->options.n_slots};
      }
    }
    return std::move(parts_);
  }

 private:
  void pairs(std::uint32_t first_row) {
    static_assert(kGpuDeltaRows % kGpuDeltaChunk == 0);
    const DeltaNetSpec& spec = *spec_->delta_net;
    Dispatch& dispatch = add(Kernel::kDeltaPairs, false);
    dispatch.constants = words_of(args::DeltaPairsConstants{.key_dim = spec.key_dim, .value_dim = spec.value_dim});
    dispatch.slices[3] = bound_.buffer(op_.inputs[0]);
    dispatch.slices[4] = bound_.buffer(op_.inputs[1]);
    dispatch.slices[6] = bound_.scratch.mixes;
    dispatch.push = words_of(args::DeltaPairsPush{.n_key_heads = spec.n_key_heads,
                                                  .n_value_heads = spec.n_value_heads,
                                                  .heads_are_tiled = spec.heads_are_tiled ? 1U : 0U,
                                                  .rows_at = narrow(bound_.input_layout.rows_at),
                                                  .first_row = first_row,
                                                  .end_row = first_row + kGpuDeltaRows});
    dispatch.groups = {spec.n_key_heads, GridSize::Of::kTiles, kGpuDeltaChunk};
  }

  void mix(const GpuMixes& mixes, bool computes, bool keeps) {
    const DeltaNetSpec& spec = *spec_->delta_net;
    Dispatch& dispatch = add(Kernel::kDeltaMix, true);
    dispatch.constants = words_of(args::DeltaMixConstants{.key_dim = spec.key_dim,
                                                          .value_dim = spec.value_dim,
                                                          .conv_width = spec.conv_width,
                                                          .computes = computes ? 1U : 0U,
                                                          .keeps = keeps ? 1U : 0U});
    dispatch.slices[1] = bound_.at(TensorRole::kConv, op_.layer).slice;
    dispatch.slices[2] = bound_.at(TensorRole::kDecay, op_.layer).slice;
    dispatch.slices[3] = bound_.scratch.mixes;
    dispatch.slices[4] = bound_.buffer(op_.outputs[0]);
    dispatch.slices[5] = bound_.state(op_.layer, StatePart::kConv);
    dispatch.slices[6] = bound_.at(TensorRole::kTimeBias, op_.layer).slice;
    dispatch.slices[7] = bound_.buffer(op_.outputs[1]);
    dispatch.push = words_of(args::DeltaMixPush{.n_key_heads = spec.n_key_heads,
                                                .n_value_heads = spec.n_value_heads,
                                                .rows_at = narrow(bound_.input_layout.rows_at),
                                                .keys_at = narrow(mixes.keys_at),
                                                .values_at = narrow(mixes.values_at),
                                                .alphas_at = narrow(mixes.alphas_at),
                                                .betas_at = narrow(mixes.betas_at),
                                                .epsilon = kL2NormEpsilon});
    // The rates of a row are computed beside its heads.
    const std::uint32_t n_heads = 2 * spec.n_key_heads + spec.n_value_heads;
    dispatch.groups = {computes ? n_heads + 1 : n_heads, GridSize::Of::kRows};
    if (keeps) dispatch.groups.most = bound_.plan->options.n_slots;
  }
};

}  // namespace

std::vector<OpPart> delta_mix_parts(const GpuBinding& bound, const Op& op, RowClass rows) {
  return DeltaDispatches(bound, op, rows).delta_mix();
}

std::vector<OpPart> delta_rule_parts(const GpuBinding& bound, const Op& op, RowClass rows) {
  return DeltaDispatches(bound, op, rows).delta_rule();
}

}  // namespace headroom
