// The rule of delta nets over many rows: whatever chunks they are computed in, and against a pass in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "backend/cpu/plain_kernels.h"
#include "contract/isa_test.h"

namespace headroom {
namespace {

constexpr std::uint32_t kKeyDim = 24, kValueDim = 40, kMixedStride = 2 * kKeyDim + kValueDim;

// MixedRows as kDeltaMix leaves them: keys and queries of length 1 and 1 / sqrt(key_dim), decays of 0.5 to 1.
struct MixedRows {
  std::vector<float> mixed, rates;
  std::uint32_t n = 0;

  explicit MixedRows(std::uint32_t n_rows) : mixed(std::size_t{n_rows} * kMixedStride), rates(2UL * n_rows), n(n_rows) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> uniform;
    for (float& x : mixed) x = normal(random);
    for (std::uint32_t row = 0; row < n; ++row) {
      for (std::uint32_t head = 0; head < 2; ++head) {
        float* elems = mixed.data() + std::size_t{row} * kMixedStride + std::size_t{head} * kKeyDim;
        const double length = norm_plainly(elems, kKeyDim) * (head == 0 ? std::sqrt(kKeyDim) : 1);
        for (std::uint32_t i = 0; i < kKeyDim; ++i) elems[i] = static_cast<float>(elems[i] / length);
      }
      rates[2UL * row] = -0.7F * std::pow(uniform(random), 4.0F);
      rates[2UL * row + 1] = uniform(random);
    }
  }
};

struct Outcome {
  std::vector<float> read, state;
};

// MixedRows [cuts[i], cuts[i + 1]) in one call each. The state begins as no number.
Outcome compute(const KernelTable& kernels, const MixedRows& rows, const std::vector<std::uint32_t>& cuts) {
  Outcome out{std::vector<float>(std::size_t{rows.n} * kValueDim),
              std::vector<float>(std::size_t{kKeyDim} * kValueDim, std::nanf(""))};
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const float* first = rows.mixed.data() + std::size_t{cuts[i]} * kMixedStride;
    kernels.delta_rule({.queries = first,
                        .keys = first + kKeyDim,
                        .values = first + 2UL * kKeyDim,
                        .stride = kMixedStride,
                        .decays = rows.rates.data() + 2UL * cuts[i],
                        .betas = rows.rates.data() + 2UL * cuts[i] + 1,
                        .rate_stride = 2,
                        .state = out.state.data(),
                        .read = out.read.data() + std::size_t{cuts[i]} * kValueDim,
                        .read_stride = kValueDim,
                        .n_rows = cuts[i + 1] - cuts[i],
                        .key_dim = kKeyDim,
                        .value_dim = kValueDim,
                        .is_new = cuts[i] == 0});
  }
  return out;
}

std::vector<std::uint32_t> every(std::uint32_t step, std::uint32_t n) {
  std::vector<std::uint32_t> cuts;
  for (std::uint32_t at = 0; at < n; at += step) cuts.push_back(at);
  cuts.push_back(n);
  return cuts;
}

double most_off(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= most)) most = std::abs(static_cast<double>(a[i]) - b[i]);
  }
  return most;
}

class DeltaRule : public test::IsaTest {};

// Values of the rows are up to 5, what is read of them up to 1.
TEST_P(DeltaRule, chunks_are_the_steps_for_one_row_to_a_thousand) {
  const KernelTable kernels = make_kernel_table(GetParam());
  for (std::uint32_t n = 1; n <= 1000; n += n < 70 ? 1 : 93) {
    const MixedRows rows(n);
    const Outcome steps = compute(kernels, rows, every(1, n)), chunks = compute(kernels, rows, {0, n});
    ASSERT_LE(most_off(steps.read, chunks.read), 1e-5) << n;
    ASSERT_LE(most_off(steps.state, chunks.state), 1e-5) << n;
  }
}

TEST_P(DeltaRule, every_cut_of_a_prompt_gives_the_same) {
  constexpr std::uint32_t kRows = 45;
  const KernelTable kernels = make_kernel_table(GetParam());
  const MixedRows rows(kRows);
  const Outcome whole = compute(kernels, rows, {0, kRows});
  for (std::uint32_t cut = 1; cut < kRows; ++cut) {
    for (const std::vector<std::uint32_t>& cuts : {std::vector<std::uint32_t>{0, cut, kRows}, every(cut, kRows)}) {
      const Outcome parts = compute(kernels, rows, cuts);
      ASSERT_LE(most_off(whole.read, parts.read), 1e-5) << cut;
      ASSERT_LE(most_off(whole.state, parts.state), 1e-5) << cut;
    }
  }
}

// A state in F32 does not drift away over a long conversation: what is off decays with the rest.
TEST_P(DeltaRule, stays_with_a_pass_in_double_over_ten_thousand_rows) {
  constexpr std::uint32_t kRows = 10000;
  const KernelTable kernels = make_kernel_table(GetParam());
  const MixedRows rows(kRows);
  const Outcome steps = compute(kernels, rows, every(1, kRows)), chunks = compute(kernels, rows, every(256, kRows));
  PlainState exact{kKeyDim, kValueDim};
  double steps_off = 0, chunks_off = 0;
  for (std::uint32_t row = 0; row < kRows; ++row) {
    const float* query = rows.mixed.data() + std::size_t{row} * kMixedStride;
    const std::vector<double> read =
        exact.step(query, query + kKeyDim, query + 2UL * kKeyDim, rows.rates[2UL * row], rows.rates[2UL * row + 1]);
    for (std::uint32_t n = 0; n < kValueDim; ++n) {
      const std::size_t at = std::size_t{row} * kValueDim + n;
      steps_off = std::max(steps_off, std::abs(steps.read[at] - read[n]));
      chunks_off = std::max(chunks_off, std::abs(chunks.read[at] - read[n]));
    }
  }
  RecordProperty("steps_off", std::to_string(steps_off));
  RecordProperty("chunks_off", std::to_string(chunks_off));
  EXPECT_LE(steps_off, 2e-5);
  EXPECT_LE(chunks_off, 2e-5);
}

INSTANTIATE_TEST_SUITE_P(Isas, DeltaRule, ::testing::ValuesIn(kIsas), test::isa_test_name);

}  // namespace
}  // namespace headroom
