// What the command line knows of the checks of this machine's GPUs, and the check before a first use.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/stop.h"
#include "devices/device_info.h"

namespace headroom::cli {

// Which GPUs have been proved, as far as it is known.
void knowProofs(std::span<DeviceInfo> devices);

// The same; those that nobody has looked at yet are checked first, each in a process of its own, with a line on stderr:
// the ones that are `named`, or, where none is, all that could be used unasked. A stop kills the check that runs, of
// which nothing is kept, and begins no other.
void proveFirst(std::span<DeviceInfo> devices, std::span<const std::string> named, const StopToken& stop);

// What to say of a device that is used because it was named: that it failed, and how, or that nobody has looked at it;
// empty: it is proved.
std::string doubtOf(const DeviceInfo& device);

// This program, with the words that make it check a device for the one that started it.
std::vector<std::string> proofCommand(const std::string& deviceId);

}  // namespace headroom::cli
