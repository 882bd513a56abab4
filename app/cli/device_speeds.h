// What the command line knows of the speed of this machine, and what its answers add to it.
#pragma once

#include <span>
#include <string>

#include "run/event.h"

namespace headroom::cli {

// Speeds that were measured before, and what drivers take; devices without, or whose figures are
// due, are measured now, a few tenths of a second each. One that
// cannot be measured keeps none, and what depends on it is not told. One that is used only by name (a driver that
// computes on the CPU, a GPU that is not proved) is measured when its id is `named`.
void knowSpeeds(std::span<DeviceInfo> devices, std::span<const std::string> named = {});

// Refines the stored speeds by an answer.
void learnSpeeds(const ModelLoaded& loaded, const GenerationFinished& finished);

}  // namespace headroom::cli
