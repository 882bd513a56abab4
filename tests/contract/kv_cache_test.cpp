// The quantized cache of the CPU backend: its kernels against the reference of format/, and its exact ends against the
// reference device, through every way that a prompt can go on, go back and be copied.
#include <gtest/gtest.h>

#include "backend/cpu/kv_rows.h"
#include "backend/cpu/panel.h"
#include "contract/isa_test.h"
#include "contract/loaded_cpu.h"
#include "format/decode.h"
#include "format/dtype_table.h"
#include "format/encode.h"
#include "format/rotation.h"
#include "support/combinations.h"

namespace headroom {
namespace {

using test::RandomModelSpec;

constexpr std::array kQuantizedTypes{DType::kQ8_0, DType::kF8E4M3, DType::kQ4_0};

std::vector<float> waves(std::uint32_t n) {
  std::vector<float> out(n);
  for (std::uint32_t i = 0; i < n; ++i)
    out[i] = std::sin(static_cast<float>(i * i + 3 * i)) * (i % 11 == 0 ? 5.0F : 1.0F);
  return out;
}

class KvKernels : public test::IsaTest {};

void encode_head(const KernelTable& kernels, DType dtype, const float* head, std::uint32_t n, float shift,
                 std::byte* out) {
  encode_kv_rows(kernels, KvScheme::kRotated, dtype, {.head_dim = n, .elems = head}, &shift, out);
}

// About log2(256) sums of magnitudes below 6, rounded to 24 bits.
TEST_P(KvKernels, rotate_as_the_reference_and_undo_it) {
  const KernelTable kernels = make_kernel_table(GetParam());
  for (const std::uint32_t head_dim : {2U, 8U, 16U, 20U, 32U, 64U, 72U, 80U, 96U, 128U, 256U}) {
    std::vector<float> factors;
    for (std::uint32_t i = 0; i < head_dim; ++i) factors.push_back(rotation_factor(head_dim, i));
    const std::vector<float> original = waves(head_dim);
    std::vector<float> expected = original, found = original;
    rotate_head(expected);
    kernels.rotate(found.data(), head_dim, factors.data());
    for (std::uint32_t i = 0; i < head_dim; ++i) EXPECT_NEAR(found[i], expected[i], 1e-5F) << head_dim << " at " << i;
    kernels.unrotate(found.data(), head_dim, factors.data());
    for (std::uint32_t i = 0; i < head_dim; ++i) EXPECT_NEAR(found[i], original[i], 1e-5F) << head_dim << " at " << i;
  }
}

// As many roundings again as above.
TEST_P(KvKernels, results_leave_their_lanes_as_the_reference_turns_them_back) {
  const KernelTable kernels = make_kernel_table(GetParam());
  for (const std::uint32_t head_dim : {2U, 16U, 18U, 20U, 32U, 64U, 80U, 96U, 128U, 256U}) {
    std::vector<float> factors, sums;
    for (std::uint32_t i = 0; i < head_dim; ++i) factors.push_back(rotation_factor(head_dim, i));
    for (std::uint32_t lane = 0; lane < kPanelRows; ++lane) sums.push_back(0.5F + static_cast<float>(lane));
    for (const bool is_rotated : {true, false}) {
      for (const std::uint32_t n_queries : {1U, 6U, 16U}) {
        std::vector<float> acc = waves(head_dim * kPanelRows), out(std::size_t{n_queries} * head_dim);
        std::vector<float*> outputs;
        for (std::uint32_t query = 0; query < n_queries; ++query)
          outputs.push_back(out.data() + std::size_t{query} * head_dim);
        const std::vector<float> before = acc;
        kernels.take_results({.acc = acc.data(),
                              .sums = sums.data(),
                              .rotation = is_rotated ? factors.data() : nullptr,
                              .head_dim = head_dim,
                              .n_queries = n_queries,
                              .outputs = outputs.data()});
        for (std::uint32_t query = 0; query < n_queries; ++query) {
          std::vector<float> expected;
          for (std::uint32_t i = 0; i < head_dim; ++i) expected.push_back(before[i * kPanelRows + query] / sums[query]);
          if (is_rotated) unrotate_head(expected);
          for (std::uint32_t i = 0; i < head_dim; ++i)
            EXPECT_NEAR(outputs[query][i], expected[i], 2e-5F) << head_dim << " query " << query << " at " << i;
        }
      }
    }
  }
}

// Sums in another order may prefer another of two candidates that are as good: the codes may differ then, the error may
// not.
TEST_P(KvKernels, quantize_as_well_as_the_reference) {
  const KernelTable kernels = make_kernel_table(GetParam());
  for (const std::uint32_t n : {8U, 20U, 32U, 64U, 80U, 4096U}) {
    const std::vector<float> row = waves(n);
    std::vector<std::byte> expected(row_bytes(DType::kQ4_0, n)), found(expected.size());
    for (const float shift : {0.0F, value_shift(0), value_shift(7)}) {
      const auto squared_error = [&](const std::vector<std::byte>& bytes) {
        std::vector<float> decoded(n);
        decode_shifted_row(DType::kQ4_0, bytes.data(), n, shift, decoded.data());
        double sum = 0;
        for (std::uint32_t i = 0; i < n; ++i) sum += std::pow(static_cast<double>(decoded[i]) - row[i], 2);
        return sum;
      };
      encode_kv_row(DType::kQ4_0, row.data(), n, shift, expected.data());
      for (std::uint32_t first = 0; first < n; first += 1024) {  // at most one widest head at a time
        const std::uint32_t part = std::min(n - first, 1024U);
        encode_head(kernels, DType::kQ4_0, row.data() + first, part, shift,
                    found.data() + row_bytes(DType::kQ4_0, first));
      }
      EXPECT_NEAR(squared_error(found), squared_error(expected), 1e-4 * squared_error(expected)) << n << " " << shift;
    }
  }
}

// Codes of the reference, but for ties and sums in another order: at most one step apart, and that seldom.
TEST_P(KvKernels, encode_rows_as_the_reference) {
  const KernelTable kernels = make_kernel_table(GetParam());
  for (const DType dtype : {DType::kF16, DType::kQ8_0, DType::kF8E4M3}) {
    for (const std::uint32_t n : {2U, 8U, 20U, 32U, 64U, 80U, 96U, 128U}) {
      std::vector<float> row = waves(n);
      row[0] = 0.0F;
      row[n - 1] = -3e-5F;  // subnormal in each type
      std::vector<std::byte> expected(row_bytes(dtype, n)), found(expected.size());
      encode_row(dtype, row.data(), n, expected.data());
      encode_head(kernels, dtype, row.data(), n, 0.0F, found.data());
      std::uint32_t n_other = 0;
      for (std::size_t i = 0; i < expected.size(); ++i) n_other += expected[i] != found[i] ? 1 : 0;
      EXPECT_LE(n_other, dtype == DType::kF16 ? 0U : n / 32) << dtype_row(dtype).label << " " << n;
    }
  }
  for (const DType dtype : {DType::kF16, DType::kQ8_0, DType::kF8E4M3}) {
    const std::vector<float> zeros(64, 0.0F);
    std::vector<std::byte> found(row_bytes(dtype, 64), std::byte{1});
    encode_head(kernels, dtype, zeros.data(), 64, 0.0F, found.data());
    EXPECT_EQ(found, std::vector<std::byte>(found.size())) << dtype_row(dtype).label;
  }
}

TEST_P(KvKernels, f16_rounds_as_the_reference_over_its_whole_range) {
  const KernelTable kernels = make_kernel_table(GetParam());
  std::vector<float> row;
  for (float x = 1e-9F; x < 70000.0F; x *= 1.0009F) row.push_back(row.size() % 2 == 0 ? x : -x);
  for (std::uint32_t half = 0; half < 0x7C00; half += 7)
    row.push_back(f16_to_f32(static_cast<std::uint16_t>(half)) * 1.00048828125F);  // ties
  std::vector<std::byte> expected(row.size() * 2), found(row.size() * 2);
  encode_row(DType::kF16, row.data(), row.size(), expected.data());
  kernels.encode[static_cast<std::size_t>(DType::kF16)](row.data(), static_cast<std::uint32_t>(row.size()),
                                                        found.data());
  EXPECT_EQ(found, expected);
}

TEST(KvRows, only_values_of_q4_0_are_shifted_and_not_in_the_plain_scheme) {
  LayerSpec layer;
  layer.n_kv_heads = 1;
  layer.head_dim = 64;
  for (const DTypeRow& type : kDTypes) {
    for (const KvScheme scheme : {KvScheme::kRotated, KvScheme::kPlain}) {
      for (const KvPart part : {KvPart::kKeys, KvPart::kValues}) {
        if (!type.is_kv) continue;
        const PlanOptions options{.n_ctx = 64, .kv_k = type.dtype, .kv_v = type.dtype, .kv_scheme = scheme};
        const KvCache cache = make_kv_cache(nullptr, nullptr, part, layer, options);  // too short for exact ends
        const bool is_shifted = type.dtype == DType::kQ4_0 && scheme == KvScheme::kRotated && part == KvPart::kValues;
        for (std::uint32_t position = 0; position < kPanelRows; ++position) {
          EXPECT_EQ(cache.all.shifts[position], is_shifted ? value_shift(position) : 0.0F)
              << type.label << " " << position;
        }
      }
    }
  }
}

TEST_P(KvKernels, rows_written_at_once_are_those_written_one_by_one) {
  const KernelTable kernels = make_kernel_table(GetParam());
  constexpr std::uint32_t kHeads = 5;
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_kv) continue;
    for (const std::uint32_t head_dim : {64U, 80U}) {
      LayerSpec layer;
      layer.n_kv_heads = kHeads;
      layer.head_dim = head_dim;
      const std::uint32_t stride = kHeads * head_dim + 3;
      const std::vector<float> elems = waves(kPanelRows * stride);
      for (const KvPart part : {KvPart::kKeys, KvPart::kValues}) {
        const auto view_of = [&, types = PlanOptions{.n_ctx = 32, .kv_k = type.dtype, .kv_v = type.dtype}](
                                 std::vector<std::byte>& region) {
          region.resize(kHeads * 32 * row_bytes(type.dtype, head_dim));
          return make_kv_cache(region.data(), nullptr, part, layer, types).all;
        };
        std::vector<std::byte> at_once, one_by_one, found(row_bytes(type.dtype, head_dim)), expected(found);
        const KvView together = view_of(at_once), apart = view_of(one_by_one);
        const auto put = [&](const KvView& view, const KvRows& rows, std::uint32_t head, std::uint32_t position) {
          put_kv_rows(kernels, KvScheme::kRotated, view, part, rows, 0, head, position);
        };
        put(together, {0, kPanelRows, 1, head_dim, elems.data(), stride}, 1, 16);
        for (std::uint32_t lane = 0; lane < kPanelRows; ++lane)
          put(apart, {lane, 1, 1, head_dim, elems.data() + lane * stride}, 1, 16 + lane);
        put(together, {2, 3, kHeads, head_dim, elems.data(), stride}, 0, 2);
        for (std::uint32_t i = 0; i < 3 * kHeads; ++i) {
          const float* row = elems.data() + i % 3 * stride + i / 3 * head_dim;
          put(apart, {2 + i % 3, 1, 1, head_dim, row}, i / 3, 2 + i % 3);
          if (part == KvPart::kValues) continue;
          take_panel_row(type.dtype, head_dim, 2 + i % 3, together.group(0, i / 3, 0), found.data());
          encode_head(kernels, type.dtype, row, head_dim, 0.0F, expected.data());
          EXPECT_EQ(found, expected) << type.label << " " << head_dim << " row " << i;
        }
        EXPECT_EQ(at_once, one_by_one) << type.label << " " << head_dim
                                       << (part == KvPart::kKeys ? " keys" : " values");
      }
    }
  }
}

