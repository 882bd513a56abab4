// One model over several devices: the golden models split between the CPU and reference devices at every border between
// layers, with FFNs apart, and over three devices.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "golden/golden_model.h"
#include "plan/weight_stream.h"
#include "support/combinations.h"
#include "support/reference_devices.h"

namespace headroom {
namespace {

class GoldenSplit : public testing::TestWithParam<std::string> {
 protected:
  GoldenSplit() : golden_(test::golden_model(GetParam())) {}

  // Logits, bytes and counters of one placement, with caches that round nothing and in F16, in one step and in pieces.
  void expect_golden(PlanOptions options, std::initializer_list<DType> caches = {DType::kF32, DType::kF16}) {
    const std::vector<float> expected = golden_.logits(), with_f16_cache = golden_.logits_with_f16_cache();
    float largest = 0;
    for (const float x : expected) largest = std::max(largest, std::fabs(x));
    ++n_placements_;
    std::size_t place = 0;
    for (const std::uint32_t n_batch : {64U, 7U, 1U}) {
      ++place;
      for (const DType kv : caches) {
        if (!test::is_checked({n_placements_, place, kv == DType::kF32 ? 0U : 1U})) continue;
        options.kv_k = options.kv_v = kv;
        const std::unique_ptr<Session> session = open(options, n_batch);
        const auto logits = test::logits_of_all(*session, golden_.tokens);
        ASSERT_TRUE(logits.ok()) << logits.error().message.text();
        ASSERT_EQ(logits->size(), expected.size());
        const std::vector<float>& right = kv == DType::kF32 ? expected : with_f16_cache;
        const std::size_t n_tokens = golden_.tokens.size();
        EXPECT_EQ(test::likeliest_tokens(*logits, n_tokens), test::likeliest_tokens(right, n_tokens));
        if (kv == DType::kF32) {
          EXPECT_LE(test::largest_difference(*logits, expected), 1e-4F);
        } else {
          EXPECT_LE(test::largest_difference(*logits, with_f16_cache) / largest, 2e-4F);
        }
        const MemoryReport report = session->memory_report();
        for (const ArenaReport& arena : report.arenas) EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes);
        EXPECT_EQ(report.grown.n_arenas, 0U);
        EXPECT_EQ(session->bytes_crossed(), bytes_to_cross(*session));
      }
    }
  }

  std::unique_ptr<Session> open(const PlanOptions& options, std::uint32_t n_batch) {
    const auto devices = probe_devices(2);
    CHECK(devices.ok() && devices->size() == 3, "the CPU and two reference devices");
    auto session = test::open_golden(golden_, *devices, n_batch, options);
    CHECK(session.ok(), session.error().message.text().c_str());
    return std::move(*session);
  }

  Bytes bytes_to_cross(const Session& session) const {
    const std::size_t n_batch = session.plan().options.n_batch, n_tokens = golden_.tokens.size();
    Bytes sum = 0;
    for (std::size_t first = 0; first < n_tokens; first += n_batch) {
      const auto n_rows = static_cast<std::uint32_t>(std::min(n_batch, n_tokens - first));
      sum += transfer_bytes(session.plan().program, n_rows, execution_mode_of(session.plan().streaming, n_rows));
    }
    return sum;
  }

  std::int32_t n_layers() { return static_cast<std::int32_t>(open({}, 1)->model().info->n_layers()); }
  // That may stand on a device: fewer would be apart from caches that they read.
  std::int32_t least_layers() {
    return std::max(1, static_cast<std::int32_t>(open({}, 1)->model().info->n_layers_together()));
  }

  test::ReferenceDevices devices_{"64MiB,64MiB"};
  test::GoldenModel golden_;
  std::size_t n_placements_ = golden_.name.size();  // begins with others from model to model
};

TEST_P(GoldenSplit, between_any_two_layers) {
  for (std::int32_t n_gpu_layers = least_layers(); n_gpu_layers <= n_layers(); ++n_gpu_layers) {
    SCOPED_TRACE(std::to_string(n_gpu_layers) + " layers on the reference device");
    expect_golden({.n_gpu_layers = n_gpu_layers, .n_cpu_ffn = 0, .devices = {{1}}});
  }
}

TEST_P(GoldenSplit, with_the_ffn_of_some_layers_on_the_cpu) {
  const std::int32_t n_all = n_layers();
  for (std::int32_t n_cpu_ffn = 1; n_cpu_ffn <= n_all; ++n_cpu_ffn) {
    SCOPED_TRACE("FFN of " + std::to_string(n_cpu_ffn) + " layers on the CPU");
    expect_golden({.n_gpu_layers = n_all, .n_cpu_ffn = n_cpu_ffn, .devices = {{1}}});
  }
}

// FFNs that stand on the CPU are computed by the device that has their attention, or by the first one that has any.
TEST_P(GoldenSplit, with_weights_that_are_streamed_from_the_cpu) {
  const std::int32_t n_all = n_layers(), least = least_layers();
  constexpr auto kRows = static_cast<std::int32_t>(kLeastStreamRows);
  for (const std::int32_t n_gpu_layers : {least, std::max(least, n_all / 2 + 1), n_all}) {
    for (const std::int32_t n_cpu_ffn : {0, n_gpu_layers / 2, n_gpu_layers}) {
      SCOPED_TRACE(std::to_string(n_gpu_layers) + " layers, the FFN of " + std::to_string(n_cpu_ffn) + " on the CPU");
      const PlanOptions options{
          .n_gpu_layers = n_gpu_layers, .n_cpu_ffn = n_cpu_ffn, .stream_rows = kRows, .devices = {{1}}};
      const bool is_any = n_cpu_ffn > 0 || n_gpu_layers < n_all;
      EXPECT_EQ(open(options, 64)->plan().program.n_streaming_ops > 0, is_any);
      if (is_any) expect_golden(options);
    }
  }
}

// The first of two devices has room for half of the layers, or one more where an arena's granularity leaves it: the
// next one takes the others. Where fewer layers may not stand on a device, it has room for half of what those take.
// Checkpoints would be fewer where there is less room.
TEST_P(GoldenSplit, over_three_devices) {
  const std::int32_t n_all = n_layers(), n_capped = std::max(least_layers(), (n_all + 1) / 2);
  for (const DType kv : {DType::kF32, DType::kF16}) {
    const PlanOptions one{.n_checkpoints = 0, .kv_k = kv, .kv_v = kv, .n_gpu_layers = n_capped, .devices = {{1}}};
    const bool is_half = n_capped <= (n_all + 1) / 2;
    const AtMost cap{open(one, 64)->plan().planned_bytes(1) / (is_half ? 1 : 2)};
    const PlanOptions two{
        .n_checkpoints = 0, .kv_k = kv, .kv_v = kv, .n_gpu_layers = n_all, .n_cpu_ffn = 0, .devices = {{1, cap}, {2}}};
    const MemoryPlan plan = open(two, 64)->plan();
    for (const DeviceIndex device : {0U, 1U, 2U}) EXPECT_GT(plan.bytes_of(RegionGroup::kWeights, device), 0U) << device;
    expect_golden(two, {kv});
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenSplit, testing::ValuesIn(test::golden_model_names()), [](const auto& each) {
  std::string label = each.param;
  std::replace(label.begin(), label.end(), '-', '_');
  return label;
});

}  // namespace
}  // namespace headroom
