// Faults that the validation layers must see, so that their silence means something: "hazard" lets a kernel write what
// another one reads at the same time, "beyond" lets it read one number behind the end of its binding, "sound" does
// neither. What it prints is the layers'; see validated.sh.
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
  if (!result.ok()) fail(result.error().message.text());
  return std::move(result).value();
}

class Controls {
 public:
  Controls() {
    const VulkanCards found = vulkan_cards();
    if (found.cards.empty()) fail(found.refused.empty() ? "no device" : found.refused.front().text());
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

  // Norms one row into another; of a hazard then back without waiting, of leaving bounds one that is too long.
  void run(bool is_hazard, bool leaves_bounds) {
    const std::array<std::uint32_t, 2> constants{0, 0};
    VkPipeline pipeline = take(pipelines_->find(Kernel::kNorm, constants));
    const std::array<VkDescriptorSet, 2> sets{bind(2 * kRowBytes, 4 * kRowBytes), bind(4 * kRowBytes, 2 * kRowBytes)};
    const Status done = device_->run_once("running a control", [&](VkCommandBuffer commands) {
      const std::array<std::uint32_t, 3> push{kRowBytes / 4 + (leaves_bounds ? 1U : 0U), 0, 0};
      for (std::size_t i = 0; i < (is_hazard ? 2U : 1U); ++i) {
        pipelines_->bind(commands, pipeline, sets[i], push);
        vkCmdDispatch(commands, 1, 1, 1);
      }
    });
    if (!done) fail(done.error().message.text());
  }

 private:
  VkDescriptorSet bind(Bytes from, Bytes to) {
    VulkanDescriptors::Buffers buffers{};
    buffers.fill(arena_->binding(0, kRowBytes));
    buffers[3] = arena_->binding(from, kRowBytes);
    buffers[4] = arena_->binding(to, kRowBytes);
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
             is_sound = argc == 2 && std::strcmp(argv[1], "sound") == 0,
             is_beyond = argc == 2 && std::strcmp(argv[1], "beyond") == 0;
  if (!is_hazard && !is_sound && !is_beyond) {
    std::fprintf(stderr, "usage: vulkan_controls hazard|beyond|sound\n");
    return 2;
  }
  headroom::Controls().run(is_hazard, is_beyond);
  return 0;
}
