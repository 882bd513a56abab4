// Layers with states on a GPU against the reference device: delta nets and short convolutions of any shape.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "gpu_contract/gpu_model.h"
#include "plan/gpu_rules.h"

namespace headroom {
namespace {

using test::GpuModel;
using test::kExactTolerance;
using test::options_for;
using test::RandomModelSpec;
using test::small_model;

RandomModelSpec state_model(DType weight, std::uint32_t state_dim) {
  RandomModelSpec spec = small_model(weight);
  spec.architecture = "qwen35";
  spec.state_dim = state_dim;
  return spec;
}

// Heads that fill no block of columns, or that stand in shared memory in several pieces; convolutions of every length.
TEST_F(GpuModel, states_of_any_shape_give_the_reference_logits) {
  std::uint32_t conv_width = 2;
  for (const std::uint32_t state_dim : {1U, 40U, 136U, 300U}) {
    SCOPED_TRACE(fmt::format("{} elements, {} taps", state_dim, conv_width));
    RandomModelSpec spec = state_model(DType::kF32, state_dim);
    spec.conv_width = conv_width;
    conv_width += 2;
    for (const std::uint32_t n : {1U, 8U, 61U})
      expect_like_reference(spec, options_for(DType::kF32, DType::kF32), n, 2, 2 * kExactTolerance);
  }
}

// Their gates are encoded with the heads where these are whole groups.
TEST_F(GpuModel, states_of_quantized_models_give_the_reference_logits) {
  for (const auto& [state_dim, weight] :
       {std::pair{32U, DType::kQ8_0}, std::pair{48U, DType::kQ4_0}, std::pair{32U, DType::kF16}}) {
    SCOPED_TRACE(fmt::format("{} elements, {}", state_dim, dtype_row(weight).name));
    const RandomModelSpec spec = state_model(weight, state_dim);
    test::with_every_arithmetic(weight, [&](double most) {
      for (const std::uint32_t n : {1U, 21U}) {
        if (test::tells_more(n)) expect_like_reference(spec, options_for(DType::kF32, DType::kF32), n, 1, most);
      }
    });
  }
}

// A prompt that the rule takes in several submissions.
TEST_F(GpuModel, states_of_a_long_prompt_give_the_reference_logits) {
  RandomModelSpec spec = state_model(DType::kF32, 8);
  spec.d_model = 64;
  spec.n_heads = 2;
  spec.n_kv_heads = 1;
  spec.n_ctx_trained = 2 * kGpuDeltaRows;
  PlanOptions options = options_for(DType::kF32, DType::kF32);
  options.n_ctx = kGpuDeltaRows + 64;
  options.n_batch = kGpuDeltaRows + 32;
  expect_like_reference(spec, options, kGpuDeltaRows + 29, 1, 2 * kExactTolerance);
}

// The layer alone: attention would take most of the time.
RandomModelSpec one_delta_net() {
  RandomModelSpec spec = state_model(DType::kF32, 24);
  spec.n_layers = 1;
  spec.d_model = 64;
  spec.n_heads = 2;
  spec.n_kv_heads = 1;
  return spec;
}

// Prompts of every length, and every cut of one into two: the reference computes row by row.
void expect_every_cut(RandomModelSpec spec, std::uint32_t n_rows, std::uint32_t most) {
  spec.n_ctx_trained = most;
  PlanOptions options = options_for(DType::kF32, DType::kF32);
  options.n_ctx = options.n_batch = most;
  const test::TempFolder folder;
  const auto path = test::make_random_model(spec, folder.path());
  const auto loaded = test::load_on_gpu(path, options);
  const auto reference = test::take(test::ReferenceModel::open(path, options));
  // Rows [first, last) of a prompt: a row at position 0 begins it anew.
  const auto expect_the_same = [&](std::uint32_t first, std::uint32_t last) {
    const auto rows = test::rows_of(0, first, last - first, spec.n_vocab);
    const std::vector<std::uint32_t> asked{last - first - 1};
    EXPECT_LT(test::relative_error(loaded->step(rows, asked), test::take(reference->step(rows, asked))),
              kExactTolerance)
        << "rows " << first << " to " << last;
  };
  for (std::uint32_t n = 1; n <= most; n += n < 70 ? 1 : 93) expect_the_same(0, n);
  for (std::uint32_t cut = 1; cut < n_rows; ++cut) {
    expect_the_same(0, cut);
    expect_the_same(cut, n_rows);
  }
}

TEST_F(GpuModel, chunks_of_states_are_the_steps_for_every_length_and_every_cut) {
  expect_every_cut(one_delta_net(), 45, 1000);
}

RandomModelSpec conv_model(DType weight, std::uint32_t width) {
  RandomModelSpec spec = small_model(weight);
  spec.architecture = "lfm2";
  spec.conv_width = width;
  return spec;
}

// Channels that fill no group of threads, rows that see further back than a step has any, and every length of taps.
TEST_F(GpuModel, short_convolutions_are_the_steps_for_every_length_and_every_cut) {
  for (const std::uint32_t width : {2U, 3U, 8U}) {
    SCOPED_TRACE(width);
    RandomModelSpec spec = conv_model(DType::kF32, width);
    spec.n_layers = 1;
    spec.d_model = 96;
    spec.n_heads = 3, spec.n_kv_heads = 1;
    expect_every_cut(spec, 12, 40);
  }
}

TEST_F(GpuModel, short_convolutions_of_quantized_models_give_the_reference_logits) {
  for (const DType weight : {DType::kQ8_0, DType::kQ4_K, DType::kF16}) {
    expect_of_weights(conv_model(weight, 3), weight, {1, 5, 21});
  }
}

// A state in F32 does not drift away over a long conversation, whether its rows come in chunks or alone.
TEST_F(GpuModel, states_stay_with_the_reference_over_ten_thousand_rows) {
  constexpr std::uint32_t kRows = 10'000, kAlone = 400, kStep = 256;
  RandomModelSpec spec = one_delta_net();
  spec.n_ctx_trained = kRows;
  PlanOptions options = options_for(DType::kF32, DType::kF32);
  options.n_ctx = kRows;
  options.n_batch = kStep;
  const test::TempFolder folder;
  const auto path = test::make_random_model(spec, folder.path());
  const auto loaded = test::load_on_gpu(path, options);
  const auto reference = test::take(test::ReferenceModel::open(path, options));
  for (std::uint32_t first = 0, n = 0; first < kRows; first += n) {
    n = first < kRows - kAlone ? std::min(kStep, kRows - kAlone - first) : 1;
    const auto rows = test::rows_of(0, first, n, spec.n_vocab);
    const std::vector<std::uint32_t> last{n - 1};
    ASSERT_LT(test::relative_error(loaded->step(rows, last), test::take(reference->step(rows, last))), kExactTolerance)
        << "at " << first + n;
  }
}

}  // namespace
}  // namespace headroom
