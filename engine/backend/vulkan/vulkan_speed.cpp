#include "backend/vulkan/vulkan_speed.h"

#include <algorithm>
#include <array>

#include "backend/gpu/timed_work.h"
#include "backend/vulkan/vulkan_arena.h"
#include "backend/vulkan/vulkan_descriptors.h"
#include "backend/vulkan/vulkan_memory.h"

namespace headroom {
namespace {

constexpr Bytes kCopyBytes = kTimedCopyBytes;
constexpr Bytes kBytesPerGroup = 128 * 16 * 16;  // shaders/read_rate.comp
constexpr std::uint32_t kFewOps = 64;
// Of limits: well above the caches of cards, of which the largest have 256 MiB, where a binding may be so large.
constexpr Bytes kLimitReadBytes = kGiB, kLeastLimitReadBytes = 32 * kMiB;
// Of a group of shaders/peak_rate.comp: its multiply-adds, of one number, two or four; and of a subgroup of
// shaders/peak_matrices.comp its products of fragments.
constexpr std::uint64_t kPeakProductsPerGroup = 256ULL * 256 * 8 * 16, kPeakFragments = 128ULL * 2 * 4;

Result<std::unique_ptr<VulkanArena>> map(const std::shared_ptr<VulkanDevice>& device, Memory memory, Bytes bytes) {
  ArenaPlan plan;
  plan.memory = memory;
  plan.size = bytes;
  return VulkanArena::map(device, plan);
}

// A kernel that measures, with its bindings in one buffer.
class Probe {
 public:
  static Result<Probe> open(const std::shared_ptr<VulkanDevice>& device, VulkanPipelines& pipelines, Kernel kernel,
                            std::span<const std::uint32_t> constants, const VulkanArena& arena) {
    Probe probe(*device, pipelines);
    const Result<VkPipeline> pipeline = pipelines.find(kernel, constants);
    if (!pipeline) return pipeline.error();
    probe.pipeline_ = *pipeline;
    Result<std::unique_ptr<VulkanDescriptors>> descriptors = VulkanDescriptors::open(device, 1);
    if (!descriptors) return descriptors.error();
    probe.descriptors_ = std::move(*descriptors);
    VulkanDescriptors::Buffers buffers{};
    buffers.fill({arena.buffer(), 0, arena.mapped_bytes()});
    const Result<VkDescriptorSet> set = probe.descriptors_->bind(pipelines, buffers);
    if (!set) return set.error();
    probe.set_ = *set;
    return probe;
  }

  // n_groups, n_times one after the other, in one submission, and waits.
  Status run(std::uint64_t n_groups, std::uint64_t n_times, std::span<const std::uint32_t> push = {}) const {
    return device_->run_once("measuring it", [&](VkCommandBuffer commands) {
      pipelines_->bind(commands, pipeline_, set_, push);
      for (std::uint64_t i = 0; i < n_times; ++i) {
        for (std::uint64_t first = 0; first < n_groups; first += kMostGroups) {
          vkCmdDispatch(commands, static_cast<std::uint32_t>(std::min<std::uint64_t>(n_groups - first, kMostGroups)), 1,
                        1);
          record_barrier(commands);
        }
      }
    });
  }

 private:
  Probe(VulkanDevice& device, VulkanPipelines& pipelines) : device_(&device), pipelines_(&pipelines) {}

