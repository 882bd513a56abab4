// A CUDA device for tests: that of the driver that HEADROOM_CUDA_DRIVER names, which is the fake one
// (tests/support/cuda).
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "backend/cuda/cuda_cards.h"
#include "contract/loaded_cpu.h"
#include "gpu_contract/gpu_tolerance.h"
#include "support/cuda/fake_cuda_handle.h"
#include "support/use_variable.h"

namespace headroom::test {

// The devices that are looked for meanwhile: see kCudaDevicesVariable.
struct UseDevices : UseVariable {
  explicit UseDevices(const char* setting) : UseVariable(kCudaDevicesVariable, setting) {}
};

// The CPU and the first CUDA device.
inline std::vector<DeviceInfo> cpu_and_cuda() {
  std::vector<DeviceInfo> devices = take(probe_devices(2));
  std::erase_if(devices,
                [](const DeviceInfo& device) { return device.kind != DeviceKind::kCpu && device.id != "cuda:0"; });
  EXPECT_EQ(devices.size(), 2U) << "no CUDA device";
  if (devices.size() != 2) std::abort();
  return devices;
}

}  // namespace headroom::test
