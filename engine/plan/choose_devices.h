// Which devices a model is planned for as long as nobody has chosen any.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "plan/memory_plan.h"

namespace headroom {

struct DevicesChosen {
  std::vector<DeviceIndex> gpus;  // in the order in which layers are given to them; none: the CPU alone
  Message reason;                 // a sentence; empty where there was nothing to choose from
};

// Whether nobody has to name it: it is in this machine, has been proved, and is no driver that computes on the CPU.
bool is_used_unasked(const DeviceInfo& device);

// Whether two entries are the same card, shown by two drivers. Where one of them does not tell where it is, the name
// has to do.
bool are_one_card(const DeviceInfo& a, const DeviceInfo& b);

// How long an answer's token would take of a model of eight billion parameters in Q4_K, by what was measured of a
// device; absent: nothing was.
std::optional<double> typical_token_seconds(const DeviceInfo& device);

// Before a model is known: of this machine's GPUs those with memory of their own, else the first that shares the
// host's; and the reference devices, which somebody asked for. Only those that are used unasked. Of a card that two
// drivers show the faster one, or CUDA's where that is not known.
std::vector<DeviceIndex> choose_gpus(std::span<const DeviceInfo> devices);

// For a model: those, unless the CPU alone has the better plan with `options` (whose devices are not looked at). It has
// where it fits and theirs does not, and where both fit and it is measured to be as fast. One GPU that shares the
// host's memory has to be measured first. Reference devices, slow on purpose, stay, and all do where the options ask
// for layers on GPUs.
using HeadroomOf = std::function<HeadroomRule(const DeviceInfo&)>;
DevicesChosen choose_devices(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options,
                             const HeadroomOf& headroom_of);

}  // namespace headroom
