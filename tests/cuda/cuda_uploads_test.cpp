// Uploads beside computing ops, on a driver that runs everything as late as it may: a wait that is missing is seen.
#include "backend/cuda/cuda_uploads.h"

#include <gtest/gtest.h>

#include <string>

#include "gpu_contract/gpu_fixture.h"

namespace headroom {
namespace {

// Calls of cuStreamWaitEvent before: of those behind them the first, third, ... hold up uploads until what
// computed with the weights before has run, the others what computes until its weights are there.
std::uint64_t n_waits_before = 0;

class CudaUploadsTest : public testing::Test {
 protected:
  CudaUploadsTest() {
    spec_.weight_type = DType::kQ8_0;
    spec_.n_layers = 4;
    spec_.d_model = 64;
    spec_.d_ff = 64;
    spec_.n_heads = 2;
    spec_.n_kv_heads = 1;
    spec_.head_dim = 32;
    path_ = test::make_random_model(spec_, folder_.path());
  }
  ~CudaUploadsTest() override {
    driver_.leaves_out = nullptr;
    driver_.runs = test::FakeRuns::kEither;
  }

  // Logits of a prompt whose FFNs are streamed, or stand on the card.
  std::vector<float> logits(std::int32_t n_cpu_ffn) {
    PlanOptions options;
    options.n_ctx = 64;
    options.n_batch = 16;
    options.devices = {{1}};
    options.n_gpu_layers = 4;
    options.n_cpu_ffn = n_cpu_ffn;
    options.stream_rows = 9;
    const auto loaded = test::load_on(path_, test::cpu_and_gpu(false), options);
    n_waits_before = driver_.n_calls["cuStreamWaitEvent"];
    return loaded->step(test::rows_of(0, 0, 12, spec_.n_vocab), {11});
  }

  const test::TempFolder folder_;
  test::RandomModelSpec spec_;
  std::filesystem::path path_;
  test::FakeCuda& driver_ = test::fake_cuda();
};

TEST_F(CudaUploadsTest, are_there_in_time_whenever_what_was_submitted_runs) {
  const std::vector<float> expected = logits(0);
  for (const test::FakeRuns runs : {test::FakeRuns::kLate, test::FakeRuns::kAtOnce, test::FakeRuns::kEither}) {
    driver_.runs = runs;
    EXPECT_EQ(logits(4), expected) << static_cast<int>(runs);
    EXPECT_EQ(driver_.n_calls["cuStreamWaitEvent"] - n_waits_before, 2 * 2 * 4U) << "before and behind each part";
  }
}

TEST_F(CudaUploadsTest, every_wait_is_needed) {
  const std::vector<float> expected = logits(0);
  driver_.runs = test::FakeRuns::kLate;
  const std::pair<const char*, bool (*)(const char*, std::uint64_t)> waits[]{
      {"for what computes",
       [](const char* name, std::uint64_t n) {
         return std::string(name) == "cuStreamWaitEvent" && (n - n_waits_before) % 2 == 1;
       }},
      {"for uploads",
       [](const char* name, std::uint64_t n) {
         return std::string(name) == "cuStreamWaitEvent" && (n - n_waits_before) % 2 == 0;
       }},
      {"for a part", [](const char* name, std::uint64_t) { return std::string(name) == "cuEventQuery"; }}};
  for (const auto& [name, leaves_out] : waits) {
    driver_.leaves_out = leaves_out;
    EXPECT_NE(logits(4), expected) << name;
  }
  driver_.leaves_out = nullptr;
  EXPECT_EQ(logits(4), expected);
}

}  // namespace
}  // namespace headroom
