// Readings of a GPU's memory from several sources (the driver, the kernel, NVML, our own arenas), each of which may be
// silent or contradict another, and the one rule that turns them into the sample that plans, chart and messages show.
#pragma once

#include <optional>

#include "backend/backend.h"

namespace headroom {

// VK_EXT_memory_budget: all that this process may use, which includes what it holds; and what it holds.
struct ProcessBudget {
  Bytes budget = 0, usage = 0;
};

// What all programs together use, as counted by `source`: "amdgpu", "NVML".
struct DeviceUse {
  Bytes total = 0, used = 0;
  std::string source;
};

// What some clients of a card's driver use together. A client is one opening of the card by a program.
struct ClientUse {
  Bytes device = 0, host = 0;  // present in the card's own memory; of the host's memory, mapped for the card
  Bytes evicted = 0;           // meant for the card's own memory, and pushed out of it
  bool operator==(const ClientUse&) const = default;
};

struct MemoryReadings {
  Bytes heap_bytes = 0;                     // of the device, as its driver offers it to programs
  Bytes device_arena_bytes = 0;             // this process's arenas there: exact
  Bytes host_arena_bytes = 0;               // its page-locked memory of the host
  Bytes driver_bytes = 0;                   // by which its use grew when the driver opened it; 0: unknown
  std::optional<ProcessBudget> budget;      // here and below, absent: there is no such source for this card
  std::optional<Result<DeviceUse>> device;  // an error: there is a source, and it failed
  std::optional<ClientUse> own_clients;     // of this process
  std::optional<ClientUse> other_clients;   // of other programs, those that are seen
};

// For a device with memory of its own. Ours: what the system counts for this process, else our arenas and driver_bytes.
// Others: the device's use less ours; where the use is unknown, what the driver's budget leaves to them, or what their
// clients hold; else 0. An impossible figure is ignored, named in the account's doubt, and lowers the confidence: more
// in use than the device has, less than this program alone holds, 0 although something is held, another size of the
// device. Where several figures are left, the one that leaves the least free memory counts.
MemorySample sample_own_memory(const MemoryReadings& readings);

// For a device that shares the host's memory: it has no more free memory than the host. Its carve-out and the pages
// that it has mapped are one pool, so nothing can spill from one to the other.
MemorySample sample_shared_memory(const MemorySample& host, const MemoryReadings& readings);

// By how much use grew between two readings, beside our arenas: what the driver took. From the clients of this process
// where they are known, else from the device's use or the budget. Absent where nothing grew (the driver's share is not
// counted there) or half of the device did (something else happened meanwhile).
std::optional<Bytes> driver_share(const MemoryReadings& before, const MemoryReadings& after, bool is_shared);

}  // namespace headroom
