// Every function of the driver fails where it is called, in every way: what was asked for ends with an error that names
// the device, or is right; nothing that was made is left; and the next one is answered.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "backend/cuda/cuda_driver.h"
#include "cuda/cuda_fixture.h"
#include "engine/run/sampled_rows.h"
#include "gpu_contract/gpu_session.h"

namespace headroom {
namespace {

constexpr cuda::CUresult kContextLost = 719;

// What gives something back, so that it is still there where that fails.
const std::set<std::string> kGivesBack{
    "cuMemFree_v2",      "cuMemFreeHost",      "cuModuleUnload", "cuStreamDestroy_v2",
    "cuEventDestroy_v2", "cuGraphExecDestroy", "cuGraphDestroy", "cuDevicePrimaryCtxRelease_v2"};

// What is asked before a device is opened: one that does not tell is none of this program's.
const std::set<std::string> kDescribes{"cuDeviceGet", "cuDeviceGetAttribute", "cuDeviceGetCount",
                                       "cuDeviceTotalMem_v2"};

struct Answer {
  std::vector<float> logits;
  TokenId with_step = 0, behind_it = 0;
  bool operator==(const Answer&) const = default;
};

class CudaFailures : public testing::Test {
 protected:
  CudaFailures() : opened_(test::open_or_die(test::make_random_model(spec(), folder_.path()))) {
    PlanOptions options = test::options_of(DType::kF16, 1);
    plan_ = std::make_shared<const MemoryPlan>(test::take(plan_memory(*opened_.info, devices_, options)));
    fake_.is_quiet = true;
  }
  ~CudaFailures() override { fake_.is_quiet = false; }

  static test::RandomModelSpec spec() {
    test::RandomModelSpec spec;
    spec.n_layers = 1;
    spec.d_model = 64;
    spec.d_ff = 64;
    return spec;
  }

  // Loads the model, reads a prompt, decodes a token, and lets go of everything.
  Result<Answer> answer() {
    const auto loaded = load_model(opened_.file, {opened_.info, plan_, make_backend}, StopToken(), [](Bytes) {});
    if (!loaded) return loaded.error();
    const auto session = Session::open(*loaded, plan_);
    if (!session) return session.error();
    const Result<std::vector<float>> read = test::try_read(**session, 0, test::tokens_of(30, 1));
    if (!read) return read.error();
    const TokenId next = 17;
    const SlotRows part{0, {&next, 1}, 1};
    Sampler sampler({}, 1, (*session)->sampler_scratch());
    SampledRow row{.sampler = &sampler};
    if (Status done = (*session)->step_and_sample({&part, 1}, {&row, 1}, {}); !done) return done.error();
    Answer answer;
    answer.with_step = row.token;
    const auto logits = (*session)->logits(0);
    if (!logits) return logits.error();
    answer.logits.assign(logits->begin(), logits->end());
    if (Status done = (*session)->sample({&row, 1}); !done) return done.error();
    answer.behind_it = row.token;
    return answer;
  }

  std::map<std::string, std::uint64_t> calls_of_an_answer() {
    const std::map<std::string, std::uint64_t> before = fake_.n_calls;
    expected_ = test::take(answer());
    std::map<std::string, std::uint64_t> calls;
    for (const auto& [name, n] : fake_.n_calls) {
      const auto found = before.find(name);
      if (const std::uint64_t more = n - (found == before.end() ? 0 : found->second); more > 0) calls[name] = more;
    }
    return calls;
  }

  void expect_answer() {
    const Result<Answer> found = answer();
    ASSERT_TRUE(found.ok()) << found.error().message.text();
    EXPECT_EQ(*found, expected_);
  }

  void fail(const std::string& name, std::uint64_t nth, cuda::CUresult failure) {
    SCOPED_TRACE(fmt::format("call {} of {} fails with {}", nth, name, failure));
    fake_.last_fault.clear();
    fake_.failing_call = name;
    fake_.fail_at = static_cast<std::uint32_t>(nth);
    fake_.failure = failure;
    const Result<Answer> found = answer();
    EXPECT_EQ(fake_.fail_at, 0U) << "it was not called so often";
    fake_.fail_at = 0;
    if (found.ok()) {
      ++n_right_;
      EXPECT_EQ(*found, expected_);
    } else {
      ++n_wrong_;
      EXPECT_THAT(found.error().message.text(), testing::HasSubstr("cuda:0"));
      EXPECT_THAT(found.error().message.text(), testing::HasSubstr(cuda::result_name(failure)));
      if (!kDescribes.contains(name)) {
        EXPECT_EQ(found.error().code == ErrorCode::kDeviceLost, failure == kContextLost)
            << found.error().message.text();
      }
    }
    const bool is_kept = kGivesBack.contains(name) && failure != kContextLost;
    if (!is_kept) {
      EXPECT_EQ(fake_.last_fault, "");
    }
    EXPECT_EQ(fake_.n_contexts, name == "cuDevicePrimaryCtxRelease_v2" ? 1 : 0);
    if (fake_.n_contexts == 0) {
      EXPECT_EQ(fake_.device_bytes + fake_.host_bytes, 0U);
    }
    while (fake_.n_contexts > 0) test::take(cuda::driver())->cuDevicePrimaryCtxRelease_v2(0);
  }

  test::FakeCuda& fake_ = test::fake_cuda();
  test::TempFolder folder_;
  test::OpenedFile opened_;
  std::vector<DeviceInfo> devices_ = test::cpu_and_cuda();
  std::shared_ptr<const MemoryPlan> plan_;
  Answer expected_;
  int n_right_ = 0, n_wrong_ = 0;
};

TEST_F(CudaFailures, end_with_an_error_or_are_got_over) {
  const std::map<std::string, std::uint64_t> calls = calls_of_an_answer();
  EXPECT_GT(calls.size(), 25U);
  for (const auto& [name, n] : calls) {
    for (const std::uint64_t nth : std::set<std::uint64_t>{1, (n + 1) / 2, n}) {
      for (const cuda::CUresult failure : {cuda::CUDA_ERROR_OUT_OF_MEMORY, kContextLost}) fail(name, nth, failure);
    }
    expect_answer();
  }
  EXPECT_GT(n_right_, 10);
  EXPECT_GT(n_wrong_, 50);
}

}  // namespace
}  // namespace headroom
