// The models of blocks that the small one lacks: kBlockProofs.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "prove/model_builder.h"

namespace headroom {
namespace {

// Deviation of scores, so that a query sees a few keys and not the mean of all: a rotation that is wrong would not show
// in the mean.
constexpr float kScoreSpread = 1.2F;
constexpr std::uint32_t kFfnWidth = 256, kExpertWidth = 128;
// Steps of a quick check have 13 positions in all: windows and growths that it shall see are shorter.
constexpr std::uint32_t kShortWindow = 8, kLongWindow = 40, kFewPositions = 6;

// Patterns of experts stand in the first quarter of the columns. A router's logits are the levels times
// `router_scale`, times the deviation of the embedding over the magnitude of the residual.
ExpertDraw draw_of(std::vector<float> levels, float router_scale, float embedding) {
  return {std::move(levels), router_scale, kProofWidth / 4, true, embedding};
}
// Of four experts each token goes through two: those of the first two levels, unless a bias on logits says otherwise.
// That lifts one expert above the others, so that every token chooses it, half of them in place of another one. Every
// choice is clear by half of a logit at least.
ExpertDraw four_experts(float router_scale, float embedding) {
  return draw_of({1.1F, 0.3F, -0.3F, -1.1F}, router_scale, embedding);
}
const std::vector<float> kBiasOfFour{0.0F, 0.0F, 4.0F, 0.0F};
// The same of six, by a bias on probabilities: every choice is clear by a fifth of a probability at least.
ExpertDraw six_experts(float router_scale) {
  return draw_of({1.2F, 0.3F, -0.5F, -1.2F, -1.2F, -1.2F}, router_scale, 1.0F);
}
std::vector<float> bias_of_six(std::size_t expert) {
  std::vector<float> biases(6, 0.0F);
  biases[expert] = 0.9F;
  return biases;
}

LayerSpec attention_of(std::uint32_t n_heads, std::uint32_t n_kv_heads, std::uint32_t head_dim) {
  LayerSpec layer;
  layer.n_heads = n_heads;
  layer.n_kv_heads = n_kv_heads;
  layer.head_dim = head_dim;
  layer.attention_scale = kScoreSpread / std::sqrt(static_cast<float>(head_dim));
  layer.d_ff = kFfnWidth;
  return layer;
}

void set_window(LayerSpec& layer, std::uint32_t window) {
  layer.attention = AttentionKind::kWindow;
  layer.window = window;
}

// `d_ff`: of the shared expert; 0: none.
void set_experts(LayerSpec& layer, std::uint32_t n_experts, RouterKind router, std::uint32_t d_ff) {
  layer.n_experts = n_experts;
  layer.n_experts_used = 2;
  layer.expert_d_ff = kExpertWidth;
  layer.router = router;
  layer.d_ff = d_ff;
}

}  // namespace

ProofModel make_recurrent_proof_model() {
  ModelBuilder builder("the model of recurrent layers", four_experts(1.3F, 2.0F));
  builder.add_rope(64, RopePairing::kHalves);
  builder.add_embedding(DType::kQ8_0);
  std::map<TensorRole, float> spread{{TensorRole::kTimeBias, 4.5F},
                                     {TensorRole::kAlpha, 1.5F},
                                     {TensorRole::kBeta, 1.5F},
                                     {TensorRole::kAttnOut, 1.6F},
                                     {TensorRole::kExpertDown, 2.5F}};
  LayerSpec grouped;
  grouped.delta_net =
      DeltaNetSpec{.n_key_heads = 2, .n_value_heads = 4, .key_dim = 128, .value_dim = 128, .conv_width = 4};
  grouped.d_ff = kFfnWidth;
  builder.add_layer(grouped, {.of_attention = DType::kQ8_0, .of_ffn = DType::kQ4_K, .factors = spread});
  LayerSpec tiled;
  tiled.delta_net = DeltaNetSpec{
      .n_key_heads = 2, .n_value_heads = 6, .key_dim = 64, .value_dim = 64, .conv_width = 3, .heads_are_tiled = true};
  set_experts(tiled, 4, RouterKind::kSoftmax, kFfnWidth);
  tiled.has_shared_gate = true;
  builder.add_layer(tiled, {.of_attention = DType::kF16, .of_ffn = DType::kQ8_0, .factors = spread});
  LayerSpec convolved;
  convolved.short_conv = ShortConvSpec{.n_channels = kProofWidth, .width = 3};
  convolved.d_ff = kFfnWidth;
  builder.add_layer(convolved, {.of_attention = DType::kQ4_K, .of_ffn = DType::kQ6_K});
  LayerSpec gated = attention_of(8, 1, 128);
  gated.has_out_gate = gated.has_qk_norm = true;
  gated.attention_scale *= 1.6F;
  builder.add_layer(gated,
                    {.of_attention = DType::kQ8_0, .of_ffn = DType::kQ4_0, .factors = {{TensorRole::kAttnOut, 2.0F}}});
  return std::move(builder).finish(DType::kQ6_K);
}

ProofModel make_sinks_proof_model() {
  ModelBuilder builder("the model of sinks and biases", four_experts(2.45F, 1.5F));
  builder.info().embedding_scale = 1.5F;
  builder.add_rope(64, RopePairing::kHalves);
  RopeSpec& yarn = builder.info().ropes.back();
  yarn.scaling = RopeScaling::kYarn;
  yarn.factor = 16.0;
  yarn.original_n_ctx = 64;
  yarn.has_whole_ramp = false;
  builder.add_rope(128, RopePairing::kNeighbours);
  builder.add_rope(128, RopePairing::kNeighbours);
  RopeSpec& grown = builder.info().ropes.back();
  grown.original_n_ctx = kFewPositions;
  grown.growth = 0.4;
  builder.add_embedding(DType::kQ8_0);
  LayerSpec experts = attention_of(8, 1, 64);
  set_window(experts, kLongWindow);
  experts.has_qkv_bias = experts.has_attn_out_bias = true;
  set_experts(experts, 4, RouterKind::kSoftmaxNormed, 0);
  experts.activation = Activation::kClamped;
  LayerWeights weights{.of_attention = DType::kQ8_0,
                       .of_ffn = DType::kMXFP4,
                       .has_sinks = true,
                       .has_expert_biases = true,
                       .router_bias = kBiasOfFour};
  // Of gates and ups a tenth is beyond the limits that they are clamped to.
  weights.factors = {{TensorRole::kExpertGate, 4.0F},
                     {TensorRole::kExpertUp, 4.0F},
                     {TensorRole::kExpertDown, 0.2F},
                     {TensorRole::kExpertGateBias, 3.0F},
                     {TensorRole::kExpertUpBias, 3.0F}};
  builder.add_layer(experts, weights);
  LayerSpec dense = attention_of(4, 1, 128);
  dense.rope = 1;
  dense.query_rope = 2;
  dense.activation = Activation::kClamped;
  weights = {.of_attention = DType::kQ4_K, .of_ffn = DType::kQ8_0, .has_sinks = true};
  weights.factors = {{TensorRole::kGate, 4.0F}, {TensorRole::kUp, 4.0F}, {TensorRole::kDown, 0.2F}};
  builder.add_layer(dense, weights);
  return std::move(builder).finish(DType::kQ8_0);
}

ProofModel make_long_heads_proof_model() {
  ModelBuilder builder("the model of long heads", draw_of({}, 1.0F, 2.0F));
  builder.add_rope(256, RopePairing::kHalves);
  builder.add_rope(512, RopePairing::kHalves);
  // Most pairs do not turn, and the others at half their speed.
  constexpr std::size_t kTurned = 64;
  std::vector<float>& divisors = builder.info().ropes.back().freq_factors;
  divisors.assign(256, 1e30F);
  std::fill_n(divisors.begin(), kTurned, 2.0F);
  builder.add_embedding(DType::kQ8_0);
  LayerSpec windowed = attention_of(4, 1, 256), full = attention_of(8, 1, 512);
  set_window(windowed, kShortWindow);
  full.rope = 1;
  for (LayerSpec* layer : {&windowed, &full}) {
    layer->has_qk_norm = layer->has_value_norm = true;
    layer->activation = Activation::kGelu;
  }
  full.value_is_key = true;
  LayerWeights weights{.of_attention = DType::kQ8_0, .of_ffn = DType::kQ4_0};
  // A norm of values of magnitude 1 would do nothing.
  weights.factors = {{TensorRole::kV, 3.0F}, {TensorRole::kK, 3.0F}};
  builder.add_layer(windowed, weights);
  builder.add_layer(full, weights);
  full.value_is_key = false;
  windowed.kv_layer = 0;
  full.kv_layer = 1;
  full.n_heads = 4;
  builder.add_layer(windowed, weights);
  builder.add_layer(full, weights);
  return std::move(builder).finish(std::nullopt);
}

ProofModel make_sigmoid_proof_model() {
  ModelBuilder builder("the model of sigmoid routers", six_experts(4.2F));
  builder.info().norms_embedding = true;
  builder.info().post_norm_epsilon = 0.5F;
  builder.add_rope(64, RopePairing::kHalves);
  builder.add_rope(64, RopePairing::kNeighbours);
  RopeSpec& extended = builder.info().ropes.back();
  extended.scaling = RopeScaling::kLong;
  extended.original_n_ctx = 64;
  extended.attention_factor = 1.5;
  extended.freq_factors.assign(32, 1.0F);
  extended.long_factors.assign(32, 4.0F);
  builder.add_embedding(DType::kQ8_0);
  LayerSpec together = attention_of(4, 4, 64);
  together.attention_scale *= 1.5F;
  together.has_pre_norms = false;
  together.has_post_norms = together.has_qk_norm = together.norms_heads_together = true;
  // What layers add is less than otherwise, so that roundings grow less from layer to layer; but for the attention that
  // norms behind its rotation, since such a norm changes little.
  LayerWeights weights{.of_attention = DType::kQ8_0, .of_ffn = DType::kQ4_K};
  weights.factors = {{TensorRole::kAttnPostNorm, 0.7F}, {TensorRole::kFfnPostNorm, 0.6F}};
  builder.add_layer(together, weights);
  LayerSpec turned = attention_of(8, 1, 64);
  turned.attention_scale *= 2.0F;
  turned.has_qk_norm = turned.norms_turned_heads = true;
  set_experts(turned, 6, RouterKind::kSigmoidNormed, kFfnWidth);
  turned.expert_weight_scale = 1.6F;
  weights = {.of_attention = DType::kQ6_K, .of_ffn = DType::kQ8_0, .choice_bias = bias_of_six(2)};
  weights.factors = {{TensorRole::kAttnOut, 1.3F}, {TensorRole::kDown, 0.6F}, {TensorRole::kExpertDown, 0.6F}};
  builder.add_layer(turned, weights);
  LayerSpec plain = attention_of(4, 1, 64);
  plain.rope = 1;
  set_experts(plain, 6, RouterKind::kSigmoid, 0);
  weights = {.of_attention = DType::kQ8_0, .of_ffn = DType::kQ5_0, .choice_bias = bias_of_six(4)};
  weights.factors = {{TensorRole::kAttnOut, 0.7F}, {TensorRole::kExpertDown, 0.8F}};
  builder.add_layer(plain, weights);
  return std::move(builder).finish(DType::kQ6_K);
}

ProofModel make_branch_proof_model() {
  constexpr std::uint32_t kInputs = 64, kLayers = 3;
  ModelBuilder builder("the model of branches and layer inputs", four_experts(2.5F, 3.0F));
  builder.info().logit_softcap = 1.5F;
  builder.add_rope(64, RopePairing::kHalves);
  builder.add_rope(0, RopePairing::kHalves);  // of a layer whose heads do not turn
  builder.add_embedding(DType::kQ8_0);
  builder.add_layer_inputs(kInputs, kLayers, DType::kQ8_0);
  LayerSpec dense = attention_of(4, 1, 64);
  dense.has_post_norms = true;
  dense.activation = Activation::kGelu;
  dense.input_dim = kInputs;
  LayerSpec branches = dense;
  set_experts(branches, 4, RouterKind::kSoftmaxNormed, kFfnWidth);
  branches.has_branch_norms = branches.has_expert_scales = true;
  branches.router_scale = 1.0F / std::sqrt(static_cast<float>(kProofWidth));
  branches.output_scale = 0.6F;
  LayerWeights weights{.of_attention = DType::kQ8_0, .of_ffn = DType::kQ8_0};
  weights.factors = {{TensorRole::kRouterNorm, 16.0F},
                     {TensorRole::kExpertNorm, 1.2F},
                     {TensorRole::kExpertPostNorm, 2.4F},
                     {TensorRole::kSharedPostNorm, 0.7F}};
  builder.add_layer(branches, weights);
  // The last one's scale would be lost in the norm before the head.
  dense.output_scale = 0.5F;
  // What the later layers add is less, so that the first one's experts are not lost in it.
  weights = {.of_attention = DType::kQ4_K, .of_ffn = DType::kQ8_0};
  for (const TensorRole norm : {TensorRole::kAttnPostNorm, TensorRole::kFfnPostNorm, TensorRole::kInputPostNorm})
    weights.factors[norm] = 0.6F;
  builder.add_layer(dense, weights);
  dense.output_scale = 1.0F;
  dense.rope = 1;
  weights.of_attention = DType::kQ6_K;
  weights.of_ffn = DType::kQ4_0;
  builder.add_layer(dense, weights);
  return std::move(builder).finish(DType::kQ6_K);
}

}  // namespace headroom
