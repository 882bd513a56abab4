// Scales that files of Granite state: the residual is kept divided by its own, and the last norm takes that of logits.
#include "model/read_scales.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "read_written.h"

namespace headroom {
namespace {

using test::RandomModelSpec, test::read_written, test::refusal;

RandomModelSpec granite(std::map<std::string, float> scales) {
  RandomModelSpec spec = test::small("granite");
  spec.float_keys = std::move(scales);
  return spec;
}

float logit_factor(const ModelInfo& model) { return model.find_weight(TensorRole::kOutputNorm, -1)->factor; }

// Granite 3 8B states 1/128, 12, 0.22 and 16. Its epsilon of 1e-5 is 1e-5 / 0.0484 of a residual that is divided by
// 0.22.
TEST(ReadScales, granite_keeps_its_residual_divided_by_the_scale_of_what_layers_add) {
  const auto model = read_written(granite({{"attention.scale", 0.0078125F},
                                           {"embedding_scale", 12.0F},
                                           {"residual_scale", 0.22F},
                                           {"logit_scale", 16.0F}}));
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_FLOAT_EQ(model->embedding_scale, 12.0F / 0.22F);
  EXPECT_FLOAT_EQ(model->norm_epsilon, 1e-5F / 0.0484F);
  EXPECT_EQ(logit_factor(*model), 1.0F / 16.0F);
  for (const LayerSpec& layer : model->layers) EXPECT_EQ(layer.attention_scale, 0.0078125F);
}

TEST(ReadScales, all_but_that_of_logits_may_be_absent) {
  const auto model = read_written(granite({{"logit_scale", 1.0F}}));
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(model->embedding_scale, 1.0F);
  EXPECT_FLOAT_EQ(model->norm_epsilon, 1e-5F);
  EXPECT_EQ(logit_factor(*model), 1.0F);
  const LayerSpec& layer = model->layers[0];
  EXPECT_FLOAT_EQ(layer.attention_scale, 1.0F / std::sqrt(static_cast<float>(layer.head_dim)));
}

// Muse Glimmer 30B states 1 / sqrt(6656 / 256), by which its logits are multiplied.
TEST(ReadScales, the_scale_of_logits_multiplies_in_muse_glimmer_and_has_to_be_there) {
  RandomModelSpec spec = test::small("muse-glimmer");
  spec.float_keys = {{"logit_scale", 0.1961F}, {"final_logit_softcapping", 20.0F}};
  const auto model = read_written(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(logit_factor(*model), 0.1961F);
  EXPECT_EQ(model->logit_softcap, 20.0F);
  EXPECT_TRUE(model->norms_embedding);
  EXPECT_EQ(model->epsilon_behind(), 1e-8F);
  EXPECT_EQ(model->find_weight(TensorRole::kOutGate, 1)->name, "blk.1.attn_gate.weight");
  spec.float_keys = {{"logit_scale", 0.0F}};
  EXPECT_EQ(refusal(read_written(spec)),
            "m.gguf: metadata 'muse-glimmer.logit_scale' is 0, expected more than 0, and a number of 32 bits");
}

TEST(ReadScales, a_scale_that_is_none_is_refused_by_its_key) {
  for (const char* key : {"attention.scale", "embedding_scale", "residual_scale", "logit_scale"}) {
    for (const float wrong : {0.0F, -2.0F}) {
      EXPECT_EQ(refusal(read_written(granite({{key, wrong}}))),
                fmt::format("m.gguf: metadata 'granite.{}' is {}, expected more than 0, and a number of 32 bits", key,
                            wrong));
    }
  }
  const std::string tiny = refusal(read_written(granite({{"residual_scale", 1e-25F}})));
  EXPECT_TRUE(tiny.starts_with("m.gguf: metadata 'granite.residual_scale' is ")) << tiny;
  EXPECT_TRUE(tiny.ends_with("which leaves numbers that 32 bits do not hold")) << tiny;
}

TEST(ReadScales, a_file_says_that_no_layer_turns) {
  for (const bool turns : {true, false}) {
    GgufWriter writer = random_gguf(granite({}));
    writer.set_bool("granite.rope.scaling.finetuned", turns);
    const auto model = read_written(writer);
    ASSERT_TRUE(model.ok()) << model.error().message.text();
    for (const LayerSpec& layer : model->layers) EXPECT_EQ(model->ropes.at(layer.rope).rope_dim, turns ? 16U : 0U);
  }
  GgufWriter writer = random_gguf(granite({}));
  writer.set_uint("granite.rope.scaling.finetuned", 0);
  EXPECT_EQ(refusal(read_written(writer)),
            "m.gguf: metadata 'granite.rope.scaling.finetuned' is no flag, expected true or false");
}

TEST(ReadScales, experts_of_granite_have_the_width_of_an_ffn_and_perhaps_a_shared_one) {
  RandomModelSpec spec = test::small("granitemoe");
  const auto shared = read_written(spec);
  ASSERT_TRUE(shared.ok()) << shared.error().message.text();
  EXPECT_EQ(shared->layers[0].expert_d_ff, spec.d_ff);
  EXPECT_EQ(shared->layers[0].d_ff, spec.shared_d_ff);
  EXPECT_TRUE(shared->layers[0].has_shared_expert());
  spec.shared_d_ff = 0;
  const auto alone = read_written(spec);
  ASSERT_TRUE(alone.ok()) << alone.error().message.text();
  EXPECT_FALSE(alone->layers[0].has_shared_expert());
}

}  // namespace
}  // namespace headroom
