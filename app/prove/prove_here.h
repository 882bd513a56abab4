// Checks a device in this process.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/stop.h"
#include "prove/prove_device.h"

namespace headroom {

// A card that never answers is given up after so long: nothing that the check asks for takes a card a hundredth of it.
inline constexpr std::chrono::milliseconds kProofWaitLimit{10'000};
// Of a driver that computes on the CPU, which compiles kernels while it is waited for: with other programs on both
// cores a step of the check took more than the minute that is usual.
inline constexpr std::chrono::milliseconds kSoftwareProofWaitLimit{300'000};

// By its id. `kernel_folder`: as of keeping_kernels_in(). The size as kProofSizeVariable says. Sets the process's limit
// for waiting. kUsage where the device is not there or is no GPU; else as of prove_device().
Result<ProofReport> prove_here(const std::string& device_id, const std::filesystem::path& kernel_folder,
                               const StopToken& stop, const std::function<void(const ProofProgress&)>& tell);

// The same as a program of its own, which somebody else started to be told: lines go to the standard output. Returns
// the exit status, 0 unless the output was lost.
int prove_and_tell(const std::string& device_id, const std::filesystem::path& kernel_folder);

}  // namespace headroom
