#include "device_speed_store.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/model_specs.h"
#include "support/temp_folder.h"

namespace headroom {
namespace {

DeviceInfo cpuOf(std::uint32_t nThreads) {
  DeviceInfo device = test::cpu_with(64 * kGiB);
  device.name = "Some CPU";
  device.kernels = "avx512";
  device.n_threads = nThreads;
  return device;
}

class DeviceSpeedStoreTest : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder.path() / "below" / "device-speeds.json"; }
  DeviceSpeedStore store() const { return DeviceSpeedStore::read(file()); }
  DeviceSpeed known(DeviceInfo device) const {
    store().fill({&device, 1});
    return device.speed;
  }
  void write(const std::string& text) const {
    std::filesystem::create_directories(file().parent_path());
    std::ofstream(file()) << text;
  }
  test::TempFolder folder;
};

TEST_F(DeviceSpeedStoreTest, keeps_speeds_by_what_computes) {
  DeviceSpeedStore kept = store();
  kept.put(cpuOf(2), {20e9, 0, 3e-6});
  kept.put(cpuOf(8), {60e9, 0, 9e-6});
  ASSERT_TRUE(kept.write().ok());
  EXPECT_EQ(known(cpuOf(2)), (DeviceSpeed{20e9, 0, 3e-6}));
  EXPECT_EQ(known(cpuOf(8)), (DeviceSpeed{60e9, 0, 9e-6}));
  DeviceInfo other = cpuOf(2);
  other.kernels = "avx2";
  EXPECT_EQ(known(other), DeviceSpeed{}) << "slower kernels were not measured";
  other = cpuOf(2);
  other.is_present = false;
  EXPECT_EQ(known(other), DeviceSpeed{}) << "a card of the catalogue";
}

TEST_F(DeviceSpeedStoreTest, tells_what_is_left_to_measure) {
  std::vector<DeviceInfo> devices{cpuOf(2), cpuOf(4), cpuOf(8)};
  devices[0].speed.read_bytes_per_s = 1e9;
  devices[2].is_present = false;
  const std::vector<DeviceInfo> unmeasured = store().unmeasured(devices);
  ASSERT_EQ(unmeasured.size(), 1U);
  EXPECT_EQ(unmeasured.front().n_threads, 4U);
}

DeviceInfo cardWith(const char* driver) {
  DeviceInfo device = test::gpu_with(8 * kGiB, 300 * kMiB);
  device.driver = driver;
  device.driver_measured = false;
  return device;
}

TEST_F(DeviceSpeedStoreTest, what_a_driver_takes_is_kept_for_its_version) {
  const auto filled = [&](const char* driver) {
    DeviceInfo device = cardWith(driver);
    store().fill({&device, 1});
    return device;
  };
  const auto isLeft = [&](const DeviceInfo& device) { return !store().unmeasured({&device, 1}).empty(); };
  DeviceSpeedStore kept = store();
  kept.put_measured(cardWith("radv 23.2"), {{400e9, 10e9, 1e-6}, 150 * kMiB});
  ASSERT_TRUE(kept.write().ok());
  EXPECT_EQ(filled("radv 23.2").driver_bytes, 150 * kMiB);
  EXPECT_TRUE(filled("radv 23.2").driver_measured);
  EXPECT_FALSE(isLeft(filled("radv 23.2")));
  EXPECT_EQ(filled("radv 24.1").driver_bytes, 300 * kMiB) << "the assumption";
  EXPECT_FALSE(filled("radv 24.1").driver_measured);
  EXPECT_EQ(filled("radv 24.1").speed.read_bytes_per_s, 400e9);
  EXPECT_TRUE(isLeft(filled("radv 24.1")));
  kept.put_measured(cardWith("radv 24.1"), {{300e9, 10e9, 1e-6}, std::nullopt});
  ASSERT_TRUE(kept.write().ok());
  EXPECT_FALSE(filled("radv 24.1").driver_measured);
  EXPECT_FALSE(isLeft(filled("radv 24.1"))) << "what cannot be measured is not tried at every start";
  EXPECT_EQ(filled("radv 24.1").speed.read_bytes_per_s, 400e9) << "answers may have refined it";
  kept.put(cardWith("radv 24.1"), DeviceSpeed{500e9, 10e9, 1e-6});
  ASSERT_TRUE(kept.write().ok());
  EXPECT_FALSE(isLeft(filled("radv 24.1"))) << "an answer leaves what is known of the driver";
}

