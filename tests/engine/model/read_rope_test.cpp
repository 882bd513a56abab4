// Queries that grow with their position, and YaRN that leaves lengths as they are: files of Mistral 3.
#include "model/read_rope.h"

#include <gtest/gtest.h>

#include <cmath>

#include "read_written.h"

namespace headroom {
namespace {

using test::RandomModelSpec, test::read_written, test::refusal;

RandomModelSpec mistral3(std::map<std::string, float> numbers) {
  RandomModelSpec spec = test::small("mistral3");
  numbers.emplace("rope.scaling.factor", 16.0F);
  spec.float_keys = std::move(numbers);
  spec.uint_keys = {{"rope.scaling.original_context_length", 16384}};
  spec.string_keys = {{"rope.scaling.type", "yarn"}};
  return spec;
}

// Ministral 3 states 16, 16,384, 1 and 0.1: cos and sin of keys stay as they are, those of queries are multiplied by
// 1 + 0.1 ln 2 from 16,384 on, by 1 + 0.1 ln 3 from 32,768 on.
TEST(ReadRope, queries_of_mistral3_grow_with_the_logarithm_of_their_position) {
  const auto model =
      read_written(mistral3({{"rope.scaling.yarn_log_multiplier", 1.0F}, {"attention.temperature_scale", 0.1F}}));
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  ASSERT_EQ(model->ropes.size(), 2U);
  const RopeFrequencies keys = rope_frequencies(model->ropes[0]), queries = rope_frequencies(model->ropes[1]);
  EXPECT_EQ(keys.per_pair, queries.per_pair);
  for (const std::uint32_t position : {0U, 16383U, 16384U, 200000U}) EXPECT_FLOAT_EQ(keys.magnitude_at(position), 1.0F);
  EXPECT_FLOAT_EQ(queries.magnitude_at(16383), 1.0F);
  EXPECT_FLOAT_EQ(queries.magnitude_at(16384), 1 + 0.1F * std::log(2.0F));
  EXPECT_FLOAT_EQ(queries.magnitude_at(40000), 1 + 0.1F * std::log(3.0F));
  for (const LayerSpec& layer : model->layers) {
    EXPECT_EQ(layer.rope, 0U);
    EXPECT_EQ(layer.rope_of_queries(), 1U);
  }
}

TEST(ReadRope, without_the_keys_queries_turn_as_keys_and_yarn_scales_both) {
  for (const float none : {0.0F, -1.0F}) {
    const auto model = read_written(none < 0 ? mistral3({}) : mistral3({{"attention.temperature_scale", none}}));
    ASSERT_TRUE(model.ok()) << model.error().message.text();
    ASSERT_EQ(model->ropes.size(), 1U);
    EXPECT_EQ(model->layers[0].rope_of_queries(), 0U);
    EXPECT_FLOAT_EQ(rope_frequencies(model->ropes[0]).magnitude, 1 + 0.1F * std::log(16.0F));
  }
}

// Files of checkpoints in Mistral's own format state 1, or 0 where YaRN scales.
TEST(ReadRope, the_multiplier_of_llama_divides_what_yarn_multiplies_by) {
  RandomModelSpec spec = test::small("llama");
  spec.float_keys = {{"rope.scaling.factor", 16.0F}};
  spec.uint_keys = {{"rope.scaling.original_context_length", 16}};
  spec.string_keys = {{"rope.scaling.type", "yarn"}};
  const float whole = 1 + 0.1F * std::log(16.0F);
  for (const auto& [multiplier, expected] :
       {std::pair(0.0F, whole), {1.0F, 1.0F}, {0.5F, whole / (1 + 0.05F * std::log(16.0F))}}) {
    spec.float_keys["rope.scaling.yarn_log_multiplier"] = multiplier;
    const auto model = read_written(spec);
    ASSERT_TRUE(model.ok()) << model.error().message.text();
    EXPECT_FLOAT_EQ(rope_frequencies(model->ropes[0]).magnitude, expected) << multiplier;
  }
  spec.string_keys.clear();
  EXPECT_FALSE(read_written(spec).ok()) << "what does not scale by YaRN has no use for it";
}

// GLM 4.5V: half of a head turns, and the sections of text are one position.
TEST(ReadRope, sections_of_glm4moe_have_every_pair_and_change_nothing) {
  RandomModelSpec spec = test::small("glm4moe");
  spec.head_dim = 128;
  spec.dense_d_ff = 96;
  spec.uint_keys = {{"rope.dimension_count", 64}};
  const auto plain = read_written(spec);
  const auto read = [&](std::initializer_list<std::int32_t> sections) {
    GgufWriter writer = test::random_gguf(spec);
    writer.set_ints("glm4moe.rope.dimension_sections", sections);
    return read_written(writer);
  };
  const auto sectioned = read({8, 12, 12, 0});
  ASSERT_TRUE(plain.ok() && sectioned.ok()) << refusal(plain) << refusal(sectioned);
  EXPECT_EQ(plain->ropes, sectioned->ropes);
  EXPECT_EQ(sectioned->ropes[0].pairing, RopePairing::kHalves);
  EXPECT_EQ(refusal(read({8, 12, 11, 0})),
            "m.gguf: metadata 'glm4moe.rope.dimension_sections' is (8, 12, 11, 0), expected sections of 32 pairs "
            "together, half of 'glm4moe.rope.dimension_count'");
}

TEST(ReadRope, what_cannot_grow_is_refused) {
  EXPECT_EQ(refusal(read_written(mistral3({{"attention.temperature_scale", -0.5F}}))),
            "m.gguf: metadata 'mistral3.attention.temperature_scale' is -0.5, expected 0 or more");
  EXPECT_EQ(refusal(read_written(mistral3({{"rope.scaling.yarn_log_multiplier", -0.5F}}))),
            "m.gguf: metadata 'mistral3.rope.scaling.yarn_log_multiplier' is -0.5, expected 0 or more");
  RandomModelSpec part = mistral3({{"attention.temperature_scale", 0.5F}});
  part.uint_keys["rope.dimension_count"] = 8;
  EXPECT_EQ(refusal(read_written(part)),
            "m.gguf: metadata 'mistral3.rope.dimension_count' is 8, expected the size of a "
            "head, 16, beside 'mistral3.attention.temperature_scale'");
}

RandomModelSpec phi3() {
  RandomModelSpec spec = test::small("phi3");
  spec.uint_keys = {{"rope.scaling.original_context_length", 16}};
  spec.short_factors.assign(8, 1.0F);
  spec.long_factors = {1, 2, 3, 4, 5, 6, 7, 8};
  return spec;
}

// The context is 128, eight times the original one.
TEST(ReadRope, long_factors_of_phi3_are_those_of_slots_longer_than_the_original_context) {
  RandomModelSpec spec = phi3();
  for (const char* type : {"", "longrope", "none"}) {
    if (*type != 0) spec.string_keys = {{"rope.scaling.type", type}};
    const auto model = read_written(spec);
    ASSERT_TRUE(model.ok()) << model.error().message.text();
    const RopeSpec& rope = model->ropes[0];
    EXPECT_EQ(rope.scaling, RopeScaling::kLong);
    const RopeFrequencies plain = rope_frequencies(rope, 16), stretched = rope_frequencies(rope, 17);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_FLOAT_EQ(plain.per_pair[i], std::pow(10000.0F, -static_cast<float>(i) / 8));
      EXPECT_FLOAT_EQ(stretched.per_pair[i], plain.per_pair[i] / spec.long_factors[i]);
    }
    const auto derived = static_cast<float>(std::sqrt(1 + std::log(8.0) / std::log(16.0)));
    for (const RopeFrequencies& each : {plain, stretched}) EXPECT_FLOAT_EQ(each.magnitude, derived);
    EXPECT_TRUE(model->not_loaded.empty());
  }
  spec.float_keys["rope.scaling.attn_factor"] = 1.5F;
  EXPECT_FLOAT_EQ(rope_frequencies(read_written(spec)->ropes[0]).magnitude, 1.5F);
  spec = phi3();
  spec.uint_keys = {};  // the context is the original one
  const auto model = read_written(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(model->ropes[0].original_n_ctx, 128U);
  EXPECT_EQ(rope_frequencies(model->ropes[0], 128).magnitude, 1.0F);
}

TEST(ReadRope, long_factors_that_contradict_themselves_are_refused) {
  const auto refused = [](auto change) {
    RandomModelSpec spec = phi3();
    change(spec);
    return refusal(read_written(spec));
  };
  EXPECT_EQ(refused([](auto& spec) { spec.short_factors.clear(); }),
            "m.gguf: tensor 'rope_factors_short.weight' is missing");
  EXPECT_EQ(refused([](auto& spec) { spec.long_factors.clear(); }),
            "m.gguf: tensor 'rope_factors_long.weight' is missing");
  EXPECT_EQ(refused([](auto& spec) {
              spec.short_factors.clear(), spec.long_factors.clear();
              spec.string_keys = {{"rope.scaling.type", "longrope"}};
            }),
            "m.gguf: tensor 'rope_factors_short.weight' is missing");
  EXPECT_EQ(refused([](auto& spec) { spec.long_factors.pop_back(); }),
            "m.gguf: tensor 'rope_factors_long.weight' is F32 of shape (7), expected F32 of shape (8)");
  EXPECT_EQ(refused([](auto& spec) { spec.long_factors[2] = -1; }),
            "m.gguf: tensor 'rope_factors_long.weight' holds -1, expected finite numbers above 0");
  EXPECT_EQ(refused([](auto& spec) { spec.float_keys["rope.scaling.attn_factor"] = 0; }),
            "m.gguf: metadata 'phi3.rope.scaling.attn_factor' is 0, expected more than 0");
  EXPECT_EQ(refused([](auto& spec) {
              spec.string_keys = {{"rope.scaling.type", "yarn"}};
              spec.float_keys = {{"rope.scaling.factor", 4.0F}};
            }),
            "m.gguf: metadata 'phi3.rope.scaling.type' is 'yarn' beside tensor 'rope_factors_short.weight', expected "
            "'longrope' or none");
  EXPECT_EQ(
      refused([](auto& spec) {
        spec.string_keys = {{"rope.scaling.type", "longrope"}};
        spec.float_keys = {{"rope.scaling.factor", 4.0F}};
      }),
      "m.gguf: metadata 'phi3.rope.scaling.factor' is 4, expected 0 or 1: it changes what the model computes, and "
      "this version does not apply it");
  EXPECT_EQ(refused([](auto& spec) {
              spec.uint_keys = {{"rope.scaling.original_context_length", 0}};
            }),
            "m.gguf: metadata 'phi3.rope.scaling.original_context_length' is 0, expected 1 to 1073741824");
}

}  // namespace
}  // namespace headroom
