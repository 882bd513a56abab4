// What is said where no driver can be used: each by a process of its own, since a driver is opened once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/cuda/cuda_cards.h"
#include "support/cuda/fake_cuda.h"

namespace headroom {
namespace {

// What `devices` is told in a process with these variables: the sentence, on the standard error.
void say_refusal(const char* driver, const char* version, const char* devices, const char* failure = nullptr) {
  if (driver != nullptr) setenv(cuda::kDriverVariable, driver, 1);
  if (version != nullptr) setenv(test::kFakeCudaVersion, version, 1);
  if (devices != nullptr) setenv(test::kFakeCudaDevices, devices, 1);
  if (failure != nullptr) setenv(test::kFakeCudaFail, failure, 1);
  const CudaCards found = cuda_cards();
  for (const std::string& sentence : found.refused) std::fprintf(stderr, "%s\n", sentence.c_str());
  std::exit(found.cards.empty() ? 1 : 0);
}

TEST(CudaMissing, says_why_no_card_can_be_used) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  using testing::ExitedWithCode;
  EXPECT_EXIT(say_refusal("no-such-library.so", nullptr, nullptr), ExitedWithCode(1),
              "CUDA: this machine has no NVIDIA driver \\(no-such-library.so\\)");
  EXPECT_EXIT(say_refusal("libm.so.6", nullptr, nullptr), ExitedWithCode(1),
              "CUDA: expected a driver for CUDA 12.0 or newer, found one without cuInit");
  EXPECT_EXIT(say_refusal(nullptr, "11080", nullptr), ExitedWithCode(1),
              "CUDA: expected a driver for CUDA 12.0 or newer, found one for 11.8");
  EXPECT_EXIT(say_refusal(nullptr, nullptr, "sm_61:2GiB"), ExitedWithCode(1),
              "CUDA: Fake GPU 0: expected compute capability 7.5 or newer, found 6.1");
  EXPECT_EXIT(say_refusal(nullptr, nullptr, nullptr, "cuInit=100"), ExitedWithCode(1),
              "CUDA: the driver cannot be started: CUDA_ERROR_NO_DEVICE");
  EXPECT_EXIT(say_refusal(nullptr, nullptr, nullptr, "cuDriverGetVersion=3"), ExitedWithCode(1),
              "CUDA: the driver does not tell its version \\(error 3\\)");
  EXPECT_EXIT(say_refusal(nullptr, nullptr, nullptr, "cuDeviceGetAttribute=2"), ExitedWithCode(1),
              "CUDA: Fake GPU 0: the driver does not tell what it can do: CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EXIT(say_refusal(nullptr, nullptr, ","), ExitedWithCode(1), "CUDA: the driver finds no device");
  EXPECT_EXIT(say_refusal(nullptr, nullptr, "sm_61:2GiB,sm_120:1GiB"), ExitedWithCode(0), "found 6.1");
}

}  // namespace
}  // namespace headroom
