// One model over several devices: the golden models on the reference device, and split between it and the CPU at every
// border between layers.
#include <gtest/gtest.h>

#include <string>

#include "golden/golden_model.h"
#include "support/reference_devices.h"

namespace headroom {
namespace {

class GoldenSplit : public testing::TestWithParam<std::string> {
 protected:
  test::ReferenceDevices devices_{"64MiB"};
};

Bytes crossed_by(const Session& session, std::size_t n_tokens) {
  const std::size_t n_batch = session.plan().options.n_batch;
  Bytes sum = 0;
  for (std::size_t first = 0; first < n_tokens; first += n_batch)
    sum += transfer_bytes(session.plan().prefill, static_cast<std::uint32_t>(std::min(n_batch, n_tokens - first)));
  return sum;
}

TEST_P(GoldenSplit, logits_are_those_of_transformers_wherever_the_border_is) {
  const test::GoldenModel golden = test::golden_model(GetParam());
  const std::vector<float> expected = golden.logits(), with_f16_cache = golden.logits_with_f16_cache();
  float largest = 0;
  for (const float x : expected) largest = std::max(largest, std::fabs(x));
  const auto devices = probe_devices(2);
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  ASSERT_EQ(devices->size(), 2U);
  std::int32_t n_layers = 1;
  for (std::int32_t n_gpu_layers = 0; n_gpu_layers <= n_layers; ++n_gpu_layers) {
    for (const std::uint32_t n_batch : {64U, 7U, 1U}) {
      for (const DType kv : {DType::kF32, DType::kF16}) {
        SCOPED_TRACE(std::to_string(n_gpu_layers) + " layers there, steps of " + std::to_string(n_batch));
        const auto session = test::open_golden(golden, *devices, n_batch,
                                               {.kv_k = kv, .kv_v = kv, .n_gpu_layers = n_gpu_layers, .device = 1});
        ASSERT_TRUE(session.ok()) << session.error().message;
        n_layers = static_cast<std::int32_t>((*session)->model().info->n_layers());
        const auto logits = test::logits_of_all(**session, golden.tokens);
        ASSERT_TRUE(logits.ok()) << logits.error().message;
        ASSERT_EQ(logits->size(), expected.size());
        if (kv == DType::kF32) {
          EXPECT_LE(test::largest_difference(*logits, expected), 1e-4F);
        } else {
          EXPECT_LE(test::largest_difference(*logits, with_f16_cache) / largest, 2e-4F);
        }
        const MemoryReport report = (*session)->memory_report();
        for (const ArenaReport& arena : report.arenas) EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes);
        EXPECT_EQ(report.allocations_after_load, 0U);
        EXPECT_EQ((*session)->bytes_crossed(), crossed_by(**session, golden.tokens.size()));
        EXPECT_EQ((*session)->bytes_crossed() > 0, n_gpu_layers > 0) << "the embedding stays on the CPU";
      }
    }
  }
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const test::GoldenModel& model : test::golden_models()) names.push_back(model.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, GoldenSplit, testing::ValuesIn(model_names()), [](const auto& each) {
  std::string label = each.param;
  std::replace(label.begin(), label.end(), '-', '_');
  return label;
});

}  // namespace
}  // namespace headroom
