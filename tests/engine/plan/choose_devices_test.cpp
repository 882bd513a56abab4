#include "plan/choose_devices.h"

#include <gtest/gtest.h>

#include "support/model_specs.h"

namespace headroom {
namespace {

constexpr DeviceSpeed kSlow{10e9, 5e9, 10e-6}, kFast{400e9, 10e9, 5e-6};

DeviceInfo device_of(DeviceKind kind, const char* id, Bytes bytes, const DeviceSpeed& speed = kFast) {
  DeviceInfo device = test::gpu_with(bytes);
  test::set_kind(device, kind);
  device.id = device.name = id;
  device.speed = speed;
  return device;
}
DeviceInfo integrated(const DeviceSpeed& speed) {
  DeviceInfo device = device_of(DeviceKind::kVulkan, "vulkan:0", 32 * kGiB, speed);
  device.has_unified_memory = true;
  return device;
}
DeviceInfo cpu_of(Bytes bytes, const DeviceSpeed& speed = {50e9, 0, 5e-6}) {
  DeviceInfo cpu = test::cpu_with(bytes);
  cpu.speed = speed;
  return cpu;
}

class ChooseDevices : public testing::Test {
 protected:
  DevicesChosen choose(const std::vector<DeviceInfo>& devices) {
    return choose_devices(model_, devices, {}, [](const DeviceInfo&) { return HeadroomRule(KeepFree{}); });
  }
  ModelInfo model_ = test::make_model(test::kLlama3_8B);
};
using Gpus = std::vector<DeviceIndex>;

TEST_F(ChooseDevices, a_machine_without_a_gpu_has_nothing_to_choose) {
  const DevicesChosen chosen = choose({cpu_of(32 * kGiB)});
  EXPECT_TRUE(chosen.gpus.empty());
  EXPECT_TRUE(chosen.reason.empty());
}

TEST_F(ChooseDevices, a_card_that_is_faster_is_taken_and_both_speeds_are_told) {
  const DevicesChosen chosen = choose({cpu_of(32 * kGiB), device_of(DeviceKind::kVulkan, "vulkan:0", 24 * kGiB)});
  EXPECT_EQ(chosen.gpus, Gpus{1});
  EXPECT_TRUE(chosen.reason.text().starts_with("vulkan:0 is planned for: about ")) << chosen.reason;
  EXPECT_NE(chosen.reason.text().find("on the CPU alone about "), std::string::npos) << chosen.reason;
}

TEST_F(ChooseDevices, cuda_comes_before_vulkan_which_shows_the_same_card) {
  std::vector<DeviceInfo> devices{cpu_of(32 * kGiB), device_of(DeviceKind::kVulkan, "vulkan:0", 24 * kGiB),
                                  device_of(DeviceKind::kCuda, "cuda:0", 24 * kGiB),
                                  device_of(DeviceKind::kCuda, "cuda:1", kGiB)};
  devices[1].heap = devices[2].heap = "0000:01:00.0";
  EXPECT_EQ(choose(devices).gpus, (Gpus{2, 3}));
  // Where the driver tells no place, by its name.
  devices[1].heap.clear();
  devices[1].name = devices[2].name = "RTX 4070";
  EXPECT_EQ(choose(devices).gpus, (Gpus{2, 3}));
}

TEST_F(ChooseDevices, of_two_drivers_for_a_card_the_faster_one_is_taken) {
  std::vector<DeviceInfo> devices{cpu_of(32 * kGiB), device_of(DeviceKind::kVulkan, "vulkan:0", 24 * kGiB),
                                  device_of(DeviceKind::kCuda, "cuda:0", 24 * kGiB)};
  devices[1].heap = devices[2].heap = "0000:01:00.0";
  devices[2].speed.read_bytes_per_s /= 2;
  EXPECT_EQ(choose(devices).gpus, Gpus{1});
  devices[1].speed.op_seconds = 1e-3;  // reads as fast as before, and takes long for each op
  EXPECT_EQ(choose(devices).gpus, Gpus{2});
}

TEST_F(ChooseDevices, what_was_not_proved_or_failed_is_not_taken_and_a_second_card_by_the_driver_that_was) {
  std::vector<DeviceInfo> devices{cpu_of(32 * kGiB), device_of(DeviceKind::kCuda, "cuda:0", 24 * kGiB),
                                  device_of(DeviceKind::kCuda, "cuda:1", 24 * kGiB),
                                  device_of(DeviceKind::kVulkan, "vulkan:0", 24 * kGiB),
                                  device_of(DeviceKind::kVulkan, "vulkan:1", 24 * kGiB)};
  devices[1].heap = devices[3].heap = "0000:01:00.0";
  devices[2].heap = devices[4].heap = "0000:02:00.0";
  for (DeviceInfo& device : devices) device.proof = Proof::kPassed;
  EXPECT_EQ(choose(devices).gpus, (Gpus{1, 2}));
  devices[2].proof = Proof::kFailed;
  EXPECT_EQ(choose(devices).gpus, (Gpus{1, 4}));
  devices[1].proof = Proof::kMissing;
  EXPECT_EQ(choose(devices).gpus, (Gpus{3, 4}));
  devices[3].proof = devices[4].proof = Proof::kRunning;
  EXPECT_TRUE(choose(devices).gpus.empty());
}

TEST_F(ChooseDevices, an_integrated_gpu_that_is_slower_than_the_cpu_does_not_win) {
  const DevicesChosen slow = choose({cpu_of(32 * kGiB), integrated(kSlow)});
  EXPECT_TRUE(slow.gpus.empty());
  EXPECT_TRUE(slow.reason.text().starts_with("The CPU alone is planned for: about ")) << slow.reason;
  EXPECT_NE(slow.reason.text().find("with vulkan:0 about "), std::string::npos) << slow.reason;
  EXPECT_EQ(choose({cpu_of(32 * kGiB), integrated(kFast)}).gpus, Gpus{1});
}

TEST_F(ChooseDevices, without_figures_a_card_is_taken_and_an_integrated_gpu_is_not) {
  EXPECT_EQ(choose({cpu_of(32 * kGiB), device_of(DeviceKind::kVulkan, "vulkan:0", 24 * kGiB, {})}).gpus, Gpus{1});
  const DevicesChosen unknown = choose({cpu_of(32 * kGiB), integrated({})});
  EXPECT_TRUE(unknown.gpus.empty());
  EXPECT_NE(unknown.reason.text().find("was not measured yet"), std::string::npos) << unknown.reason;
}

TEST_F(ChooseDevices, a_driver_that_computes_on_the_cpu_is_never_taken) {
  for (const bool shares : {false, true}) {
    DeviceInfo software = device_of(DeviceKind::kVulkan, "vulkan:0", 24 * kGiB);
    software.is_software = true;
    software.has_unified_memory = shares;
    EXPECT_TRUE(choose({cpu_of(32 * kGiB), software}).gpus.empty());
    EXPECT_TRUE(choose({cpu_of(kGiB), software}).gpus.empty()) << "not even where nothing else fits";
  }
}

TEST_F(ChooseDevices, what_fits_goes_before_what_is_faster) {
  const DevicesChosen small_host = choose({cpu_of(3 * kGiB), device_of(DeviceKind::kVulkan, "vulkan:0", 24 * kGiB)});
  EXPECT_EQ(small_host.gpus, Gpus{1});
  EXPECT_NE(small_host.reason.text().find("for the CPU alone it does not fit"), std::string::npos) << small_host.reason;
  EXPECT_EQ(choose({cpu_of(kGiB), device_of(DeviceKind::kVulkan, "vulkan:0", kGiB)}).gpus, Gpus{1})
      << "where nothing fits the fixes are for the GPU";
}

TEST_F(ChooseDevices, one_of_the_catalogue_is_not_here_and_a_reference_device_was_asked_for) {
  DeviceInfo listed = device_of(DeviceKind::kCuda, "RTX 4090", 24 * kGiB);
  listed.is_present = false;
  EXPECT_TRUE(choose({cpu_of(32 * kGiB), listed}).gpus.empty());
  EXPECT_EQ(choose({cpu_of(32 * kGiB), device_of(DeviceKind::kReference, "reference:0", kGiB, kSlow)}).gpus, Gpus{1});
}

}  // namespace
}  // namespace headroom
