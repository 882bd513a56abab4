#include "cuda/cuda_fixture.h"

#include <cstdlib>

#include "backend/cuda/cuda_driver.h"
#include "backend/registry.h"

namespace headroom::test {
namespace {

// Devices of CUDA are looked for, and no others.
[[maybe_unused]] const bool is_set = [] {
  setenv(kCudaVariable, "1", 1);
  setenv("HEADROOM_VULKAN_DEVICES", "none", 1);
  return true;
}();

// Whatever a test looks at, the driver has found nothing wrong meanwhile.
class NoFaults : public testing::Environment {
 public:
  void TearDown() override {
    if (std::getenv(cuda::kDriverVariable) == nullptr) return;  // a card's own driver
    EXPECT_EQ(fake_cuda().n_faults, 0U) << "see what the driver says above";
  }
};
[[maybe_unused]] testing::Environment* const no_faults = testing::AddGlobalTestEnvironment(new NoFaults);

}  // namespace

}  // namespace headroom::test
