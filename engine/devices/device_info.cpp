#include "devices/device_info.h"

#include "base/check.h"
#include "format/dtype_table.h"

namespace headroom {

std::string_view device_kind_name(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kCpu: return "cpu";
    case DeviceKind::kCuda: return "cuda";
    case DeviceKind::kVulkan: return "vulkan";
    case DeviceKind::kMetal: return "metal";
    case DeviceKind::kReference: return "reference";
  }
  return "unknown";
}

std::string_view memory_name(Memory memory) {
  switch (memory) {
    case Memory::kDevice: return "device";
    case Memory::kHost: return "host";
    case Memory::kPageLocked: return "page-locked host";
  }
  return "unknown";
}

Message memory_words(Memory memory) {
  switch (memory) {
    case Memory::kDevice: return Message::say("device");
    case Memory::kHost: return Message::say("host");
    case Memory::kPageLocked: return Message::say("page-locked host");
  }
  CHECK(false, "a kind of memory that is not there");
}

std::string_view memory_confidence_name(MemoryConfidence confidence) {
  switch (confidence) {
    case MemoryConfidence::kMeasured: return "measured";
    case MemoryConfidence::kEstimated: return "estimated";
    case MemoryConfidence::kAssumed: return "assumed";
  }
  return "unknown";
}

DeviceInfo make_cpu_device(std::string name, Bytes total, Bytes free, std::uint32_t n_threads) {
  DeviceInfo cpu;
  cpu.id = "cpu";
  cpu.name = std::move(name);
  cpu.kind = DeviceKind::kCpu;
  cpu.total_bytes = total;
  cpu.free_bytes = free;
  cpu.driver_measured = true;  // there is no driver between us and host memory: 0 is exact
  cpu.n_threads = n_threads > 0 ? n_threads : 1;
  for (const DTypeRow& row : kDTypes) {
    if (row.is_kv) cpu.kv_types.push_back(row.dtype);
  }
  return cpu;
}

}  // namespace headroom
