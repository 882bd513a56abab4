#include "backend/vulkan/vulkan_backend.h"

#include <algorithm>
#include <utility>

#include "backend/gpu/gpu_backend.h"
#include "backend/vulkan/vulkan_arena.h"
#include "backend/vulkan/vulkan_memory.h"
#include "backend/vulkan/vulkan_speed.h"
#include "backend/vulkan/vulkan_step.h"

namespace headroom {
namespace {

class VulkanBackend final : public GpuBackend {
 public:
  VulkanBackend(std::shared_ptr<VulkanDevice> device, std::unique_ptr<VulkanPipelines> pipelines,
                std::optional<MemoryReadings> before)
      : GpuBackend(*device), device_(std::move(device)), pipelines_(std::move(pipelines)), before_(std::move(before)) {}

  const DeviceInfo& device_info() const override { return device_->card().info; }

  Result<DeviceSpeed> measure_speed(Bytes most_bytes) override {
    return measure_vulkan_speed(device_, *pipelines_, most_bytes);
  }

  Result<DeviceLimits> measure_limits() override { return measure_vulkan_limits(device_, *pipelines_); }

  std::optional<Bytes> driver_bytes() override {
    if (!before_) return std::nullopt;
    return driver_share(*before_, read_card_memory(device_->card()), device_info().has_unified_memory);
  }

  Result<MemorySample> sample_memory() override {
    if (Status present = device_->check_present(); !present) return present.error();
    return sample_card(device_->card());
  }

 private:
  Result<std::unique_ptr<GpuArena>> make_arena(const ArenaPlan& plan) override {
    Result<std::unique_ptr<VulkanArena>> arena = VulkanArena::map(device_, plan);
    if (!arena) return arena.error();
    return std::unique_ptr<GpuArena>(std::move(*arena));
  }

  Result<std::unique_ptr<GpuStep>> make_step(const Binding& binding) override {
    const GpuArithmetic arithmetic = device_->card().tier.arithmetic();
    Result<std::unique_ptr<VulkanStep>> step =
        VulkanStep::record(device_, *pipelines_, bind_gpu(binding, arithmetic), binding.stop);
    if (!step) return step.error();
    return std::unique_ptr<GpuStep>(std::move(*step));
  }

  std::shared_ptr<VulkanDevice> device_;
  std::unique_ptr<VulkanPipelines> pipelines_;
  std::optional<MemoryReadings> before_;  // the device was opened; absent: it was open already
};

}  // namespace

Result<std::unique_ptr<Backend>> make_vulkan_backend(const DeviceInfo& device,
                                                     const std::filesystem::path& kernel_folder) {
  VulkanCards found = vulkan_cards(true);  // whoever names one has chosen it
  const auto card = std::find_if(found.cards.begin(), found.cards.end(),
                                 [&](const VulkanCard& each) { return each.info.id == device.id; });
  if (card == found.cards.end()) {
    return Error{ErrorCode::kUnsupported,
                 Message::say("{}: expected the Vulkan device {}, found {} devices{}", device.id, device.name,
                              found.cards.size(),
                              found.refused.empty() ? Message() : Message::say("; {}", found.refused.front()))};
  }
  card->info = device;
  std::optional<MemoryReadings> before;
  if (use_of_card(*card).n_open == 0) before = read_card_memory(*card);
  Result<std::shared_ptr<VulkanDevice>> opened = VulkanDevice::open(*card);
  if (!opened) return opened.error();
  Result<std::unique_ptr<VulkanPipelines>> pipelines = VulkanPipelines::open(*opened, kernel_folder);
  if (!pipelines) return pipelines.error();
  return std::unique_ptr<Backend>(
      std::make_unique<VulkanBackend>(std::move(*opened), std::move(*pipelines), std::move(before)));
}

}  // namespace headroom
