#include "backend/vulkan/vulkan_instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "backend/gpu/device_choice.h"
#include "backend/vulkan/vulkan_facts.h"
#include "backend/vulkan/vulkan_faults.h"
#include "backend/vulkan/vulkan_memory.h"

namespace headroom {
namespace {

struct Instance {
  VkInstance handle = VK_NULL_HANDLE;
  Message problem;  // why there is none
};

Instance make_instance() {
  if (volkInitialize() != VK_SUCCESS)
    return {VK_NULL_HANDLE, Message::say("Vulkan: this machine has no loader (libvulkan.so.1)")};
  VkApplicationInfo app{};
  app.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  app.pApplicationName = "Headroom";
  app.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  create.pApplicationInfo = &app;
  VkInstance handle = VK_NULL_HANDLE;
  const VkResult made = vkCreateInstance(&create, nullptr, &handle);
  if (made == VK_ERROR_INCOMPATIBLE_DRIVER)
    return {VK_NULL_HANDLE, Message::say("Vulkan: this machine has a loader and no driver")};
  if (made != VK_SUCCESS)
    return {VK_NULL_HANDLE, Message::say("Vulkan: opening the drivers failed: {}", vk_result_name(made))};
  volkLoadInstance(handle);
  return {handle, {}};
}

// Lasts as long as the process: drivers do not take well to being opened and closed again.
const Instance& instance() {
  static const Instance made = make_instance();
  return made;
}

// Puts those that the setting names in its order; the sentence says what is wrong with it.
void choose_cards(VulkanCards& found, std::string_view setting) {
  const Result<std::vector<std::size_t>> chosen =
      parse_device_choice(kVulkanDevicesVariable, setting, found.cards.size());
  if (!chosen) {
    found.refused.push_back(chosen.error().message);
    return;
  }
  std::vector<VulkanCard> cards;
  for (const std::size_t index : *chosen) {
    cards.push_back(found.cards[index]);
    cards.back().info.id = fmt::format("vulkan:{}", cards.size() - 1);
  }
  found.cards = std::move(cards);
}

}  // namespace

VulkanCards vulkan_cards(bool with_software) {
  VulkanCards found;
  const char* setting = std::getenv(kVulkanDevicesVariable);
  if (setting != nullptr && std::string_view(setting) == "none") return found;
  const Instance& vulkan = instance();
  if (vulkan.handle == VK_NULL_HANDLE) {
    found.refused.push_back(vulkan.problem);
    return found;
  }
  std::uint32_t n = 0;
  vkEnumeratePhysicalDevices(vulkan.handle, &n, nullptr);
  std::vector<VkPhysicalDevice> devices(n);
  vkEnumeratePhysicalDevices(vulkan.handle, &n, devices.data());
  devices.resize(n);
  if (devices.empty()) found.refused.push_back(Message::say("Vulkan: the loader finds no device"));
  std::vector<std::pair<VkPhysicalDevice, VulkanFacts>> all;
  for (VkPhysicalDevice device : devices) all.emplace_back(device, read_vulkan_facts(device));
  const auto is_software = [](const auto& each) { return each.second.type == VK_PHYSICAL_DEVICE_TYPE_CPU; };
  std::ranges::stable_partition(all, std::not_fn(is_software));
  const char* tier = std::getenv(kVulkanTierVariable);
  const std::string_view tier_setting = tier != nullptr ? tier : "";
  for (auto& [device, facts] : all) {
    if (const std::uint32_t vendor = vulkan_faults().vendor; vendor != 0) facts.vendor = vendor;
    if (vulkan_faults().hides_options) facts = without_options(std::move(facts));
    if (const Message why = why_not_usable(facts); !why.empty()) {
      found.refused.push_back(Message::say("Vulkan: {}: {}", facts.name, why));
      continue;
    }
    if (facts.type == VK_PHYSICAL_DEVICE_TYPE_CPU && !with_software) {
      found.refused.push_back(
          Message::say("Vulkan: {} computes on the CPU, where our own kernels are faster", facts.name));
      continue;
    }
    VulkanCard card = make_vulkan_card(facts, found.cards.size(), tier_setting, kSysFolder);
    card.handle = device;
    const Result<MemorySample> memory = sample_card(card);
    if (!memory) {
      found.refused.push_back(Message::say("Vulkan: {}: {}", facts.name, memory.error().message));
      continue;
    }
    card.info.total_bytes = memory->total;
    card.info.free_bytes = memory->free;
    card.info.account = memory->account;
    found.cards.push_back(std::move(card));
  }
  if (setting != nullptr && *setting != '\0') choose_cards(found, setting);
  if (!tier_setting.empty() && !parse_vulkan_tier(tier_setting)) {
    found.refused.push_back(Message::say("{}: expected 0 to {}, found \"{}\"", std::string_view(kVulkanTierVariable),
                                         kMostVulkanTier, tier_setting));
  }
  return found;
}

}  // namespace headroom
