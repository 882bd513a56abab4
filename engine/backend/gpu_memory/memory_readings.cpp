#include "backend/gpu_memory/memory_readings.h"

#include <algorithm>
#include <limits>

namespace headroom {
namespace {

// Figures of two sources are of two moments and count in units of their own: a sixteenth of ours is no contradiction.
bool is_below(Bytes figure, Bytes expected) { return figure < expected - expected / 16; }

bool is_another_size(Bytes a, Bytes b) { return std::min(a, b) < std::max(a, b) / 4 * 3; }

Bytes less(Bytes a, Bytes b) { return a - std::min(a, b); }
Bytes sum(Bytes a, Bytes b) { return checked_add(a, b).value_or(std::numeric_limits<Bytes>::max()); }

void add_sentence(Message& text, const Message& sentence) {
  text = text.empty() ? sentence : Message::joined({text, sentence}, " ");
}

void add_contradiction(Message& doubt, const Message& what) {
  add_sentence(doubt, Message::say("The system's figures disagree: {}.", what));
}

// The budget as far as it can be believed.
std::optional<ProcessBudget> checked_budget(const MemoryReadings& readings, Message& doubt) {
  if (!readings.budget) return std::nullopt;
  const auto& [budget, usage] = *readings.budget;
  if (budget > 0 && usage <= readings.heap_bytes) return readings.budget;
  if (budget == 0) {
    add_contradiction(doubt, Message::say("the driver offers none of the device's {}", amount(readings.heap_bytes)));
  } else {
    add_contradiction(doubt, Message::say("the driver counts {} for this program on a device with {}", amount(usage),
                                          amount(readings.heap_bytes)));
  }
  return std::nullopt;
}

// What this process's clients hold, as far as it can be believed.
std::optional<ClientUse> checked_clients(const MemoryReadings& readings, Message& doubt) {
  if (!readings.own_clients) return std::nullopt;
  const Bytes most = std::max(readings.own_clients->device, readings.own_clients->evicted);
  if (most <= readings.heap_bytes) return readings.own_clients;
  add_contradiction(doubt, Message::say("the driver counts {} for this program on a device with {}", amount(most),
                                        amount(readings.heap_bytes)));
  return std::nullopt;
}

// What this process has in the device's own memory beside its arenas that stayed there; absent where nothing tells.
std::optional<Bytes> driver_here(const MemoryReadings& readings, Bytes arenas_here,
                                 const std::optional<ProcessBudget>& budget, const std::optional<ClientUse>& clients,
                                 Message& doubt) {
  std::optional<Bytes> told;
  if (budget) told = budget->usage;
  // 0 is what a driver says that does not count; a program without arenas may hold nothing.
  if (clients && (clients->device > 0 || arenas_here == 0)) told = clients->device;
  if (!told && readings.driver_bytes > 0) {
    add_sentence(doubt,
                 Message::say("Nothing tells what this program holds of it: its driver's share is taken for the {} by "
                              "which more was in use once it was opened.",
                              amount(readings.driver_bytes)));
    return readings.driver_bytes;
  }
  if (!told) return arenas_here == 0 ? std::optional<Bytes>(0) : std::nullopt;
  if (is_below(*told, arenas_here)) {
    add_contradiction(doubt, Message::say("the driver counts {} for this program, which holds {}", amount(*told),
                                          amount(arenas_here)));
  }
  return less(*told, arenas_here);
}

// The use of the whole device as far as it can be believed.
std::optional<DeviceUse> checked_use(const MemoryReadings& readings, Bytes ours, Message& doubt) {
  if (!readings.device) return std::nullopt;
  if (!*readings.device) {
    add_sentence(doubt, Message::say("{}.", readings.device->error().message));
    return std::nullopt;
  }
  const DeviceUse& use = **readings.device;
  if (use.used > use.total) {
    add_contradiction(doubt,
                      Message::say("{} counts {} in use of {}", use.source, amount(use.used), amount(use.total)));
  } else if (is_another_size(use.total, readings.heap_bytes)) {
    add_contradiction(doubt, Message::say("{} tells of a device with {}, its driver of one with {}", use.source,
                                          amount(use.total), amount(readings.heap_bytes)));
  } else if (is_below(use.used, ours)) {
    add_contradiction(doubt, Message::say("{} counts {} in use, of which this program alone holds {}", use.source,
                                          amount(use.used), amount(ours)));
  } else {
    return use;
  }
  return std::nullopt;
}

// The figure of one kind in two readings: how much it grew beside the arenas.
Bytes grown(const MemoryReadings& before, Bytes figure_before, const MemoryReadings& after, Bytes figure_after,
            bool is_shared) {
  const auto arenas = [&](const MemoryReadings& readings) {
    return readings.device_arena_bytes + (is_shared ? readings.host_arena_bytes : 0);
  };
  return less(less(figure_after, arenas(after)), less(figure_before, arenas(before)));
}

}  // namespace

MemorySample sample_own_memory(const MemoryReadings& readings) {
  MemorySample sample;
  MemoryAccount& account = sample.account;
  const std::optional<ProcessBudget> budget = checked_budget(readings, account.doubt);
  const std::optional<ClientUse> clients = checked_clients(readings, account.doubt);
  if (clients) account.spilled = std::min(clients->evicted, readings.device_arena_bytes);
  const Bytes arenas_here = readings.device_arena_bytes - account.spilled;
  account.driver = driver_here(readings, arenas_here, budget, clients, account.doubt);
  const Bytes ours = sum(arenas_here, account.driver.value_or(0));
  const std::optional<DeviceUse> use = checked_use(readings, ours, account.doubt);
  const Bytes seen = readings.other_clients ? readings.other_clients->device : 0;
  sample.total = use ? std::min(use->total, readings.heap_bytes) : readings.heap_bytes;
  sample.ours = std::min(ours, sample.total);
  if (account.driver) account.driver = less(sample.ours, arenas_here);
  const Bytes not_ours = sample.total - sample.ours;
  if (use) {
    account.others = std::min(less(use->used, ours), not_ours);
    if (!account.doubt.empty()) account.confidence = MemoryConfidence::kEstimated;
  } else if (budget) {
    account.others = std::min(std::max(less(readings.heap_bytes, budget->budget), seen), not_ours);
    account.confidence = MemoryConfidence::kEstimated;
    add_sentence(account.doubt, Message::say("The driver tells what this program may use, not what others hold."));
  } else if (seen > 0) {
    account.others = std::min(seen, not_ours);
    account.confidence = MemoryConfidence::kEstimated;
    add_sentence(account.doubt, Message::say("Only programs of this user are seen; others may hold more."));
  } else {
    account.confidence = MemoryConfidence::kAssumed;
    add_sentence(
        account.doubt,
        Message::say("Nothing tells what other programs hold of it: all that is not Headroom's is taken for free."));
  }
  sample.free = not_ours - account.others.value_or(0);
  if (budget) sample.free = std::min(sample.free, less(budget->budget, budget->usage));
  return sample;
}

MemorySample sample_shared_memory(const MemorySample& host, const MemoryReadings& readings) {
  MemorySample sample;
  MemoryAccount& account = sample.account;
  account.confidence = host.account.confidence;
  // A driver may give less than the machine has: lavapipe 2 GiB.
  sample.total = std::min(host.total, readings.heap_bytes);
  sample.ours = std::min(readings.device_arena_bytes, sample.total);
  if (readings.own_clients) {
    const Bytes counted =
        less(sum(readings.own_clients->device, readings.own_clients->host), readings.host_arena_bytes);
    if (counted <= sample.total) {
      sample.ours = std::max(sample.ours, counted);
    } else {
      add_contradiction(account.doubt, Message::say("the driver counts {} for this program on a device with {}",
                                                    amount(counted), amount(sample.total)));
    }
  }
  sample.free = std::min(host.free, sample.total - sample.ours);
  if (readings.device && !*readings.device)
    add_sentence(account.doubt, Message::say("{}.", readings.device->error().message));
  if (readings.device && *readings.device) {
    const DeviceUse& pool = **readings.device;
    if (pool.used <= pool.total && !is_below(pool.used, readings.device_arena_bytes)) {
      sample.free = std::min(sample.free, pool.total - pool.used);
    } else {
      add_contradiction(account.doubt,
                        Message::say("{} counts {} in use of {}, and this program holds {}", pool.source,
                                     amount(pool.used), amount(pool.total), amount(readings.device_arena_bytes)));
    }
  }
  if (!account.doubt.empty()) account.confidence = std::max(account.confidence, MemoryConfidence::kEstimated);
  return sample;
}

std::optional<Bytes> driver_share(const MemoryReadings& before, const MemoryReadings& after, bool is_shared) {
  const auto own = [&](const MemoryReadings& readings) {
    const ClientUse use = readings.own_clients.value_or(ClientUse{});
    return sum(use.device, is_shared ? use.host : 0);
  };
  Bytes share = grown(before, own(before), after, own(after), is_shared);
  const bool is_told = before.device && *before.device && after.device && *after.device;
  if (share == 0 && !is_shared && is_told)
    share = grown(before, (*before.device)->used, after, (*after.device)->used, is_shared);
  if (!is_shared && before.budget && after.budget)
    share = std::max(share, grown(before, before.budget->usage, after, after.budget->usage, is_shared));
  if (share == 0 || share > after.heap_bytes / 2) return std::nullopt;
  return share;
}

}  // namespace headroom
