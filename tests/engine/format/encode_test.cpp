#include "format/encode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "format/decode.h"

namespace headroom {
namespace {

std::vector<float> numbers(std::size_t n, float deviation, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<float> out(n);
  // A sum of uniform numbers, so that every standard library gives the same row.
  for (float& x : out) {
    x = 0;
    for (int i = 0; i < 4; ++i) x += static_cast<float>(engine() % 65536) / 65536.0F - 0.5F;
    x *= deviation * 1.73F;
  }
  return out;
}

std::vector<float> there_and_back(DType dtype, const std::vector<float>& row) {
  std::vector<std::byte> bytes(row_bytes(dtype, row.size()));
  encode_row(dtype, row.data(), row.size(), bytes.data());
  std::vector<float> out(row.size());
  decode_row(dtype, bytes.data(), row.size(), out.data());
  return out;
}

double relative_rms_error(const std::vector<float>& expected, const std::vector<float>& found) {
  double error = 0, energy = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    error += std::pow(static_cast<double>(expected[i]) - found[i], 2);
    energy += std::pow(static_cast<double>(expected[i]), 2);
  }
  return std::sqrt(error / energy);
}

// For a bell-shaped row the step is about range / codes, and the error of rounding is step / sqrt(12): a factor of 1.5
// above that is the bound.
double largest_error(DType dtype) {
  switch (dtype) {
    case DType::kF32: return 0;
    case DType::kF16: return 3e-4;
    case DType::kBF16: return 2.5e-3;
    case DType::kQ8_0: return 0.008;
    case DType::kQ4_0: return 0.12;
    case DType::kQ4_1: return 0.10;
    case DType::kQ5_0: return 0.06;
    case DType::kQ5_1: return 0.05;
    case DType::kQ2_K: return 0.40;
    case DType::kQ3_K: return 0.25;
    case DType::kQ4_K: return 0.09;
    case DType::kQ5_K: return 0.045;
    case DType::kQ6_K: return 0.03;
    case DType::kIQ4_NL: return 0.09;
    case DType::kIQ4_XS: return 0.09;
    case DType::kMXFP4: return 0.13;
    case DType::kIQ1_S: return 0.55;
    case DType::kIQ1_M: return 0.50;
    case DType::kIQ2_XXS: return 0.40;
    case DType::kIQ2_XS: return 0.35;
    case DType::kIQ2_S: return 0.30;
    case DType::kIQ3_XXS: return 0.22;
    case DType::kIQ3_S: return 0.17;
    case DType::kF8E4M3: return 0.035;
  }
  return 0;
}

class EncodeEachType : public testing::TestWithParam<DType> {};

TEST_P(EncodeEachType, loses_no_more_than_its_step) {
  for (const float deviation : {0.02F, 1.0F, 50.0F}) {
    const auto row = numbers(2048, deviation, 7);
    EXPECT_LE(relative_rms_error(row, there_and_back(GetParam(), row)), largest_error(GetParam())) << deviation;
  }
}

TEST_P(EncodeEachType, keeps_zeros_exactly) {
  const std::vector<float> zeros(256, 0.0F);
  EXPECT_EQ(there_and_back(GetParam(), zeros), zeros);
}

TEST_P(EncodeEachType, a_row_that_ends_inside_a_block_keeps_its_elements) {
  const auto row = numbers(80, 1.0F, 3);
  const auto found = there_and_back(GetParam(), row);
  // 80 elements in a block of 256 are a harder case for the group scales, not for the others.
  EXPECT_LE(relative_rms_error(row, found), largest_error(GetParam()) * 1.3);
}

TEST_P(EncodeEachType, what_is_not_finite_spoils_no_neighbour_beyond_its_block) {
  auto row = numbers(512, 1.0F, 5);
  row[0] = std::numeric_limits<float>::quiet_NaN();
  row[1] = std::numeric_limits<float>::infinity();
  row[2] = -3.0e38F;
  const auto found = there_and_back(GetParam(), row);
  if (GetParam() == DType::kF8E4M3) return;  // the whole row is one block
  // Q2_K has four codes for all of 16 elements. Of the points of small grids none may be near the largest of eight.
  const bool is_small_grid = GetParam() >= DType::kIQ1_S && GetParam() <= DType::kIQ3_XXS;
  const float most_off = is_small_grid ? 2.0F : GetParam() == DType::kQ2_K ? 1.0F : 0.5F;
  for (std::size_t i = 256; i < row.size(); ++i) EXPECT_NEAR(found[i], row[i], most_off) << i;
}

std::string type_label(const testing::TestParamInfo<DType>& info) { return std::string(dtype_row(info.param).label); }
std::vector<DType> all_types() {
  std::vector<DType> types;
  for (const DTypeRow& row : kDTypes) types.push_back(row.dtype);
  return types;
}
INSTANTIATE_TEST_SUITE_P(Types, EncodeEachType, testing::ValuesIn(all_types()), type_label);

std::vector<float> kv_there_and_back(DType dtype, const std::vector<float>& row, float shift = 0.0F) {
  std::vector<std::byte> bytes(row_bytes(dtype, row.size()));
  encode_kv_row(dtype, row.data(), row.size(), shift, bytes.data());
  std::vector<float> out(row.size());
  decode_shifted_row(dtype, bytes.data(), row.size(), shift, out.data());
  return out;
}

// 0.5 dB on Gaussian data is 5.6 % less error; a sum of uniform numbers has shorter tails, where there is a little less
// to win.
TEST(Encode, a_searched_q4_0_row_is_closer_than_the_plain_one) {
  const auto row = numbers(8192, 1.0F, 11);
  EXPECT_LT(relative_rms_error(row, kv_there_and_back(DType::kQ4_0, row)),
            0.96 * relative_rms_error(row, there_and_back(DType::kQ4_0, row)));
}

TEST(Encode, a_searched_row_keeps_zeros_single_elements_and_ends_inside_blocks) {
  EXPECT_EQ(kv_there_and_back(DType::kQ4_0, std::vector<float>(64, 0.0F)), std::vector<float>(64, 0.0F));
  std::vector<float> spike(64, 0.0F);
  spike[37] = -3.5F;
  EXPECT_EQ(kv_there_and_back(DType::kQ4_0, spike), spike);
  const auto row = numbers(80, 1.0F, 3);
  EXPECT_LE(relative_rms_error(row, kv_there_and_back(DType::kQ4_0, row)),
            relative_rms_error(row, there_and_back(DType::kQ4_0, row)));
}

// Sixteen codes are spread as evenly with a shift as without, so that each costs as much alone. Together their errors
// differ: of one row under all shifts a step of the mean is a sixteenth of a step of each, which would leave a
// sixteenth of the error; half of what is left without shifts allows for the elements that end at the last code.
TEST(Encode, shifts_round_equal_rows_in_ways_that_cancel) {
  const auto row = numbers(8192, 1.0F, 11);
  const double unshifted = relative_rms_error(row, kv_there_and_back(DType::kQ4_0, row));
  std::vector<float> mean(row.size(), 0.0F);
  for (std::uint32_t position = 0; position < kValueShifts; ++position) {
    const std::vector<float> out = kv_there_and_back(DType::kQ4_0, row, value_shift(position));
    EXPECT_LT(relative_rms_error(row, out), 1.1 * unshifted) << position;
    for (std::size_t i = 0; i < row.size(); ++i) mean[i] += out[i] / kValueShifts;
  }
  EXPECT_LT(relative_rms_error(row, mean), 0.5 * unshifted);
}

TEST(Encode, shifts_are_fractions_of_a_step_and_each_comes_once) {
  std::vector<float> shifts;
  for (std::uint32_t position = 0; position < kValueShifts; ++position) {
    shifts.push_back(value_shift(position));
    EXPECT_EQ(value_shift(position + kValueShifts), shifts.back());
    EXPECT_LT(std::fabs(shifts.back()), 0.5F);
  }
  std::sort(shifts.begin(), shifts.end());
  for (std::size_t i = 1; i < shifts.size(); ++i) EXPECT_EQ(shifts[i] - shifts[i - 1], 1.0F / kValueShifts);
}

TEST(Encode, an_fp8_row_is_its_codes_and_then_its_scale) {
  const std::vector<float> row{448, -224, 0, 7};
  std::vector<std::byte> bytes(row_bytes(DType::kF8E4M3, row.size()));
  encode_row(DType::kF8E4M3, row.data(), row.size(), bytes.data());
  EXPECT_EQ(bytes.size(), 6U);
  EXPECT_EQ(std::to_integer<int>(bytes[0]), 0x7E);
  EXPECT_EQ(load_block<std::uint16_t>(bytes.data() + 4), 0x3C00);
}

}  // namespace
}  // namespace headroom