  VulkanDevice* device_;
  VulkanPipelines* pipelines_;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  std::unique_ptr<VulkanDescriptors> descriptors_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
};

// A kernel that multiplies and adds on registers alone.
struct PeakKernel {
  Kernel kernel = Kernel::kPeakRate;
  std::vector<std::uint32_t> constants;
  double ops_per_group = 0;
  std::array<std::uint32_t, 2> push{};
};
// Every sum of floats goes towards 2 and stays there (0.5 and 1, and the same as two f16): neither infinite nor
// subnormal, which some devices are slow with.
PeakKernel f32_peak() { return {Kernel::kPeakRate, {}, 2 * kPeakProductsPerGroup, {0x3F000000U, 0x3F800000U}}; }
PeakKernel int8_peak() { return {Kernel::kPeakRateInt8, {}, 8 * kPeakProductsPerGroup, {0x0103F905U, 0}}; }
PeakKernel half_peak() { return {Kernel::kPeakRateHalf, {}, 4 * kPeakProductsPerGroup, {0x38003800U, 0x3C003C00U}}; }
PeakKernel matrix_peak(const MatrixShape& shape) {
  const double ops_of_fragment = 2.0 * shape.m * shape.n * shape.k;
  return {Kernel::kPeakMatrices,
          {shape.m, shape.n, shape.k},
          shape.n_subgroups() * static_cast<double>(kPeakFragments) * ops_of_fragment,
          {0x3F800000U, 0}};
}
// What prompts are multiplied in.
PeakKernel prompt_peak(const VulkanTier& tier) {
  if (tier.matrices) return matrix_peak(*tier.matrices);
  if (tier.has_int8) return int8_peak();
  return tier.arithmetic().half_rows != HalfRows::kNone ? half_peak() : f32_peak();
}

// As much of `bytes` as one kernel sees at once, in whole pieces.
Bytes bindable(Bytes bytes, const DeviceInfo& info) {
  for (const Bytes most : {info.max_binding_bytes, info.max_arena_bytes}) {
    if (most > 0) bytes = std::min(bytes, most);
  }
  const Bytes unit = std::max(info.granularity, kBytesPerGroup);
  return bytes / unit * unit;
}

// Pages that were never written may be one page of zeros, which a cache holds.
Status fill(VulkanDevice& device, const VulkanArena& memory) {
  return device.run_once("measuring it", [&](VkCommandBuffer commands) {
    vkCmdFillBuffer(commands, memory.buffer(), 0, VK_WHOLE_SIZE, 0x01010101U);
  });
}

// What reads are measured with. A driver may refuse what it calls free: half as much is asked for then.
Result<std::unique_ptr<VulkanArena>> map_limit_memory(const std::shared_ptr<VulkanDevice>& device) {
  const Result<MemorySample> now = sample_card(device->card());
  if (!now) return now.error();
  const DeviceInfo& info = device->card().info;
  Bytes size = bindable(std::min(kLimitReadBytes, now->free / 2), info);
  if (size < kLeastLimitReadBytes) {
    return Error{ErrorCode::kResource, Message::say("measuring {}: asked for {} with as much left, free {}", info.id,
                                                    amount(kLeastLimitReadBytes), amount(now->free))};
  }
  while (true) {
    Result<std::unique_ptr<VulkanArena>> memory = map(device, Memory::kDevice, size);
    size = bindable(size / 2, info);
    if (memory || size < kLeastLimitReadBytes) return memory;
  }
}

}  // namespace

Result<DeviceSpeed> measure_vulkan_speed(const std::shared_ptr<VulkanDevice>& device, VulkanPipelines& pipelines,
                                         Bytes most_bytes) {
  const Result<MemorySample> now = sample_card(device->card());
  if (!now) return now.error();
  // Vulkan does not tell how large a cache is.
  const Bytes uncached_bytes = bindable(uncached_read_bytes(0, device->card().heap_bytes), device->card().info);
  const Bytes read_bytes = timed_read_bytes(uncached_bytes, most_bytes, now->free);
  Result<std::unique_ptr<VulkanArena>> from = map(device, Memory::kDevice, read_bytes);
  if (!from) return from.error();
  Result<std::unique_ptr<VulkanArena>> host = map(device, Memory::kPageLocked, kCopyBytes);
  if (!host) return host.error();
  if (Status filled = fill(*device, **from); !filled) return filled.error();
  const Result<Probe> probe = Probe::open(device, pipelines, Kernel::kReadRate, {}, **from);
  if (!probe) return probe.error();
  const auto read = [&](std::uint64_t n_groups, std::uint64_t n_times) {
    return shortest_seconds([&] { return probe->run(n_groups, n_times); });
  };
  DeviceSpeed speed;
  const Result<double> one = read(1, 1), few = read(1, kFewOps), all = read(read_bytes / kBytesPerGroup, 1);
  for (const Result<double>* seconds : {&one, &few, &all}) {
    if (!*seconds) return seconds->error();
  }
  speed.op_seconds = seconds_of_op(*one, *few, kFewOps);
  const double reading = seconds_of_reading(*one, *all);
  if (reading > 0 && read_bytes == uncached_bytes) speed.read_bytes_per_s = static_cast<double>(read_bytes) / reading;
  const Result<double> copying = shortest_seconds([&] {
    return device->run_once("measuring it", [&](VkCommandBuffer commands) {
      const VkBufferCopy region{0, 0, kCopyBytes};
      vkCmdCopyBuffer(commands, (*from)->buffer(), (*host)->buffer(), 1, &region);
    });
  });
  if (!copying) return copying.error();
  if (*copying > 0) speed.copy_bytes_per_s = static_cast<double>(kCopyBytes) / *copying;
  if (device->card().info.has_unified_memory) return speed;  // weights are never uploaded in steps there
  const PeakKernel peak = prompt_peak(device->card().tier);
  const Result<Probe> multiplying = Probe::open(device, pipelines, peak.kernel, peak.constants, **from);
  if (!multiplying) return multiplying.error();
  const Result<double> groups = quick_rate([&](std::uint64_t n) { return multiplying->run(n, 1, peak.push); });
  if (!groups) return groups.error();
  speed.products_per_s = *groups * peak.ops_per_group / 2;
  return speed;
}

Result<DeviceLimits> measure_vulkan_limits(const std::shared_ptr<VulkanDevice>& device, VulkanPipelines& pipelines) {
  Result<std::unique_ptr<VulkanArena>> memory = map_limit_memory(device);
  if (!memory) return memory.error();
  if (Status filled = fill(*device, **memory); !filled) return filled.error();
  const Bytes n_bytes = (*memory)->mapped_bytes();
  const auto rate_of = [&](Kernel kernel, std::span<const std::uint32_t> constants, auto work) -> Result<double> {
    const Result<Probe> probe = Probe::open(device, pipelines, kernel, constants, **memory);
    if (!probe) return probe.error();
    return best_rate([&](std::uint64_t n_units) { return work(*probe, n_units); });
  };
  const auto take_peak = [&](const PeakKernel& kernel, double& peak) -> Status {
    const Result<double> groups =
        rate_of(kernel.kernel, kernel.constants,
                [&](const Probe& probe, std::uint64_t n_groups) { return probe.run(n_groups, 1, kernel.push); });
    if (!groups) return groups.error();
    peak = *groups * kernel.ops_per_group;
    return ok_status();
  };
  DeviceLimits limits;
  const Result<double> reads = rate_of(Kernel::kReadRate, {}, [&](const Probe& probe, std::uint64_t n_times) {
    return probe.run(n_bytes / kBytesPerGroup, n_times);
  });
  if (!reads) return reads.error();
  limits.read_bytes_per_s = *reads * static_cast<double>(n_bytes);
  const VulkanTier& tier = device->card().tier;
  Status done = take_peak(f32_peak(), limits.f32_ops_per_s);
  if (done && tier.has_int8) done = take_peak(int8_peak(), limits.int8_ops_per_s);
  if (done && tier.matrices) done = take_peak(matrix_peak(*tier.matrices), limits.tile_ops_per_s);
  if (done && !tier.matrices && tier.arithmetic().half_rows != HalfRows::kNone)
    done = take_peak(half_peak(), limits.f16_ops_per_s);
  if (!done) return done.error();
  return limits;
}

}  // namespace headroom
