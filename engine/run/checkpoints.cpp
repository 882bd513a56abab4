#include "run/checkpoints.h"

#include <algorithm>

#include "base/check.h"
#include "plan/kv_regions.h"

namespace headroom {

Checkpoints::Checkpoints(const ModelInfo& model, const MemoryPlan& plan, const Backends& backends,
                         std::span<Arena* const> arenas)
    : n_checkpoints_(static_cast<std::uint32_t>(std::max(plan.options.n_checkpoints, 0))) {
  for (std::size_t a = 0; a < plan.arenas.size(); ++a) {
    for (const Region& region : plan.arenas[a].regions) {
      if (region.kind != RegionKind::kCheckpoints) continue;
      const std::optional<RegionRef> live = find_original(plan, region);
      CHECK(live && plan.arenas[live->arena].device == plan.arenas[a].device,
            "checkpoints stand on the device of what they are of");
      Backend* const backend = backends[plan.arenas[a].device].get();
      auto device = std::ranges::find(devices_, backend, &OfDevice::backend);
      if (device == devices_.end()) device = devices_.insert(device, OfDevice{backend, {}, {}});
      const Region& from = plan.arenas[live->arena].regions[live->region];
      device->parts.push_back(
          {arenas[live->arena], from.offset, arenas[a], region.offset, checkpoint_bytes(model, plan.options, region)});
    }
  }
  for (OfDevice& device : devices_) device.copies.reserve(device.parts.size());
}

template <class Copy>
Status Checkpoints::copy_all(Copy copy_of) {
  for (OfDevice& device : devices_) {
    device.copies.clear();
    for (const Part& part : device.parts) device.copies.push_back(copy_of(part));
    if (Status copied = device.backend->copy_bytes(device.copies); !copied) return copied;
  }
  return ok_status();
}

Status Checkpoints::make(std::uint32_t slot, std::uint32_t index) {
  return copy_all([&](const Part& part) {
    return ArenaCopy{part.live, part.live_offset + slot * part.of_slot, part.kept,
                     part.kept_offset + (slot * n_checkpoints_ + index) * part.of_slot, part.of_slot};
  });
}

Status Checkpoints::take_up(std::uint32_t slot, std::uint32_t index, std::uint32_t to_slot) {
  return copy_all([&](const Part& part) {
    return ArenaCopy{part.kept, part.kept_offset + (slot * n_checkpoints_ + index) * part.of_slot, part.live,
                     part.live_offset + to_slot * part.of_slot, part.of_slot};
  });
}

}  // namespace headroom
