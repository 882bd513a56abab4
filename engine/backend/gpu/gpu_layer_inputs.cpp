#include "backend/gpu/gpu_layer_inputs.h"

#include <cmath>

#include "backend/gpu/gpu_words.h"

namespace headroom {
namespace {

class LayerInputs : ProductDispatches {
 public:
  LayerInputs(const GpuBinding& bound, const Op& op, RowClass rows) : ProductDispatches(bound, op, rows) {}

  std::vector<OpPart> make() {
    const GpuSlice &inputs = bound_.buffer(op_.outputs[0]), &projected = bound_.buffer(op_.outputs[1]);
    project(TensorRole::kInputProject, -1, projected);
    Dispatch& dispatch = add(Kernel::kNorm, true);
    dispatch.constants = words_of(args::NormConstants{.is_gathered = 0,
                                                      .is_added = 1,
                                                      .is_normed = 1,
                                                      .has_weight = 1,
                                                      .encoding = static_cast<std::uint32_t>(Encoding::kF32),
                                                      .half_exponent = 0});
    dispatch.slices[1] = bound_.at(TensorRole::kInputProjectNorm, -1).slice;
    dispatch.slices[3] = projected;
    dispatch.slices[4] = inputs;
    // Products are to be divided by the root of d_model, which a norm undoes but for its epsilon.
    dispatch.push = words_of(args::NormPush{.n_cols = model_.layers.front().input_dim,
                                            .logit_rows_at = 0,
                                            .epsilon = model_.norm_epsilon * static_cast<float>(model_.d_model),
                                            .scale = std::sqrt(0.5F),
                                            .n_per_row = model_.n_layers()});
    dispatch.groups = {model_.n_layers(), GridSize::Of::kRows};
    return std::move(parts_);
  }

  std::vector<OpPart> make_up() {
    const GpuSlice& input = bound_.buffer(op_.outputs[0]);
    const Encoding encoding = down_encoding();
    const GpuSlice& product = encoding == Encoding::kInt8 ? bound_.scratch.added : input;
    project(TensorRole::kInputGate, op_.layer, product);
    Dispatch& dispatch = add(Kernel::kGateInputs, true);
    dispatch.constants = words_of(args::GateInputsConstants{.activation = static_cast<std::uint32_t>(spec_->activation),
                                                            .encoding = static_cast<std::uint32_t>(encoding)});
    dispatch.slices[3] = bound_.buffer(op_.inputs[1]);
    dispatch.slices[4] = product;
    dispatch.slices[5] = input;
    dispatch.push = words_of(args::GateInputsPush{.n_cols = spec_->input_dim,
                                                  .n_elems = model_.input_elems,
                                                  .first = static_cast<std::uint32_t>(op_.layer) * spec_->input_dim});
    dispatch.groups = {1, GridSize::Of::kRows};
    return std::move(parts_);
  }

  Encoding down_encoding() const { return whole_encoding(bound_.at(TensorRole::kInputOut, op_.layer)); }

 private:
  // What a layer has of its inputs is short: rows of f16 are not worth a kernel.
  Encoding whole_encoding(const GpuWeight& matrix) const {
    const Encoding encoding = encoding_for({&matrix});
    return encoding == Encoding::kHalf ? Encoding::kF32 : encoding;
  }

  // The residual itself, without a norm.
  void project(TensorRole role, std::int32_t layer, const GpuSlice& to) {
    const GpuWeight& matrix = bound_.at(role, layer);
    const Encoding encoding = encoding_for({&matrix});
    GpuSlice from = bound_.buffer(op_.inputs[0]);
    const bool encodes = encoding != Encoding::kF32;
    if (encodes) {
      norm({.from = from, .to = bound_.scratch.normed, .role = std::nullopt, .encoding = encoding}, false);
      from = bound_.scratch.normed;
    }
    multiply({.matrix = &matrix, .from = from, .to = to, .reads = encoding}, encodes);
  }
};

}  // namespace

std::vector<OpPart> layer_inputs_parts(const GpuBinding& bound, const Op& op, RowClass rows) {
  return LayerInputs(bound, op, rows).make();
}

std::vector<OpPart> input_up_parts(const GpuBinding& bound, const Op& op, RowClass rows) {
  return LayerInputs(bound, op, rows).make_up();
}

Encoding input_encoding(const GpuBinding& bound, const Op& op, RowClass rows) {
  return LayerInputs(bound, op, rows).down_encoding();
}

}  // namespace headroom
