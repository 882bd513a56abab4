#include "plan/memory_pool.h"

#include <algorithm>
#include <limits>

#include "plan/plan_options.h"

namespace headroom {
namespace {

bool is_host(const DeviceInfo& device) { return device.kind == DeviceKind::kCpu; }

// Whether the pool is this machine's: some device that is here shares it.
bool is_here(std::span<const DeviceInfo> devices, std::span<const DeviceIndex> members) {
  return std::any_of(members.begin(), members.end(),
                     [&](DeviceIndex member) { return !is_host(devices[member]) && devices[member].is_present; });
}

}  // namespace

std::vector<DeviceIndex> pool_members(std::span<const DeviceInfo> devices, std::span<const DeviceIndex> used) {
  std::vector<DeviceIndex> members;
  bool is_shared = false;
  for (const DeviceIndex device : used) {
    if (!is_host(devices[device]) && !devices[device].has_unified_memory) continue;
    is_shared |= !is_host(devices[device]);
    members.push_back(device);
  }
  if (!is_shared) members.clear();
  return members;
}

std::vector<DeviceIndex> pool_members(std::span<const DeviceInfo> devices, std::span<const DeviceBudget> budgets) {
  std::vector<DeviceIndex> used;
  for (const DeviceBudget& budget : budgets) used.push_back(budget.device);
  return pool_members(devices, used);
}

Bytes pool_free(std::span<const DeviceInfo> devices, std::span<const DeviceIndex> members) {
  Bytes free = std::numeric_limits<Bytes>::max();
  for (const DeviceIndex member : members) {
    const bool counts = is_host(devices[member]) ? is_here(devices, members) : !devices[member].is_present;
    if (counts) free = std::min(free, devices[member].free_bytes);
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

void hold_to_pool(std::span<const DeviceInfo> devices, const PlanOptions& options, std::span<DeviceBudget> budgets) {
  const std::vector<DeviceIndex> members = pool_members(devices, budgets);
  if (members.empty()) return;
  const auto is_member = [&](const DeviceBudget& budget) {
    return std::find(members.begin(), members.end(), budget.device) != members.end();
  };
  Bytes running = 0, loading = 0;  // the layout has checked the sums
  for (const DeviceBudget& budget : budgets) {
    if (!is_member(budget)) continue;
    running += budget.planned + budget.driver + budget.heap;
    loading += budget.loading + budget.driver + budget.heap;
  }
  const Bytes asked = std::max(running, loading);
  const Bytes limit = pool_limit(devices, options, members, pool_free(devices, members), 0).bytes;
  for (DeviceBudget& budget : budgets) {
    if (!is_member(budget)) continue;
    budget.asked_by_sharers = asked - budget.peak();
    budget.pool_missing = saturating_sub(asked, limit);
    budget.limit = std::min(budget.limit, saturating_sub(limit, budget.asked_by_sharers));
  }
}

}  // namespace headroom
