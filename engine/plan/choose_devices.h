// Which devices a model is planned for as long as nobody has chosen any.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "plan/memory_plan.h"

namespace headroom {

struct DevicesChosen {
  std::vector<DeviceIndex> gpus;  // in the order in which layers are given to them; none: the CPU alone
  std::string reason;             // a sentence; empty where there was nothing to choose from
};

// Before a model is known: of this machine's GPUs those with memory of their own (CUDA's, else Vulkan's, else Metal's),
// else the first that shares the host's; and the reference devices, which somebody asked for. Never a driver that
// computes on the CPU.
std::vector<DeviceIndex> choose_gpus(std::span<const DeviceInfo> devices);

// For a model: those, unless the CPU alone has the better plan with `options` (whose devices are not looked at). It has
// where it fits and theirs does not, and where both fit and it is measured to be as fast. One GPU that shares the
// host's memory has to be measured first. Reference devices, slow on purpose, stay, and all do where the options ask
// for layers on GPUs.
using HeadroomOf = std::function<HeadroomRule(const DeviceInfo&)>;
DevicesChosen choose_devices(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options,
                             const HeadroomOf& headroom_of);

}  // namespace headroom
