#include "backend/gpu/gpu_conv.h"

#include "backend/gpu/gpu_args.h"
#include "backend/gpu/gpu_words.h"

namespace headroom {
namespace {

constexpr std::uint32_t kChannelsOfGroup = 64;  // conv_mix.cu, conv_mix.comp: a thread has one

class ConvDispatches : ProductDispatches {
 public:
  ConvDispatches(const GpuBinding& bound, const Op& op, RowClass rows) : ProductDispatches(bound, op, rows) {}

  std::vector<OpPart> make() {
    const Encoding encoding =
        encoding_for({&bound_.at(TensorRole::kK, op_.layer), &bound_.at(TensorRole::kV, op_.layer),
                      &bound_.at(TensorRole::kQ, op_.layer)});
    pre_norm(TensorRole::kAttnNorm, encoding);
    const auto project = [&](TensorRole matrix, const GpuSlice& to, bool needs_barrier) {
      multiply({.matrix = &bound_.at(matrix, op_.layer), .from = bound_.scratch.normed, .to = to, .reads = encoding},
               needs_barrier);
    };
    project(TensorRole::kK, bound_.scratch.mixes, true);
    project(TensorRole::kV, bound_.buffer(op_.outputs[1]), false);
    project(TensorRole::kQ, bound_.buffer(op_.outputs[2]), false);
    // Of many rows each is computed by itself, and what they begin with is overwritten once all are.
    if (rows_ != RowClass::kMany) {
      mix(true, true);
    } else {
      mix(true, false);
      mix(false, true);
    }
    return std::move(parts_);
  }

 private:
  void mix(bool computes, bool keeps) {
    const ShortConvSpec& spec = *spec_->short_conv;
    Dispatch& dispatch = add(Kernel::kConvMix, true);
    dispatch.constants =
        words_of(args::ConvMixConstants{.width = spec.width, .computes = computes ? 1U : 0U, .keeps = keeps ? 1U : 0U});
    dispatch.slices[1] = bound_.at(TensorRole::kConv, op_.layer).slice;
    dispatch.slices[2] = bound_.buffer(op_.outputs[1]);
    dispatch.slices[3] = bound_.scratch.mixes;
    dispatch.slices[4] = bound_.buffer(op_.outputs[0]);
    dispatch.slices[5] = bound_.state(op_.layer, StatePart::kConv);
    dispatch.slices[6] = bound_.buffer(op_.outputs[2]);
    dispatch.push =
        words_of(args::ConvMixPush{.n_channels = spec.n_channels, .rows_at = narrow(bound_.input_layout.rows_at)});
    dispatch.groups = {narrow(div_up(spec.n_channels, kChannelsOfGroup)), GridSize::Of::kRows};
    if (keeps) dispatch.groups.most = bound_.plan->options.n_slots;
  }
};

}  // namespace

std::vector<OpPart> conv_mix_parts(const GpuBinding& bound, const Op& op, RowClass rows) {
  return ConvDispatches(bound, op, rows).make();
}

}  // namespace headroom
