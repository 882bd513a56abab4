#include "device_speed_store.h"

#include <gtest/gtest.h>

#include <cmath>
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

constexpr UtcSeconds kNow = 1'700'000'000, kLater = kNow + 600;

void putNew(DeviceSpeedStore& store, const DeviceInfo& device, const DeviceSpeed& speed) {
  store.put_measured(device, {speed, {}}, kNow);
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
  putNew(kept, cpuOf(2), {20e9, 0, 3e-6});
  putNew(kept, cpuOf(8), {60e9, 0, 9e-6});
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
  const std::vector<DeviceInfo> unmeasured = store().due(devices, kNow);
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
  const auto isLeft = [&](const DeviceInfo& device) { return !store().due({&device, 1}, kNow).empty(); };
  DeviceSpeedStore kept = store();
  kept.put_measured(cardWith("radv 23.2"), {{400e9, 10e9, 1e-6}, 150 * kMiB}, kNow);
  ASSERT_TRUE(kept.write().ok());
  EXPECT_EQ(filled("radv 23.2").driver_bytes, 150 * kMiB);
  EXPECT_TRUE(filled("radv 23.2").driver_measured);
  EXPECT_FALSE(isLeft(filled("radv 23.2")));
  EXPECT_EQ(filled("radv 24.1").driver_bytes, 300 * kMiB) << "the assumption";
  EXPECT_FALSE(filled("radv 24.1").driver_measured);
  EXPECT_EQ(filled("radv 24.1").speed.read_bytes_per_s, 400e9);
  EXPECT_TRUE(isLeft(filled("radv 24.1")));
  kept.put_measured(cardWith("radv 24.1"), {{300e9, 10e9, 1e-6}, std::nullopt}, kNow);
  ASSERT_TRUE(kept.write().ok());
  EXPECT_FALSE(filled("radv 24.1").driver_measured);
  EXPECT_FALSE(isLeft(filled("radv 24.1"))) << "what cannot be measured is not tried at every start";
  EXPECT_NEAR(filled("radv 24.1").speed.read_bytes_per_s, std::sqrt(300e9 * 400e9), 1e6) << "half of the way";
}

