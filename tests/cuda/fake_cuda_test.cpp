// What the tests of CUDA stand on: that the driver that runs kernels on the host refuses, loses and finds what it says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <vector>

#include "backend/cuda/cuda_driver.h"
#include "backend/cuda/cuda_kernels.h"
#include "backend/cuda/cuda_launch.h"
#include "cuda/cuda_fixture.h"

namespace headroom {
namespace {

using cuda::CUDA_ERROR_OUT_OF_MEMORY;
using cuda::CUDA_SUCCESS;
using cuda::CUdeviceptr;
using test::FakeRuns;
using testing::HasSubstr;

constexpr cuda::CUresult kInvalidValue = 1, kInvalidImage = 200, kInvalidContext = 201, kInvalidHandle = 400,
                         kNotFound = 500, kLaunchFailed = 719, kCaptureUnsupported = 900;

class FakeCudaDriver : public testing::Test {
 protected:
  FakeCudaDriver() {
    fake_.is_quiet = true;
    fake_.last_fault.clear();
    fake_.runs = FakeRuns::kLate;
    EXPECT_EQ(driver_.cuDevicePrimaryCtxRetain(&context_, 0), CUDA_SUCCESS);
    open();
  }
  ~FakeCudaDriver() override {
    driver_.cuDevicePrimaryCtxReset_v2(0);
    driver_.cuDevicePrimaryCtxRelease_v2(0);
    driver_.cuCtxSetCurrent(nullptr);
    fake_.runs = FakeRuns::kEither;
    fake_.is_quiet = false;
  }

  void open() {
    EXPECT_EQ(driver_.cuCtxSetCurrent(context_), CUDA_SUCCESS);
    EXPECT_EQ(driver_.cuStreamCreate(&stream_, 0), CUDA_SUCCESS);
  }
  CUdeviceptr device_memory(std::size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(driver_.cuMemAlloc_v2(&address, bytes), CUDA_SUCCESS);
    return address;
  }
  std::uint8_t* page_locked(std::size_t bytes) {
    void* address = nullptr;
    EXPECT_EQ(driver_.cuMemHostAlloc(&address, bytes, 0), CUDA_SUCCESS);
    return static_cast<std::uint8_t*>(address);
  }
  static CUdeviceptr address_of(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }
  // What is asked for the first time is not done yet.
  cuda::CUresult wait() {
    const cuda::CUresult first = driver_.cuStreamQuery(stream_);
    return first == cuda::CUDA_ERROR_NOT_READY ? driver_.cuStreamQuery(stream_) : first;
  }
  cuda::CUresult set(std::uint8_t* memory, std::uint8_t value) {
    return driver_.cuMemsetD8Async(address_of(memory), value, 1, stream_);
  }

  cuda::CUfunction kernel(const char* entry) {
    cuda::CUmodule module = nullptr;
    cuda::CUfunction function = nullptr;
    EXPECT_EQ(driver_.cuModuleLoadData(&module, kernel_file_of(entry).image.data()), CUDA_SUCCESS);
    EXPECT_EQ(driver_.cuModuleGetFunction(&function, module, entry), CUDA_SUCCESS);
    return function;
  }
  // One row whose one expert is the first: four words of tiles, four of the tile, and where `choices_at` says, a 0.
  cuda::CUresult group_experts(CUdeviceptr tiles, std::uint32_t choices_at, unsigned n_threads = 256) {
    auto* inputs = reinterpret_cast<std::uint32_t*>(page_locked(8));
    inputs[0] = 1;
    inputs[1] = 0;
    CudaLaunch made;
    made.buffers.fill(address_of(inputs));
    made.buffers[3] = address_of(inputs + 1);
    made.buffers[4] = tiles;
    made.words = {1, 1, choices_at};
    std::vector<std::byte> bytes = made.params();
    return launch(kernel("group_experts"), n_threads, bytes.data());
  }
  cuda::CUresult launch(cuda::CUfunction function, unsigned n_threads, void* given,
                        std::vector<cuda::CUlaunchAttribute> options = {}) {
    const cuda::CUlaunchConfig config{1, 1, 1,       n_threads,      1,
                                      1, 0, stream_, options.data(), static_cast<unsigned>(options.size())};
    void* params[] = {given};
    return driver_.cuLaunchKernelEx(&config, function, params, nullptr);
  }