RandomModelSpec model(std::uint32_t head_dim = 32) {
  RandomModelSpec spec;
  spec.n_layers = 2;
  spec.d_model = 128;
  spec.d_ff = 128;
  spec.n_heads = 4;
  spec.n_kv_heads = 2;
  spec.head_dim = head_dim;
  spec.n_ctx_trained = 8192;
  return spec;
}

// 1,024 positions have 32 sinks and a ring of 96.
PlanOptions options(DType k, DType v) {
  PlanOptions made;
  made.n_ctx = 1024;
  made.n_slots = 2;
  made.n_batch = 48;
  made.kv_k = k;
  made.kv_v = v;
  return made;
}

// A model on the backend and its reference, stepped side by side.
class Pair {
 public:
  Pair(const RandomModelSpec& spec, Isa isa, const PlanOptions& options, const PlanOptions& reference_options)
      : n_vocab_(spec.n_vocab),
        path_(test::make_random_model(spec, folder_.path())),
        loaded_(test::load_cpu(path_, isa, 2, options)),
        reference_([&] {
          PlanOptions resolved = loaded_->plan.options;
          resolved.kv_k = reference_options.kv_k;
          resolved.kv_v = reference_options.kv_v;
          resolved.kv_scheme = reference_options.kv_scheme;
          return test::take(test::ReferenceModel::open(path_, resolved));
        }()) {}

