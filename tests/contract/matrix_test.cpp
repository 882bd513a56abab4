// Matrix products of every instruction set, weight type and number of activation rows, against sums in double.
#include "backend/cpu/matrix.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "backend/cpu/plain_kernels.h"
#include "contract/isa_test.h"
#include "format/decode.h"
#include "format/dtype_table.h"
#include "format/encode.h"
#include "plan/device_rules.h"

namespace headroom {
namespace {

// Random weights with rows and columns of uneven size, as panels and as floats.
struct Weights {
  Matrix matrix;
  std::vector<std::byte> panels;
  std::vector<float> values;  // (n_rows, n_cols)

  Weights(DType dtype, std::uint32_t n_rows, std::uint32_t n_cols) : values(std::size_t{n_rows} * n_cols) {
    std::mt19937 random(n_cols + static_cast<std::uint32_t>(dtype));
    std::normal_distribution<float> normal;
    const Bytes stride = row_bytes(dtype, n_cols);
    std::vector<std::byte> rows(n_rows * stride);
    std::vector<float> row(n_cols);
    for (std::uint32_t i = 0; i < n_rows; ++i) {
      const float size = std::exp2(static_cast<float>(i % 9) - 6.0F);
      for (std::uint32_t k = 0; k < n_cols; ++k) row[k] = normal(random) * size * (k / 32 % 3 == 0 ? 0.2F : 1.0F);
      encode_row(dtype, row.data(), n_cols, rows.data() + i * stride);
      decode_row(dtype, rows.data() + i * stride, n_cols, values.data() + std::size_t{i} * n_cols);
    }
    put(rows, dtype, n_rows, n_cols);
  }

  // Every byte the same but for the scales, in which all bits would be no number.
  static Weights of_bytes(DType dtype, std::uint32_t n_cols, std::byte fill) {
    Weights weights(dtype, kPanelRows, n_cols);
    const DTypeRow& type = dtype_row(dtype);
    const Bytes stride = row_bytes(dtype, n_cols);
    std::vector<std::byte> rows(kPanelRows * stride, fill);
    for (std::size_t block = 0; block < rows.size(); block += type.block_bytes) {
      if (dtype == DType::kMXFP4) {
        rows[block] = std::byte{122};  // 2^-6
        continue;
      }
      if (dtype == DType::kIQ1_M) {
        auto fields = load_block<BlockIQ1_M>(rows.data() + block);
        put_block_scale(0x2400, fields);  // likewise
        std::memcpy(rows.data() + block, &fields, sizeof fields);
        continue;
      }
      const bool has_min = dtype == DType::kQ4_1 || dtype == DType::kQ5_1 || dtype == DType::kQ2_K ||
                           dtype == DType::kQ4_K || dtype == DType::kQ5_K;
      const std::size_t n_scales = has_min ? 2 : 1;
      const bool is_behind = dtype == DType::kQ2_K || dtype == DType::kQ3_K || dtype == DType::kQ6_K;
      const std::size_t first = is_behind ? type.block_bytes - 2 * n_scales : 0;
      for (std::size_t i = 0; i < n_scales; ++i) {
        rows[block + first + 2 * i] = std::byte{0};
        rows[block + first + 2 * i + 1] = std::byte{0x24};  // 2^-6
      }
    }
    for (std::uint32_t i = 0; i < kPanelRows; ++i)
      decode_row(dtype, rows.data() + i * stride, n_cols, weights.values.data() + std::size_t{i} * n_cols);
    weights.put(rows, dtype, kPanelRows, n_cols);
    return weights;
  }

