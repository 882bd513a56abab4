// What becomes of a driver's facts, without the driver: each that a driver may lack is missing once.
#include "backend/vulkan/vulkan_facts.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temp_folder.h"
#include "vulkan/vulkan_fixture.h"

namespace headroom {
namespace {

VulkanFacts desktop_card() {
  VulkanFacts facts;
  facts.name = "A card";
  facts.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  facts.api_version = VK_API_VERSION_1_3;
  facts.vendor = 0x1002;
  facts.product = 0x73bf;
  facts.driver_id = VK_DRIVER_ID_MESA_RADV;
  facts.driver = "radv Mesa 25.0";
  facts.extensions = {VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME,
                      VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME};
  facts.compute_queue = 1;
  facts.limits.maxPushConstantsSize = 128;
  facts.limits.maxComputeWorkGroupInvocations = 1024;
  facts.limits.maxComputeSharedMemorySize = 32 * 1024;
  facts.limits.maxPerStageDescriptorStorageBuffers = 64;
  facts.limits.maxStorageBufferRange = ~0U;
  facts.limits.minStorageBufferOffsetAlignment = 64;
  facts.max_allocation_bytes = 4 * kGiB;
  facts.heap = 1;
  facts.heap_bytes = 16 * kGiB;
  facts.has_timeline_semaphores = facts.tier.has_half = facts.tier.has_int8 = facts.tier.is_int8_fast = true;
  facts.pci = PciAddress{0, 3, 0, 0};
  return facts;
}

VulkanCard card_of(const VulkanFacts& facts, std::string_view tier = {}) {
  return make_vulkan_card(facts, 2, tier, "/nowhere");
}

TEST(VulkanFacts, of_a_desktop_card_are_all_used) {
  EXPECT_EQ(why_not_usable(desktop_card()), "");
  const VulkanCard card = card_of(desktop_card());
  EXPECT_EQ(card.info.id, "vulkan:2");
  EXPECT_EQ(card.info.kernels, "Vulkan, tier 2 (int8)");
  EXPECT_EQ(card.info.kernel_note, "");
  EXPECT_EQ(card.queue_family, 1U);
  EXPECT_EQ(card.heap, 1U);
  EXPECT_EQ(card.heap_bytes, 16 * kGiB);
  EXPECT_TRUE(card.has_memory_budget);
  EXPECT_EQ(card.pci, (PciAddress{0, 3, 0, 0}));
  EXPECT_GT(card.info.driver_bytes, 0U);
  EXPECT_FALSE(card.info.has_unified_memory || card.info.is_software || card.skips_long_loops);
}

// What our kernels stand on; each sentence says what was expected and what was found.
TEST(VulkanFacts, that_miss_what_every_kernel_needs_are_refused_by_a_sentence) {
  struct Case {
    const char* sentence;
    void (*spoil)(VulkanFacts&);
  };
  for (const auto& [sentence, spoil] :
       {Case{"expected Vulkan 1.2, found 1.1", [](VulkanFacts& f) { f.api_version = VK_API_VERSION_1_1; }},
        Case{"expected timeline semaphores, found none", [](VulkanFacts& f) { f.has_timeline_semaphores = false; }},
        Case{"expected a queue that computes, found none", [](VulkanFacts& f) { f.compute_queue.reset(); }},
        Case{"expected memory of the device's own, found none", [](VulkanFacts& f) { f.heap_bytes = 0; }},
        Case{"expected push constants of at least 128, found 127",
             [](VulkanFacts& f) { f.limits.maxPushConstantsSize = 127; }},
        Case{"expected workgroups of at least 256, found 128",
             [](VulkanFacts& f) { f.limits.maxComputeWorkGroupInvocations = 128; }},
        Case{"expected shared memory of at least 16384, found 16383",
             [](VulkanFacts& f) { f.limits.maxComputeSharedMemorySize = 16 * 1024 - 1; }},
        Case{"expected storage buffers of at least 8, found 4",
             [](VulkanFacts& f) { f.limits.maxPerStageDescriptorStorageBuffers = 4; }}}) {
    VulkanFacts facts = desktop_card();
    spoil(facts);
    EXPECT_EQ(why_not_usable(facts), sentence);
  }
}

TEST(VulkanFacts, without_each_extension_leave_a_card_that_works) {
  VulkanFacts facts = desktop_card();
  facts.extensions.erase(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  EXPECT_FALSE(card_of(facts).has_memory_budget);

  facts = desktop_card();
  facts.tier.has_int8 = facts.tier.is_int8_fast = false;
  EXPECT_EQ(card_of(facts).tier.number, 1U);
  EXPECT_EQ(card_of(facts).info.kernels, "Vulkan, tier 1 (f16)");
  EXPECT_NE(card_of(facts).info.kernel_note.text().find("its driver has no products of int8"), std::string::npos);
  EXPECT_EQ(card_of(facts, "2").tier.number, 1U) << "what is not there cannot be asked for";
  EXPECT_EQ(card_of(desktop_card(), "0").tier.number, 0U);
  EXPECT_EQ(card_of(desktop_card(), "0").info.kernel_note, "") << "it was asked for";
  EXPECT_EQ(card_of(desktop_card(), "4").tier.number, 2U) << "what is no tier leaves the choice to the driver";

  const VulkanFacts bare = without_options(desktop_card());
  EXPECT_EQ(why_not_usable(bare), "");
  EXPECT_FALSE(card_of(bare).has_memory_budget);
  EXPECT_EQ(card_of(bare).tier.number, 0U);
  EXPECT_EQ(card_of(bare).pci, std::nullopt);
}

// Without VK_EXT_pci_bus_info the kernel knows where a card is that has no twin.
TEST(VulkanFacts, without_an_address_leave_it_to_the_kernel) {
  const test::TempFolder folder;
  const auto add = [&](const std::string& address) {
    const std::filesystem::path device = folder.path() / "bus/pci/devices" / address;
    std::filesystem::create_directories(device);
    std::ofstream(device / "vendor") << "0x1002\n";
    std::ofstream(device / "device") << "0x73bf\n";
    std::ofstream(device / "class") << "0x030000\n";
  };
  const VulkanFacts bare = without_options(desktop_card());
  add("0000:03:00.0");
  EXPECT_EQ(make_vulkan_card(bare, 0, {}, folder.path()).pci, (PciAddress{0, 3, 0, 0}));
  add("0000:04:00.0");
  EXPECT_EQ(make_vulkan_card(bare, 0, {}, folder.path()).pci, std::nullopt) << "which of the two nobody tells";
}

TEST(VulkanFacts, of_drivers_that_share_memory_or_compute_on_the_cpu_say_so) {
  VulkanFacts facts = desktop_card();
  facts.type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  EXPECT_TRUE(card_of(facts).info.has_unified_memory);
  EXPECT_FALSE(card_of(facts).info.is_software);
  facts.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
  facts.driver_id = VK_DRIVER_ID_MESA_LLVMPIPE;
  const VulkanCard software = card_of(facts);
  EXPECT_TRUE(software.info.is_software && software.info.has_unified_memory && software.skips_long_loops);
  EXPECT_EQ(software.pci, std::nullopt);
  EXPECT_EQ(software.info.driver_bytes, 0U);
}

TEST(VulkanFacts, of_a_name_leave_out_what_the_driver_says_of_itself) {
  for (const auto& [told, shown] : {std::pair{"llvmpipe (LLVM 15.0.6, 256 bits)", "llvmpipe"},
                                    std::pair{"AMD Radeon RX 6800 (RADV NAVI21)", "AMD Radeon RX 6800"},
                                    std::pair{"Intel(R) UHD Graphics 620 (KBL GT2)", "Intel(R) UHD Graphics 620"},
                                    std::pair{"NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090"},
                                    std::pair{"(nothing else)", "(nothing else)"}}) {
    VulkanFacts facts = desktop_card();
    facts.name = told;
    EXPECT_EQ(card_of(facts).info.name, shown);
  }
}

TEST(VulkanFacts, of_the_device_here_make_the_card_that_is_found) {
  const VulkanCards found = vulkan_cards();
  ASSERT_FALSE(found.cards.empty());
  const VulkanCard& card = found.cards.front();
  const VulkanFacts facts = read_vulkan_facts(card.handle);
  EXPECT_TRUE(facts.name.starts_with(card.info.name)) << facts.name;
  EXPECT_EQ(facts.heap_bytes, card.heap_bytes);
  EXPECT_GE(facts.heap_bytes, card.info.total_bytes);
  EXPECT_GE(facts.api_version, VK_API_VERSION_1_2);
  EXPECT_FALSE(facts.driver.empty());
}

}  // namespace
}  // namespace headroom
