// Kernels of every instruction set that work element by element, against double, and the two encodings of int8 rows
// against each other.
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

#include "backend/cpu/activations.h"
#include "backend/cpu/plain_kernels.h"
#include "contract/isa_test.h"
#include "plan/device_rules.h"

namespace headroom {
namespace {

class Elementwise : public test::IsaTest {
 protected:
  void SetUp() override {
    IsaTest::SetUp();
    if (!IsSkipped()) kernels_ = make_kernel_table(GetParam());
  }
  KernelTable kernels_{};
};

std::vector<float> random_elems(std::uint32_t n) {
  std::mt19937 random(n);
  std::normal_distribution<float> normal;
  std::vector<float> elems(n);
  for (float& x : elems) x = normal(random);
  return elems;
}

// exp(87) stands for what is larger: x times its inverse is 1e-36 instead of nothing. Otherwise a reciprocal within two
// units in the last place and an exponential within 2e-7.
TEST_P(Elementwise, silu_is_right_at_every_size) {
  std::vector<float> gate;
  for (float x = 1e-3F; x < 2000.0F; x *= 1.07F) gate.insert(gate.end(), {x, -x});
  const auto n = static_cast<std::uint32_t>(gate.size());
  const std::vector<float> up(round_up(n, 16), 0.5F);
  std::vector<float> out(n);
  gate.resize(round_up(n, 16));
  for (std::uint32_t at = 0; at < n; at += 16) {  // as a panel of one column; the last one has fewer rows
    kernels_.silu_mul(gate.data() + at, up.data() + at, {out.data() + at, 16, 1, std::min(16U, n - at)});
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const double x = gate[i], expected = 0.5 * silu_plainly(x);
    EXPECT_NEAR(out[i], expected, 1e-6 * std::abs(expected) + 1e-34) << "silu of " << x;
  }
}

// An exponential within 2e-7, a reciprocal within two units in the last place, and a difference from one: 4e-7 of the
// cap, however small the number.
TEST_P(Elementwise, a_cap_bounds_numbers_of_every_size_and_leaves_small_ones) {
  for (const float cap : {0.7F, 30.0F, 50.0F}) {
    std::vector<float> numbers{0.0F, -0.0F};
    for (float x = 1e-4F; x < 1e6F; x *= 1.09F) numbers.insert(numbers.end(), {x, -x});
    numbers.resize(round_up(numbers.size(), 16));
    std::vector<float> found = numbers;
    kernels_.softcap(found.data(), static_cast<std::uint32_t>(found.size()), cap);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], softcap_plainly(numbers[i], cap), 4e-7 * cap) << numbers[i] << " below " << cap;
      EXPECT_LE(std::abs(found[i]), cap);
    }
  }
}

TEST_P(Elementwise, products_are_put_and_added_where_their_rows_are) {
  constexpr std::uint32_t kCols = 3, kStride = 20;
  const std::vector<float> products = random_elems(kCols * 16), bias = random_elems(16),
                           before = random_elems(kCols * kStride);
  for (const std::uint32_t n_rows : {1U, 8U, 15U, 16U}) {
    std::vector<float> put = before, added = before, with_bias = before;
    kernels_.put_products(products.data(), {put.data(), kStride, kCols, n_rows});
    kernels_.add_products(products.data(), nullptr, {added.data(), kStride, kCols, n_rows});
    kernels_.add_products(products.data(), bias.data(), {with_bias.data(), kStride, kCols, n_rows});
    for (std::uint32_t i = 0; i < kCols * kStride; ++i) {
      const std::uint32_t col = i / kStride, row = i % kStride;
      const bool is_there = row < n_rows;
      const float product = is_there ? products[col * 16 + row] : 0.0F;
      EXPECT_EQ(put[i], is_there ? product : before[i]) << "row " << row << " of " << n_rows;
      EXPECT_EQ(added[i], before[i] + product) << "row " << row << " of " << n_rows;
      EXPECT_EQ(with_bias[i], is_there ? before[i] + (product + bias[row]) : before[i])
          << "row " << row << " of " << n_rows;
    }
  }
}

// Both terms and their sum are rounded once.
TEST_P(Elementwise, pairs_turn_by_their_angle) {
  for (const std::uint32_t n : {2U, 20U, 32U, 64U, 80U, 128U}) {
    const std::vector<float> head = random_elems(n + 3);  // what stands behind does not turn
    const std::vector<float> angles = random_elems(n / 2);
    for (const bool neighbours : {false, true}) {
      const PlainTurn turn(angles, neighbours);
      const std::vector<double> expected = turn.turned(head);
      std::vector<float> turned = head;
      (neighbours ? kernels_.turn_neighbours : kernels_.turn_halves)(turned.data(), turn.cosines.data(),
                                                                     turn.sines.data(), n);
      for (std::uint32_t pair = 0; pair < n / 2; ++pair) {
        const std::size_t first = turn.first(pair), second = turn.second(pair);
        const double most_off = 3 * 0x1p-24 * (std::abs(head[first]) + std::abs(head[second]));
        EXPECT_NEAR(turned[first], expected[first], most_off) << "pair " << pair << " of " << n / 2;
        EXPECT_NEAR(turned[second], expected[second], most_off) << "pair " << pair << " of " << n / 2;
      }
      for (std::uint32_t i = n; i < n + 3; ++i) EXPECT_EQ(turned[i], head[i]);
    }
  }
}

