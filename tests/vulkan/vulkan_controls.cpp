// A fault that the validation layers must see, so that their silence means something: "hazard" lets a kernel write what
// another one reads at the same time, "sound" does not. What it prints is the layers'; see validated.sh.
#include <array>
#include <cstdio>
#include <cstring>

#include "backend/vulkan/vulkan_arena.h"
#include "backend/vulkan/vulkan_descriptors.h"

namespace headroom {
namespace {

constexpr std::uint32_t kRowBytes = 1024;

void fail(const std::string& why) {
  std::fprintf(stderr, "vulkan_controls: %s\n", why.c_str());
  std::exit(2);
}

template <class T>
T take(Result<T> result) {
  if (!result.ok()) fail(result.error().message);
  return std::move(result).value();
}

class Controls {
 public:
  Controls() {
    const VulkanCards found = vulkan_cards();
    if (found.cards.empty()) fail(found.refused.empty() ? "no device" : found.refused.front());
    device_ = take(VulkanDevice::open(found.cards.front()));
    pipelines_ = take(VulkanPipelines::open(device_, {}));
    ArenaPlan plan;
    plan.memory = Memory::kDevice;
    plan.size = 64 * kKiB;
    arena_ = take(VulkanArena::map(device_, plan));
    descriptors_ = take(VulkanDescriptors::open(device_, 2));
  }
  Controls(const Controls&) = delete;
  Controls& operator=(const Controls&) = delete;

  // Norms one row into another; of a hazard then back without waiting.
  void run(bool is_hazard) {
    const std::array<std::uint32_t, 2> constants{0, 0};
    VkPipeline pipeline = take(pipelines_->find(Kernel::kNorm, constants));
    const std::array<VkDescriptorSet, 2> sets{bind(2 * kRowBytes, 4 * kRowBytes), bind(4 * kRowBytes, 2 * kRowBytes)};
    const Status done = device_->run_once("running a control", [&](VkCommandBuffer commands) {
      const std::array<std::uint32_t, 3> push{kRowBytes / 4, 0, 0};
      for (std::size_t i = 0; i < (is_hazard ? 2U : 1U); ++i) {
        pipelines_->bind(commands, pipeline, sets[i], push);
        vkCmdDispatch(commands, 1, 1, 1);
      }
    });
    if (!done) fail(done.error().message);
  }

 private:
  VkDescriptorSet bind(Bytes from, Bytes to) {
    VulkanDescriptors::Buffers buffers{};
    buffers.fill({arena_->buffer(), 0, kRowBytes});
    buffers[3].offset = from;
    buffers[4].offset = to;
    return take(descriptors_->bind(*pipelines_, buffers));
  }

  std::shared_ptr<VulkanDevice> device_;
  std::unique_ptr<VulkanPipelines> pipelines_;
  std::unique_ptr<VulkanArena> arena_;
  std::unique_ptr<VulkanDescriptors> descriptors_;
};

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  const bool is_hazard = argc == 2 && std::strcmp(argv[1], "hazard") == 0,
             is_sound = argc == 2 && std::strcmp(argv[1], "sound") == 0;
  if (!is_hazard && !is_sound) {
    std::fprintf(stderr, "usage: vulkan_controls hazard|sound\n");
    return 2;
  }
  headroom::Controls().run(is_hazard);
  return 0;
}
