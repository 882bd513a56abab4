#include "format/decode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "format/ggml_types.h"

namespace headroom {
namespace {

TEST(Decode, every_f16_survives_the_way_to_f32_and_back) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = f16_to_f32(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(value)))) << bits;
    } else {
      EXPECT_EQ(f32_to_f16(value), bits);
    }
  }
}

TEST(Decode, f16_rounds_to_nearest_and_ties_to_even) {
  EXPECT_EQ(f32_to_f16(1.0F + 0x1p-11F), 0x3C00);      // halfway between 1 and the next: even is 1
  EXPECT_EQ(f32_to_f16(1.0F + 3 * 0x1p-11F), 0x3C02);  // halfway again: up to even
  EXPECT_EQ(f32_to_f16(1.0F + 0x1p-11F + 0x1p-20F), 0x3C01);
  EXPECT_EQ(f32_to_f16(65519.9F), 0x7BFF);
  EXPECT_EQ(f32_to_f16(65520.0F), 0x7C00);
  EXPECT_EQ(f32_to_f16(0x1p-25F), 0x0000);  // halfway to the smallest subnormal
  EXPECT_EQ(f32_to_f16(0x1.8p-25F), 0x0001);
  EXPECT_EQ(f32_to_f16(-0.0F), 0x8000);
}

TEST(Decode, bf16_rounds_to_nearest_and_keeps_nan) {
  EXPECT_EQ(bf16_to_f32(f32_to_bf16(1.0F)), 1.0F);
  EXPECT_EQ(f32_to_bf16(1.0F + 0x1p-8F), 0x3F80);      // tie to even
  EXPECT_EQ(f32_to_bf16(1.0F + 3 * 0x1p-8F), 0x3F82);  // tie to even, upwards
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Decode, every_e4m3_survives_the_way_to_f32_and_back) {
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    const float value = e4m3_to_f32(static_cast<std::uint8_t>(bits));
    if (std::isnan(value)) {
      EXPECT_EQ(bits & 0x7F, 0x7FU);
    } else {
      EXPECT_EQ(f32_to_e4m3(value), bits);
    }
  }
}

TEST(Decode, e4m3_gives_the_nearest_of_its_values_for_any_number) {
  std::vector<float> values;
  for (std::uint32_t bits = 0; bits < 0x7F; ++bits) values.push_back(e4m3_to_f32(static_cast<std::uint8_t>(bits)));
  for (float x = 0; x < 500; x += x < 0.1F ? 0.0003F : 0.0771F) {
    const float chosen = e4m3_to_f32(f32_to_e4m3(x));
    for (const float value : values) EXPECT_LE(std::fabs(chosen - x), std::fabs(value - x)) << x;
    EXPECT_EQ(e4m3_to_f32(f32_to_e4m3(-x)), -chosen);
  }
  EXPECT_EQ(e4m3_to_f32(f32_to_e4m3(1e30F)), kE4M3Max);
}

TEST(GgmlTypes, agree_with_the_formats_that_we_compute_with) {
  for (const DTypeRow& row : kDTypes) {
    if (row.gguf_type < 0) continue;
    const GgmlTypeRow* type = find_ggml_type(static_cast<std::uint32_t>(row.gguf_type));
    ASSERT_NE(type, nullptr) << row.name;
    EXPECT_EQ(type->name, row.name);
    EXPECT_EQ(type->block_elems, row.block_elems);
    EXPECT_EQ(type->block_bytes, row.block_bytes);
  }
  EXPECT_EQ(find_ggml_type(1000), nullptr);
}

}  // namespace
}  // namespace headroom
