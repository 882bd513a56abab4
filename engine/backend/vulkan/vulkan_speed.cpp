#include "backend/vulkan/vulkan_speed.h"

#include <algorithm>
#include <chrono>

#include "backend/vulkan/vulkan_arena.h"
#include "backend/vulkan/vulkan_descriptors.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Bytes kReadBytes = 64 * kMiB, kCopyBytes = 8 * kMiB;
constexpr Bytes kBytesPerGroup = 128 * 16 * 16;  // shaders/read_rate.comp
constexpr int kPasses = 3, kFewOps = 64;

// Of the shortest of some passes: other programs only ever take time away.
template <class Work>
Result<double> shortest(Work work) {
  double best = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const Clock::time_point start = Clock::now();
    if (Status done = work(); !done) return done.error();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (best == 0 || seconds < best) best = seconds;
  }
  return best;
}

Result<std::unique_ptr<VulkanArena>> map(const std::shared_ptr<VulkanDevice>& device, Memory memory, Bytes bytes) {
  ArenaPlan plan;
  plan.memory = memory;
  plan.size = bytes;
  return VulkanArena::map(device, plan);
}

}  // namespace

Result<DeviceSpeed> measure_vulkan_speed(const std::shared_ptr<VulkanDevice>& device, VulkanPipelines& pipelines) {
  Result<std::unique_ptr<VulkanArena>> from = map(device, Memory::kDevice, kReadBytes);
  if (!from) return from.error();
  Result<std::unique_ptr<VulkanArena>> host = map(device, Memory::kPageLocked, kCopyBytes);
  if (!host) return host.error();
  Result<VkPipeline> pipeline = pipelines.find(Kernel::kReadRate, {});
  if (!pipeline) return pipeline.error();
  Result<std::unique_ptr<VulkanDescriptors>> descriptors = VulkanDescriptors::open(device, 1);
  if (!descriptors) return descriptors.error();
  VulkanDescriptors::Buffers buffers{};
  buffers.fill({(*from)->buffer(), 0, (*from)->mapped_bytes()});
  Result<VkDescriptorSet> set = (*descriptors)->bind(pipelines, buffers);
  if (!set) return set.error();
  const auto read = [&](std::uint32_t n_groups, int n_times) {
    return shortest([&] {
      return device->run_once("measuring it", [&](VkCommandBuffer commands) {
        pipelines.bind(commands, *pipeline, *set, {});
        for (int i = 0; i < n_times; ++i) {
          vkCmdDispatch(commands, n_groups, 1, 1);
          record_barrier(commands);
        }
      });
    });
  };
  DeviceSpeed speed;
  const Result<double> one = read(1, 1), few = read(1, kFewOps),
                       all = read(static_cast<std::uint32_t>(kReadBytes / kBytesPerGroup), 1);
  for (const Result<double>* seconds : {&one, &few, &all}) {
    if (!*seconds) return seconds->error();
  }
  speed.op_seconds = std::max(0.0, *few - *one) / (kFewOps - 1);
  // What a submission costs is no reading.
  const double reading = *all > *one ? *all - *one : *all;
  if (reading > 0) speed.read_bytes_per_s = static_cast<double>(kReadBytes) / reading;
  const Result<double> copying = shortest([&] {
    return device->run_once("measuring it", [&](VkCommandBuffer commands) {
      const VkBufferCopy region{0, 0, kCopyBytes};
      vkCmdCopyBuffer(commands, (*from)->buffer(), (*host)->buffer(), 1, &region);
    });
  });
  if (!copying) return copying.error();
  if (*copying > 0) speed.copy_bytes_per_s = static_cast<double>(kCopyBytes) / *copying;
  return speed;
}

}  // namespace headroom
