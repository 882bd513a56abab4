#include "ui/format/device_name.h"

#include <gtest/gtest.h>

#include "support/model_specs.h"

namespace headroom::ui {
namespace {

TEST(DeviceName, marks_and_doubled_spaces_go) {
  EXPECT_EQ(shortDeviceName("Intel(R) Core(TM) i5-8250U  CPU @ 1.60GHz"), "Intel Core i5-8250U CPU @ 1.60GHz");
  EXPECT_EQ(shortDeviceName("Something(c) (r)"), "Something");
  EXPECT_EQ(shortDeviceName("RTX 4090"), "RTX 4090");
}

TEST(DeviceName, a_name_of_marks_alone_stays) {
  EXPECT_EQ(shortDeviceName("(R)"), "(R)");
  EXPECT_EQ(shortDeviceName(""), "");
}

TEST(DeviceName, beside_other_devices_the_processor_is_the_host) {
  EXPECT_EQ(deviceLabel(test::cpu_with(kGiB)), "Host");
  DeviceInfo gpu = test::gpu_with(kGiB);
  gpu.name = "Arc(TM) A770";
  gpu.kind = DeviceKind::kVulkan;
  EXPECT_EQ(nameAndDriver(gpu), "Arc A770 (Vulkan)");
  gpu.kind = DeviceKind::kCuda;
  EXPECT_EQ(nameAndDriver(gpu), "Arc A770 (CUDA)");
  EXPECT_EQ(deviceLabel(gpu), "Arc A770");
  gpu.kind = DeviceKind::kReference;
  gpu.id = "reference:1";
  EXPECT_EQ(deviceLabel(gpu), "reference:1");
}

}  // namespace
}  // namespace headroom::ui
