// The golden models on a GPU: whole, split at every border between layers, and with FFNs on the CPU.
#include <gtest/gtest.h>

#include <array>

#include "golden/golden_model.h"
#include "gpu_contract/gpu_fixture.h"
#include "program/subgraphs.h"
#include "support/combinations.h"

namespace headroom {
namespace {

class GpuGolden : public testing::TestWithParam<std::string> {
 protected:
  GpuGolden() : golden_(test::golden_model(GetParam())) {}

  // `place`: of these options among others.
  void expect_golden(const std::vector<DeviceInfo>& devices, PlanOptions options, std::size_t place) {
    const std::vector<float> expected = golden_.logits();
    for (const std::uint32_t n_batch : {64U, 7U}) {
      if (!test::is_checked({place, n_batch})) continue;  // one of the two: 64 is even
      options.kv_k = options.kv_v = DType::kF32;
      const auto session = test::take(test::open_golden(golden_, devices, n_batch, options));
      const std::vector<float> logits = test::take(test::logits_of_all(*session, golden_.tokens));
      ASSERT_EQ(logits.size(), expected.size());
      EXPECT_LE(test::largest_difference(logits, expected), 1e-4F);
      const std::size_t n_tokens = golden_.tokens.size();
      EXPECT_EQ(test::likeliest_tokens(logits, n_tokens), test::likeliest_tokens(expected, n_tokens));
      const MemoryReport report = session->memory_report();
      for (const ArenaReport& arena : report.arenas) EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes);
      EXPECT_EQ(report.grown.n_arenas, 0U);
      Bytes crossing = 0;
      for (std::size_t first = 0; first < n_tokens; first += n_batch) {
        crossing += transfer_bytes(session->plan().program,
                                   static_cast<std::uint32_t>(std::min<std::size_t>(n_batch, n_tokens - first)));
      }
      EXPECT_EQ(session->bytes_crossed(), crossing);
    }
  }

  std::int32_t n_layers() const {
    return static_cast<std::int32_t>(
        test::take(read_model_info(test::take(open_model_file(golden_.path())))).n_layers());
  }

  // Whether a placement with so many layers is checked of this model: with all of them, and with one number in three.
  bool checks_layers(std::int32_t n) const {
    return n == n_layers() || test::is_checked({place_, static_cast<std::size_t>(n)}, 3);
  }

  test::GoldenModel golden_;
  std::size_t place_ = golden_.tokens.size() + golden_.name.size();  // differs from model to model
};

TEST_P(GpuGolden, between_any_two_layers) {
  const auto devices = test::cpu_and_gpu(false);
  for (std::int32_t n = 1; n <= n_layers(); ++n) {
    if (!checks_layers(n)) continue;
    SCOPED_TRACE(std::to_string(n) + " layers on the GPU");
    expect_golden(devices, {.n_gpu_layers = n, .n_cpu_ffn = 0, .devices = {{1}}}, static_cast<std::size_t>(n));
  }
}

TEST_P(GpuGolden, with_the_ffn_of_some_layers_on_the_cpu) {
  const auto devices = test::cpu_and_gpu(false);
  for (std::int32_t n = 1; n <= n_layers(); ++n) {
    if (!checks_layers(n)) continue;
    SCOPED_TRACE("FFN of " + std::to_string(n) + " layers on the CPU");
    expect_golden(devices, {.n_gpu_layers = n_layers(), .n_cpu_ffn = n, .devices = {{1}}}, static_cast<std::size_t>(n));
  }
}

TEST_P(GpuGolden, whole_on_a_device_that_shares_the_hosts_memory_where_one_can) {
  expect_golden(test::cpu_and_gpu(test::kSharesMemory), {.n_gpu_layers = n_layers(), .n_cpu_ffn = 0, .devices = {{1}}},
                place_);
}

INSTANTIATE_TEST_SUITE_P(All, GpuGolden, testing::ValuesIn(test::golden_model_names()), [](const auto& each) {
  std::string label = each.param;
  std::replace(label.begin(), label.end(), '-', '_');
  return label;
});

}  // namespace
}  // namespace headroom