TEST_F(DeviceSpeedStoreTest, a_share_that_cannot_be_is_not_taken) {
  for (const char* share : {"-1", "1.5", "\"many\"", "8589934592", "99999999999999999999", "null"}) {
    write(std::string(R"({"version": 2, "devices": {"cuda|RTX|x|1": {"read_bytes_per_s": 1e9, "driver": "d", )") +
          R"("driver_bytes": )" + share + "}}}");
    DeviceInfo device = cardWith("d");
    device.kind = DeviceKind::kCuda;
    device.name = "RTX";
    device.kernels = "x";
    device.n_threads = 1;
    store().fill({&device, 1});
    ASSERT_EQ(device.speed.read_bytes_per_s, 1e9) << "the form of the file";
    EXPECT_FALSE(device.driver_measured) << share;
    EXPECT_EQ(device.driver_bytes, 300 * kMiB) << share;
  }
}

TEST_F(DeviceSpeedStoreTest, two_programs_keep_what_each_of_them_measured) {
  DeviceSpeedStore window = store(), terminal = store();
  window.put(cpuOf(2), {20e9, 5e9, 3e-6, 1e12});
  terminal.put(cpuOf(8), {60e9, 0, 9e-6});
  ASSERT_TRUE(window.write().ok());
  ASSERT_TRUE(terminal.write().ok());
  EXPECT_EQ(known(cpuOf(2)), (DeviceSpeed{20e9, 5e9, 3e-6, 1e12}));
  EXPECT_EQ(known(cpuOf(8)).read_bytes_per_s, 60e9);
}

TEST_F(DeviceSpeedStoreTest, knows_nothing_of_a_file_that_is_damaged_or_of_another_program) {
  const char* entry = R"("devices": {"cpu|Some CPU|avx512|2": {"read_bytes_per_s": 20e9}})";
  write(std::string(R"({"version": 2, )") + entry + "}");
  ASSERT_EQ(known(cpuOf(2)).read_bytes_per_s, 20e9) << "the form of the file";
  for (const char* other : {"1", "3"}) {
    write(std::string(R"({"version": )") + other + ", " + entry + "}");
    EXPECT_EQ(known(cpuOf(2)), DeviceSpeed{}) << other;
  }
  for (const char* text : {"", "{", "[]", "null", "7", R"({"version": 2})", R"({"version": 2, "devices": []})",
                           R"({"version": 2, "devices": {"cpu|Some CPU|avx512|2": 5}})",
                           R"({"version": 2, "devices": {"cpu|Some CPU|avx512|2": {"read_bytes_per_s": -1}}})",
                           R"({"version": 2, "devices": {"cpu|Some CPU|avx512|2": {"read_bytes_per_s": 1e999}}})",
                           R"({"version": 2, "devices": {"cpu|Some CPU|avx512|2": {"read_bytes_per_s": "fast"}}})"}) {
    write(text);
    EXPECT_EQ(known(cpuOf(2)), DeviceSpeed{}) << text;
    DeviceSpeedStore again = store();
    again.put(cpuOf(2), {1e9, 0, 0});
    EXPECT_TRUE(again.write().ok()) << text;
    EXPECT_EQ(known(cpuOf(2)).read_bytes_per_s, 1e9) << text;
  }
}

TEST_F(DeviceSpeedStoreTest, says_which_file_cannot_be_written_and_leaves_nothing_behind) {
  std::ofstream(folder.path() / "below") << "a file where the folder should be";
  DeviceSpeedStore kept = store();
  kept.put(cpuOf(2), {20e9, 0, 0});
  const Status written = kept.write();
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("device-speeds.json"), std::string::npos) << written.error().message;
}

TEST_F(DeviceSpeedStoreTest, goes_on_from_what_earlier_answers_showed_not_from_the_plan) {
  const ModelInfo model = test::make_model(test::kLlama32_1B);
  DeviceSpeedStore kept = store();
  kept.put(cpuOf(2), {10e9, 0, 0});
  std::vector<DeviceInfo> devices{cpuOf(2)};
  kept.fill(devices);
  const MemoryPlan plan = *plan_memory(model, devices, {.n_ctx = 1024});
  const double bytes = token_work(model, devices, plan.placement, plan.options, 100).front().bytes;
  const DecodeTimes times{40, 40 * 100, {40 * bytes / 20e9}};
  for (int answer = 0; answer < 12; ++answer) ASSERT_TRUE(kept.refine(model, plan, times));
  ASSERT_TRUE(kept.write().ok());
  EXPECT_NEAR(known(cpuOf(2)).read_bytes_per_s, 20e9, 0.1e9);
  EXPECT_FALSE(kept.refine(model, plan, {3, 300, {1.0}})) << "too few tokens";
}

}  // namespace
}  // namespace headroom
