// Memory that devices share, one pool of it: the host's, which the CPU and every device with has_unified_memory use, or
// that of one card, which is several devices when it is listed more than once (DeviceInfo::heap). The rule, for a
// plan's budgets and again before a load and a session:
// - Each device alone asks for no more than it has free under its own headroom rule: a driver may offer a part only.
// - All together ask for no more than the pool has free under the rule of each of them: what one is to keep free stays
//   free, and where one may use at most so much, no more is used in all.
// The host counts all of its memory, so what it has free is free of the pool. A device of the catalogue shares the
// memory of another machine: its own figure counts there, and the host's rule, which is of this one, does not.
#pragma once

#include <span>
#include <vector>

#include "plan/memory_plan.h"

namespace headroom {

bool share_memory(const DeviceInfo& a, const DeviceInfo& b);

// Those of `used` that share their memory with `device`, itself among them; empty when no other one does.
std::vector<DeviceIndex> pool_of(std::span<const DeviceInfo> devices, std::span<const DeviceIndex> used,
                                 DeviceIndex device);

std::vector<DeviceIndex> pool_of(std::span<const DeviceInfo> devices, std::span<const DeviceBudget> budgets,
                                 DeviceIndex device);

// What the pool has free when `devices` were probed.
Bytes pool_free(std::span<const DeviceInfo> devices, std::span<const DeviceIndex> members);

// What all members together may take of `free` bytes, and the device whose rule says so, one that shares rather than
// the host. `held`: theirs already, which counts towards "at most".
struct PoolLimit {
  Bytes bytes = 0;
  DeviceIndex device = 0;
};
PoolLimit pool_limit(std::span<const DeviceInfo> devices, const PlanOptions& options,
                     std::span<const DeviceIndex> members, Bytes free, Bytes held);

// Budgets that were made for each device alone become those of devices that share.
void hold_to_pools(std::span<const DeviceInfo> devices, const PlanOptions& options, std::span<DeviceBudget> budgets);

}  // namespace headroom
