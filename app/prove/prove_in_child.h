// Checks a device in a process of its own: a driver that hangs or crashes takes that process with it, and nothing else.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "devices/device_info.h"
#include "prove/prove_device.h"
#include "verdict_store.h"

namespace headroom {

// The child that says nothing for so long is killed: its own waits end before (kProofWaitLimit), but a driver may take
// its time to compile kernels, the longer where it does so for a CPU.
inline constexpr std::chrono::milliseconds kProofSilence{60'000}, kSoftwareProofSilence{600'000};

struct ProofOfChild {
  enum class Kind : std::uint8_t { kPassed, kFailed, kNoJudgement };
  Kind kind = Kind::kNoJudgement;
  std::string what;  // failed, or why there is no judgement: words without a full stop
  double seconds = 0;
};

// `command`: a program that runs prove_and_tell() of this device. Waits for its end; a stop kills it (kNoJudgement).
ProofOfChild prove_in_child(const std::vector<std::string>& command, std::chrono::milliseconds silence,
                            const StopToken& stop, const std::function<void(const ProofProgress&)>& tell);

// The whole of it: marks the device as looked at in the file, checks it, and keeps the verdict; where there is
// no judgement, the one from before. A file that cannot be written is no error: then the device is looked at again next
// time.
ProofOfChild prove_and_keep(const std::filesystem::path& verdict_file, const DeviceInfo& device,
                            const std::vector<std::string>& command, const StopToken& stop,
                            const std::function<void(const ProofProgress&)>& tell);

}  // namespace headroom