 private:
  void put(const std::vector<std::byte>& rows, DType dtype, std::uint32_t n_rows, std::uint32_t n_cols) {
    const Bytes stride = row_bytes(dtype, n_cols);
    matrix = {.dtype = dtype, .n_rows = n_rows, .n_cols = n_cols, .panel_stride = panel_bytes(dtype, n_cols)};
    panels.resize(matrix.n_panels() * matrix.panel_stride);
    for (std::uint32_t panel = 0; panel < matrix.n_panels(); ++panel) {
      put_panel(dtype, n_cols, std::min(kPanelRows, n_rows - panel * kPanelRows),
                rows.data() + panel * kPanelRows * stride, panels.data() + panel * matrix.panel_stride);
    }
    matrix.panels = panels.data();
  }
};

// The most that a product may be off. Rounding to 127 steps of the largest magnitude m moves an element by at most m /
// 254, so by Cauchy and Schwarz |w . da| <= |w| sqrt(n) m_a / 254, and |dw . a| likewise where weights are unpacked to
// one scale per 256 (not by AVX2 where it keeps their codes); codes in 16 bits add an eighth of a step. F16 and BF16
// weights and their activations take 4095 and 8191 steps for many columns.
double most_off(const Weights& weights, std::uint32_t row, const std::vector<float>& in, bool slabs, Isa isa) {
  const std::uint32_t n = weights.matrix.n_cols;
  const float* w = weights.values.data() + std::size_t{row} * n;
  const double w_norm = norm_plainly(w, n), a_norm = norm_plainly(in.data(), n);
  double w_most = 0, a_most = 0;
  for (std::uint32_t k = 0; k < n; ++k) {
    w_most = std::max<double>(w_most, std::abs(w[k]));
    a_most = std::max<double>(a_most, std::abs(in[k]));
  }
  const double f32_sums = w_norm * a_norm * n * 0x1p-24;
  if (slabs && weights.matrix.has_words())
    return f32_sums + std::sqrt(n) * (w_norm * a_most / 16382 + a_norm * w_most / 8190);
  if (dtype_row(weights.matrix.dtype).block_elems == 1) return f32_sums;
  const DType dtype = weights.matrix.dtype;
  const bool keeps_codes =
      isa == Isa::kAvx2 && (dtype == DType::kQ4_0 || dtype == DType::kQ5_0 || dtype == DType::kQ4_K ||
                            dtype == DType::kQ5_K || dtype == DType::kQ6_K);
  const bool recoded = slabs && !keeps_codes && dtype != DType::kQ8_0;
  // A code's range may exceed the largest weight that occurs: by half at most for the shapes here.
  const double of_weights = recoded ? a_norm * std::sqrt(n) * 1.5 * w_most / 254 * 1.125 : 0;
  return f32_sums + w_norm * std::sqrt(n) * a_most / 254 + of_weights;
}

// Rows of activations times the matrix, (rows, matrix.n_rows), as a step multiplies them.
std::vector<float> product(const KernelTable& kernels, const Matrix& matrix,
                           const std::vector<std::vector<float>>& rows) {
  const auto n_in = static_cast<std::uint32_t>(rows.size());
  std::vector<std::byte> bytes(Bytes{n_in} * std::max<Bytes>(matrix.n_cols * 4ULL, cpu_int8_row_bytes(matrix.n_cols)));
  Activations in{.n_rows = n_in, .n_elems = matrix.n_cols};
  (!matrix.reads_f32() ? in.int8 : matrix.has_words() && n_in > kDirectCols ? in.words : in.f32) = bytes.data();
  in.form = n_in > kDirectCols          ? Int8Form::kSlabs
            : matrix.has_super_blocks() ? Int8Form::kSuperBlocks
                                        : Int8Form::kBlocks;
  for (std::uint32_t i = 0; i < n_in; ++i) put_activation_row(kernels, in, i, rows[i].data());
  std::vector<std::byte> slabs(kPairPanels * kSlabBytes);
  constexpr std::uint32_t kRunTiles = 2;
  std::vector<float> values(std::size_t{std::max(in.n_tiles(), kRunTiles)} * kPairPanels * kTileCols * kPanelRows);
  // Where bytes are unpacked, every other number of rows in small blocks: two tiles and one slab.
  const bool cuts = in.int8 != nullptr && n_in > kDirectCols && n_in % 2 == 1;
  // Few rows, every other number of them, by runs of panels.
  const bool runs = n_in <= kDirectCols && n_in % 2 == 0;
  const BlockShape shape = cuts ? BlockShape{2, 1} : runs ? run_blocks(in, kRunTiles) : cut_blocks(matrix, in);
  std::vector<float> out(std::size_t{n_in} * matrix.n_rows, -7.0F);
  multiply(kernels, matrix, 0, matrix.n_panels(), in, shape, {slabs.data(), values.data()}, StopToken(),
           [&](const PanelProduct& product, bool is_first) {
             const ProductPlace place = product.place(out.data(), matrix.n_rows);
             is_first ? kernels.put_products(product.values, place)
                      : kernels.add_products(product.values, nullptr, place);
           });
  return out;
}

std::vector<std::vector<float>> random_rows(std::uint32_t n_rows, std::uint32_t n_elems) {
  std::mt19937 random(n_rows);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> rows(n_rows, std::vector<float>(n_elems));
  for (std::vector<float>& row : rows) {
    for (float& x : row) x = normal(random);
  }
  return rows;
}

class MatrixProduct : public test::IsaTest {
 protected:
  // Activations are random, or all the same.
  void expect_exact_enough(const Weights& weights, std::uint32_t n_in, std::optional<float> activation = std::nullopt) {
    const Matrix& matrix = weights.matrix;
    const std::vector<std::vector<float>> rows = activation
                                                     ? std::vector(n_in, std::vector<float>(matrix.n_cols, *activation))
                                                     : random_rows(n_in, matrix.n_cols);
    const std::vector<float> out = product(make_kernel_table(GetParam()), matrix, rows);
    for (std::uint32_t col = 0; col < n_in; ++col) {
      for (std::uint32_t row = 0; row < matrix.n_rows; ++row) {
        const double expected =
            dot_plainly(weights.values.data() + std::size_t{row} * matrix.n_cols, rows[col].data(), matrix.n_cols);
        ASSERT_NEAR(out[std::size_t{col} * matrix.n_rows + row], expected,
                    most_off(weights, row, rows[col], n_in > kDirectCols, GetParam()))
            << "row " << row << ", column " << col << " of " << n_in;
      }
    }
  }
};

TEST_P(MatrixProduct, is_within_the_rounding_of_its_operands) {
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_weight) continue;
    for (const std::uint32_t n_cols :
         {type.block_elems == 256 ? 256U : 288U, 768U, 832U - 832U % type.block_elems}) {  // parts of a slab too
      const Weights weights(type.dtype, 40, n_cols);                                       // two panels and a half
      for (const std::uint32_t n_in : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 12U, 16U, 19U}) {
        SCOPED_TRACE(std::string(type.name) + " " + std::to_string(n_cols));
        expect_exact_enough(weights, n_in);
      }
    }
  }
}

