// What the window says of GPUs that were checked.
#pragma once

#include <QString>
#include <span>

#include "app/prove/prove_in_child.h"

namespace headroom::app {

// "Checking RTX 4070 (Vulkan) before it is used: 40 %".
QString checkingSentence(const DeviceInfo& device, const ProofProgress& progress);

// Of one that passed: by which driver plans use it, and how much faster that is than the other one that shows the same
// card. `devices`: all of this machine, with what is known of them.
QString passedSentence(const DeviceInfo& device, std::span<const DeviceInfo> devices);

// Of one that did not, or that could not be judged: what follows from it; and what was found, with what can be done.
QString failedSentence(const DeviceInfo& device, const ProofOfChild& proof);
QString failedDetails(const ProofOfChild& proof);

}  // namespace headroom::app
