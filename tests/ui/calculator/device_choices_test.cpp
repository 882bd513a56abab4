#include "ui/calculator/device_choices.h"

#include <gtest/gtest.h>

#include "support/model_specs.h"

namespace headroom::ui {
namespace {

DeviceInfo gpu(const char* id, Bytes bytes, bool isPresent = true) {
  DeviceInfo device = test::gpu_with(bytes);
  device.id = device.name = id;
  device.is_present = isPresent;
  return device;
}

DeviceInfo host(const char* id, Bytes bytes) {
  DeviceInfo device = test::cpu_with(bytes);
  device.id = device.name = id;
  return device;
}

class DeviceChoicesTest : public testing::Test {
 protected:
  void SetUp() override { m_choices.setPresent(m_here); }
  QStringList ids() const {
    QStringList ids;
    for (const ChosenDevice& row : m_choices.rows()) ids << row.id;
    return ids;
  }
  QStringList planned() const {
    const std::vector<DeviceInfo> devices = m_choices.devices();
    QStringList ids;
    for (const DeviceChoice& choice : m_choices.choices()) ids << QString::fromStdString(devices[choice.device].id);
    return ids;
  }
  std::vector<DeviceInfo> m_here{host("cpu", 32 * kGiB), gpu("cuda:0", 8 * kGiB), gpu("cuda:1", 6 * kGiB)};
  DeviceChoices m_choices{{gpu("RTX 3060", 12 * kGiB, false), host("64 GB", 64 * kGiB)}};
};

TEST_F(DeviceChoicesTest, a_machine_starts_with_its_gpus_and_its_host_last) {
  EXPECT_EQ(ids(), (QStringList{"cuda:0", "cuda:1", "cpu"}));
  EXPECT_EQ(planned(), ids());
  EXPECT_EQ(m_choices.rows()[0].headroom, HeadroomRule(KeepFree{kGiB}));
  DeviceChoices alone({});
  alone.setPresent({host("cpu", 4 * kGiB)});
  ASSERT_EQ(alone.rows().size(), 1U);
  EXPECT_EQ(alone.rows()[0].headroom, HeadroomRule(KeepFree{512 * kMiB}));
}

TEST_F(DeviceChoicesTest, a_gpu_that_shares_the_hosts_memory_is_chosen_only_where_there_is_no_other) {
  DeviceInfo shared = gpu("vulkan:0", 16 * kGiB);
  shared.has_unified_memory = true;
  DeviceChoices both({}), one({});
  both.setPresent({host("cpu", 32 * kGiB), shared, gpu("cuda:0", 8 * kGiB)});
  one.setPresent({host("cpu", 32 * kGiB), shared});
  EXPECT_EQ(both.rows()[0].id, "cuda:0");
  EXPECT_EQ(both.gpuCount(), 1U);
  EXPECT_EQ(one.rows()[0].id, "vulkan:0");
}

TEST_F(DeviceChoicesTest, a_row_can_be_another_device_and_a_host_takes_a_gpu_out) {
  EXPECT_TRUE(m_choices.use(1, "RTX 3060"));
  EXPECT_EQ(ids(), (QStringList{"cuda:0", "RTX 3060", "cpu"}));
  EXPECT_FALSE(m_choices.use(1, "cuda:0")) << "it is in another row";
  EXPECT_TRUE(m_choices.use(0, "cpu"));
  EXPECT_EQ(ids(), (QStringList{"RTX 3060", "cpu"}));
  EXPECT_TRUE(m_choices.use(0, "64 GB"));
  EXPECT_EQ(ids(), QStringList{"64 GB"});
  EXPECT_TRUE(m_choices.use(0, "cuda:1"));
  EXPECT_EQ(ids(), (QStringList{"cuda:1", "64 GB"}));
  EXPECT_FALSE(m_choices.use(0, "no such device"));
  EXPECT_FALSE(m_choices.use(9, "cpu"));
}

TEST_F(DeviceChoicesTest, a_gpu_that_failed_is_replaced_by_another_one_that_is_here_or_by_none) {
  EXPECT_TRUE(m_choices.replace("cuda:1")) << "the other one has a row of its own";
  EXPECT_EQ(ids(), (QStringList{"cuda:0", "cpu"}));
  m_here.push_back(gpu("vulkan:0", 8 * kGiB));
  m_here.back().kind = DeviceKind::kVulkan;
  m_here.push_back(gpu("vulkan:1", 8 * kGiB));
  m_here.back().kind = DeviceKind::kVulkan;
  m_here.back().is_software = true;
  m_here.erase(m_here.begin() + 2);
  m_choices.setPresent(m_here);
  EXPECT_TRUE(m_choices.replace("cuda:0"));
  EXPECT_EQ(ids(), (QStringList{"vulkan:0", "cpu"})) << "nothing new is added but in its place";
  EXPECT_TRUE(m_choices.replace("vulkan:0"));
  EXPECT_EQ(ids(), (QStringList{"cuda:0", "cpu"})) << "which may work again";
  m_choices.setPresent({m_here[0], m_here[1], m_here[3]});
  EXPECT_TRUE(m_choices.replace("cuda:0"));
  EXPECT_EQ(ids(), QStringList{"cpu"}) << "what computes on the CPU is no other GPU";
  EXPECT_FALSE(m_choices.replace("cpu"));
  EXPECT_FALSE(m_choices.replace("cuda:0")) << "it is in no row";
}

TEST_F(DeviceChoicesTest, another_host_is_planned_in_the_place_of_the_one_that_is_here) {
  m_choices.use(2, "64 GB");
  const std::vector<DeviceInfo> devices = m_choices.devices();
  int nHosts = 0;
  for (const DeviceInfo& device : devices) nHosts += device.kind == DeviceKind::kCpu ? 1 : 0;
  EXPECT_EQ(nHosts, 1);
  EXPECT_EQ(planned(), (QStringList{"cuda:0", "cuda:1", "64 GB"}));
}

TEST_F(DeviceChoicesTest, order_and_number_change_and_the_host_stays_last) {
  EXPECT_FALSE(m_choices.moveUp(0));
  EXPECT_FALSE(m_choices.moveUp(2)) << "the host";
  EXPECT_TRUE(m_choices.moveUp(1));
  EXPECT_EQ(planned(), (QStringList{"cuda:1", "cuda:0", "cpu"}));
  EXPECT_FALSE(m_choices.remove(2)) << "the host";
  EXPECT_TRUE(m_choices.remove(0));
  EXPECT_EQ(ids(), (QStringList{"cuda:0", "cpu"}));
  EXPECT_TRUE(m_choices.add("cuda:1"));
  EXPECT_EQ(ids(), (QStringList{"cuda:0", "cuda:1", "cpu"}));
  EXPECT_FALSE(m_choices.add("cpu")) << "there is one host";
}

TEST_F(DeviceChoicesTest, a_card_of_the_catalogue_can_be_planned_for_several_times) {
  EXPECT_TRUE(m_choices.add("RTX 3060"));
  EXPECT_TRUE(m_choices.add("RTX 3060"));
  EXPECT_EQ(ids(), (QStringList{"cuda:0", "cuda:1", "RTX 3060", "RTX 3060 #2", "cpu"}));
  EXPECT_EQ(planned(), ids());
  EXPECT_EQ(m_choices.find("RTX 3060 #2")->total_bytes, 12 * kGiB);
  EXPECT_EQ(m_choices.find("RTX 3060 #2")->name, "RTX 3060 #2");
  EXPECT_FALSE(m_choices.find("cuda:0 #2")) << "of this machine there is one";
  m_choices.remove(2);
  m_choices.add("RTX 3060");
  EXPECT_EQ(ids(), (QStringList{"cuda:0", "cuda:1", "RTX 3060 #2", "RTX 3060", "cpu"})) << "each id once";
}

TEST_F(DeviceChoicesTest, a_card_of_this_machine_is_offered_to_one_row) {
  EXPECT_TRUE(m_choices.isOffered(m_here[1], 0));
  EXPECT_FALSE(m_choices.isOffered(m_here[1], 1));
  EXPECT_FALSE(m_choices.isOffered(m_here[1], 2)) << "beside GPUs the host is a host";
  EXPECT_FALSE(m_choices.isOffered(m_here[1], 3)) << "to add";
  EXPECT_TRUE(m_choices.isOffered(m_choices.catalogue()[0], 3));
  EXPECT_TRUE(m_choices.isOffered(m_here[0], 0)) << "the CPU alone";
}

TEST_F(DeviceChoicesTest, cards_of_one_name_are_told_apart_by_their_ids) {
  m_here[1].name = m_here[2].name = "RTX 3090";
  m_choices.setPresent(m_here);
  const std::vector<DeviceInfo> devices = m_choices.devices();
  EXPECT_EQ(devices[1].name, "RTX 3090 (cuda:0)");
  EXPECT_EQ(devices[2].name, "RTX 3090 (cuda:1)");
}

TEST_F(DeviceChoicesTest, what_was_kept_comes_back_without_what_is_gone_or_said_twice) {
  EXPECT_TRUE(
      m_choices.choose({{"cuda:1", AtMost{kGiB}}, {"cuda:7", {}}, {"cuda:1", {}}, {"cpu", KeepFree{3 * kGiB}}}));
  EXPECT_EQ(ids(), (QStringList{"cuda:1", "cpu"}));
  EXPECT_EQ(m_choices.rows()[0].headroom, HeadroomRule(AtMost{kGiB}));
  EXPECT_EQ(m_choices.rows()[1].headroom, HeadroomRule(KeepFree{3 * kGiB}));
  EXPECT_TRUE(m_choices.choose({{"cuda:0", {}}})) << "a host is always there";
  EXPECT_EQ(ids(), (QStringList{"cuda:0", "cpu"}));
}

TEST_F(DeviceChoicesTest, a_device_that_goes_is_named_and_a_look_that_saw_nothing_changes_nothing) {
  EXPECT_EQ(m_choices.setPresent({}), QStringList());
  EXPECT_EQ(ids(), (QStringList{"cuda:0", "cuda:1", "cpu"}));
  m_choices.setPresent(m_here);
  EXPECT_EQ(m_choices.setPresent({m_here[0], m_here[2]}), QStringList{"cuda:0"});
  EXPECT_EQ(ids(), (QStringList{"cuda:1", "cpu"}));
}

TEST_F(DeviceChoicesTest, keep_free_goes_along_to_another_device_where_it_leaves_anything) {
  m_choices.setHeadroom(0, KeepFree{7 * kGiB});
  m_choices.use(0, "RTX 3060");
  EXPECT_EQ(m_choices.rows()[0].headroom, HeadroomRule(KeepFree{kGiB})) << "more than half of it";
  m_choices.setHeadroom(0, KeepFree{2 * kGiB});
  m_choices.use(0, "cuda:0");
  EXPECT_EQ(m_choices.rows()[0].headroom, HeadroomRule(KeepFree{2 * kGiB}));
  m_choices.setHeadroom(0, AtMost{2 * kGiB});
  m_choices.use(0, "RTX 3060");
  EXPECT_EQ(m_choices.rows()[0].headroom, HeadroomRule(KeepFree{kGiB})) << "a limit was the old device's";
}

}  // namespace
}  // namespace headroom::ui
