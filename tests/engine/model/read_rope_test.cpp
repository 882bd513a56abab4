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
  ASSERT_TRUE(model.ok()) << model.error().message;
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
    ASSERT_TRUE(model.ok()) << model.error().message;
    ASSERT_EQ(model->ropes.size(), 1U);
    EXPECT_EQ(model->layers[0].rope_of_queries(), 0U);
    EXPECT_FLOAT_EQ(rope_frequencies(model->ropes[0]).magnitude, 1 + 0.1F * std::log(16.0F));
  }
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

}  // namespace
}  // namespace headroom
