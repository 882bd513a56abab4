// Recurrent layers as files state them: which layers they are, their sizes, and what contradicts itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "engine/model/read_written.h"
#include "support/random_model.h"

namespace headroom {
namespace {

using test::RandomModelSpec;
using test::refusal;

RandomModelSpec small() {
  RandomModelSpec spec;
  spec.architecture = "qwen35";
  spec.n_layers = 4;
  spec.attention_period = 4;
  spec.d_model = 64;
  spec.d_ff = 96;
  spec.n_key_heads = 2;
  spec.n_value_heads = 6;
  spec.state_dim = 8;
  return spec;
}

std::string kinds(const ModelInfo& model) {
  std::string text;
  for (const LayerSpec& layer : model.layers) text += layer.delta_net ? 'd' : 'a';
  return text;
}

TEST(ReadDeltaNet, sizes_and_weights_are_those_of_the_file) {
  const auto model = test::read_written(test::random_gguf(small()));
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(kinds(*model), "ddda");
  EXPECT_TRUE(model->is_recurrent());
  const DeltaNetSpec spec = *model->layers[0].delta_net;
  EXPECT_EQ(spec, (DeltaNetSpec{2, 6, 8, 8, 4, true}));
  EXPECT_EQ(spec.n_mixed(), 2U * 16 + 48);
  EXPECT_EQ(spec.conv_bytes(), 3U * 80 * 4);
  EXPECT_EQ(spec.matrix_bytes(), 6U * 8 * 8 * 4);
  EXPECT_EQ(spec.key_head_of(3), 1U) << "tiled: neighbours have different key heads";
  EXPECT_EQ(model->layers[0].kv_rows(1024, 256), 0U);
  EXPECT_TRUE(model->layers[3].has_out_gate);
  const auto rows_of = [&](TensorRole role, std::int32_t layer) {
    const WeightTensor& weight = *model->find_weight(role, layer);
    return std::tuple(weight.name, weight.rows.of(0), weight.rows.of(1), weight.n_rows);
  };
  EXPECT_EQ(rows_of(TensorRole::kK, 0), std::tuple("blk.0.attn_qkv.weight", 16U, 17U, 16U));
  EXPECT_EQ(rows_of(TensorRole::kV, 0), std::tuple("blk.0.attn_qkv.weight", 32U, 33U, 48U));
  EXPECT_EQ(rows_of(TensorRole::kOutGate, 0), std::tuple("blk.0.attn_gate.weight", 0U, 1U, 48U));
  EXPECT_EQ(rows_of(TensorRole::kAttnOut, 0), std::tuple("blk.0.ssm_out.weight", 0U, 1U, 64U));
  EXPECT_EQ(rows_of(TensorRole::kFfnNorm, 0), std::tuple("blk.0.post_attention_norm.weight", 0U, 1U, 1U));
  // Heads of 16 rows of queries, each with its gate behind it.
  const WeightTensor &q = *model->find_weight(TensorRole::kQ, 3), &gate = *model->find_weight(TensorRole::kOutGate, 3);
  EXPECT_EQ(q.name, "blk.3.attn_q.weight");
  EXPECT_EQ(std::tuple(q.rows.of(15), q.rows.of(16), q.n_rows), std::tuple(15U, 32U, 64U));
  EXPECT_EQ(std::tuple(gate.rows.of(0), gate.rows.of(15), gate.rows.of(16)), std::tuple(16U, 31U, 48U));
  EXPECT_EQ(q.rows.run_from(3, 40), 13U);
  EXPECT_EQ(q.rows.run_from(3, 5), 5U);
}

TEST(ReadDeltaNet, layers_follow_the_period_or_a_list_of_flags) {
  RandomModelSpec spec = small();
  spec.n_layers = 6;
  spec.attention_period = 3;
  auto model = test::read_written(test::random_gguf(spec));
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(kinds(*model), "ddadda");
  // The list counts where a file has both.
  const auto with = [&](const std::string& list) {
    RandomModelSpec other = spec;
    other.uint_keys = {{"full_attention_interval", 2}};
    GgufWriter writer = test::random_gguf(other);
    writer.set_raw("qwen35.attention.recurrent_layers", GgufType::kArray, test::flags(list));
    return test::read_written(writer);
  };
  model = with("110110");
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(kinds(*model), "ddadda");
  EXPECT_EQ(refusal(with("11011")),
            "m.gguf: metadata 'qwen35.attention.recurrent_layers' has 5 entries, expected one for each of 6 layers");
  // What is said to be recurrent has tensors of attention.
  EXPECT_EQ(refusal(with("111110")), "m.gguf: tensor 'blk.2.attn_qkv.weight' is missing");
  spec.uint_keys = {{"attention.recurrent_layers", 3}};
  EXPECT_EQ(refusal(test::read_written(test::random_gguf(spec))),
            "m.gguf: metadata 'qwen35.attention.recurrent_layers': expected an array of 6 flags");
}

// Ollama's converter wrote so at first.
TEST(ReadDeltaNet, layers_without_attention_may_be_stated_as_without_heads_of_keys) {
  RandomModelSpec spec = small();
  spec.n_layers = 8;
  spec.stated_kv_heads = {0, 0, 0, 2, 0, 0, 0, 2};
  const auto model = test::read_written(test::random_gguf(spec));
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(kinds(*model), "dddaddda");
  EXPECT_EQ(model->layers[3].n_kv_heads, 2U);
  spec.stated_kv_heads[7] = 0;
  EXPECT_EQ(refusal(test::read_written(test::random_gguf(spec))),
            "m.gguf: layer 7: metadata 'qwen35.attention.head_count_kv' is 0, expected at least 1 in a layer with "
            "attention");
}

TEST(ReadDeltaNet, the_bias_of_the_decay_may_have_its_older_name) {
  for (const char* architecture : {"qwen35", "qwen35moe"}) {
    RandomModelSpec spec = small();
    spec.architecture = architecture;
    spec.tensor_names = {{"ssm_dt.bias", "ssm_dt"}};
    const auto model = test::read_written(test::random_gguf(spec));
    ASSERT_TRUE(model.ok()) << model.error().message.text();
    EXPECT_EQ(model->find_weight(TensorRole::kTimeBias, 0)->name, "blk.0.ssm_dt");
    spec.tensor_names = {{"ssm_dt.bias", "ssm_dt.weight"}};
    EXPECT_EQ(refusal(test::read_written(test::random_gguf(spec))), "m.gguf: tensor 'blk.0.ssm_dt.bias' is missing");
  }
}

TEST(ReadDeltaNet, value_heads_in_another_order_than_the_architecture_has_are_refused) {
  const auto read = [](const std::string& architecture, bool is_tiled) {
    RandomModelSpec spec = small();
    spec.architecture = architecture;
    GgufWriter writer = test::random_gguf(spec);
    writer.set_bool(architecture + ".ssm.v_head_reordered", is_tiled);
    return test::read_written(writer);
  };
  EXPECT_TRUE(read("qwen35", true).ok());
  EXPECT_EQ(refusal(read("qwen35", false)),
            "m.gguf: metadata 'qwen35.ssm.v_head_reordered' is false: value heads stand in another order than this "
            "version reads");
  EXPECT_TRUE(read("qwen3next", false).ok());
  EXPECT_FALSE(read("qwen3next", true).ok());
}

TEST(ReadDeltaNet, sizes_that_lie_are_refused) {
  const auto refused = [](const std::string& key, std::uint32_t value) {
    RandomModelSpec spec = small();
    spec.uint_keys = {{key, value}};
    return refusal(test::read_written(test::random_gguf(spec)));
  };
  EXPECT_EQ(refused("ssm.group_count", 4),
            "m.gguf: metadata 'qwen35.ssm.time_step_rank' is 6, which is no multiple of 'qwen35.ssm.group_count', 4");
  EXPECT_EQ(refused("ssm.group_count", 0), "m.gguf: metadata 'qwen35.ssm.group_count' is 0, expected 1 to 16384");
  EXPECT_EQ(refused("ssm.time_step_rank", 4000000000),
            "m.gguf: metadata 'qwen35.ssm.time_step_rank' is 4000000000, expected 1 to 16384");
  EXPECT_EQ(refused("ssm.state_size", 16),
            "m.gguf: metadata 'qwen35.ssm.inner_size' is 48, expected 'qwen35.ssm.time_step_rank' times "
            "'qwen35.ssm.state_size', 96");
  EXPECT_EQ(refused("ssm.state_size", 2048), "m.gguf: metadata 'qwen35.ssm.state_size' is 2048, expected 1 to 1024");
  EXPECT_EQ(refused("ssm.conv_kernel", 1), "m.gguf: metadata 'qwen35.ssm.conv_kernel' is 1, expected 2 to 8");
  EXPECT_EQ(refused("ssm.conv_kernel", 9), "m.gguf: metadata 'qwen35.ssm.conv_kernel' is 9, expected 2 to 8");
  EXPECT_EQ(refused("ssm.conv_kernel", 3),
            "m.gguf: tensor 'blk.0.ssm_conv1d.weight' has shape (4, 80), expected (3, 80) from the metadata");
  EXPECT_EQ(refused("full_attention_interval", 2), "m.gguf: tensor 'blk.1.attn_q.weight' is missing");
}

RandomModelSpec grouped(bool has_one_tensor) {
  RandomModelSpec spec = small();
  spec.architecture = "qwen3next";
  spec.d_ff = 32;
  spec.has_optional_parts = has_one_tensor;
  return spec;
}

// Two key heads with three value heads each; heads of 8 rows.
TEST(ReadDeltaNet, fused_tensors_have_their_rows_by_key_head) {
  for (const bool has_one_tensor : {false, true}) {
    SCOPED_TRACE(has_one_tensor);
    const auto model = test::read_written(test::random_gguf(grouped(has_one_tensor)));
    ASSERT_TRUE(model.ok()) << model.error().message.text();
    EXPECT_EQ(kinds(*model), "ddda");
    EXPECT_FALSE(model->layers[0].delta_net->heads_are_tiled);
    EXPECT_EQ(model->layers[0].delta_net->key_head_of(3), 1U) << "neighbours have the same key head";
    const auto expect_rows = [&](TensorRole role, const std::string& name, TensorRows rows, std::uint64_t n_rows) {
      const WeightTensor& weight = *model->find_weight(role, 0);
      EXPECT_EQ(weight.name, "blk.0." + name);
      EXPECT_EQ(weight.rows, rows) << weight.name;
      EXPECT_EQ(weight.n_rows, n_rows);
    };
    expect_rows(TensorRole::kBeta, "ssm_ba.weight", {0, 3, 6}, 6);
    expect_rows(TensorRole::kAlpha, "ssm_ba.weight", {3, 3, 6}, 6);
    if (has_one_tensor) {  // 8 of q, 8 of k, 24 of v, 24 of gates
      expect_rows(TensorRole::kQ, "ssm_in.weight", {0, 8, 64}, 16);
      expect_rows(TensorRole::kK, "ssm_in.weight", {8, 8, 64}, 16);
      expect_rows(TensorRole::kV, "ssm_in.weight", {16, 24, 64}, 48);
      expect_rows(TensorRole::kOutGate, "ssm_in.weight", {40, 24, 64}, 48);
    } else {
      expect_rows(TensorRole::kQ, "attn_qkv.weight", {0, 16, 80}, 16);
      expect_rows(TensorRole::kV, "attn_qkv.weight", {32, 48, 80}, 48);
      expect_rows(TensorRole::kOutGate, "attn_gate.weight", {}, 48);
    }
  }
}

TEST(ReadDeltaNet, fused_tensors_that_lie_are_refused) {
  const auto refused = [](bool has_one_tensor, const std::string& key, std::uint32_t value) {
    RandomModelSpec spec = grouped(has_one_tensor);
    spec.uint_keys = {{key, value}};
    return refusal(test::read_written(test::random_gguf(spec)));
  };
  EXPECT_EQ(refused(true, "ssm.group_count", 3),
            "m.gguf: tensor 'blk.0.ssm_in.weight' has shape (64, 128), expected (64, 144) from the metadata");
  EXPECT_EQ(refused(false, "ssm.group_count", 3),
            "m.gguf: tensor 'blk.0.attn_qkv.weight' has shape (64, 80), expected (64, 96) from the metadata");
  EXPECT_EQ(refused(true, "ssm.group_count", 4),
            "m.gguf: metadata 'qwen3next.ssm.time_step_rank' is 6, which is no multiple of "
            "'qwen3next.ssm.group_count', 4");
  EXPECT_EQ(refused(true, "full_attention_interval", 2), "m.gguf: tensor 'blk.1.attn_q.weight' is missing");
}

TEST(ReadDeltaNet, sections_of_positions_have_every_pair_or_are_refused) {
  const auto read = [](std::initializer_list<std::int32_t> sections) {
    GgufWriter writer = test::random_gguf(small());
    writer.set_ints("qwen35.rope.dimension_sections", sections);
    return test::read_written(writer);
  };
  EXPECT_TRUE(read({3, 3, 2, 0}).ok()) << "8 pairs of 16 elements";
  EXPECT_EQ(refusal(read({3, 3, 1, 0})),
            "m.gguf: metadata 'qwen35.rope.dimension_sections' is (3, 3, 1, 0), expected sections of 8 pairs together, "
            "half of 'qwen35.rope.dimension_count'");
  EXPECT_FALSE(read({-3, 3, 8, 0}).ok());
}

TEST(ReadDeltaNet, blocks_that_predict_further_tokens_are_counted_and_not_loaded) {
  RandomModelSpec spec = small();
  spec.n_layers = 4;
  spec.attention_period = 2;
  spec.uint_keys = {{"nextn_predict_layers", 1}};
  const auto model = test::read_written(test::random_gguf(spec));
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(kinds(*model), "dad");
  ASSERT_EQ(model->not_loaded.size(), 1U);
  EXPECT_EQ(model->not_loaded[0].what, "multi-token prediction");
  EXPECT_EQ(model->not_loaded[0].n_tensors, 11U);
}

}  // namespace
}  // namespace headroom
