#include <gtest/gtest.h>

#include <cmath>

#include "model/model_info.h"

namespace headroom {
namespace {

RopeSpec spec(RopeScaling scaling) {
  RopeSpec rope;
  rope.rope_dim = 64;
  rope.theta = 10000;
  rope.scaling = scaling;
  rope.factor = 4;
  rope.original_n_ctx = 2048;
  return rope;
}

TEST(Rope, plain_frequencies_fall_geometrically_from_1) {
  const auto frequencies = rope_frequencies(spec(RopeScaling::kNone));
  ASSERT_EQ(frequencies.per_pair.size(), 32U);
  EXPECT_EQ(frequencies.per_pair[0], 1.0F);
  EXPECT_FLOAT_EQ(frequencies.per_pair[16], 0.01F);
  EXPECT_EQ(frequencies.magnitude, 1.0F);
}

TEST(Rope, linear_scaling_divides_all_of_them) {
  const auto plain = rope_frequencies(spec(RopeScaling::kNone)), linear = rope_frequencies(spec(RopeScaling::kLinear));
  for (std::size_t i = 0; i < 32; ++i) EXPECT_FLOAT_EQ(linear.per_pair[i], plain.per_pair[i] / 4);
}

TEST(Rope, llama3_keeps_short_waves_and_stretches_long_ones) {
  const auto plain = rope_frequencies(spec(RopeScaling::kNone)), llama3 = rope_frequencies(spec(RopeScaling::kLlama3));
  EXPECT_EQ(llama3.per_pair.front(), plain.per_pair.front());
  EXPECT_FLOAT_EQ(llama3.per_pair.back(), plain.per_pair.back() / 4);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_LE(llama3.per_pair[i], plain.per_pair[i]);
    EXPECT_GE(llama3.per_pair[i] * 1.000001F, plain.per_pair[i] / 4);
  }
}

TEST(Rope, yarn_blends_and_scales_attention) {
  const auto plain = rope_frequencies(spec(RopeScaling::kNone)), yarn = rope_frequencies(spec(RopeScaling::kYarn));
  EXPECT_EQ(yarn.per_pair.front(), plain.per_pair.front());
  EXPECT_FLOAT_EQ(yarn.per_pair.back(), plain.per_pair.back() / 4);
  EXPECT_FLOAT_EQ(yarn.magnitude, static_cast<float>(1 + 0.1 * std::log(4.0)));
  auto stated = spec(RopeScaling::kYarn);
  stated.attention_factor = 0.5;
  EXPECT_EQ(rope_frequencies(stated).magnitude, 0.5F);
}

// Where fast and slow fall on one pair the ramp has no width: it must be a step, not a division by zero.
TEST(Rope, a_yarn_ramp_of_no_width_is_a_step) {
  auto rope = spec(RopeScaling::kYarn);
  rope.original_n_ctx = 4;
  for (const float frequency : rope_frequencies(rope).per_pair) EXPECT_TRUE(std::isfinite(frequency));
}

TEST(Rope, frequency_factors_divide_pair_by_pair) {
  auto rope = spec(RopeScaling::kNone);
  rope.freq_factors.assign(32, 1.0F);
  rope.freq_factors[5] = 8.0F;
  const auto plain = rope_frequencies(spec(RopeScaling::kNone)), factored = rope_frequencies(rope);
  EXPECT_EQ(factored.per_pair[4], plain.per_pair[4]);
  EXPECT_FLOAT_EQ(factored.per_pair[5], plain.per_pair[5] / 8);
}

}  // namespace
}  // namespace headroom
