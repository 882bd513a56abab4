// What is said where no driver can be used: each by a process of its own, since a driver is opened once.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/cuda/cuda_cards.h"
#include "backend/registry.h"
#include "support/cuda/fake_cuda.h"
#if HEADROOM_HAS_VULKAN
#include "backend/vulkan/vulkan_faults.h"
#endif

namespace headroom {
namespace {

// What `devices` is told in a process with these variables: the sentence, on the standard error.
void say_refusal(const char* driver, const char* version, const char* devices, const char* failure = nullptr) {
  if (driver != nullptr) setenv(cuda::kDriverVariable, driver, 1);
  if (version != nullptr) setenv(test::kFakeCudaVersion, version, 1);
  if (devices != nullptr) setenv(test::kFakeCudaDevices, devices, 1);
  if (failure != nullptr) setenv(test::kFakeCudaFail, failure, 1);
  const CudaCards found = cuda_cards();
  for (const Message& sentence : found.refused) std::fprintf(stderr, "%s\n", sentence.text().c_str());
  std::exit(found.cards.empty() ? 1 : 0);
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }
// In expressions of gtest.
std::string needed(const cuda::LeastDriver& least = cuda::kLeastDrivers.front()) {
  return fmt::format("CUDA {} \\({} or newer\\)", version_text(least.version), least.branch);
}
// `card`: "", or its name where the driver is too old for this one alone.
std::string refusal(int version, const cuda::LeastDriver& least, const std::string& card = "") {
  return fmt::format("CUDA: {}NVIDIA's driver is for CUDA {}, the kernels here need one for {}",
                     card.empty() ? card : card + ": ", version_text(version), needed(least));
}

TEST(CudaMissing, says_why_no_card_can_be_used) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  using testing::ExitedWithCode;
  EXPECT_EXIT(say_refusal("no-such-library.so", nullptr, nullptr), ExitedWithCode(1),
              "CUDA: this machine has no NVIDIA driver \\(no-such-library.so\\)");
  EXPECT_EXIT(say_refusal("libm.so.6", nullptr, nullptr), ExitedWithCode(1),
              "CUDA: expected a driver for " + needed() + ", found one without cuInit");
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

// What the program lists and says in a process with a driver of this version.
void say_devices(int version, [[maybe_unused]] std::uint32_t vulkan_vendor, const char* cards = "sm_90:2GiB") {
  setenv(kCudaVariable, "1", 1);
  setenv(test::kFakeCudaDevices, cards, 1);
  setenv(test::kFakeCudaVersion, std::to_string(version).c_str(), 1);
#if HEADROOM_HAS_VULKAN
  setenv("HEADROOM_VULKAN_DEVICES", "0", 1);  // the other tests have none
  vulkan_faults().vendor = vulkan_vendor;
#endif
  const Result<std::vector<DeviceInfo>> devices = probe_devices(1, true);
  if (!devices) std::exit(1);
  for (const DeviceInfo& device : *devices) std::fprintf(stderr, "%s, ", device.id.c_str());
  for (const Message& sentence : refused_devices(true)) std::fprintf(stderr, "%s.", sentence.text().c_str());
  std::exit(0);
}

TEST(CudaMissing, lists_a_card_with_a_driver_that_loads_the_kernels_and_else_leaves_it_to_vulkan) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  using testing::ExitedWithCode;
  const std::string all = "^cpu, cuda:0, (vulkan:0, )?[^C]*$";
  constexpr std::uint32_t kOfNvidia = 0x10de, kOfAmd = 0x1002;
#if HEADROOM_HAS_VULKAN
  const std::string listed = "cpu, vulkan:0, ", instead = "; Vulkan is used";
#else
  const std::string listed = "cpu, ", instead;
#endif
  const cuda::LeastDriver &any = cuda::kLeastDrivers[0], &of_blackwell = cuda::kLeastDrivers[1];
  EXPECT_EXIT(say_devices(any.version, 0), ExitedWithCode(0), all);
  for (const char* card : {"sm_100:2GiB", "sm_120:2GiB"})
    EXPECT_EXIT(say_devices(of_blackwell.version, 0, card), ExitedWithCode(0), all);
  struct Case {
    int version;
    const char* card;
    std::string refused;
  };
  for (const Case& each :
       {Case{11080, "sm_90:2GiB", refusal(11080, any)}, Case{11080, "sm_120:2GiB", refusal(11080, any)},
        Case{12070, "sm_120:2GiB", refusal(12070, of_blackwell, "Fake GPU 0")},
        Case{12000, "sm_100:2GiB", refusal(12000, of_blackwell, "Fake GPU 0")}}) {
    const std::string refused = "^" + listed + each.refused;
    EXPECT_EXIT(say_devices(each.version, kOfAmd, each.card), ExitedWithCode(0), refused + "\\.");
    EXPECT_EXIT(say_devices(each.version, kOfNvidia, each.card), ExitedWithCode(0), refused + instead + "\\.");
  }
}

}  // namespace
}  // namespace headroom