  // The relative error of the last logits after positions [first, last) in steps of n_step.
  double error_of(std::uint32_t first, std::uint32_t last, std::uint32_t n_step) {
    double error = 0;
    for (; first < last; first += n_step) {
      const std::uint32_t n = std::min(n_step, last - first);
      const auto rows = test::rows_of(0, first, n, n_vocab_);
      const std::vector<std::uint32_t> only_last{n - 1};
      error = test::relative_error(loaded_->step(rows, only_last), test::take(reference_->step(rows, only_last)));
    }
    return error;
  }

 private:
  test::TempFolder folder_;
  std::uint32_t n_vocab_;
  std::filesystem::path path_;
  std::unique_ptr<test::LoadedCpu> loaded_;
  std::unique_ptr<test::ReferenceModel> reference_;
};

// As in cpu_model_test.cpp: f32 but for the order of sums and F16 neighbours, and a Q4_0 cache that rounds to other
// codes.
constexpr double kFineCache = 2e-3, kCoarseCache = 8e-2;

TEST_P(KvKernels, what_the_exact_ends_hold_is_as_f16) {
  for (const DType kv : kQuantizedTypes) {
    for (const std::uint32_t head_dim : {32U, 80U}) {
      Pair pair(model(head_dim), GetParam(), options(kv, kv), options(DType::kF16, DType::kF16));
      EXPECT_LT(pair.error_of(0, 96, 48), kFineCache)
          << dtype_row(kv).label << " " << head_dim << ": all rows are still in the ring";
      EXPECT_LT(pair.error_of(96, 99, 1), kFineCache) << dtype_row(kv).label << " " << head_dim;
      EXPECT_LT(pair.error_of(99, 128, 16), kFineCache)
          << dtype_row(kv).label << " " << head_dim << ": sinks and ring together";
    }
  }
  Pair pair(model(), GetParam(), options(DType::kQ4_0, DType::kQ4_0), options(DType::kF16, DType::kF16));
  EXPECT_GT(pair.error_of(0, 240, 48), 2 * kFineCache) << "rows between the ends are quantized, so this test can fail";
}

