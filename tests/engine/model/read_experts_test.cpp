// Experts, and an FFN beside them, as a file's keys and tensors have them.
#include "model/read_experts.h"

#include <gtest/gtest.h>

#include <tuple>

#include "model/weight_layout.h"
#include "read_written.h"

namespace headroom {
namespace {

TEST(ReadExperts, experts_are_read_from_their_own_keys_and_tensors) {
  auto spec = test::small("qwen3moe");
  spec.d_ff = 40;  // no multiple of a panel
  spec.n_experts = 6;
  spec.n_experts_used = 3;
  const auto model = test::read_written(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  for (const LayerSpec& layer : model->layers) {
    EXPECT_EQ(layer.n_experts, 6U);
    EXPECT_EQ(layer.n_experts_used, 3U);
    EXPECT_EQ(layer.expert_d_ff, 40U);
    EXPECT_EQ(layer.d_ff, 0U);
    EXPECT_EQ(layer.router, RouterKind::kSoftmaxNormed);
    EXPECT_TRUE(layer.has_qk_norm);
  }
  const WeightTensor &router = *model->find_weight(TensorRole::kRouter, 1),
                     &gate = *model->find_weight(TensorRole::kExpertGate, 1),
                     &down = *model->find_weight(TensorRole::kExpertDown, 1);
  EXPECT_EQ(router.name, "blk.1.ffn_gate_inp.weight");
  EXPECT_EQ(std::tuple(router.n_matrices, router.n_rows, router.n_cols), std::tuple(1U, 6U, 64U));
  EXPECT_EQ(std::tuple(gate.n_matrices, gate.n_rows, gate.n_cols), std::tuple(6U, 40U, 64U));
  EXPECT_EQ(std::tuple(down.n_matrices, down.n_rows, down.n_cols), std::tuple(6U, 64U, 40U));
  EXPECT_EQ(weight_bytes(gate, WeightLayout::kRows), 6U * 40 * 64 * 4);
  EXPECT_EQ(weight_bytes(gate, WeightLayout::kPanels), 6U * 48 * 64 * 4);  // each expert ends with its panels
  EXPECT_DOUBLE_EQ(model->share_read(gate), 0.5);
  EXPECT_DOUBLE_EQ(model->share_read(router), 1);
  EXPECT_EQ(model->find_weight(TensorRole::kGate, 1), nullptr);
}

TEST(ReadExperts, experts_that_contradict_themselves_are_refused) {
  const auto refused = [](const std::string& key, std::uint32_t value) {
    auto spec = test::small("qwen3moe");
    spec.uint_keys = {{key, value}};
    return test::refusal(test::read_written(spec));
  };
  EXPECT_EQ(refused("expert_used_count", 5),
            "m.gguf: metadata 'qwen3moe.expert_used_count' is 5, expected at most 'qwen3moe.expert_count', 4");
  EXPECT_EQ(refused("expert_used_count", 0), "m.gguf: metadata 'qwen3moe.expert_used_count' is 0, expected 1 to 4096");
  EXPECT_EQ(refused("expert_count", 4097), "m.gguf: metadata 'qwen3moe.expert_count' is 4097, expected 1 to 4096");
  EXPECT_EQ(refused("expert_feed_forward_length", 1U << 24),
            "m.gguf: metadata 'qwen3moe.expert_used_count' times 'qwen3moe.expert_feed_forward_length' is 33554432, "
            "expected at most 16777216");
  EXPECT_EQ(refused("expert_count", 3),
            "m.gguf: tensor 'blk.0.ffn_gate_inp.weight' has shape (64, 4), expected (64, 3) from the metadata");
  EXPECT_EQ(
      refused("expert_feed_forward_length", 95),
      "m.gguf: tensor 'blk.0.ffn_gate_exps.weight' has shape (64, 96, 4), expected (64, 95, 4) from the metadata");
  EXPECT_EQ(refused("expert_gating_func", 2),
            "m.gguf: metadata 'qwen3moe.expert_gating_func' is 2, expected 1 or 3: it changes what the model computes, "
            "and this "
            "version does not apply it");
}

TEST(ReadExperts, a_width_may_be_stated_for_each_layer_or_not_at_all) {
  const auto read = [](const std::vector<std::uint32_t>& widths) {
    auto spec = test::small("qwen3moe");
    spec.n_layers = 3;
    spec.array_keys = {{"expert_feed_forward_length", widths}};
    return test::read_written(spec);
  };
  for (const std::vector<std::uint32_t>& widths : {std::vector<std::uint32_t>{96, 96, 96}, {}}) {
    const auto model = read(widths);
    ASSERT_TRUE(model.ok()) << model.error().message.text();
    for (const LayerSpec& layer : model->layers) EXPECT_EQ(layer.expert_d_ff, 96U);
  }
  EXPECT_EQ(test::refusal(read({96, 96, 48})),
            "m.gguf: metadata 'qwen3moe.expert_feed_forward_length' is 48 in one layer and 96 in another: this version "
            "has experts of one width");
  EXPECT_EQ(read({96, 96, 48}).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(test::refusal(read({96, 96})),
            "m.gguf: metadata 'qwen3moe.expert_feed_forward_length' has 2 entries, expected one for each of 3 layers");
  EXPECT_EQ(test::refusal(read({0, 0, 0})),
            "m.gguf: metadata 'qwen3moe.expert_feed_forward_length' is 0, expected 1 to 16777216");
  auto spec = test::small("glm4moe");
  spec.n_dense_layers = 1, spec.dense_d_ff = 40;
  spec.array_keys = {{"expert_feed_forward_length", {0, 96}}};
  const auto mixed = test::read_written(spec);
  ASSERT_TRUE(mixed.ok()) << mixed.error().message.text();
  EXPECT_EQ(mixed->layers[1].expert_d_ff, 96U);
  spec.array_keys = {{"expert_feed_forward_length", {}}};
  spec.tensor_names = {{"ffn_down_exps.weight", "ffn_down_expert.weight"}};
  EXPECT_EQ(test::refusal(test::read_written(spec)),
            "m.gguf: metadata 'glm4moe.expert_feed_forward_length' is missing");
}

// Four experts of 96 rows each.
TEST(ReadExperts, gates_of_experts_may_stand_with_their_ups) {
  auto spec = test::small("qwen3moe");
  spec.has_optional_parts = true;
  const auto model = test::read_written(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  const auto expect_rows = [&](TensorRole role, TensorRows rows) {
    const WeightTensor* weight = model->find_weight(role, 1);
    ASSERT_NE(weight, nullptr);
    EXPECT_EQ(weight->name, "blk.1.ffn_gate_up_exps.weight");
    EXPECT_EQ(std::tuple(weight->n_matrices, weight->n_rows, weight->n_cols), std::tuple(4U, 96U, 64U));
    EXPECT_EQ(weight->rows, rows);
  };
  expect_rows(TensorRole::kExpertGate, {0, 96, 192});
  expect_rows(TensorRole::kExpertUp, {96, 96, 192});
  spec.uint_keys = {{"expert_feed_forward_length", 95}};
  EXPECT_EQ(test::refusal(test::read_written(spec)),
            "m.gguf: tensor 'blk.0.ffn_gate_up_exps.weight' has shape (64, 192, 4), expected (64, 190, 4) from the "
            "metadata");
}

TEST(ReadExperts, a_shared_expert_is_an_ffn_beside_the_others) {
  auto spec = test::small("qwen35moe");
  spec.shared_d_ff = 72;
  const auto model = test::read_written(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  for (const LayerSpec& layer : model->layers) {
    EXPECT_EQ(layer.expert_d_ff, spec.d_ff);
    EXPECT_EQ(layer.d_ff, 72U);
    EXPECT_TRUE(layer.has_shared_expert());
    EXPECT_TRUE(layer.has_shared_gate);
  }
  const auto expect_weight = [&](TensorRole role, const char* name, std::uint64_t n_rows, std::uint64_t n_cols) {
    const WeightTensor* weight = model->find_weight(role, 1);
    ASSERT_NE(weight, nullptr) << name;
    EXPECT_EQ(weight->name, name);
    EXPECT_EQ(std::tuple(weight->n_matrices, weight->n_rows, weight->n_cols), std::tuple(1U, n_rows, n_cols)) << name;
    EXPECT_DOUBLE_EQ(model->share_read(*weight), 1) << "every row goes through it";
  };
  expect_weight(TensorRole::kGate, "blk.1.ffn_gate_shexp.weight", 72, 64);
  expect_weight(TensorRole::kUp, "blk.1.ffn_up_shexp.weight", 72, 64);
  expect_weight(TensorRole::kDown, "blk.1.ffn_down_shexp.weight", 64, 72);
  expect_weight(TensorRole::kSharedGate, "blk.1.ffn_gate_inp_shexp.weight", 1, 64);
}

TEST(ReadExperts, a_shared_expert_that_contradicts_itself_is_refused) {
  const auto refused = [](std::uint32_t width) {
    auto spec = test::small("qwen35moe");
    spec.shared_d_ff = 72;
    spec.uint_keys = {{"expert_shared_feed_forward_length", width}};
    return test::refusal(test::read_written(spec));
  };
  EXPECT_EQ(refused(0), "m.gguf: metadata 'qwen35moe.expert_shared_feed_forward_length' is 0, expected 1 to 16777216");
  EXPECT_EQ(refused(1U << 25),
            "m.gguf: metadata 'qwen35moe.expert_shared_feed_forward_length' is 33554432, expected 1 to 16777216");
  EXPECT_EQ(refused(71),
            "m.gguf: tensor 'blk.0.ffn_gate_shexp.weight' has shape (64, 72), expected (64, 71) from the metadata");
}

TEST(ReadExperts, keys_say_how_experts_are_chosen_and_weighed) {
  const auto read = [](std::uint32_t function, bool is_normed, float scale) {
    auto spec = test::small("glm4moe");
    spec.uint_keys = {{"expert_gating_func", function}};
    spec.float_keys = {{"expert_weights_scale", scale}};
    auto writer = test::random_gguf(spec);
    writer.set_bool("glm4moe.expert_weights_norm", is_normed);
    return test::read_written(writer);
  };
  const std::tuple<std::uint32_t, bool, float, RouterKind, float> cases[] = {
      {2, true, 2.5F, RouterKind::kSigmoidNormed, 2.5F},
      {2, false, 1.0F, RouterKind::kSigmoid, 1.0F},
      {1, true, 0.0F, RouterKind::kSoftmaxNormed, 1.0F},
      {1, false, 0.5F, RouterKind::kSoftmax, 0.5F},
      {0, true, 1.0F, RouterKind::kSigmoidNormed, 1.0F}};
  for (const auto& [function, is_normed, scale, kind, expected_scale] : cases) {
    const auto model = read(function, is_normed, scale);
    ASSERT_TRUE(model.ok()) << model.error().message.text();
    EXPECT_EQ(model->layers[1].router, kind);
    EXPECT_EQ(model->layers[1].expert_weight_scale, expected_scale);
    const WeightTensor* bias = model->find_weight(TensorRole::kChoiceBias, 1);
    ASSERT_NE(bias, nullptr);
    EXPECT_EQ(bias->name, "blk.1.exp_probs_b.bias");
    EXPECT_EQ(bias->n_cols, 4U);
  }
  EXPECT_EQ(
      test::refusal(read(3, true, 1)),
      "m.gguf: metadata 'glm4moe.expert_gating_func' is 3 (softmax over the chosen experts), expected 1 (softmax) "
      "or 2 (sigmoid): this version chooses experts by no other function");
  EXPECT_EQ(test::refusal(read(9, true, 1)),
            "m.gguf: metadata 'glm4moe.expert_gating_func' is 9, expected 1 (softmax) or 2 (sigmoid): this version "
            "chooses experts by no other function");
  EXPECT_EQ(test::refusal(read(2, true, -1)),
            "m.gguf: metadata 'glm4moe.expert_weights_scale' is -1, expected a finite number of 0 or more");
}

TEST(ReadExperts, groups_of_experts_are_refused_by_name) {
  auto spec = test::small("glm4moe");
  spec.uint_keys = {{"expert_group_count", 8}};
  EXPECT_EQ(test::refusal(test::read_written(spec)),
            "m.gguf: metadata 'glm4moe.expert_group_count' is 8, expected 0 or 1: it changes what the model computes, "
            "and this version does not apply it");
}

TEST(ReadExperts, some_layers_are_dense_where_the_file_says_so) {
  auto spec = test::small("ernie4_5-moe");
  spec.n_layers = 6;
  spec.n_dense_layers = 2, spec.expert_step = 2, spec.dense_d_ff = 40;
  const auto model = test::read_written(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  for (std::int32_t i = 0; i < 6; ++i) {
    const LayerSpec& layer = model->layers[static_cast<std::size_t>(i)];
    EXPECT_EQ(layer.has_experts(), i == 3 || i == 5) << i;
    EXPECT_EQ(layer.d_ff, layer.has_experts() ? 2U * 96 : 40U) << i << ": two experts are shared";
    EXPECT_EQ(model->find_weight(TensorRole::kRouter, i) != nullptr, layer.has_experts());
    EXPECT_EQ(model->find_weight(TensorRole::kGate, i)->name,
              layer.has_experts() ? "blk." + std::to_string(i) + ".ffn_gate_shexp.weight"
                                  : "blk." + std::to_string(i) + ".ffn_gate.weight");
  }
}

TEST(ReadExperts, dense_layers_that_contradict_the_file_are_refused) {
  const auto refused = [](const std::string& key, std::uint32_t value) {
    auto spec = test::small("glm4moe");
    spec.n_dense_layers = 1, spec.dense_d_ff = 40;
    spec.uint_keys = {{key, value}};
    return test::refusal(test::read_written(spec));
  };
  EXPECT_EQ(refused("leading_dense_block_count", 0), "m.gguf: tensor 'blk.0.ffn_gate_inp.weight' is missing");
  EXPECT_EQ(refused("leading_dense_block_count", 4000000000U),
            "m.gguf: metadata 'glm4moe.leading_dense_block_count' is 4000000000, expected 0 to 1073741824");
  EXPECT_EQ(refused("interleave_moe_layer_step", 0),
            "m.gguf: metadata 'glm4moe.interleave_moe_layer_step' is 0, expected 1 to 1073741824");
  EXPECT_EQ(refused("interleave_moe_layer_step", 3), "m.gguf: tensor 'blk.1.ffn_gate.weight' is missing");
  EXPECT_EQ(
      refused("expert_shared_count", 4096),
      "m.gguf: tensor 'blk.1.ffn_gate_shexp.weight' has shape (64, 192), expected (64, 393216) from the metadata");
  EXPECT_EQ(refused("expert_shared_count", 5000),
            "m.gguf: metadata 'glm4moe.expert_shared_count' is 5000, expected 0 to 4096");
}

TEST(ReadExperts, heads_may_be_normed_together) {
  const auto model = test::read_written(test::small("minimax-m2"));
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_TRUE(model->layers[1].norms_heads_together);
  EXPECT_EQ(model->find_weight(TensorRole::kQNorm, 1)->n_cols, 64U);
  EXPECT_EQ(model->find_weight(TensorRole::kKNorm, 1)->n_cols, 32U);
}

TEST(ReadExperts, experts_have_a_dense_ffn_beside_them_where_the_file_has_experts) {
  test::RandomModelSpec spec = test::small("gemma4");
  spec.shared_d_ff = 48;
  const auto with = test::read_written(spec);
  ASSERT_TRUE(with.ok()) << with.error().message.text();
  EXPECT_TRUE(with->layers[0].has_shared_expert() && with->layers[0].has_branch_norms);
  EXPECT_EQ(with->layers[0].d_ff, 48U);
  EXPECT_EQ(with->layers[0].expert_d_ff, 96U);
  EXPECT_EQ(with->layers[0].router_scale, 0.125F) << "1 / sqrt(64)";
  spec.n_experts = 0;
  const auto without = test::read_written(spec);
  ASSERT_TRUE(without.ok()) << without.error().message.text();
  EXPECT_FALSE(without->layers[0].has_experts() || without->layers[0].has_branch_norms);
}

}  // namespace
}  // namespace headroom
