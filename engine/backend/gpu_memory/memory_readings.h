// What the system tells of a GPU's memory, from several sides that may be silent or contradict each other, and the one
// rule that makes of it what plans, chart and messages are told.
#pragma once

#include <optional>

#include "backend/backend.h"

namespace headroom {

// Of this process: all that it may use, with what it holds; and what it holds (VK_EXT_memory_budget).
struct ProcessBudget {
  Bytes budget = 0, usage = 0;
};

// Of all programs, by who counts it: "amdgpu", "NVML".
struct DeviceUse {
  Bytes total = 0, used = 0;
  std::string source;
};

// Of clients of a card's driver.
struct ClientUse {
  Bytes device = 0, host = 0;  // present in the card's own memory; of the host's memory, mapped for the card
  Bytes evicted = 0;           // meant for the card's own memory, and pushed out of it
  bool operator==(const ClientUse&) const = default;
};

struct MemoryReadings {
  Bytes heap_bytes = 0;                     // of the device, as its driver offers it to programs
  Bytes device_arena_bytes = 0;             // this process's arenas there: exact
  Bytes host_arena_bytes = 0;               // its page-locked memory of the host
  Bytes driver_bytes = 0;                   // what its driver was seen to take when it was opened; 0: nothing was seen
  std::optional<ProcessBudget> budget;      // absent: this driver does not tell; so below
  std::optional<Result<DeviceUse>> device;  // an error: it should tell, and does not
  std::optional<ClientUse> own_clients;     // of this process
  std::optional<ClientUse> other_clients;   // of other programs, those that are seen
};

// Of a device with memory of its own. Others hold the device's use less ours, where the use is told; else what the
// driver's budget leaves to them, or what is seen of them; else nothing. Ours is what the system counts for this
// process, else the arenas and what the driver was seen to take. A figure that cannot be is left aside, said, and
// lowers the confidence: more in use than there is, less than this program alone holds, 0 where something is held, a
// device of another size. Of all figures the one with the least free counts.
MemorySample sample_own_memory(const MemoryReadings& readings);

// Of a device that shares the host's memory: no more is free than of that. Its carve-out and what it has mapped are one
// pool, and nothing spills from one into the other.
MemorySample sample_shared_memory(const MemorySample& host, const MemoryReadings& readings);

// What a driver took between two moments, beside our arenas: of this process where its clients are told, else of the
// device or the budget. Absent where nothing grew (it is not counted then) or half of the device did (something else
// happened).
std::optional<Bytes> driver_share(const MemoryReadings& before, const MemoryReadings& after, bool is_shared);

}  // namespace headroom
