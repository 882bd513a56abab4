#include "backend/registry.h"

#include <fmt/format.h>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/host_memory.h"
#include "backend/cpu/isa_choice.h"
#include "base/cpu_features.h"

namespace headroom {

Result<std::vector<DeviceInfo>> probe_devices(std::uint32_t n_threads) {
  const Result<IsaChoice> choice = choose_isa();
  if (!choice) return choice.error();
  const Result<MemorySample> memory = sample_host_memory();
  if (!memory) return memory.error();
  if (n_threads == 0) n_threads = usable_cores();
  DeviceInfo cpu = make_cpu_device(host_cpu_name(), memory->total, memory->free, n_threads);
  cpu.kernels = isa_name(choice->isa);
  cpu.kernel_note = refused_text(*choice);
  return std::vector<DeviceInfo>{std::move(cpu)};
}

Result<std::unique_ptr<Backend>> make_backend(const DeviceInfo& device) {
  if (!device.is_present) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{} is not in this machine: it can be planned for, not loaded on", device.name)};
  }
  if (device.kind != DeviceKind::kCpu) {
    return Error{ErrorCode::kUnsupported, fmt::format("{}: expected cpu, this build has no backend for {}", device.id,
                                                      device_kind_name(device.kind))};
  }
  return make_cpu_backend(device);
}

}  // namespace headroom
