// Attention on a GPU against the reference device, in the shapes that its kernels take: stacks of query heads
// and of rows, splits of the keys, and their borders.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "backend/gpu/gpu_attend.h"
#include "format/dtype_table.h"
#include "gpu_contract/gpu_fixture.h"

namespace headroom {
namespace {

using test::RandomModelSpec;

std::vector<DType> kv_types() {
  std::vector<DType> types;
  for (const DTypeRow& row : kDTypes) {
    if (row.is_kv) types.push_back(row.dtype);
  }
  return types;
}

TEST(AttendShape, holds_every_head_within_the_limits_of_the_backend) {
  const AttendLimits limits = test::gpu_arithmetic().attend;
  for (std::uint32_t head_dim = 2; head_dim <= kMaxHeadDim; head_dim += head_dim < 260 ? 2 : 62) {
    for (std::uint32_t group = 1; group <= 40; ++group) {
      for (const DType kv : kv_types()) {
        for (const bool is_split : {false, true}) {
          const LayerSpec layer{.n_heads = 2 * group, .n_kv_heads = 2, .head_dim = head_dim};
          const AttendShape shape =
              attend_shape(layer, {.n_ctx = 4096, .n_batch = 32, .kv_k = kv, .kv_v = DType::kQ8_0}, limits, is_split);
          ASSERT_LE(shape.shared_words, limits.shared_words);
          ASSERT_LE(shape.n_queries(), limits.most_queries);
          ASSERT_GE(shape.n_heads * shape.n_stacks, group);
          ASSERT_LT(shape.n_heads * (shape.n_stacks - 1), group) << "a stack would have no head";
          ASSERT_EQ(kKvRowStep % shape.tile_keys, 0U);
        }
      }
    }
  }
}

TEST(AttendShape, reads_keys_once_for_the_heads_of_usual_models) {
  for (const std::uint32_t head_dim : {64U, 96U, 128U, 256U}) {
    for (const std::uint32_t group : {1U, 2U, 4U, 8U}) {
      const LayerSpec layer{.n_heads = 8 * group, .n_kv_heads = 8, .head_dim = head_dim};
      const AttendShape shape =
          attend_shape(layer, {.n_ctx = 4096, .n_batch = 256}, test::gpu_arithmetic().attend, true);
      EXPECT_EQ(shape.n_stacks, 1U) << head_dim << " " << group;
      EXPECT_GE(shape.tile_keys, 8U);
    }
  }
}

using Steps = std::vector<std::vector<StepRow>>;

std::vector<StepRow> joined(std::initializer_list<std::vector<StepRow>> parts) {
  std::vector<StepRow> rows;
  for (const std::vector<StepRow>& part : parts) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

class GpuAttend : public testing::Test {
 protected:
  // One layer, so that its errors meet no other.
  static RandomModelSpec model(std::uint32_t n_heads, std::uint32_t n_kv_heads, std::uint32_t head_dim) {
    RandomModelSpec spec;
    spec.n_layers = 1;
    spec.d_model = 64;
    spec.d_ff = 32;
    spec.n_heads = n_heads;
    spec.n_kv_heads = n_kv_heads;
    spec.head_dim = head_dim;
    spec.n_ctx_trained = 2048;
    return spec;
  }

  static std::vector<StepRow> rows(std::uint32_t slot, std::uint32_t first, std::uint32_t n) {
    return test::rows_of(slot, first, n, 288);
  }

  // The positions of a slot from `first` to `last`, in steps of 32.
  static void fill(Steps& steps, std::uint32_t slot, std::uint32_t first, std::uint32_t last) {
    for (; first < last; first += 32) steps.push_back(rows(slot, first, std::min(32U, last - first)));
  }

  // Steps of few rows, one behind the other.
  static void fill_few(Steps& steps, std::uint32_t slot, std::uint32_t first,
                       std::initializer_list<std::uint32_t> few) {
    for (const std::uint32_t n : few) {
      steps.push_back(rows(slot, first, n));
      first += n;
    }
  }

  // Half of all rows come as close as this: a code of the cache that rounds the other way moves a row by more, and is
  // rare, but in a long context there are some.
  static double usual_error(const PlanOptions& options) {
    const bool has_codes = is_quantized_kv(options.kv_k) || is_quantized_kv(options.kv_v);
    return has_codes ? test::kExactTolerance : test::kExactTolerance / 5;
  }

  // Every row of every step. `usual`: what half of them keep.
  static void expect_like_reference(const RandomModelSpec& spec, const PlanOptions& options, const Steps& steps) {
    expect_like_reference(spec, options, steps, usual_error(options));
  }
  static void expect_like_reference(const RandomModelSpec& spec, PlanOptions options, const Steps& steps,
                                    double usual) {
    const double most = std::max(usual, test::cache_tolerance(options.kv_k, options.kv_v));
    std::vector<double> errors;
    options.n_batch = 32;
    options.n_logit_rows = options.step_rows();
    const test::TempFolder folder;
    const auto path = test::make_random_model(spec, folder.path());
    const auto loaded = test::load_on_gpu(path, options);
    const auto reference = test::take(test::ReferenceModel::open(path, options));
    for (const std::vector<StepRow>& step : steps) {
      std::vector<std::uint32_t> all(step.size());
      for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
      const std::vector<float> found = loaded->step(step, all), expected = test::take(reference->step(step, all));
      const std::size_t n_vocab = spec.n_vocab;
      for (std::size_t row = 0; row < step.size(); ++row) {
        const auto of_row = [&](const std::vector<float>& logits) {
          const auto first = logits.begin() + static_cast<std::ptrdiff_t>(row * n_vocab);
          return std::vector<float>(first, first + static_cast<std::ptrdiff_t>(n_vocab));
        };
        errors.push_back(test::relative_error(of_row(found), of_row(expected)));
        ASSERT_LT(errors.back(), most) << step.size() << " rows, slot " << step[row].slot << " at "
                                       << step[row].position;
      }
    }
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::nth_element(errors.begin(), middle, errors.end());
    EXPECT_LT(*middle, usual);
  }
};

PlanOptions options_with(DType kv, std::uint32_t n_ctx, std::uint32_t n_slots = 1) {
  PlanOptions options;
  options.n_ctx = n_ctx;
  options.n_slots = n_slots;
  options.kv_k = options.kv_v = kv;
  return options;
}

TEST_F(GpuAttend, every_group_of_heads_gives_the_reference_logits) {
  constexpr std::array kGroups{1U, 3U, 8U, 16U, 19U};
  for (std::size_t i = 0; i < kGroups.size(); ++i) {
    for (const DType kv : {DType::kF32, DType::kQ8_0}) {
      for (const std::uint32_t head_dim : {8U, 128U}) {
        if (!test::is_checked({i, kv == DType::kF32 ? 0U : 1U, head_dim == 8 ? 0U : 1U})) continue;
        const std::uint32_t group = kGroups[i];
        SCOPED_TRACE(std::to_string(group) + " heads of " + std::to_string(head_dim) + " elements");
        Steps steps;
        fill(steps, 0, 0, 70);
        for (const std::uint32_t n : {1U, 8U, 9U}) steps.push_back(rows(0, steps.back().back().position + 1, n));
        expect_like_reference(model(2 * group, 2, head_dim), options_with(kv, 96), steps);
      }
    }
  }
}

// Eight KV heads leave 64 splits to one row and 8 to each of eight: from 512 keys on those have more than 64 keys.
TEST_F(GpuAttend, splits_end_where_they_should) {
  Steps steps;
  steps.push_back(rows(0, 0, 1));
  fill(steps, 0, 1, 62);
  for (const std::uint32_t n : {1U, 1U, 1U, 1U, 3U}) steps.push_back(rows(0, steps.back().back().position + 1, n));
  fill(steps, 0, 69, 126);
  for (std::uint32_t position = 126; position < 130; ++position) steps.push_back(rows(0, position, 1));
  fill(steps, 0, 130, 508);
  for (const std::uint32_t n : {8U, 2U, 7U, 1U}) steps.push_back(rows(0, steps.back().back().position + 1, n));
  fill(steps, 0, 526, 695);
  for (const std::uint32_t n : {1U, 1U, 8U, 1U}) steps.push_back(rows(0, steps.back().back().position + 1, n));
  for (const DType kv : kv_types()) {
    SCOPED_TRACE(dtype_row(kv).name);
    expect_like_reference(model(8, 8, 8), options_with(kv, 706), steps);
  }
}

// Each split, tile and team has a maximum of its own, which exp() does not reach from another's.
TEST_F(GpuAttend, scores_that_are_far_apart_do_not_overflow) {
  Steps steps;
  fill(steps, 0, 0, 300);
  for (const std::uint32_t n : {1U, 1U, 5U, 8U, 9U}) steps.push_back(rows(0, steps.back().back().position + 1, n));
  RandomModelSpec spec = model(8, 2, 16);
  spec.query_scale = 400;
  // A score of some hundreds is off by some units of 2^-16, and its weight by as much of itself.
  expect_like_reference(spec, options_with(DType::kF32, 350), steps, 1e-3);
}

TEST_F(GpuAttend, windows_begin_within_splits_and_tiles) {
  Steps steps;
  fill(steps, 0, 0, 96);
  for (std::uint32_t position = 96; position < 103; ++position) steps.push_back(rows(0, position, 1));
  fill(steps, 0, 103, 290);
  for (const std::uint32_t n : {1U, 8U, 9U, 31U, 5U, 1U}) steps.push_back(rows(0, steps.back().back().position + 1, n));
  for (const std::uint32_t window : {3U, 33U, 100U}) {
    for (const DType kv : kv_types()) {
      SCOPED_TRACE(std::to_string(window) + " " + std::string(dtype_row(kv).name));
      RandomModelSpec spec = model(4, 2, 16);
      spec.window = window;
      expect_like_reference(spec, options_with(kv, 400), steps);
    }
  }
}

// Every row goes through all experts, so that it cannot choose others than on the reference device.
RandomModelSpec with_sinks(RandomModelSpec spec, std::uint32_t window) {
  spec.architecture = "gpt-oss";
  spec.n_experts = spec.n_experts_used = 2;
  spec.window = window;
  return spec;
}

// In whichever split a softmax begins.
TEST_F(GpuAttend, sinks_count_once) {
  Steps steps;
  fill(steps, 0, 0, 300);
  for (const std::uint32_t n : {1U, 1U, 8U, 9U, 1U}) steps.push_back(rows(0, steps.back().back().position + 1, n));
  for (const std::uint32_t window : {33U, 350U}) {
    for (const DType kv : kv_types()) {
      SCOPED_TRACE(std::to_string(window) + " " + std::string(dtype_row(kv).name));
      expect_like_reference(with_sinks(model(6, 2, 16), window), options_with(kv, 350), steps);
    }
  }
}

// Where weights are of half precision, so may be attention. Keys that differ as much round to other
// codes of the cache in many places.
RandomModelSpec half_model(std::uint32_t n_heads, std::uint32_t head_dim) {
  RandomModelSpec spec;
  spec.weight_type = DType::kF16;
  spec.n_layers = 1;
  spec.d_model = 64;
  spec.d_ff = 32;
  spec.n_heads = n_heads;
  spec.n_kv_heads = 2;
  spec.head_dim = head_dim;
  spec.n_ctx_trained = 2048;
  return spec;
}
constexpr double kHalfModelError = 2 * test::kHalfRowsTolerance;

TEST_F(GpuAttend, half_models_with_every_cache_type_give_the_reference_logits) {
  Steps steps;
  fill(steps, 0, 0, 75);
  fill_few(steps, 0, 75, {1, 8, 3, 1});
  for (const DType kv : kv_types()) {
    if (!test::kHasHalfAttention && !test::is_full_run() && kv != DType::kF16) continue;
    // Of Q8_0 those that take all of the room that kernels have; of other codes a short head and one that four warps
    // share out.
    for (const std::uint32_t head_dim : kv == DType::kQ8_0    ? std::vector{128U, 256U, 512U}
                                        : kv == DType::kF16   ? std::vector{160U, 320U}
                                        : is_quantized_kv(kv) ? std::vector{40U, 288U}
                                                              : std::vector{40U}) {
      SCOPED_TRACE(fmt::format("{}, heads of {}", dtype_row(kv).name, head_dim));
      expect_like_reference(half_model(6, head_dim), options_with(kv, 96), steps, kHalfModelError);
    }
  }
}

// Of heads that one warp has, and that two and four share out.
TEST_F(GpuAttend, sinks_of_half_models_count_once) {
  Steps steps;
  fill(steps, 0, 0, 100);
  fill_few(steps, 0, 100, {1, 8, 1});
  for (const std::uint32_t head_dim : {64U, 256U, 512U}) {
    if (!test::kHasHalfAttention && !test::is_full_run() && head_dim > 64) continue;
    SCOPED_TRACE(head_dim);
    expect_like_reference(with_sinks(half_model(6, head_dim), 128), options_with(DType::kF16, 128), steps,
                          kHalfModelError);
  }
}

// Of whole tiles, and of those that a window or the end of the keys cuts; in steps of many rows and of few.
TEST_F(GpuAttend, scores_of_half_models_are_capped) {
  Steps steps;
  fill(steps, 0, 0, 150);
  fill_few(steps, 0, 150, {1, 8, 1});
  for (const std::uint32_t head_dim : {64U, 128U, 256U, 512U}) {
    if (!test::kHasHalfAttention && !test::is_full_run() && head_dim > 64) continue;
    SCOPED_TRACE(head_dim);
    RandomModelSpec spec = half_model(4, head_dim);
    spec.architecture = "gemma2";
    spec.window = 33;
    expect_like_reference(spec, options_with(DType::kF16, 160), steps, kHalfModelError);
  }
}

TEST_F(GpuAttend, half_models_of_every_shape_give_the_reference_logits) {
  constexpr std::array kHeads{8U, 64U, 128U, 256U, 512U};
  constexpr std::array kGroups{1U, 3U, 8U, 19U};
  for (std::size_t i = 0; i < kHeads.size(); ++i) {
    for (std::size_t j = 0; j < kGroups.size(); ++j) {
      if (!test::is_full_run() && (i + j) % 3 != 0) continue;
      if (!test::kHasHalfAttention && !test::is_full_run() && i + j > 0) continue;
      RandomModelSpec spec = half_model(2 * kGroups[j], kHeads[i]);
      spec.window = j % 2 == 1 ? 33 : 0;
      Steps steps;
      fill(steps, 0, 0, 100);
      steps.push_back(joined({rows(0, 100, 5), rows(1, 0, 27)}));
      fill(steps, 0, 105, 150);
      fill_few(steps, 0, 150, {1, 8, 1});
      steps.push_back(joined({rows(0, 160, 2), rows(1, 27, 3)}));
      SCOPED_TRACE(fmt::format("{} heads of {}", kGroups[j], kHeads[i]));
      expect_like_reference(spec, options_with(DType::kF16, 256, 2), steps, kHalfModelError);
    }
  }
}

// Past the exact ends and around their ring.
TEST_F(GpuAttend, long_contexts_of_half_models_give_the_reference_logits) {
  Steps steps;
  fill(steps, 0, 0, test::kHasHalfAttention || test::is_full_run() ? 500 : 50);
  fill_few(steps, 0, steps.back().back().position + 1, {1, 8, 1});
  for (const std::uint32_t head_dim : {16U, 128U}) {
    SCOPED_TRACE(head_dim);
    expect_like_reference(half_model(4, head_dim), options_with(DType::kQ4_0, 512), steps, kHalfModelError);
  }
}

// Neighbouring rows of one slot are stacked, those of others are not.
TEST_F(GpuAttend, rows_of_several_slots_in_a_step_see_their_own) {
  Steps steps;
  fill(steps, 0, 0, 140);
  fill(steps, 1, 0, 40);
  steps.push_back(joined({rows(0, 140, 5), rows(1, 40, 1), rows(2, 0, 7)}));
  steps.push_back(joined({rows(2, 7, 2), rows(0, 145, 3), rows(1, 41, 4)}));
  steps.push_back(joined({rows(1, 45, 1), rows(2, 9, 1), rows(0, 148, 1)}));
  std::vector<StepRow> each;
  for (std::uint32_t slot = 0; slot < 12; ++slot) {
    const std::uint32_t held[] = {149, 46, 10};
    each.push_back(rows(slot, slot < 3 ? held[slot] : 0, 1).front());
  }
  steps.push_back(each);
  for (const std::uint32_t n_heads : {2U, 8U}) {
    for (const DType kv : {DType::kF32, DType::kQ4_0}) {
      SCOPED_TRACE(std::to_string(n_heads) + " " + std::string(dtype_row(kv).name));
      expect_like_reference(model(n_heads, 2, 16), options_with(kv, 160, 12), steps);
    }
  }
}

}  // namespace
}  // namespace headroom
