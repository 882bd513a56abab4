// Devices of the driver that are opened once for many tests. lavapipe takes about 10 ms of a processor for each
// pipeline whenever a device is opened, whatever it has compiled before, and many tests open a device for each of a
// hundred small models: compiling the same twenty pipelines each time was seven tenths of their time. In the suites
// below, which ctest runs in one process each (TOGETHER in CMakeLists.txt), a device that is closed is not destroyed,
// and the next one that is opened with the same features is that one, with the pipelines that were made on it.
// Everything else (memory, command buffers, descriptors, semaphores) is made and destroyed as ever.
//
// All other suites open and close devices as users do. Under validation layers (validated.sh) all devices are destroyed
// at the end of a test, so that they report what was left on one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/vulkan/vulkan_instance.h"

namespace headroom {
namespace {

// What they compare is numbers; "Group/" of suites with parameters is left out.
constexpr std::array<std::string_view, 9> kSuites{"GpuAttend",   "GpuCheckpoints", "GpuGolden",
                                                  "GpuHalfRows", "GpuModel",       "GpuSession",
                                                  "GpuState",    "GpuStream",      "GpuTakenBack"};

struct OpenedDevice {
  std::string features;  // what it was opened with
  bool is_idle = false;
  std::map<std::string, VkPipeline> pipelines;  // by their code and constants
  std::vector<VkPipelineLayout> layouts;        // of these pipelines; all of our pipelines have layouts of one shape
  std::vector<VkDescriptorSetLayout> set_layouts;
};

struct {
  std::mutex mutex;
  bool is_keeping = false;
  std::map<VkDevice, OpenedDevice> devices;
  std::map<VkShaderModule, const std::uint32_t*> codes;
} state;

// The driver's own functions.
PFN_vkCreateDevice create_device = nullptr;
PFN_vkDestroyDevice destroy_device = nullptr;
PFN_vkCreateShaderModule create_module = nullptr;
PFN_vkDestroyShaderModule destroy_module = nullptr;
PFN_vkCreateComputePipelines create_pipelines = nullptr;
PFN_vkDestroyPipeline destroy_pipeline = nullptr;
PFN_vkDestroyPipelineLayout destroy_layout = nullptr;
PFN_vkDestroyDescriptorSetLayout destroy_set_layout = nullptr;

template <class T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Those of Vulkan 1.2 and the extensions, from which all other features follow (VulkanTierFeatures).
std::string features_of(VkPhysicalDevice card, const VkDeviceCreateInfo& create) {
  VkPhysicalDeviceVulkan12Features features = *static_cast<const VkPhysicalDeviceVulkan12Features*>(create.pNext);
  features.pNext = nullptr;
  std::string key;
  append(key, card);
  append(key, features);
  append(key, create.pQueueCreateInfos->queueFamilyIndex);
  for (std::uint32_t i = 0; i < create.enabledExtensionCount; ++i) {
    key += create.ppEnabledExtensionNames[i];
    key += '\n';
  }
  return key;
}

std::string key_of(const VkComputePipelineCreateInfo& create) {
  const VkSpecializationInfo& constants = *create.stage.pSpecializationInfo;
  std::string key;
  append(key, state.codes.at(create.stage.module));
  append(key, create.stage.flags);
  return key.append(static_cast<const char*>(constants.pData), constants.dataSize);
}

VkResult open_device(VkPhysicalDevice card, const VkDeviceCreateInfo* create, const VkAllocationCallbacks* with,
                     VkDevice* made) {
  const std::lock_guard lock(state.mutex);
  if (!state.is_keeping) return create_device(card, create, with, made);
  const std::string features = features_of(card, *create);
  for (auto& [device, opened] : state.devices) {
    if (!opened.is_idle || opened.features != features) continue;
    opened.is_idle = false;
    *made = device;
    return VK_SUCCESS;
  }
  const VkResult result = create_device(card, create, with, made);
  if (result == VK_SUCCESS) state.devices[*made].features = features;
  return result;
}

void close_device(VkDevice device, const VkAllocationCallbacks* with) {
  const std::lock_guard lock(state.mutex);
  if (const auto found = state.devices.find(device); found != state.devices.end()) {
    found->second.is_idle = true;
  } else {
    destroy_device(device, with);
  }
}

VkResult make_pipelines(VkDevice device, VkPipelineCache cache, std::uint32_t n,
                        const VkComputePipelineCreateInfo* create, const VkAllocationCallbacks* with,
                        VkPipeline* made) {
  std::unique_lock lock(state.mutex);
  const auto found = state.devices.find(device);
  if (found == state.devices.end() || n != 1) {
    lock.unlock();
    return create_pipelines(device, cache, n, create, with, made);
  }
  const std::string key = key_of(*create);
  std::map<std::string, VkPipeline>& pipelines = found->second.pipelines;
  if (const auto kept = pipelines.find(key); kept != pipelines.end()) {
    *made = kept->second;
    return VK_SUCCESS;
  }
  lock.unlock();  // several threads compile
  const VkResult result = create_pipelines(device, cache, n, create, with, made);
  lock.lock();
  if (result == VK_SUCCESS) pipelines[key] = *made;
  return result;
}

// Replaces the functions that volk has found, once.
void replace_functions() {
  if (create_device != nullptr || vkCreateDevice == nullptr) return;
  create_device = std::exchange(vkCreateDevice, open_device);
  destroy_device = std::exchange(vkDestroyDevice, close_device);
  create_pipelines = std::exchange(vkCreateComputePipelines, make_pipelines);
  create_module = std::exchange(vkCreateShaderModule,
                                [](VkDevice device, const VkShaderModuleCreateInfo* create,
                                   const VkAllocationCallbacks* with, VkShaderModule* made) -> VkResult {
                                  const VkResult result = create_module(device, create, with, made);
                                  const std::lock_guard lock(state.mutex);
                                  if (result == VK_SUCCESS) state.codes[*made] = create->pCode;
                                  return result;
                                });
  destroy_module = std::exchange(vkDestroyShaderModule,
                                 [](VkDevice device, VkShaderModule module, const VkAllocationCallbacks* with) {
                                   {
                                     const std::lock_guard lock(state.mutex);
                                     state.codes.erase(module);
                                   }
                                   destroy_module(device, module, with);
                                 });
  destroy_pipeline =
      std::exchange(vkDestroyPipeline, [](VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks* with) {
        const std::lock_guard lock(state.mutex);
        if (!state.devices.contains(device)) destroy_pipeline(device, pipeline, with);
      });
  destroy_layout = std::exchange(vkDestroyPipelineLayout,
                                 [](VkDevice device, VkPipelineLayout layout, const VkAllocationCallbacks* with) {
                                   const std::lock_guard lock(state.mutex);
                                   const auto found = state.devices.find(device);
                                   if (found == state.devices.end()) return destroy_layout(device, layout, with);
                                   found->second.layouts.push_back(layout);
                                 });
  destroy_set_layout = std::exchange(vkDestroyDescriptorSetLayout, [](VkDevice device, VkDescriptorSetLayout layout,
                                                                      const VkAllocationCallbacks* with) {
    const std::lock_guard lock(state.mutex);
    const auto found = state.devices.find(device);
    if (found == state.devices.end()) return destroy_set_layout(device, layout, with);
    found->second.set_layouts.push_back(layout);
  });
}

// Those that nobody has open: of a device that was given up the driver may never answer.
void destroy_idle() {
  for (const auto& [device, opened] : state.devices) {
    if (!opened.is_idle) continue;
    for (const auto& [key, pipeline] : opened.pipelines) destroy_pipeline(device, pipeline, nullptr);
    for (VkPipelineLayout layout : opened.layouts) destroy_layout(device, layout, nullptr);
    for (VkDescriptorSetLayout layout : opened.set_layouts) destroy_set_layout(device, layout, nullptr);
    destroy_device(device, nullptr);
  }
  std::erase_if(state.devices, [](const auto& each) { return each.second.is_idle; });
}

class KeepDevices : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override {
    std::string_view suite = test.test_suite_name();
    suite.remove_prefix(suite.find('/') + 1);  // 0 where there is none
    const bool is_keeping = std::ranges::find(kSuites, suite) != kSuites.end();
    if (is_keeping) {
      vulkan_cards();  // has the driver's functions found
      replace_functions();
    }
    const std::lock_guard lock(state.mutex);
    state.is_keeping = is_keeping;
    if (!is_keeping) destroy_idle();
  }

  void OnTestEnd(const testing::TestInfo&) override {
    const std::lock_guard lock(state.mutex);
    if (std::getenv("VK_INSTANCE_LAYERS") != nullptr) destroy_idle();
  }
  void OnTestProgramEnd(const testing::UnitTest&) override {
    const std::lock_guard lock(state.mutex);
    destroy_idle();
  }
};

[[maybe_unused]] const bool is_listening = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new KeepDevices);
  return true;
}();

}  // namespace
}  // namespace headroom
