#include "run/memory_request.h"

#include <algorithm>

#include "plan/memory_pool.h"

namespace headroom {
namespace {

bool is_host(const DeviceInfo& device) { return device.kind == DeviceKind::kCpu; }

// The asks on devices that share memory with that of `of`; none when no other does.
std::vector<const MemoryRequest*> of_pool(const MemoryPlan& plan, std::span<const MemoryRequest> asks,
                                          const MemoryRequest& of) {
  std::vector<DeviceIndex> used;
  for (const MemoryRequest& ask : asks) used.push_back(ask.device);
  const std::vector<DeviceIndex> members = pool_of(plan.devices, used, of.device);
  std::vector<const MemoryRequest*> shared;
  for (const MemoryRequest& ask : asks) {
    if (std::find(members.begin(), members.end(), ask.device) != members.end()) shared.push_back(&ask);
  }
  return shared;
}

// "vulkan:0: asked for 3.00 GiB (N bytes), cpu with the same memory for 2.00 GiB (N bytes), free ..."
Error short_pool(const MemoryPlan& plan, const std::vector<const MemoryRequest*>& pool, DeviceIndex named,
                 const MemorySample& now, Bytes held) {
  Message own, others;
  Bytes ours = 0;
  for (const MemoryRequest* ask : pool) {
    ours += ask->now.ours;
    const std::string& id = plan.devices[ask->device].id;
    if (ask->device == named) {
      own = Message::say("{}: asked for {} ({} bytes)", id, amount(ask->asked), ask->asked);
    } else {
      others = others + Message::say(", {} with the same memory for {} ({} bytes)", id, amount(ask->asked), ask->asked);
    }
  }
  return Error{ErrorCode::kDoesNotFit,
               own + others + free_words(plan.options.headroom_of(named), held, {now.total, now.free, ours})};
}

// Of a pool with the host what it has free counts, and of another one the least that any member has.
Status check_pool(const MemoryPlan& plan, std::span<const MemoryRequest> asks, const MemoryRequest& of) {
  const std::vector<const MemoryRequest*> pool = of_pool(plan, asks, of);
  if (pool.empty()) return ok_status();
  Bytes asked = 0, held = 0;
  std::vector<DeviceIndex> members;
  for (const MemoryRequest* ask : pool) {
    asked += ask->asked;
    held += ask->held;
    members.push_back(ask->device);
  }
  const auto host = std::ranges::find_if(pool, [&](const auto* ask) { return is_host(plan.devices[ask->device]); });
  const auto least = std::ranges::min_element(pool, {}, [](const auto* ask) { return ask->now.free; });
  const MemorySample& now = host != pool.end() ? (*host)->now : (*least)->now;
  const PoolLimit limit = pool_limit(plan.devices, plan.options, members, now.free, held);
  if (asked <= limit.bytes) return ok_status();
  return short_pool(plan, pool, limit.device, now, held);
}

}  // namespace

Result<std::vector<MemoryRequest>> read_memory_requests(const Backends& backends, const BytesOf& asked,
                                                        const BytesOf& held, const BytesOf& driver) {
  std::vector<MemoryRequest> asks;
  for (DeviceIndex device = 0; device < backends.size(); ++device) {
    if (backends[device] == nullptr) continue;
    const Result<MemorySample> now = backends[device]->sample_memory();
    if (!now) return now.error();
    const Bytes share = driver ? driver(device) : 0, taken = std::min(share, now->account.driver.value_or(0));
    asks.push_back({device, asked(device) + share - taken, held(device) + taken, *now, taken});
  }
  return asks;
}

void give_back(const MemoryPlan& plan, const BytesOf& given, std::span<MemoryRequest> asks) {
  std::vector<Bytes> back(plan.devices.size());
  for (DeviceIndex device = 0; device < back.size(); ++device) back[device] = given(device);
  for (const MemoryRequest& ask : asks) back[ask.device] = std::min(back[ask.device], ask.now.ours);
  for (MemoryRequest& ask : asks) {
    Bytes more = 0;
    for (DeviceIndex device = 0; device < back.size(); ++device) {
      if (device == ask.device || share_memory(plan.devices[device], plan.devices[ask.device])) more += back[device];
    }
    ask.now.free = std::min(ask.now.total, ask.now.free + more);
  }
}

Status check_fits_now(const MemoryPlan& plan, std::span<const MemoryRequest> asks) {
  for (const MemoryRequest& ask : asks) {
    const HeadroomRule rule = plan.options.headroom_of(ask.device);
    if (Status fits = check_fits_now(plan.devices[ask.device], rule, ask.asked, ask.held, ask.now); !fits) return fits;
  }
  for (const MemoryRequest& ask : asks) {
    if (Status fits = check_pool(plan, asks, ask); !fits) return fits;
  }
  return ok_status();
}

}  // namespace headroom
