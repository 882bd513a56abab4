#include "backend/registry.h"
#include "support/plans.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace headroom {
namespace {

class RegistryTest : public ::testing::Test {
 protected:
  void TearDown() override { unsetenv("HEADROOM_REFERENCE_DEVICE"); }
  static void set(const char* setting) { setenv("HEADROOM_REFERENCE_DEVICE", setting, 1); }
};

TEST_F(RegistryTest, finds_the_cpu_alone_unless_a_reference_device_is_asked_for) {
  for (const bool is_empty : {false, true}) {
    if (is_empty) set("");
    const auto devices = probe_devices(1);
    ASSERT_TRUE(devices.ok()) << devices.error().message.text();
    ASSERT_EQ(devices->size(), 1U);
    EXPECT_EQ(devices->front().kind, DeviceKind::kCpu);
  }
}

TEST_F(RegistryTest, finds_reference_devices_behind_the_cpu_and_makes_their_backends) {
  set("3MiB,1MiB");
  const auto devices = probe_devices(1);
  ASSERT_TRUE(devices.ok()) << devices.error().message.text();
  ASSERT_EQ(devices->size(), 3U);
  EXPECT_EQ((*devices)[0].id, "cpu");
  EXPECT_EQ((*devices)[1].id, "reference:0");
  EXPECT_EQ((*devices)[2].id, "reference:1");
  EXPECT_EQ((*devices)[2].total_bytes, 1 * kMiB);
  for (const DeviceInfo& device : *devices) {
    const auto backend = make_backend(device);
    ASSERT_TRUE(backend.ok()) << backend.error().message.text();
    EXPECT_EQ((*backend)->device_info().id, device.id);
  }
}

TEST_F(RegistryTest, says_what_is_free_of_a_reference_device_now) {
  set("3MiB");
  const auto before = probe_devices(1);
  ASSERT_TRUE(before.ok());
  const auto one = make_backend((*before)[1]), other = make_backend((*before)[1]);
  ASSERT_TRUE(one.ok() && other.ok());
  const auto arena = (*one)->map_arena(test::arena_of(2 * kMiB));
  ASSERT_TRUE(arena.ok());
  EXPECT_FALSE((*other)->map_arena(test::arena_of(2 * kMiB)).ok());
  EXPECT_EQ((*probe_devices(1))[1].free_bytes, 1 * kMiB);
}

TEST_F(RegistryTest, names_a_setting_that_it_cannot_read) {
  set("much");
  const auto devices = probe_devices(1);
  ASSERT_FALSE(devices.ok());
  EXPECT_EQ(devices.error().code, ErrorCode::kUsage);
  EXPECT_EQ(devices.error().message.text(),
            "HEADROOM_REFERENCE_DEVICE: expected sizes such as 512MiB or 512MiB,256MiB, found \"much\"");
}

TEST_F(RegistryTest, has_no_backend_for_what_is_not_in_this_machine_or_not_built) {
  DeviceInfo card;
  card.id = "metal:0";
  card.kind = DeviceKind::kMetal;
  EXPECT_EQ(make_backend(card).error().message.text(), "metal:0: this build has no backend for metal");
  card.name = "A card";
  card.is_present = false;
  EXPECT_EQ(make_backend(card).error().message.text(),
            "A card is not in this machine: it can be planned for, not loaded on");
}

}  // namespace
}  // namespace headroom