// Rows of normal numbers, of which a few channels are `factor` times as large, in every row the same ones: as trained
// models have them.
// In the same channels of every row, or one for each row and 256 columns at a place of its own.
enum class Outliers : std::uint8_t { kChannels, kScattered };
std::vector<std::vector<float>> rows_with_outliers(std::uint32_t n_rows, std::uint32_t n_elems, float factor,
                                                   Outliers outliers = Outliers::kChannels) {
  std::vector<std::vector<float>> rows = random_rows(n_rows, n_elems);
  for (std::uint32_t row = 0; outliers == Outliers::kScattered && row < n_rows; ++row) {
    for (std::uint32_t channel = (37 + 61 * row) % 256; channel < n_elems; channel += 256) rows[row][channel] *= factor;
  }
  if (outliers == Outliers::kScattered) return rows;
  for (std::vector<float>& row : rows) {
    for (const std::uint32_t channel : {37U, 205U, 206U, 502U, 730U}) row[channel % n_elems] *= factor;
  }
  return rows;
}

// What each 32 are off by when they are rounded to 127 steps of their largest, as llama.cpp has them.
std::vector<float> rounding_per_32(const std::vector<float>& row) {
  std::vector<float> off(row.size());
  for (std::size_t first = 0; first < row.size(); first += 32) {
    float most = 0;
    for (std::size_t i = first; i < first + 32; ++i) most = std::max(most, std::abs(row[i]));
    for (std::size_t i = first; i < first + 32; ++i) off[i] = row[i] - std::nearbyint(row[i] / most * 127) * most / 127;
  }
  return off;
}

