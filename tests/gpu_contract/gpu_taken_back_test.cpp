// Rows of a decode step that are taken back, on a GPU alone, beside the CPU, and on two GPUs.
#include <gtest/gtest.h>

#include "engine/run/taken_back.h"
#include "gpu_contract/gpu_session.h"

namespace headroom {
namespace {

using test::EdgeSplit;

class GpuTakenBack : public ::testing::TestWithParam<EdgeSplit> {
 protected:
  test::TempFolder folder_;
};

// Drivers that compute on the CPU are slow. So the gate takes half of the combinations of split, windows and cache, and
// a third of the steps in each: every step is met with each value of these. tests/gpu/full.sh takes all in all.
std::vector<test::DraftStep> steps_of(std::size_t split, std::size_t kv) {
  std::vector<test::DraftStep> steps;
  std::size_t place = split + kv;
  for (const test::DraftStep& step : test::all_draft_steps()) {
    if (test::is_full_run() || place++ % 3 == 0) steps.push_back(step);
  }
  return steps;
}

// GPUs compute each row as if it were alone, so every bit is the same (seen on lavapipe, and with CUDA's kernels on the
// host). The layer that the CPU has may differ by what the CPU's ways of few rows and of more do.
TEST_P(GpuTakenBack, rows_leave_no_trace_at_the_edges_of_any_cache) {
  const test::UseDevices use("0,0");
  const std::vector<DeviceInfo> devices = test::take(probe_devices(1));
  ASSERT_EQ(devices.size(), 3U);
  const auto split = static_cast<std::size_t>(GetParam());
  for (const bool has_windows : {true, false}) {
    const test::OpenedFile opened =
        test::open_or_die(make_random_model(test::edge_model(has_windows), folder_.path(), "edge"));
    std::size_t kv = 0;
    for (const DTypeRow& type : kDTypes) {
      if (!type.is_kv || !test::is_checked({split, has_windows ? 1U : 0U, ++kv})) continue;
      SCOPED_TRACE(fmt::format("{}, {}", type.label, has_windows ? "windows" : "no windows"));
      const auto plan = std::make_shared<const MemoryPlan>(
          test::take(plan_memory(*opened.info, devices, test::edge_options(type.dtype, GetParam()))));
      const auto session = test::session_or_die(test::load_or_die(opened, plan), plan);
      test::TakenBackRows rows(*session,
                               GetParam() == EdgeSplit::kWithCpu ? test::edge_tolerance_of_cpu(type.dtype) : 0);
      rows.expect_no_trace(steps_of(split, kv));
    }
  }
}

std::string split_name_of(const ::testing::TestParamInfo<EdgeSplit>& each) {
  return each.param == EdgeSplit::kNone ? "whole" : each.param == EdgeSplit::kWithCpu ? "with_cpu" : "two_gpus";
}
INSTANTIATE_TEST_SUITE_P(Split, GpuTakenBack, testing::ValuesIn(test::kEdgeSplits), split_name_of);

}  // namespace
}  // namespace headroom