TEST_P(KvKernels, every_pair_of_types_reads_its_ends_and_its_middle) {
  for (const DTypeRow& k : kDTypes) {
    for (const DTypeRow& v : kDTypes) {
      if (!k.is_kv || !v.is_kv || (!is_quantized_kv(k.dtype) && !is_quantized_kv(v.dtype))) continue;
      if (!test::is_checked({static_cast<std::size_t>(k.dtype), static_cast<std::size_t>(v.dtype),
                             static_cast<std::size_t>(GetParam())}))
        continue;
      SCOPED_TRACE(std::string(k.name) + " keys, " + std::string(v.name) + " values");
      Pair pair(model(), GetParam(), options(k.dtype, v.dtype), options(k.dtype, v.dtype));
      EXPECT_LT(pair.error_of(0, 215, 45), kCoarseCache);
      EXPECT_LT(pair.error_of(215, 217, 1), kCoarseCache);
      EXPECT_LT(pair.error_of(180, 183, 3), kCoarseCache) << "back to what the ring still holds";
      EXPECT_LT(pair.error_of(50, 95, 45), kCoarseCache) << "back behind the ring";
      EXPECT_LT(pair.error_of(0, 30, 30), kCoarseCache) << "from the start";
    }
  }
}

TEST_P(KvKernels, channels_of_k_that_stand_out_cost_nothing) {
  RandomModelSpec spec = model();
  spec.key_outlier = 64.0F;
  const PlanOptions kept = options(DType::kQ4_0, DType::kF16), exact = options(DType::kF16, DType::kF16);
  EXPECT_LT(Pair(spec, GetParam(), kept, kept).error_of(0, 240, 48), kCoarseCache)
      << "the reference balances the same channels";
  const double with_outliers = Pair(spec, GetParam(), kept, exact).error_of(0, 240, 48);
  const double without = Pair(model(), GetParam(), kept, exact).error_of(0, 240, 48);
  EXPECT_LT(with_outliers, 2 * without);
}

