#include "run/backends.h"

#include <algorithm>

#include "plan/plan_options.h"

namespace headroom {

Result<Backends> make_backends(const MemoryPlan& plan, const BackendFactory& make_backend) {
  CHECK(!plan.arenas.empty(), "a plan without arenas");
  for (const ArenaPlan& arena : plan.arenas) {
    const DeviceInfo& device = plan.devices[arena.device];
    if (!device.is_present) {
      return Error{
          ErrorCode::kUnsupported,
          Message::say("the plan places {} on {}, which is not in this machine: it can be planned for, not loaded on",
                       amount(arena.size), device.name)};
    }
  }
  Backends backends(plan.devices.size());
  for (const ArenaPlan& arena : plan.arenas) {
    if (backends[arena.device] != nullptr) continue;
    Result<std::unique_ptr<Backend>> made = make_backend(plan.devices[arena.device]);
    if (!made) return made.error();
    backends[arena.device] = std::move(*made);
  }
  return backends;
}

Result<DeviceMeasurement> measure_device(const DeviceInfo& device, const BackendFactory& make_backend,
                                         Bytes most_bytes) {
  const Result<std::unique_ptr<Backend>> backend = make_backend(device);
  if (!backend) return backend.error();
  const Result<DeviceSpeed> speed = (*backend)->measure_speed(most_bytes);
  if (!speed) return speed.error();
  return DeviceMeasurement{*speed, (*backend)->driver_bytes()};
}

std::uint64_t n_allocations(const Backends& backends) {
  std::uint64_t sum = 0;
  for (const auto& backend : backends) sum += backend == nullptr ? 0 : backend->n_allocations();
  return sum;
}

double product_seconds(const Backends& backends) {
  double sum = 0;
  for (const auto& backend : backends) sum += backend == nullptr ? 0 : backend->product_seconds();
  return sum;
}

Message free_words(const HeadroomRule& rule, Bytes held, const MemorySample& now) {
  Message ruled;
  if (const auto* keep = std::get_if<KeepFree>(&rule); keep != nullptr && keep->bytes > 0) {
    ruled = Message::say(", of which {} are to stay free", amount(keep->bytes));
  } else if (const auto* most = std::get_if<AtMost>(&rule)) {
    ruled = Message::say(", and at most {} may be used, {} of them in use", amount(most->bytes), amount(held));
  }
  const Bytes used = now.total - std::min(now.total, now.free);
  const Bytes ours = std::min(used, now.ours), others = std::min(used - ours, now.account.others.value_or(used - ours));
  const auto of_others = [&] {
    switch (now.account.confidence) {
      case MemoryConfidence::kMeasured: return Message::say("other programs {}", amount(others));
      case MemoryConfidence::kEstimated: return Message::say("other programs {} (estimated)", amount(others));
      case MemoryConfidence::kAssumed: return Message::say("what other programs hold is not known");
    }
    return Message();
  }();
  const Message driver =
      others < used - ours ? Message::say(", its driver keeps {}", amount(used - ours - others)) : Message();
  return Message::say(", free {} ({} bytes){}; of {} Headroom holds {}, {}{}", amount(now.free), now.free, ruled,
                      amount(now.total), amount(ours), of_others, driver);
}

Status check_fits_now(const DeviceInfo& device, const HeadroomRule& rule, Bytes asked, Bytes held,
                      const MemorySample& now) {
  if (asked <= limit_under(rule, now.free, held)) return ok_status();
  return Error{ErrorCode::kDoesNotFit, Message::say("{}: asked for {} ({} bytes){}", device.id, amount(asked), asked,
                                                    free_words(rule, held, now))};
}

}  // namespace headroom