// How large the errors of a prompt's products are beside those that rounding activations per 32 gives, root mean
// square.
double error_beside_rounding_per_32(Isa isa, const Weights& weights, const std::vector<std::vector<float>>& rows) {
  const std::uint32_t n_cols = weights.matrix.n_cols, n_rows = weights.matrix.n_rows;
  const std::vector<float> out = product(make_kernel_table(isa), weights.matrix, rows);
  double error = 0, rounding = 0;
  for (std::size_t col = 0; col < rows.size(); ++col) {
    const std::vector<float> off = rounding_per_32(rows[col]);
    for (std::uint32_t row = 0; row < n_rows; ++row) {
      const float* w = weights.values.data() + std::size_t{row} * n_cols;
      const double found_off = out[col * n_rows + row] - dot_plainly(w, rows[col].data(), n_cols);
      const double rounded_off = dot_plainly(w, off.data(), n_cols), norm = dot_plainly(w, w, n_cols);
      error += found_off * found_off / norm;
      rounding += rounded_off * rounded_off / norm;
    }
  }
  return std::sqrt(error / rounding);
}

// A scale per 256 of normal numbers is 1.35 times as large as one per 32, since that is how their largest grows.
// Weights that are unpacked to one scale per 256 add as much again: 1.35 * sqrt(2) = 1.9, and these samples up to a
// tenth more. The largest value of IQ2, 43, is 86 of a slab's 127 steps, so that these are 1.48 times as large, and
// weights add that much more: 1.35 * sqrt(1 + 1.48^2) = 2.4. With outliers there is no excuse: those take the steps of
// their 32 neighbours, and here of nobody.
TEST_P(MatrixProduct, of_a_prompt_with_outlier_channels_is_no_less_exact_than_with_a_scale_per_32) {
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_weight || type.block_elems == 1) continue;
    const Weights weights(type.dtype, 48, 768);
    for (const float factor : {1.0F, 30.0F, 100.0F}) {
      SCOPED_TRACE(std::string(type.name) + ", channels of " + std::to_string(factor));
      const double most = factor != 1.0F ? 1.0 : type.name.starts_with("IQ2") ? 2.6 : 2.1;
      for (const Outliers outliers : {Outliers::kChannels, Outliers::kScattered}) {
        EXPECT_LT(error_beside_rounding_per_32(GetParam(), weights, rows_with_outliers(40, 768, factor, outliers)),
                  most)
            << static_cast<int>(outliers);
      }
    }
  }
}

// 65 tiles are two blocks. All panels of one share where it has outliers: the first here has none.
TEST_P(MatrixProduct, of_a_later_block_of_rows_has_its_own_outliers) {
  const Weights weights(DType::kQ4_0, 48, 256);
  std::vector<std::vector<float>> rows = random_rows(520, 256);
  for (std::uint32_t row = 400; row < 520; ++row) rows[row][37] *= 100.0F;
  EXPECT_LT(error_beside_rounding_per_32(GetParam(), weights, rows), 1.0);
}

// Weights are unpacked once per block of tiles, so columns are cut where the activations of all tiles would not stay in
// the cache.
TEST(Blocks, have_all_tiles_and_some_columns_only_where_bytes_are_unpacked) {
  std::byte bytes{};
  const auto shape = [&](DType dtype, std::uint32_t n_rows, std::uint32_t n_cols) {
    Activations in{.n_rows = n_rows, .n_elems = n_cols};
    const Matrix matrix{.dtype = dtype, .n_rows = 16, .n_cols = n_cols};
    (matrix.reads_f32() ? in.words : in.int8) = &bytes;
    const BlockShape cut = cut_blocks(matrix, in);
    return std::pair(cut.n_tiles, cut.n_slabs);
  };
  EXPECT_EQ(shape(DType::kQ4_0, 256, 2048), std::pair(32U, 8U));
  EXPECT_EQ(shape(DType::kQ4_0, 256, 8192), std::pair(32U, 16U));
  EXPECT_EQ(shape(DType::kQ4_0, 1024, 8192), std::pair(64U, 8U));
  EXPECT_EQ(shape(DType::kQ4_0, 1, 8192), std::pair(1U, 32U));
  EXPECT_EQ(shape(DType::kF16, 256, 8192), std::pair(8U, 32U));
}