// AVX2's slabs read all that the other form has; the rest is the same in both.
TEST_P(Elementwise, rows_for_slabs_hold_what_rows_for_super_blocks_do) {
  constexpr std::uint32_t kWidth = 3;
  for (const std::uint32_t n : {32U, 256U, 288U, 768U, 1120U}) {
    std::vector<std::byte> slab_bytes(kWidth * cpu_int8_row_bytes(n)), super_bytes(slab_bytes.size());
    const Activations slabs{.int8 = slab_bytes.data(), .n_rows = kWidth, .n_elems = n, .form = Int8Form::kSlabs};
    const Activations supers{
        .int8 = super_bytes.data(), .n_rows = kWidth, .n_elems = n, .form = Int8Form::kSuperBlocks};
    const std::vector<float> elems = random_elems(n * kWidth);
    for (std::uint32_t row = 0; row < kWidth; ++row) {
      put_activation_row(kernels_, slabs, row, elems.data() + std::size_t{row} * n);
      put_activation_row(kernels_, supers, row, elems.data() + std::size_t{row} * n);
    }
    const ActTile a = slabs.tile(0), b = supers.tile(0);
    for (std::uint32_t row = 0; row < kWidth; ++row) {
      const SlabRowView found{a, n, row, kernels_.tile_peak != nullptr};
      for (std::uint32_t i = 0; i < n; ++i)
        ASSERT_EQ(found.quant(i), b.quants[(i / 32 * kWidth + row) * 32 + i % 32]) << i << " of " << n;
      for (std::uint32_t block = 0; block < n / 32; ++block)
        ASSERT_EQ(found.start(block), b.offset_corrections[block * kWidth + row]) << block << " of " << n;
      for (std::uint32_t slab = 0; slab < div_up(n, 256); ++slab) {
        ASSERT_EQ(found.scale(slab), b.scales[slab * 8 * kWidth + row]) << slab << " of " << n;
        ASSERT_EQ(found.slab_start(slab), b.slab_offset_corrections[slab * kWidth + row]) << slab << " of " << n;
        ASSERT_EQ(found.n_outliers(slab), 0U) << slab << " of " << n;
      }
    }
  }
}

// A row of normal numbers for slabs, in which a few have other sizes.
class SlabRowWith {
 public:
  SlabRowWith(const KernelTable& kernels, std::initializer_list<std::pair<std::uint32_t, float>> sizes)
      : elems(random_elems(kElems)), bytes_(kWidth * cpu_int8_row_bytes(kElems)) {
    for (const auto& [column, size] : sizes) elems[column] = size;
    const Activations rows{.int8 = bytes_.data(), .n_rows = kWidth, .n_elems = kElems, .form = Int8Form::kSlabs};
    put_activation_row(kernels, rows, kColumn, elems.data());
    tile_ = rows.tile(0);
    is_whole_ = kernels.tile_peak != nullptr;
  }
  SlabRowView view() const { return {tile_, kElems, kColumn, is_whole_}; }
  std::vector<std::uint32_t> outlier_columns() const {
    std::vector<std::uint32_t> columns;
    for (std::uint32_t slab = 0; slab < div_up(kElems, kSlabCols); ++slab) {
      for (std::uint32_t i = 0; i < view().n_outliers(slab); ++i)
        columns.push_back(slab * kSlabCols + view().outliers(slab).columns[i]);
    }
    return columns;
  }
  static constexpr std::uint32_t kElems = 544, kWidth = 3, kColumn = 2;
  std::vector<float> elems;

 private:
  std::vector<std::byte> bytes_;
  ActTile tile_;
  bool is_whole_ = false;
};

TEST_P(Elementwise, rows_for_slabs_have_outliers_apart_and_a_scale_of_the_rest) {
  const SlabRowWith row(kernels_, {{255, 90.0F}, {3, -40.0F}, {4, 60.0F}, {519, 30.0F}});
  EXPECT_EQ(row.outlier_columns(), (std::vector<std::uint32_t>{3, 4, 255, 519}));
  for (std::uint32_t slab = 0; slab < 3; ++slab) {
    const SlabRowView view = row.view();
    for (std::uint32_t i = 0; i < view.n_outliers(slab); ++i) {
      const std::uint32_t column = slab * kSlabCols + view.outliers(slab).columns[i];
      EXPECT_EQ(view.outliers(slab).values[i], row.elems[column]);
      EXPECT_EQ(view.quant(column), 0);
    }
    EXPECT_LT(view.scale(slab) * 127, 4.0F) << "slab " << slab;
  }
}

// Where too many are large, or none is twice as large as the rest, taking some apart would gain nothing.
TEST_P(Elementwise, rows_for_slabs_keep_what_is_large_where_the_scale_would_not_halve) {
  EXPECT_TRUE(SlabRowWith(kernels_, {{7, 5.0F}, {90, -5.0F}}).outlier_columns().empty());
  EXPECT_TRUE(SlabRowWith(kernels_, {{1, 50.0F}, {33, 50.0F}, {49, 51.0F}, {70, 52.0F}, {90, 53.0F}, {91, 54.0F}})
                  .outlier_columns()
                  .empty());
}

// A damaged model's: none is an outlier, and no place is looked for in vain.
TEST_P(Elementwise, rows_for_slabs_of_infinite_and_undefined_numbers_have_no_outliers) {
  for (const float bad : {INFINITY, std::nanf("")})
    EXPECT_TRUE(SlabRowWith(kernels_, {{7, bad}, {300, -bad}}).outlier_columns().empty()) << bad;
}

INSTANTIATE_TEST_SUITE_P(Isas, Elementwise, ::testing::ValuesIn(kIsas), test::isa_test_name);

}  // namespace
}  // namespace headroom