  const cuda::Driver& driver_ = *test::take(cuda::driver());
  test::FakeCuda& fake_ = test::fake_cuda();
  cuda::CUcontext context_ = nullptr;
  cuda::CUstream stream_ = nullptr;
};

TEST_F(FakeCudaDriver, counts_memory_and_fills_it_with_nonsense) {
  const std::uint64_t n_before = fake_.n_allocations;
  const CUdeviceptr memory = device_memory(1000);
  std::uint8_t* found = page_locked(1000);
  EXPECT_EQ(fake_.n_allocations - n_before, 2U);
  EXPECT_EQ(fake_.device_bytes, 1000U);
  EXPECT_EQ(fake_.host_bytes, 1000U);
  std::memset(found, 0, 1000);
  ASSERT_EQ(driver_.cuMemcpyAsync(address_of(found), memory, 1000, stream_), CUDA_SUCCESS);
  ASSERT_EQ(wait(), CUDA_SUCCESS);
  EXPECT_EQ(std::count(found, found + 1000, 0xFB), 1000);
  EXPECT_EQ(driver_.cuMemFree_v2(memory), CUDA_SUCCESS);
  EXPECT_EQ(driver_.cuMemFree_v2(memory), kInvalidValue) << "it is gone";
  EXPECT_EQ(driver_.cuMemFree_v2(address_of(found)), kInvalidValue) << "it is not the device's";
  EXPECT_EQ(driver_.cuMemFreeHost(found), CUDA_SUCCESS);
  EXPECT_EQ(fake_.device_bytes + fake_.host_bytes, 0U);
}

TEST_F(FakeCudaDriver, refuses_what_the_device_does_not_have_and_what_it_is_told_to) {
  CUdeviceptr first = 0, second = 0;
  constexpr std::size_t kAll = std::size_t{2} << 30;
  EXPECT_EQ(driver_.cuMemAlloc_v2(&first, kAll), CUDA_ERROR_OUT_OF_MEMORY) << "the context has its share";
  EXPECT_EQ(driver_.cuMemAlloc_v2(&first, kAll * 3 / 4), CUDA_SUCCESS);
  EXPECT_EQ(driver_.cuMemAlloc_v2(&second, kAll / 4), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(driver_.cuMemFree_v2(first), CUDA_SUCCESS);
  EXPECT_EQ(driver_.cuMemAlloc_v2(&second, kAll / 4), CUDA_SUCCESS);
  fake_.refuse_at_allocation = 2;
  EXPECT_EQ(driver_.cuMemAlloc_v2(&first, 16), CUDA_SUCCESS);
  EXPECT_EQ(driver_.cuMemAlloc_v2(&first, 16), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(driver_.cuMemAlloc_v2(&first, 16), CUDA_SUCCESS);
}

TEST_F(FakeCudaDriver, lets_the_host_reach_its_own_memory_alone_and_to_its_end) {
  testing::FLAGS_gtest_death_test_style = "fast";
  const auto* device = reinterpret_cast<volatile std::uint8_t*>(device_memory(4096));  // NOLINT: an address of the API
  volatile std::uint8_t* host = page_locked(4096);
  host[4095] = 1;
  EXPECT_EXIT((void)device[0], testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(host[4096] = 1, testing::KilledBySignal(SIGSEGV), "");
  // Nor after devices have run.
  ASSERT_EQ(driver_.cuMemcpyAsync(address_of(const_cast<std::uint8_t*>(host)),
                                  address_of(const_cast<std::uint8_t*>(device)), 16, stream_),
            CUDA_SUCCESS);
  ASSERT_EQ(wait(), CUDA_SUCCESS);
  EXPECT_EXIT((void)device[0], testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(FakeCudaDriver, runs_a_kernel_by_the_name_that_its_module_has) {
  const CUdeviceptr tiles = device_memory(36);
  ASSERT_EQ(group_experts(tiles, 8), CUDA_SUCCESS);
  auto* found = reinterpret_cast<std::uint32_t*>(page_locked(36));
  ASSERT_EQ(driver_.cuMemcpyAsync(address_of(found), tiles, 36, stream_), CUDA_SUCCESS);
  ASSERT_EQ(wait(), CUDA_SUCCESS);
  EXPECT_EQ(found[0], 1U) << "tiles";
  EXPECT_EQ(found[6], 1U) << "choices of the tile";
  EXPECT_EQ(found[8], 0U) << "the choice";
  cuda::CUmodule module = nullptr;
  cuda::CUfunction function = nullptr;
  ASSERT_EQ(driver_.cuModuleLoadData(&module, kernel_file_of("embed").image.data()), CUDA_SUCCESS);
  EXPECT_EQ(driver_.cuModuleGetFunction(&function, module, "no_kernel"), kNotFound);
  EXPECT_EQ(driver_.cuModuleLoadData(&module,
                                     "\x7F"
                                     "ELF and more"),
            kInvalidImage);
}

TEST_F(FakeCudaDriver, sees_what_is_written_behind_memory) {
  ASSERT_EQ(group_experts(device_memory(36), 9), CUDA_SUCCESS) << "it runs later";
  EXPECT_EQ(wait(), kLaunchFailed);
  EXPECT_EQ(fake_.last_fault,
            "until after group_experts: 4 bytes behind the end of 36 bytes of device memory were written");
  EXPECT_EQ(wait(), kLaunchFailed) << "the device is lost";
  ASSERT_EQ(driver_.cuDevicePrimaryCtxReset_v2(0), CUDA_SUCCESS);
  open();
  std::uint8_t* host = page_locked(100);
  host[101] = 1;
  EXPECT_EQ(driver_.cuMemFreeHost(host), kInvalidValue);
  EXPECT_EQ(fake_.last_fault, "1 bytes behind the end of 100 bytes of page-locked memory were written");
}

TEST_F(FakeCudaDriver, holds_copies_and_launches_against_what_is_there) {
  const CUdeviceptr memory = device_memory(100);
  const CUdeviceptr host = address_of(page_locked(100));
  EXPECT_EQ(driver_.cuMemcpyAsync(memory + 1, host, 100, stream_), kInvalidValue);
  EXPECT_THAT(fake_.last_fault, HasSubstr("a copy of 100 bytes leaves what was allocated"));
  EXPECT_EQ(driver_.cuMemcpyAsync(memory, host + 51, 50, stream_), kInvalidValue);
  EXPECT_EQ(driver_.cuMemcpyAsync(memory, host, ~std::size_t{0} - 8, stream_), kInvalidValue);
  EXPECT_EQ(driver_.cuMemcpyAsync(memory, memory + 10, 20, stream_), kInvalidValue) << "it overlaps";
  EXPECT_EQ(driver_.cuMemsetD8Async(memory + 50, 0, 51, stream_), kInvalidValue);
  EXPECT_EQ(driver_.cuMemcpyAsync(memory, host, 100, stream_), CUDA_SUCCESS);
  EXPECT_EQ(group_experts(memory, 8, 288), kInvalidValue);
  EXPECT_EQ(fake_.last_fault, "group_experts is launched with sizes that it cannot have");
  CUdeviceptr of = 0;
  EXPECT_EQ(driver_.cuMemHostGetDevicePointer_v2(&of, &of, 0), kInvalidValue);
}

TEST_F(FakeCudaDriver, knows_one_option_of_launches) {
  const cuda::CUfunction function = kernel("encode");
  std::vector<std::byte> bytes = CudaLaunch{}.params();  // of no groups
  const std::uint64_t n_before = fake_.n_overlapped;
  constexpr int kOverlap = cuda::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  EXPECT_EQ(launch(function, 128, bytes.data(), {{kOverlap, 0, 1, {}}}), CUDA_SUCCESS);
  EXPECT_EQ(launch(function, 128, bytes.data(), {{kOverlap, 0, 0, {}}}), CUDA_SUCCESS);
  EXPECT_EQ(fake_.n_overlapped - n_before, 1U);
  EXPECT_EQ(launch(function, 128, bytes.data(), {{kOverlap + 1, 0, 1, {}}}), kInvalidValue);
  EXPECT_EQ(fake_.last_fault, "encode is launched with an option that is not known");
  EXPECT_EQ(wait(), CUDA_SUCCESS);
}

TEST_F(FakeCudaDriver, knows_handles_while_what_they_stand_for_is_there) {
  std::uint8_t* memory = page_locked(1);
  cuda::CUevent event = nullptr;
  cuda::CUmodule module = nullptr;
  cuda::CUfunction function = nullptr;
  ASSERT_EQ(driver_.cuEventCreate(&event, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver_.cuModuleLoadData(&module, kernel_file_of("embed").image.data()), CUDA_SUCCESS);
  ASSERT_EQ(driver_.cuModuleGetFunction(&function, module, "embed"), CUDA_SUCCESS);
  EXPECT_EQ(driver_.cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(driver_.cuModuleUnload(module), kInvalidHandle);
  EXPECT_EQ(launch(function, 32, nullptr), kInvalidHandle);
  EXPECT_THAT(fake_.last_fault, HasSubstr("cuLaunchKernelEx is given what is not there"));
  EXPECT_EQ(driver_.cuEventDestroy_v2(event), CUDA_SUCCESS);
  EXPECT_EQ(driver_.cuEventRecord(event, stream_), kInvalidHandle);
  EXPECT_EQ(driver_.cuStreamDestroy_v2(stream_), CUDA_SUCCESS);
  EXPECT_EQ(set(memory, 1), kInvalidHandle);
  EXPECT_EQ(driver_.cuGraphDestroy(nullptr), kInvalidHandle);
  EXPECT_EQ(driver_.cuGraphLaunch(nullptr, stream_), kInvalidHandle);
}

TEST_F(FakeCudaDriver, runs_what_was_submitted_late_or_at_once_or_either) {
  std::uint8_t* memory = page_locked(1);
  const auto runs_at_once = [&] {
    *memory = 0;
    EXPECT_EQ(set(memory, 7), CUDA_SUCCESS);
    const bool has_run = *memory == 7;
    EXPECT_EQ(wait(), CUDA_SUCCESS);
    EXPECT_EQ(*memory, 7);
    return has_run;
  };
  EXPECT_FALSE(runs_at_once());
  fake_.runs = FakeRuns::kAtOnce;
  EXPECT_TRUE(runs_at_once());
  fake_.runs = FakeRuns::kEither;
  int n_at_once = 0;
  for (int i = 0; i < 100; ++i) n_at_once += runs_at_once() ? 1 : 0;
  EXPECT_GT(n_at_once, 5);
  EXPECT_LT(n_at_once, 95);
}

TEST_F(FakeCudaDriver, waits_for_what_was_submitted_before_an_event_and_no_longer) {
  std::uint8_t* memory = page_locked(2);
  memory[0] = memory[1] = 0;
  cuda::CUevent event = nullptr;
  ASSERT_EQ(driver_.cuEventCreate(&event, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver_.cuEventQuery(event), CUDA_SUCCESS) << "it was not recorded";
  ASSERT_EQ(set(memory, 1), CUDA_SUCCESS);
  ASSERT_EQ(driver_.cuEventRecord(event, stream_), CUDA_SUCCESS);
  ASSERT_EQ(set(memory + 1, 1), CUDA_SUCCESS);
  ASSERT_EQ(driver_.cuEventQuery(event), cuda::CUDA_ERROR_NOT_READY);
  ASSERT_EQ(driver_.cuEventQuery(event), CUDA_SUCCESS);
  EXPECT_EQ(memory[0], 1);
  EXPECT_EQ(memory[1], 0);
  ASSERT_EQ(wait(), CUDA_SUCCESS);
  EXPECT_EQ(memory[1], 1);
}

TEST_F(FakeCudaDriver, replays_what_was_recorded_and_nothing_else_is_done_meanwhile) {
  std::uint8_t* memory = page_locked(1);
  *memory = 0;
  cuda::CUgraph graph = nullptr;
  cuda::CUgraphExec exec = nullptr;
  EXPECT_EQ(driver_.cuStreamEndCapture(stream_, &graph), kCaptureUnsupported);
  ASSERT_EQ(driver_.cuStreamBeginCapture_v2(stream_, cuda::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
  ASSERT_EQ(set(memory, 3), CUDA_SUCCESS);
  EXPECT_EQ(wait(), kCaptureUnsupported);
  EXPECT_THAT(fake_.last_fault, HasSubstr("cuStreamQuery is called while a stream is recorded"));
  CUdeviceptr other = 0;
  EXPECT_EQ(driver_.cuMemAlloc_v2(&other, 1), kCaptureUnsupported);
  ASSERT_EQ(driver_.cuStreamEndCapture(stream_, &graph), CUDA_SUCCESS);
  ASSERT_EQ(driver_.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver_.cuGraphDestroy(graph), CUDA_SUCCESS);
  ASSERT_EQ(wait(), CUDA_SUCCESS);
  EXPECT_EQ(*memory, 0) << "it was recorded, not run";
  for (int i = 0; i < 2; ++i) {
    *memory = 0;
    ASSERT_EQ(driver_.cuGraphLaunch(exec, stream_), CUDA_SUCCESS);
    EXPECT_EQ(*memory, 0);
    ASSERT_EQ(wait(), CUDA_SUCCESS);
    EXPECT_EQ(*memory, 3);
  }
  ASSERT_EQ(driver_.cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(driver_.cuGraphLaunch(exec, stream_), kInvalidHandle);
}

TEST_F(FakeCudaDriver, loses_the_device_until_its_context_is_reset) {
  const CUdeviceptr tiles = device_memory(36);
  fake_.lose_at_launch = 2;
  ASSERT_EQ(group_experts(tiles, 8), CUDA_SUCCESS);
  ASSERT_EQ(wait(), CUDA_SUCCESS);
  ASSERT_EQ(group_experts(tiles, 8), CUDA_SUCCESS);
  EXPECT_EQ(wait(), kLaunchFailed);
  CUdeviceptr other = 0;
  EXPECT_EQ(driver_.cuMemAlloc_v2(&other, 16), kLaunchFailed);
  EXPECT_EQ(driver_.cuMemFree_v2(tiles), kLaunchFailed);
  EXPECT_GT(fake_.device_bytes, 0U);
  ASSERT_EQ(driver_.cuDevicePrimaryCtxReset_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(fake_.device_bytes, 0U);
  EXPECT_EQ(wait(), kInvalidHandle) << "the stream is gone with the rest";
  open();
  EXPECT_EQ(group_experts(device_memory(36), 8), CUDA_SUCCESS);
  EXPECT_EQ(wait(), CUDA_SUCCESS);
}

TEST_F(FakeCudaDriver, lets_calls_fail_by_their_names) {
  CUdeviceptr memory = 0;
  const std::uint64_t n_before = fake_.n_calls["cuMemAlloc_v2"];
  fake_.failing_call = "cuMemAlloc_v2";
  fake_.fail_at = 2;
  fake_.failure = kInvalidValue;
  EXPECT_EQ(driver_.cuMemAlloc_v2(&memory, 16), CUDA_SUCCESS);
  EXPECT_EQ(wait(), CUDA_SUCCESS) << "another call";
  EXPECT_EQ(driver_.cuMemAlloc_v2(&memory, 16), kInvalidValue);
  EXPECT_EQ(driver_.cuMemAlloc_v2(&memory, 16), CUDA_SUCCESS);
  EXPECT_EQ(fake_.n_calls["cuMemAlloc_v2"] - n_before, 3U);
  EXPECT_EQ(fake_.device_bytes, 32U) << "a call that fails does nothing";
  fake_.fail_at = 1;
  fake_.failure = kLaunchFailed;
  EXPECT_EQ(driver_.cuMemAlloc_v2(&memory, 16), kLaunchFailed);
  EXPECT_EQ(wait(), kLaunchFailed) << "after such an error a context can do nothing more";
  EXPECT_EQ(fake_.last_fault, "") << "what a test asks for is no fault";
}

TEST_F(FakeCudaDriver, needs_a_context_and_tells_what_one_leaves) {
  device_memory(16);
  kernel("embed");
  EXPECT_EQ(driver_.cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(fake_.last_fault, "a context ends, and of what it had there are still 1 allocations, 1 modules, 1 streams");
  EXPECT_EQ(fake_.device_bytes, 0U);
  CUdeviceptr memory = 0;
  EXPECT_EQ(driver_.cuMemAlloc_v2(&memory, 16), kInvalidContext);
  EXPECT_EQ(driver_.cuCtxSetCurrent(context_), kInvalidContext);
  EXPECT_EQ(driver_.cuDevicePrimaryCtxRelease_v2(0), kInvalidContext);
  ASSERT_EQ(driver_.cuDevicePrimaryCtxRetain(&context_, 0), CUDA_SUCCESS);
  open();
  EXPECT_EQ(driver_.cuStreamDestroy_v2(stream_), CUDA_SUCCESS);
  fake_.last_fault.clear();
  EXPECT_EQ(driver_.cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(fake_.last_fault, "") << "nothing was left";
  ASSERT_EQ(driver_.cuDevicePrimaryCtxRetain(&context_, 0), CUDA_SUCCESS);
}

TEST_F(FakeCudaDriver, says_and_counts_what_is_wrong) {
  fake_.is_quiet = false;
  testing::internal::CaptureStderr();
  EXPECT_EQ(driver_.cuMemFree_v2(16), kInvalidValue);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "fake CUDA: memory is freed that was not allocated so\n");
  EXPECT_EQ(fake_.n_faults.exchange(0), 1U);
  fake_.is_quiet = true;
  EXPECT_EQ(driver_.cuMemFree_v2(16), kInvalidValue);
  EXPECT_EQ(fake_.n_faults, 0U);
}

}  // namespace
}  // namespace headroom