TEST_P(KvKernels, the_plain_scheme_is_its_own_reference) {
  PlanOptions plain = options(DType::kQ4_0, DType::kQ4_0);
  plain.kv_scheme = KvScheme::kPlain;
  Pair pair(model(), GetParam(), plain, plain);
  EXPECT_LT(pair.error_of(0, 90, 45), kCoarseCache);
}

INSTANTIATE_TEST_SUITE_P(Isas, KvKernels, ::testing::ValuesIn(kIsas), test::isa_test_name);

TEST(KvCache, a_window_keeps_a_ring_without_sinks) {
  RandomModelSpec spec = model();
  spec.n_layers = 1;
  spec.window = 300;
  PlanOptions made = options(DType::kQ4_0, DType::kQ8_0);
  made.n_ctx = 700;
  Pair pair(spec, detected_isa(), made, made);
  EXPECT_LT(pair.error_of(0, 480, 48), kCoarseCache);
}

// 1,024 positions leave a ring of 96: a step of 240 rows writes only those that its last row and later steps find
// there. Two groups that are not written cost 0.03 and more; int8 queries and the order of sums 0.0007.
TEST(KvCache, a_step_longer_than_the_ring_leaves_its_newest_rows_in_it) {
  for (const DType kv : kQuantizedTypes) {
    PlanOptions made = options(kv, kv);
    made.n_batch = 240;
    Pair pair(model(), detected_isa(), made, made);
    EXPECT_LT(pair.error_of(0, 480, 240), 1e-2) << dtype_row(kv).label;
    EXPECT_LT(pair.error_of(480, 490, 1), 1e-2) << dtype_row(kv).label;
    EXPECT_LT(pair.error_of(460, 500, 40), 1e-2) << dtype_row(kv).label << ": back into the ring";
  }
}

TEST(KvCache, a_copied_slot_goes_on_as_the_original) {
  const test::TempFolder folder;
  for (const DType kv : kQuantizedTypes) {
    const auto loaded =
        test::load_cpu(test::make_random_model(model(), folder.path()), detected_isa(), 2, options(kv, kv));
    for (std::uint32_t first = 0; first < 192; first += 48) loaded->step(test::rows_of(0, first, 48, 288), {47});
    for (const std::uint32_t n_positions : {192U, 150U}) {  // 150: tokens of the original go on behind the copy
      ASSERT_TRUE(loaded->executor->copy_state(0, 1, n_positions).ok());
      auto next = test::rows_of(0, n_positions, 1, 288);
      next[0].slot = 1;
      const auto copy = loaded->step(next, {0});
      next[0].slot = 0;
      EXPECT_EQ(loaded->step(next, {0}), copy) << dtype_row(kv).label << " " << n_positions;
    }
  }
}

TEST(KvCache, an_answer_that_is_regenerated_is_the_same_each_time) {
  const test::TempFolder folder;
  const auto loaded = test::load_cpu(test::make_random_model(model(), folder.path()), detected_isa(), 2,
                                     options(DType::kQ4_0, DType::kQ4_0));
  for (std::uint32_t first = 0; first < 240; first += 48) loaded->step(test::rows_of(0, first, 48, 288), {47});
  const auto answer = [&] {
    std::vector<std::vector<float>> logits;
    for (std::uint32_t position = 240; position < 300; ++position)
      logits.push_back(loaded->step(test::rows_of(0, position, 1, 288), {0}));
    return logits;
  };
  const auto first = answer(), second = answer(), third = answer();
  EXPECT_EQ(second, third);
  EXPECT_LT(test::relative_error(second.back(), first.back()), kCoarseCache) << "the ring had moved on by 60 positions";
}

}  // namespace
}  // namespace headroom
