// The whole way from file to logits on the CPU, against what transformers computed in float32: every architecture row
// and RoPE variant, every instruction set that this machine has, in one step and in pieces.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "base/cpu_features.h"
#include "golden/golden_model.h"

namespace headroom {
namespace {

// Tokens per step: all, and a number that divides neither the prompt nor the kernels' tiles.
Result<std::vector<float>> compute_logits(const test::GoldenModel& golden, std::uint32_t n_batch, DType kv) {
  const auto devices = probe_devices(2);
  if (!devices) return devices.error();
  const auto session = test::open_golden(golden, *devices, n_batch, {.kv_k = kv, .kv_v = kv});
  if (!session) return session.error();
  return test::logits_of_all(**session, golden.tokens);
}

class GoldenLogits : public testing::TestWithParam<std::tuple<Isa, std::string>> {
 protected:
  void SetUp() override { setenv("HEADROOM_ISA", std::string(isa_name(std::get<Isa>(GetParam()))).c_str(), 1); }
  void TearDown() override { unsetenv("HEADROOM_ISA"); }
};

TEST_P(GoldenLogits, are_those_of_transformers) {
  const test::GoldenModel golden = test::golden_model(std::get<std::string>(GetParam()));
  const std::vector<float> expected = golden.logits(), with_f16_cache = golden.logits_with_f16_cache();
  float largest = 0;
  for (const float x : expected) largest = std::max(largest, std::fabs(x));
  for (const std::uint32_t n_batch : {64U, 7U, 1U}) {
    SCOPED_TRACE(n_batch);
    const auto with_f32 = compute_logits(golden, n_batch, DType::kF32);
    ASSERT_TRUE(with_f32.ok()) << with_f32.error().message.text();
    ASSERT_EQ(with_f32->size(), expected.size());
    // With a cache that rounds nothing, only the order of sums is left: 1.9e-5 at most where it was measured, of logits
    // up to 57.
    const float difference = test::largest_difference(*with_f32, expected);
    RecordProperty("f32_" + std::to_string(n_batch), std::to_string(difference));
    EXPECT_LE(difference, 1e-4F);
    const auto with_f16 = compute_logits(golden, n_batch, DType::kF16);
    ASSERT_TRUE(with_f16.ok()) << with_f16.error().message.text();
    ASSERT_EQ(with_f16->size(), expected.size());
    EXPECT_LE(test::largest_difference(*with_f16, expected), 1e-3F * largest);
    // With the rounding of the cache on both sides, what is left is the order of sums, and the few keys and values that
    // it pushes over to the next f16: 1.1e-4 at most where it was measured.
    const float unexplained = test::largest_difference(*with_f16, with_f16_cache) / largest;
    RecordProperty("unexplained_" + std::to_string(n_batch), std::to_string(unexplained));
    EXPECT_LE(unexplained, 2e-4F);
  }
}

// A part of a model, and the same model without it.
struct Part {
  const char* name;
  const char* model;
  void (*leave_out)(ModelInfo& model);
};
void PrintTo(const Part& part, std::ostream* out) { *out << part.name << " of " << part.model; }

template <auto kMember>
void set_of_layers(ModelInfo& model, auto value) {
  for (LayerSpec& layer : model.layers) layer.*kMember = value;
}

void set_tiled_heads(ModelInfo& model, bool are_tiled) {
  for (LayerSpec& layer : model.layers) {
    if (layer.delta_net) layer.delta_net->heads_are_tiled = are_tiled;
  }
}

void scale_logits(ModelInfo& model, float factor) {
  for (WeightTensor& weight : model.weights) {
    if (weight.role == TensorRole::kOutputNorm) weight.factor = factor;
  }
}

// Parts that a layer has where it has their tensor.
template <TensorRole... kRoles>
void leave_out_weights(ModelInfo& model) {
  std::erase_if(model.weights, [](const WeightTensor& weight) { return ((weight.role == kRoles) || ...); });
}

void leave_out_shared_experts(ModelInfo& model) {
  for (LayerSpec& layer : model.layers) {
    if (layer.has_experts()) layer.d_ff = 0;
  }
}

void leave_out_layer_inputs(ModelInfo& model) {
  model.input_elems = 0;
  set_of_layers<&LayerSpec::input_dim>(model, 0U);
}

class GoldenPart : public testing::TestWithParam<Part> {};

// The golden logits hold each part only if they would be others without it: by a hundred times what is let pass.
TEST_P(GoldenPart, left_out_gives_other_logits) {
  const test::GoldenModel golden = test::golden_model(GetParam().model);
  const auto devices = probe_devices(2);
  ASSERT_TRUE(devices.ok());
  const PlanOptions options{.kv_k = DType::kF32, .kv_v = DType::kF32};
  const auto whole = test::open_golden(golden, *devices, 64, options),
             without = test::open_golden(golden, *devices, 64, options, GetParam().leave_out);
  ASSERT_TRUE(whole.ok() && without.ok());
  EXPECT_LE(test::largest_difference(*test::logits_of_all(**whole, golden.tokens), golden.logits()), 1e-4F);
  EXPECT_GE(test::largest_difference(*test::logits_of_all(**without, golden.tokens), golden.logits()), 1e-2F);
}

constexpr Part kParts[] = {
    {"attention_softcap", "gemma2", [](ModelInfo& m) { set_of_layers<&LayerSpec::attention_softcap>(m, 0.0F); }},
    {"logit_softcap", "gemma2", [](ModelInfo& m) { m.logit_softcap = 0; }},
    {"window", "gemma2", [](ModelInfo& m) { set_of_layers<&LayerSpec::attention>(m, AttentionKind::kFull); }},
    {"gelu", "gemma2", [](ModelInfo& m) { set_of_layers<&LayerSpec::activation>(m, Activation::kSilu); }},
    {"post_norms", "gemma2", [](ModelInfo& m) { set_of_layers<&LayerSpec::has_post_norms>(m, false); }},
    {"embedding_scale", "gemma2", [](ModelInfo& m) { m.embedding_scale = 1; }},
    {"window", "gemma3", [](ModelInfo& m) { set_of_layers<&LayerSpec::attention>(m, AttentionKind::kFull); }},
    {"rope_of_windows", "gemma3", [](ModelInfo& m) { set_of_layers<&LayerSpec::rope>(m, 0U); }},
    {"rope_of_all", "gemma3", [](ModelInfo& m) { set_of_layers<&LayerSpec::rope>(m, 1U); }},
    {"window", "gemma4", [](ModelInfo& m) { set_of_layers<&LayerSpec::attention>(m, AttentionKind::kFull); }},
    {"value_norm", "gemma4", [](ModelInfo& m) { set_of_layers<&LayerSpec::has_value_norm>(m, false); }},
    {"output_scale", "gemma4", [](ModelInfo& m) { set_of_layers<&LayerSpec::output_scale>(m, 1.0F); }},
    {"plain_scores", "gemma4", [](ModelInfo& m) { set_of_layers<&LayerSpec::attention_scale>(m, 0.25F); }},
    {"factors", "gemma4", [](ModelInfo& m) { m.ropes[0].freq_factors.clear(); }},
    {"caches_of_others", "gemma4-small", [](ModelInfo& m) { m.layers[3].kv_layer = m.layers[4].kv_layer = 0; }},
    {"layer_inputs", "gemma4-small", leave_out_layer_inputs},
    {"output_scale", "gemma4-small", [](ModelInfo& m) { set_of_layers<&LayerSpec::output_scale>(m, 1.0F); }},
    {"unturned_layers", "smollm3", [](ModelInfo& m) { set_of_layers<&LayerSpec::rope>(m, 0U); }},
    {"growth_of_queries", "mistral3", [](ModelInfo& m) { m.ropes[1].growth = 0; }},
    {"length_that_yarn_leaves", "mistral3", [](ModelInfo& m) { m.ropes[0].attention_factor = 0; }},
    {"attention_scale", "granite", [](ModelInfo& m) { set_of_layers<&LayerSpec::attention_scale>(m, 0.25F); }},
    {"embedding_scale", "granite", [](ModelInfo& m) { m.embedding_scale = 1.0F / 0.3F; }},
    {"residual_scale", "granite", [](ModelInfo& m) { m.embedding_scale = 3; }},
    {"epsilon_of_the_scaled_residual", "granite", [](ModelInfo& m) { m.norm_epsilon = 1e-2F; }},
    {"logit_scale", "granite", [](ModelInfo& m) { scale_logits(m, 1.0F); }},
    {"last_expert", "granitemoe", [](ModelInfo& m) { set_of_layers<&LayerSpec::n_experts_used>(m, 2U); }},
    {"shared_expert", "granitemoe-shared", leave_out_shared_experts},
    {"window", "gpt-oss", [](ModelInfo& m) { set_of_layers<&LayerSpec::attention>(m, AttentionKind::kFull); }},
    {"sinks", "gpt-oss", leave_out_weights<TensorRole::kAttnSinks>},
    {"biases_of_attention", "gpt-oss", leave_out_weights<TensorRole::kQBias, TensorRole::kKBias, TensorRole::kVBias>},
    {"bias_of_attn_out", "gpt-oss", leave_out_weights<TensorRole::kAttnOutBias>},
    {"router_bias", "gpt-oss", leave_out_weights<TensorRole::kRouterBias>},
    {"biases_of_gates", "gpt-oss", leave_out_weights<TensorRole::kExpertGateBias>},
    {"biases_of_ups", "gpt-oss", leave_out_weights<TensorRole::kExpertUpBias>},
    {"biases_of_downs", "gpt-oss", leave_out_weights<TensorRole::kExpertDownBias>},
    {"clamped", "gpt-oss", [](ModelInfo& m) { set_of_layers<&LayerSpec::activation>(m, Activation::kSilu); }},
    {"ramp_that_is_not_rounded", "gpt-oss", [](ModelInfo& m) { m.ropes[0].has_whole_ramp = true; }},
    {"last_expert", "gpt-oss", [](ModelInfo& m) { set_of_layers<&LayerSpec::n_experts_used>(m, 2U); }},
    {"window", "exaone4", [](ModelInfo& m) { set_of_layers<&LayerSpec::attention>(m, AttentionKind::kFull); }},
    {"unturned_layers", "exaone4", [](ModelInfo& m) { set_of_layers<&LayerSpec::rope>(m, 0U); }},
    {"post_norms", "exaone4", [](ModelInfo& m) { set_of_layers<&LayerSpec::has_post_norms>(m, false); }},
    {"choice_bias", "lfm2moe", leave_out_weights<TensorRole::kChoiceBias>},
    {"last_expert", "lfm2moe", [](ModelInfo& m) { set_of_layers<&LayerSpec::n_experts_used>(m, 2U); }},
    {"norms_of_heads", "lfm2", leave_out_weights<TensorRole::kQNorm, TensorRole::kKNorm>},
    {"rotary_part", "phi3", [](ModelInfo& m) { m.ropes[0].rope_dim = 32; }},
    {"router_scale", "gemma4-experts", [](ModelInfo& m) { set_of_layers<&LayerSpec::router_scale>(m, 1.0F); }},
    {"expert_scales", "gemma4-experts", [](ModelInfo& m) { set_of_layers<&LayerSpec::has_expert_scales>(m, false); }},
    {"last_expert", "gemma4-experts", [](ModelInfo& m) { set_of_layers<&LayerSpec::n_experts_used>(m, 2U); }},
    {"rope_of_windows", "gemma4-values", [](ModelInfo& m) { m.ropes[1].theta = 1e6; }},
    {"out_gate", "qwen35", [](ModelInfo& m) { set_of_layers<&LayerSpec::has_out_gate>(m, false); }},
    {"rotary_part", "qwen35", [](ModelInfo& m) { m.ropes[0].rope_dim = 32; }},
    {"tiled_heads", "qwen35-tiled", [](ModelInfo& m) { set_tiled_heads(m, false); }},
    {"last_expert", "qwen3moe", [](ModelInfo& m) { set_of_layers<&LayerSpec::n_experts_used>(m, 2U); }},
    {"last_expert", "qwen35moe", [](ModelInfo& m) { set_of_layers<&LayerSpec::n_experts_used>(m, 2U); }},
    {"shared_expert", "qwen35moe", leave_out_shared_experts},
    {"shared_gate", "qwen35moe", [](ModelInfo& m) { set_of_layers<&LayerSpec::has_shared_gate>(m, false); }},
    {"tiled_heads", "qwen35moe", [](ModelInfo& m) { set_tiled_heads(m, false); }},
    {"shared_expert", "qwen3next", leave_out_shared_experts},
    {"grouped_heads", "qwen3next", [](ModelInfo& m) { set_tiled_heads(m, true); }},
    {"grouped_heads", "qwen3next-fused", [](ModelInfo& m) { set_tiled_heads(m, true); }},
    {"choice_bias", "glm4moe", leave_out_weights<TensorRole::kChoiceBias>},
    {"sigmoid", "glm4moe", [](ModelInfo& m) { set_of_layers<&LayerSpec::router>(m, RouterKind::kSoftmaxNormed); }},
    {"sum_of_weights", "glm4moe", [](ModelInfo& m) { set_of_layers<&LayerSpec::router>(m, RouterKind::kSigmoid); }},
    {"weight_scale", "glm4moe", [](ModelInfo& m) { set_of_layers<&LayerSpec::expert_weight_scale>(m, 1.0F); }},
    {"shared_expert", "glm4moe", leave_out_shared_experts},
    {"norms_of_heads", "glm4moe", leave_out_weights<TensorRole::kQNorm, TensorRole::kKNorm>},
    {"biases_of_attention", "glm4moe", leave_out_weights<TensorRole::kQBias, TensorRole::kKBias, TensorRole::kVBias>},
    {"rotary_part", "glm4moe", [](ModelInfo& m) { m.ropes[0].rope_dim = 32; }},
    {"plain_weights", "glm4moe-plain",
     [](ModelInfo& m) { set_of_layers<&LayerSpec::router>(m, RouterKind::kSigmoidNormed); }},
    {"choice_bias", "minimax-m2", leave_out_weights<TensorRole::kChoiceBias>},
    {"sigmoid", "minimax-m2", [](ModelInfo& m) { set_of_layers<&LayerSpec::router>(m, RouterKind::kSoftmaxNormed); }},
    {"norm_of_all_heads", "minimax-m2",
     [](ModelInfo& m) { set_of_layers<&LayerSpec::norms_heads_together>(m, false); }},
    {"rotary_part", "minimax-m2", [](ModelInfo& m) { m.ropes[0].rope_dim = 32; }},
    {"choice_bias", "ernie4_5-moe", leave_out_weights<TensorRole::kChoiceBias>},
    {"softmax", "ernie4_5-moe", [](ModelInfo& m) { set_of_layers<&LayerSpec::router>(m, RouterKind::kSigmoidNormed); }},
    {"shared_expert", "ernie4_5-moe", leave_out_shared_experts},
    {"norm_of_all_heads", "olmo2", [](ModelInfo& m) { set_of_layers<&LayerSpec::norms_heads_together>(m, false); }},
    {"post_norms", "olmo2", [](ModelInfo& m) { set_of_layers<&LayerSpec::has_post_norms>(m, false); }},
    {"window", "olmo3", [](ModelInfo& m) { set_of_layers<&LayerSpec::attention>(m, AttentionKind::kFull); }},
    {"yarn", "olmo3", [](ModelInfo& m) { set_of_layers<&LayerSpec::rope>(m, 1U); }},
    {"plain_rope_of_windows", "olmo3", [](ModelInfo& m) { set_of_layers<&LayerSpec::rope>(m, 0U); }},
    {"attention_factor", "olmo3", [](ModelInfo& m) { m.ropes[0].attention_factor = 1; }},
    {"norms_behind_rotation", "hunyuan-dense",
     [](ModelInfo& m) { set_of_layers<&LayerSpec::norms_turned_heads>(m, false); }},
    {"norms_of_heads", "hunyuan-dense", leave_out_weights<TensorRole::kQNorm, TensorRole::kKNorm>},
    {"norm_of_embedding", "muse-glimmer", [](ModelInfo& m) { m.norms_embedding = false; }},
    {"epsilon_of_post_norms", "muse-glimmer", [](ModelInfo& m) { m.post_norm_epsilon.reset(); }},
    {"out_gate", "muse-glimmer", [](ModelInfo& m) { set_of_layers<&LayerSpec::has_out_gate>(m, false); }},
    {"norms_of_heads", "muse-glimmer", leave_out_weights<TensorRole::kQNorm, TensorRole::kKNorm>},
    {"window", "muse-glimmer", [](ModelInfo& m) { set_of_layers<&LayerSpec::attention>(m, AttentionKind::kFull); }},
    {"unturned_layers", "muse-glimmer", [](ModelInfo& m) { set_of_layers<&LayerSpec::rope>(m, 0U); }},
    {"logit_scale", "muse-glimmer", [](ModelInfo& m) { scale_logits(m, 1.0F); }},
    {"logit_softcap", "muse-glimmer", [](ModelInfo& m) { m.logit_softcap = 0; }},
    {"long_factors", "phi3-long", [](ModelInfo& m) { m.ropes[0].long_factors = m.ropes[0].freq_factors; }},
    {"attention_factor", "phi3-long", [](ModelInfo& m) { m.ropes[0].attention_factor = 1; }},
    {"short_factors", "phi3-short", [](ModelInfo& m) { m.ropes[0].freq_factors = m.ropes[0].long_factors; }},
};
INSTANTIATE_TEST_SUITE_P(All, GoldenPart, testing::ValuesIn(kParts), [](const auto& each) {
  std::string label = std::string(each.param.model) + "_" + each.param.name;
  std::replace(label.begin(), label.end(), '-', '_');
  return label;
});

std::vector<Isa> present_isas() {
  std::vector<Isa> isas;
  std::copy_if(kIsas.begin(), kIsas.end(), std::back_inserter(isas), can_run);
  return isas;
}
INSTANTIATE_TEST_SUITE_P(All, GoldenLogits,
                         testing::Combine(testing::ValuesIn(present_isas()),
                                          testing::ValuesIn(test::golden_model_names())),
                         [](const auto& each) {
                           std::string label =
                               std::string(isa_name(std::get<0>(each.param))) + "_" + std::get<1>(each.param);
                           std::replace(label.begin(), label.end(), '-', '_');
                           return label;
                         });

}  // namespace
}  // namespace headroom