TEST_F(DeviceSpeedStoreTest, a_share_that_cannot_be_is_not_taken) {
  for (const char* share : {"-1", "1.5", "\"many\"", "8589934592", "99999999999999999999", "null"}) {
    write(
        std::string(
            R"({"version": 3, "devices": {"cuda|RTX|x|1": {"figures": {"read_bytes_per_s": {"value": 1e9}}, "driver": "d", )") +
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
  putNew(window, cpuOf(2), {20e9, 5e9, 3e-6, 1e12});
  putNew(terminal, cpuOf(8), {60e9, 0, 9e-6});
  ASSERT_TRUE(window.write().ok());
  ASSERT_TRUE(terminal.write().ok());
  EXPECT_EQ(known(cpuOf(2)), (DeviceSpeed{20e9, 5e9, 3e-6, 1e12}));
  EXPECT_EQ(known(cpuOf(8)).read_bytes_per_s, 60e9);
}

TEST_F(DeviceSpeedStoreTest, knows_nothing_of_a_file_that_is_damaged_or_of_another_program) {
  const char* entry = R"("devices": {"cpu|Some CPU|avx512|2": {"figures": {"read_bytes_per_s": {"value": 20e9}}}})";
  write(std::string(R"({"version": 3, )") + entry + "}");
  ASSERT_EQ(known(cpuOf(2)).read_bytes_per_s, 20e9) << "the form of the file";
  for (const char* other : {"1", "4"}) {
    write(std::string(R"({"version": )") + other + ", " + entry + "}");
    EXPECT_EQ(known(cpuOf(2)), DeviceSpeed{}) << other;
  }
  for (
      const char* text :
      {"", "{", "[]", "null", "7", R"({"version": 3})", R"({"version": 3, "devices": []})",
       R"({"version": 3, "devices": {"cpu|Some CPU|avx512|2": 5}})",
       R"({"version": 3, "devices": {"cpu|Some CPU|avx512|2": {"figures": {"read_bytes_per_s": {"value": -1}}}}})",
       R"({"version": 3, "devices": {"cpu|Some CPU|avx512|2": {"figures": {"read_bytes_per_s": {"value": 1e999}}}}})",
       R"({"version": 3, "devices": {"cpu|Some CPU|avx512|2": {"figures": {"read_bytes_per_s": {"value": "fast"}}}}})"}) {
    write(text);
    EXPECT_EQ(known(cpuOf(2)), DeviceSpeed{}) << text;
    DeviceSpeedStore again = store();
    putNew(again, cpuOf(2), {1e9, 0, 0});
    EXPECT_TRUE(again.write().ok()) << text;
    EXPECT_EQ(known(cpuOf(2)).read_bytes_per_s, 1e9) << text;
  }
}

TEST_F(DeviceSpeedStoreTest, a_file_without_ages_is_a_start_and_loses_nothing) {
  write(R"({"version": 2, "devices": {
    "cpu|Some CPU|avx512|2": {"read_bytes_per_s": 20e9, "copy_bytes_per_s": 5e9, "op_seconds": 3e-6,
                              "products_per_s": 1e12},
    "cpu|Some CPU|avx512|8": {"read_bytes_per_s": 60e9, "copy_bytes_per_s": 0, "op_seconds": 9e-6,
                              "products_per_s": 0, "driver": "d", "driver_bytes": 1048576}}})");
  EXPECT_EQ(known(cpuOf(2)), (DeviceSpeed{20e9, 5e9, 3e-6, 1e12}));
  const std::vector<DeviceInfo> both{cpuOf(2), cpuOf(8)};
  EXPECT_EQ(store().due(both, kNow).size(), 2U) << "nobody knows how they were measured";
  DeviceSpeedStore kept = store();
  putNew(kept, cpuOf(2), {25e9, 5e9, 3e-6, 1e12});
  ASSERT_TRUE(kept.write().ok());
  EXPECT_EQ(known(cpuOf(2)).read_bytes_per_s, 25e9);
  EXPECT_EQ(known(cpuOf(8)), (DeviceSpeed{60e9, 0, 9e-6}));
  DeviceInfo withDriver = cpuOf(8);
  withDriver.driver = "d";
  withDriver.driver_measured = false;
  store().fill({&withDriver, 1});
  EXPECT_EQ(withDriver.driver_bytes, kMiB);
}

TEST_F(DeviceSpeedStoreTest, keeps_ages_and_doubts_and_figures_of_formats) {
  DeviceSpeed speed{20e9, 5e9, 3e-6, 1e12};
  speed.formats[static_cast<std::size_t>(DType::kQ4_K)] = {15e9, 0, 4e11, 0};
  speed.formats[static_cast<std::size_t>(DType::kF8E4M3)] = {0, 12e9, 0, 2e11};
  DeviceSpeedStore kept = store();
  const std::vector<DeviceInfo> devices{cpuOf(2)};
  for (int i = 0; i < 3; ++i) {
    kept.put_measured(cpuOf(2), {speed, {}}, kNow + i * 600);
    ASSERT_TRUE(kept.write().ok());
    EXPECT_EQ(known(cpuOf(2)), speed);
    kept = store();
    EXPECT_EQ(kept.due(devices, kNow + i * 600 + 600).size(), i < 2 ? 1U : 0U) << i;
    EXPECT_EQ(kept.due(devices, kNow + i * 600 + 599).size(), 0U) << i;
  }
}

TEST_F(DeviceSpeedStoreTest, survives_a_file_that_ends_anywhere) {
  DeviceSpeedStore kept = store();
  putNew(kept, cpuOf(2), {20e9, 5e9, 3e-6, 1e12});
  ASSERT_TRUE(kept.write().ok());
  std::ifstream stream(file());
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  for (std::size_t n = 0; n + 2 < text.size(); n += 7) {
    write(text.substr(0, n));
    EXPECT_EQ(known(cpuOf(2)), DeviceSpeed{}) << n;
  }
}

