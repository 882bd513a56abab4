#include "backend/registry.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/isa_choice.h"
#include "backend/host/host_memory.h"
#include "backend/reference/reference_backend.h"
#include "base/cpu_features.h"
#include "base/usable_cores.h"
#if HEADROOM_HAS_CUDA
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/cuda_cards.h"
#endif
#if HEADROOM_HAS_VULKAN
#include "backend/vulkan/vulkan_backend.h"
#include "backend/vulkan/vulkan_instance.h"
#endif

namespace headroom {
namespace {

#if HEADROOM_HAS_CUDA
bool cuda_setting_is(std::string_view expected) {
  const char* setting = std::getenv(kCudaVariable);
  return setting != nullptr && setting == expected;
}
bool takes_cuda() { return !cuda_setting_is("0"); }
#endif

#if HEADROOM_HAS_VULKAN
VulkanCards shown_cards(bool with_software) { return with_software ? vulkan_cards(true) : vulkan_cards(); }
#endif

// Those that the environment asks for, with what is free of their memory now.
Status add_reference_devices(std::vector<DeviceInfo>& devices) {
  const char* setting = std::getenv(kReferenceVariable);
  if (setting == nullptr || *setting == '\0') return ok_status();
  Result<std::vector<DeviceInfo>> found = reference_devices(setting);
  if (!found) return found.error();
  for (DeviceInfo& device : *found) {
    device.free_bytes = shared_reference_device(device.id, device.total_bytes)->sample().free;
    devices.push_back(std::move(device));
  }
  return ok_status();
}

Result<std::unique_ptr<Backend>> make_backend_with(const DeviceInfo& device,
                                                   [[maybe_unused]] const std::filesystem::path& kernel_folder) {
  if (!device.is_present) {
    return Error{ErrorCode::kUnsupported,
                 Message::say("{} is not in this machine: it can be planned for, not loaded on", device.name)};
  }
  switch (device.kind) {
    case DeviceKind::kCpu: return make_cpu_backend(device);
    case DeviceKind::kReference:
      return make_reference_backend(device, shared_reference_device(device.id, device.total_bytes));
    case DeviceKind::kVulkan:
#if HEADROOM_HAS_VULKAN
      return make_vulkan_backend(device, kernel_folder);
#else
      break;
#endif
    case DeviceKind::kCuda:
#if HEADROOM_HAS_CUDA
      return make_cuda_backend(device);
#else
      break;
#endif
    case DeviceKind::kMetal: break;
  }
  return Error{ErrorCode::kUnsupported,
               Message::say("{}: this build has no backend for {}", device.id, device_kind_name(device.kind))};
}

}  // namespace

Result<std::vector<DeviceInfo>> probe_devices(std::uint32_t n_threads, [[maybe_unused]] bool with_software) {
  const Result<IsaChoice> choice = choose_isa();
  if (!choice) return choice.error();
  const Result<MemorySample> memory = sample_host_memory();
  if (!memory) return memory.error();
  if (n_threads == 0) n_threads = usable_cores();
  static const std::string name = host_cpu_name();  // a file of all processors, which the system writes anew each time
  DeviceInfo cpu = make_cpu_device(name, memory->total, memory->free, n_threads);
  cpu.account = memory->account;
  cpu.kernels = isa_name(choice->isa);
  cpu.kernel_note = refused_words(*choice);
  std::vector<DeviceInfo> devices{std::move(cpu)};
#if HEADROOM_HAS_CUDA
  if (takes_cuda()) {
    for (CudaCard& card : cuda_cards().cards) {
      if (cuda_setting_is("1")) card.info.proof = Proof::kNotNeeded;
      devices.push_back(std::move(card.info));
    }
  }
#endif
#if HEADROOM_HAS_VULKAN
  for (VulkanCard& card : shown_cards(with_software).cards) devices.push_back(std::move(card.info));
#endif
  if (Status added = add_reference_devices(devices); !added) return added.error();
  return devices;
}

std::vector<Message> refused_devices([[maybe_unused]] bool with_software) {
  std::vector<Message> refused;
  [[maybe_unused]] const auto add = [&](std::vector<Message> sentences) {
    std::ranges::move(sentences, std::back_inserter(refused));
  };
  [[maybe_unused]] bool lacks_cuda = false;
#if HEADROOM_HAS_CUDA
  if (takes_cuda()) {
    CudaCards cuda = cuda_cards();
    lacks_cuda = cuda.cards.empty();
    add(std::move(cuda.refused));
  }
#endif
#if HEADROOM_HAS_VULKAN
  VulkanCards vulkan = shown_cards(with_software);
  const bool has_nvidia = std::ranges::find(vulkan.cards, kNvidia, &VulkanCard::vendor) != vulkan.cards.end();
  if (lacks_cuda && has_nvidia) {
    for (Message& sentence : refused) sentence = Message::say("{}; Vulkan is used", sentence);
  }
#if HEADROOM_HAS_CUDA
  // Who has no card of NVIDIA's misses no driver for one.
  if (lacks_cuda && !has_nvidia && !cuda_setting_is("1")) refused.clear();
#endif
  add(std::move(vulkan.refused));
#endif
  return refused;
}

std::vector<std::pair<std::string, BackendFactory>> backend_variants([[maybe_unused]] const DeviceInfo& device) {
  std::vector<std::pair<std::string, BackendFactory>> variants;
#if HEADROOM_HAS_CUDA
  const auto add = [&](const char* name, const CudaWays& ways) {
    variants.emplace_back(name, [ways](const DeviceInfo& made) {
      return made.kind == DeviceKind::kCuda ? make_cuda_backend(made, ways) : make_backend(made);
    });
  };
  if (device.kind == DeviceKind::kCuda) {
    add("one kernel after the other", {.overlaps = false});
    add("kernels started one by one", {.uses_graphs = false});
  }
#endif
  return variants;
}

Result<std::unique_ptr<Backend>> make_backend(const DeviceInfo& device) { return make_backend_with(device, {}); }

BackendFactory keeping_kernels_in(std::filesystem::path kernel_folder) {
  return [folder = std::move(kernel_folder)](const DeviceInfo& device) { return make_backend_with(device, folder); };
}

}  // namespace headroom
