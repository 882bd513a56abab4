#include "plan/memory_pool.h"

#include <algorithm>
#include <limits>

#include "plan/plan_options.h"

namespace headroom {
namespace {

bool is_host(const DeviceInfo& device) { return device.kind == DeviceKind::kCpu; }
bool uses_host_memory(const DeviceInfo& device) { return is_host(device) || device.has_unified_memory; }

// Whether the pool is this machine's: some device that is here shares it.
bool is_here(std::span<const DeviceInfo> devices, std::span<const DeviceIndex> members) {
  return std::any_of(members.begin(), members.end(),
                     [&](DeviceIndex member) { return !is_host(devices[member]) && devices[member].is_present; });
}

}  // namespace

bool share_memory(const DeviceInfo& a, const DeviceInfo& b) {
  if (uses_host_memory(a) || uses_host_memory(b)) return uses_host_memory(a) && uses_host_memory(b);
  return !a.heap.empty() && a.heap == b.heap;
}

std::vector<DeviceIndex> pool_of(std::span<const DeviceInfo> devices, std::span<const DeviceIndex> used,
                                 DeviceIndex device) {
  std::vector<DeviceIndex> members;
  for (const DeviceIndex other : used) {
    if (other == device || share_memory(devices[other], devices[device])) members.push_back(other);
  }
  if (members.size() < 2) members.clear();
  return members;
}

std::vector<DeviceIndex> pool_of(std::span<const DeviceInfo> devices, std::span<const DeviceBudget> budgets,
                                 DeviceIndex device) {
  std::vector<DeviceIndex> used;
  for (const DeviceBudget& budget : budgets) used.push_back(budget.device);
  return pool_of(devices, used, device);
}

Bytes pool_free(std::span<const DeviceInfo> devices, std::span<const DeviceIndex> members) {
  const bool is_of_host = uses_host_memory(devices[members.front()]);
  Bytes free = std::numeric_limits<Bytes>::max();
  for (const DeviceIndex member : members) {
    const DeviceInfo& device = devices[member];
    const bool counts = !is_of_host || (is_host(device) ? is_here(devices, members) : !device.is_present);
    if (counts) free = std::min(free, device.free_bytes);
  }
  return free;
}

PoolLimit pool_limit(std::span<const DeviceInfo> devices, const PlanOptions& options,
                     std::span<const DeviceIndex> members, Bytes free, Bytes held) {
  PoolLimit limit{free, members.front()};
  bool is_first = true;
  for (const DeviceIndex member : members) {
    if (is_host(devices[member]) && !is_here(devices, members)) continue;
    const Bytes allowed = limit_under(options.headroom_of(member), free, held);
    const bool replaces_host = allowed == limit.bytes && is_host(devices[limit.device]);
    if (is_first || allowed < limit.bytes || replaces_host) limit = {allowed, member};
    is_first = false;
  }
  return limit;
}

void hold_to_pools(std::span<const DeviceInfo> devices, const PlanOptions& options, std::span<DeviceBudget> budgets) {
  for (DeviceBudget& budget : budgets) {
    const std::vector<DeviceIndex> members = pool_of(devices, budgets, budget.device);
    if (members.empty()) continue;
    Bytes running = 0, loading = 0;  // DeviceArenas has checked the sums
    for (const DeviceBudget& other : budgets) {
      if (std::ranges::find(members, other.device) == members.end()) continue;
      running += other.planned + other.driver + other.heap + other.prompts;
      loading += other.loading + other.driver + other.heap + other.prompts;
    }
    const Bytes asked = std::max(running, loading);
    const Bytes limit = pool_limit(devices, options, members, pool_free(devices, members), 0).bytes;
    budget.asked_by_sharers = asked - budget.peak();
    budget.pool_missing = saturating_sub(asked, limit);
    budget.limit = std::min(budget.limit, saturating_sub(limit, budget.asked_by_sharers));
  }
}

}  // namespace headroom
