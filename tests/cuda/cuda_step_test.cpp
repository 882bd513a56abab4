// How steps are submitted, as the driver of the tests counts it.
#include "backend/cuda/cuda_step.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "backend/cuda/cuda_arena.h"
#include "backend/gpu/gpu_attend.h"
#include "gpu_contract/gpu_session.h"

namespace headroom {
namespace {

TEST(CudaStep, lets_a_kernel_begin_while_the_one_before_ends_where_that_is_asked_for_and_the_driver_can) {
  struct Case {
    int version;
    const char* overlap;
    bool expected;
  };
  constexpr int kFirstVersion = 12030, kBefore = 12020;
  for (const Case& each : {Case{kFirstVersion, "", false}, Case{kFirstVersion, "1", true},
                           Case{kFirstVersion, "0", false}, Case{kBefore, "1", false}}) {
    setenv(test::kFakeCudaVersion, std::to_string(each.version).c_str(), 1);
    setenv(CudaDevice::kOverlapVariable, each.overlap, 1);
    const test::TempFolder folder;
    const auto loaded = test::load_on_gpu(test::make_random_model({}, folder.path()), {.n_ctx = 64, .n_batch = 16});
    const test::FakeCuda& driver = test::fake_cuda();
    const std::uint64_t n_before = driver.n_launches, n_overlapped_before = driver.n_overlapped;
    loaded->step(test::rows_of(0, 0, 12, 300), {11});
    const std::uint64_t n = driver.n_launches - n_before;
    EXPECT_GT(n, 10U);
    EXPECT_EQ(driver.n_overlapped - n_overlapped_before, each.expected ? n : 0) << each.version << ", " << each.overlap;
  }
  unsetenv(test::kFakeCudaVersion);
  unsetenv(CudaDevice::kOverlapVariable);
}

// The calls of a token of an answer, of a model of so many layers: the same for each of four.
void expect_calls(std::uint32_t n_layers, const std::map<std::string, std::uint64_t>& expected) {
  const test::TempFolder folder;
  test::RandomModelSpec spec = test::four_layers();
  spec.n_layers = n_layers;
  const test::OpenedFile opened = test::open_or_die(test::make_random_model(spec, folder.path()));
  const auto plan = std::make_shared<const MemoryPlan>(
      test::take(plan_memory(*opened.info, test::cpu_and_cuda(), test::options_of(DType::kF16, n_layers))));
  const auto session = test::session_or_die(test::load_or_die(opened, plan), plan);
  test::read(*session, 0, test::tokens_of(30, 1));
  test::FakeCuda& driver = test::fake_cuda();
  driver.runs = test::FakeRuns::kLate;
  Sampler sampler({.temperature = 0.7F, .top_k = 40}, 1, session->sampler_scratch());
  TokenId token = 17;
  const std::uint64_t n_read_before = session->n_rows_read();
  for (int i = 0; i < 4; ++i) {
    const std::map<std::string, std::uint64_t> before = driver.n_calls;
    const SlotRows part{0, {&token, 1}, 1};
    SampledRow row{.sampler = &sampler};
    ASSERT_TRUE(session->step_and_sample({&part, 1}, {&row, 1}, {}).ok());
    token = row.token;
    std::map<std::string, std::uint64_t> calls;
    for (const auto& [name, n] : driver.n_calls) {
      const auto found = before.find(name);
      if (const std::uint64_t more = n - (found == before.end() ? 0 : found->second); more > 0) calls[name] = more;
    }
    calls.erase("cuCtxSetCurrent");  // asks nothing of the card
    EXPECT_EQ(calls, expected) << i;
  }
  driver.runs = test::FakeRuns::kEither;
  EXPECT_EQ(session->n_rows_read(), n_read_before);
}

// The row of the embedding, which the CPU has, and the inputs reach the card, and the likeliest tokens are found within
// the graph. Of the wait the driver is asked twice:
// what is asked about first is not done yet.
TEST(CudaStep, a_token_of_an_answer_is_one_graph_and_one_wait) {
  expect_calls(4, {{"cuGraphLaunch", 1}, {"cuStreamQuery", 2}});
}

// The host starts the second while the card computes the first.
TEST(CudaStep, a_token_of_a_deep_model_is_two_graphs_and_one_wait) {
  expect_calls(8, {{"cuGraphLaunch", 2}, {"cuStreamQuery", 2}});
}

// Each is some time in which a card reads nothing: two norms, the products of queries, keys and values, what becomes of
// those, attention and what adds up its splits, its matrix, and two of the FFN.
TEST(CudaStep, decodes_a_layer_in_nine_launches) {
  const auto launches = [](std::uint32_t n_layers) {
    test::RandomModelSpec spec;
    spec.weight_type = DType::kQ4_0;
    spec.n_layers = n_layers;
    spec.d_model = 64;
    spec.d_ff = 64;
    spec.n_heads = 2;
    spec.n_kv_heads = 1;
    spec.head_dim = 32;
    const test::TempFolder folder;
    const auto loaded = test::load_on_gpu(test::make_random_model(spec, folder.path()), {.n_ctx = 64, .n_batch = 16});
    const std::uint64_t n_before = test::fake_cuda().n_launches;
    loaded->step(test::rows_of(0, 0, 1, 288), {0});
    return test::fake_cuda().n_launches - n_before;
  };
  EXPECT_EQ(launches(3) - launches(2), 9U);
}

// High tiles where they are enough for all multiprocessors, else low ones.
TEST(CudaStep, shares_out_a_prompt_over_all_of_a_card) {
  test::FakeCuda& driver = test::fake_cuda();
  test::RandomModelSpec spec;
  spec.weight_type = DType::kF16;
  const test::TempFolder folder;
  const auto path = test::make_random_model(spec, folder.path());
  for (const int n_multiprocessors : {2, 132}) {
    driver.n_multiprocessors = n_multiprocessors;
    const auto loaded = test::load_on_gpu(path, {.n_ctx = 160, .n_batch = 130});
    std::map<std::string, std::uint64_t>& launches = driver.n_launches_of;
    const std::uint64_t n_high = launches["matmul_half_128"], n_low = launches["matmul_half_64"];
    loaded->step(test::rows_of(0, 0, 130, spec.n_vocab), {129});
    EXPECT_EQ(launches["matmul_half_128"] > n_high, n_multiprocessors == 2) << n_multiprocessors;
    EXPECT_EQ(launches["matmul_half_64"] > n_low, n_multiprocessors == 132) << n_multiprocessors;
  }
  driver.n_multiprocessors = 2;
}

// How often the system took the thread's core while it waited for a card that needs so long.
long sleeps_in_a_wait(std::chrono::microseconds takes) {
  static const auto device = test::take(CudaDevice::open(cuda_cards().cards.at(0)));
  ArenaPlan plan;
  plan.memory = Memory::kDevice;
  plan.size = 64 * kKiB;
  static const auto arena = test::take(CudaArena::map(device, plan));
  const auto n_sleeps = [] {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
  };
  test::FakeCuda& driver = test::fake_cuda();
  driver.answers_after_us = static_cast<std::uint64_t>(takes.count());
  const long before = n_sleeps();
  EXPECT_TRUE(device->clear({arena.get(), 0, plan.size}).ok());
  driver.answers_after_us = 0;
  return n_sleeps() - before;
}

TEST(CudaStep, a_short_wait_asks_the_driver_again_and_again_and_a_long_one_sleeps) {
  using std::chrono::microseconds;
  test::fake_cuda().runs = test::FakeRuns::kLate;
  // A machine that is busy may take the core of a wait that does not give it up, which is not counted, and make it
  // late, so that it sleeps after all.
  long least = sleeps_in_a_wait(microseconds(40));
  for (int i = 0; i < 20 && least > 0; ++i) least = std::min(least, sleeps_in_a_wait(microseconds(40)));
  EXPECT_EQ(least, 0);
  EXPECT_GT(sleeps_in_a_wait(microseconds(20'000)), 5);
  EXPECT_GT(sleeps_in_a_wait(microseconds(20'000)), 5) << "also where it knows when the end comes";
  test::fake_cuda().runs = test::FakeRuns::kEither;
}

TEST(CudaStep, a_card_that_stays_lost_when_its_context_was_reset_asks_for_a_new_start_of_the_program) {
  test::FakeCuda& driver = test::fake_cuda();
  driver.is_quiet = true;
  const test::TempFolder folder;
  auto loaded = test::load_on_gpu(test::make_random_model({}, folder.path()), {.n_ctx = 64, .n_batch = 16});
  driver.lose_at_launch = 1;
  const std::vector<StepRow> rows = test::rows_of(0, 0, 1, 288);
  const std::vector<std::uint32_t> logit_rows{0};
  EXPECT_FALSE(loaded->executor->step(rows, logit_rows, {}).ok());
  loaded.reset();
  const DeviceInfo card = test::cpu_and_cuda().back();
  driver.failing_call = "cuStreamCreate";
  driver.failure = 719;
  driver.fail_at = 1;
  const auto again = make_backend(card);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::kDeviceLost);
  EXPECT_NE(again.error().message.text().find("cuda:0: "), std::string::npos) << again.error().message.text();
  EXPECT_NE(again.error().message.text().find("restart Headroom to use it again"), std::string::npos)
      << again.error().message.text();
  EXPECT_TRUE(make_backend(card).ok());
  driver.is_quiet = false;
}

// A prompt of so many rows would need more blocks than a grid has in the dimension of rows: each expert that a row
// chose is one.
TEST(CudaStep, steps_of_more_rows_than_a_grid_has_blocks_are_refused_before_the_load) {
  const test::TempFolder folder;
  test::RandomModelSpec spec;
  spec.architecture = "qwen3moe";
  spec.d_model = 64, spec.d_ff = 32, spec.n_experts = 64, spec.n_experts_used = 32;
  const test::OpenedFile opened = test::open_or_die(test::make_random_model(spec, folder.path()));
  std::vector<DeviceInfo> devices = test::cpu_and_cuda();
  PlanOptions options = test::options_of(DType::kF16, 2);
  options.n_ctx = 2080, options.n_batch = 2048;
  const auto refused = plan_memory(*opened.info, devices, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_NE(refused.error().message.text().find("expected steps of at most 2047 rows of "), std::string::npos)
      << refused.error().message.text();
  // A plan that does not know of the limit.
  devices[1].traits.max_groups = 0;
  const auto plan = std::make_shared<const MemoryPlan>(test::take(plan_memory(*opened.info, devices, options)));
  const auto session = Session::open(test::load_or_die(opened, plan), plan);
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(session.error().message.text(),
            "cuda:0: expected steps of at most 2047 rows (n_batch and n_slots), found 2048");
}

// 32 query heads of 128 elements over 8 KV heads, as 8B models have, at the end of a long context.
TEST(CudaStep, a_submission_of_a_long_prompts_attention_has_a_block_for_each_multiprocessor_of_a_large_card) {
  const LayerSpec layer{.n_heads = 32, .n_kv_heads = 8, .head_dim = 128};
  const GpuArithmetic arithmetic = test::gpu_arithmetic();
  const AttendShape shape = attend_tile_shape(layer, arithmetic.attend);
  const std::uint32_t n_rows = attend_rows_at_once(layer, {.n_ctx = 32768, .n_batch = 512}, arithmetic);
  EXPECT_GE(n_rows / shape.n_rows * layer.n_kv_heads, 132U);
}

}  // namespace
}  // namespace headroom