TEST_F(DeviceSpeedStoreTest, says_which_file_cannot_be_written_and_leaves_nothing_behind) {
  std::ofstream(folder.path() / "below") << "a file where the folder should be";
  DeviceSpeedStore kept = store();
  putNew(kept, cpuOf(2), {20e9, 0, 0});
  const Status written = kept.write();
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.text().find("device-speeds.json"), std::string::npos)
      << written.error().message.text();
}

TEST_F(DeviceSpeedStoreTest, a_figure_of_a_busy_machine_is_replaced_by_a_better_measurement) {
  DeviceSpeedStore kept = store();
  kept.put_measured(cpuOf(2), {{20e9 / 6, 5e9 / 18, 2000 * 3e-6, 1e12 / 6}, {}}, kNow);
  kept.put_measured(cpuOf(2), {{20e9, 5e9, 3e-6, 1e12}, {}}, kLater);
  ASSERT_TRUE(kept.write().ok());
  EXPECT_EQ(known(cpuOf(2)), (DeviceSpeed{20e9, 5e9, 3e-6, 1e12}));
}

TEST_F(DeviceSpeedStoreTest, goes_on_from_what_earlier_answers_showed_not_from_the_plan) {
  const ModelInfo model = test::make_model(test::kLlama32_1B);
  DeviceSpeedStore kept = store();
  putNew(kept, cpuOf(2), {10e9, 0, 0});
  std::vector<DeviceInfo> devices{cpuOf(2)};
  kept.fill(devices);
  const MemoryPlan plan = *plan_memory(model, devices, {.n_ctx = 1024});
  const double bytes = token_work(model, devices, plan.placement, plan.options, 100).front().bytes;
  const DecodeTimes times{40, 40 * 100, {40 * bytes / 20e9}};
  for (int answer = 0; answer < 12; ++answer) ASSERT_TRUE(kept.refine(model, plan, times));
  ASSERT_TRUE(kept.write().ok());
  devices[0].speed = known(cpuOf(2));
  EXPECT_NEAR(*estimate_tokens_per_s(model, devices, plan.placement, plan.options, 100) * bytes / 20e9, 1, 0.01);
  EXPECT_FALSE(store().due(devices, kNow + 599).size() > 0);
  EXPECT_EQ(store().due(devices, kLater).size(), 1U) << "the first answer was twice as fast as predicted";
  EXPECT_FALSE(kept.refine(model, plan, {3, 300, {1.0}})) << "too few tokens";
}

TEST_F(DeviceSpeedStoreTest, a_prompt_that_took_half_or_twice_as_long_has_the_devices_measured_again) {
  const ModelInfo model = test::make_model(test::kLlama32_1B);
  for (const double slowdown : {0.45, 0.55, 1.9, 2.1}) {
    std::vector<DeviceInfo> devices{cpuOf(2)};
    DeviceSpeedStore kept = store();
    for (int i = 0; i < 3; ++i) kept.put_measured(devices[0], {{10e9, 0, 1e-6, 1e12}, {}}, kNow);
    kept.fill(devices);
    const MemoryPlan plan = *plan_memory(model, devices, {.n_ctx = 1024});
    const double seconds = slowdown * 300 / *estimate_prompt_tokens_per_s(model, plan, 300, 40);
    EXPECT_FALSE(kept.refine(model, plan, {}, {20, 40, 100.0})) << "too short";
    const bool isFar = slowdown < 0.5 || slowdown > 2;
    EXPECT_EQ(kept.refine(model, plan, {}, {300, 40, seconds}), isFar) << slowdown;
    EXPECT_EQ(kept.due(devices, kLater).size(), isFar ? 1U : 0U) << slowdown;
  }
}

}  // namespace
}  // namespace headroom