TEST(Blocks, of_few_rows_have_as_many_panels_as_scratch_has_room_for) {
  std::byte bytes{};
  const auto n_panels = [&](std::uint32_t n_rows) {
    return run_blocks({.int8 = &bytes, .n_rows = n_rows, .n_elems = 2048}, 32).n_panels;
  };
  EXPECT_EQ(n_panels(1), 64U);
  EXPECT_EQ(n_panels(kDirectCols), 64U);
  EXPECT_EQ(n_panels(kDirectCols + 1), kPairPanels) << "of which slabs have room";
}

TEST_P(MatrixProduct, of_zero_weights_is_zero) {
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_weight) continue;
    SCOPED_TRACE(type.name);
    Weights weights(type.dtype, 16, 256);
    std::fill(weights.values.begin(), weights.values.end(), 0.0F);
    std::vector<std::byte> rows(16 * row_bytes(type.dtype, 256));
    for (std::uint32_t i = 0; i < 16; ++i)
      encode_row(type.dtype, weights.values.data(), 256, rows.data() + i * row_bytes(type.dtype, 256));
    put_panel(type.dtype, 256, 16, rows.data(), weights.panels.data());
    expect_exact_enough(weights, 1);
    expect_exact_enough(weights, 8);
  }
}

TEST_P(MatrixProduct, of_the_largest_codes_and_activations_does_not_overflow) {
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_weight || type.block_elems == 1) continue;
    for (const std::uint8_t fill : {0xFFU, 0x80U, 0x7FU, 0x00U}) {
      const Weights weights = Weights::of_bytes(type.dtype, 512, std::byte{fill});
      for (const float activation : {1.0F, -1.0F}) {
        SCOPED_TRACE(std::string(type.name) + " of bytes " + std::to_string(fill) + " times " +
                     std::to_string(activation));
        expect_exact_enough(weights, 1, activation);
        expect_exact_enough(weights, 8, activation);
      }
    }
  }
}

#if defined(__x86_64__)
// Both add the same integers, so nothing but the order of rounding could differ, and it is the same.
class MatrixProductOfOtherKernels : public test::IsaTest {};

TEST_P(MatrixProductOfOtherKernels, is_that_of_avx512_bit_by_bit) {
  const KernelTable others = make_kernel_table(GetParam()), dots = make_kernel_table(Isa::kAvx512);
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_weight) continue;
    for (const std::uint32_t n_cols : {type.block_elems == 256 ? 512U : 544U, 768U}) {
      const Weights weights(type.dtype, 40, n_cols);
      for (const std::uint32_t n_in : {1U, 3U, 5U, 16U, 20U, 31U, 32U, 33U, 46U, 64U, 71U}) {
        const std::vector<std::vector<float>> rows = rows_with_outliers(
            n_in, n_cols, n_in % 2 == 0 ? 1.0F : 60.0F, n_in % 4 == 3 ? Outliers::kScattered : Outliers::kChannels);
        ASSERT_EQ(product(others, weights.matrix, rows), product(dots, weights.matrix, rows))
            << type.name << ", " << n_cols << " columns, " << n_in;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, MatrixProductOfOtherKernels, ::testing::Values(Isa::kAvx512Vbmi, Isa::kAmx),
                         test::isa_test_name);
#endif

INSTANTIATE_TEST_SUITE_P(Isas, MatrixProduct, ::testing::ValuesIn(kIsas), test::isa_test_name);

}  // namespace
}  // namespace headroom
