// Whether a device computes what the CPU computes. Nobody has tried our kernels on the card and the driver of each
// user: so they are tried there, before an answer comes from them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/stop.h"

namespace headroom {

// Another way in which a backend does the same work: its results are the same, bit by bit.
struct BackendVariant {
  std::string name;  // "one kernel after the other"
  BackendFactory make_backend;
};

struct ProofProgress {
  std::uint32_t n_done = 0, n_steps = 0;
  std::string what;  // is looked at now: "q8_0 cache"
};

// kQuick: for a driver that runs kernels on the host, a thousand times as slowly: shorter prompts, of the small model
// one repetition and two cache types, of the models of single blocks no repetition and F16 alone, and nothing that
// would fill a card. kBrief: of that the small model alone, for tests of what stands around a check.
enum class ProofSize : std::uint8_t { kFull, kQuick, kBrief };
inline constexpr const char* kProofSizeVariable = "HEADROOM_PROOF";  // "quick", "brief"; absent: full

// Stands for what is looked at: one more whenever that is more. A verdict of another number is not believed.
inline constexpr int kProofNumber = 2;

struct ProofInputs {
  DeviceInfo cpu, device;  // as probed
  BackendFactory make_backend;
  std::vector<BackendVariant> variants;
  ProofSize size = ProofSize::kFull;
  StopToken stop;
  std::function<void(const ProofProgress&)> tell;
};

struct ProofReport {
  std::vector<std::string> failures;  // what is not as it has to be, in words; empty: the device passed
  double seconds = 0;
  double worst_error = 0;  // of all comparisons with the CPU, as a share of what is allowed there
};

// Made models (proof_model.h) through the ordinary plan, bind and executor: prompts of 1, 8, 65 and 256 rows and 64
// decoded tokens, with each cache type that device and CPU have, or with F16 alone where a model's blocks do not
// concern the cache. All logits are held against the CPU's and, bit by bit, against those of two repetitions and, of
// the small model, of the variants; the likeliest tokens against the logits that they are of; guards around all arenas;
// and what the system counts of the device for this process against the plan. A few seconds on a card, once a driver
// has compiled the kernels. Errors are no judgement of the device: kResource and kDoesNotFit when its memory is taken
// by others, kCancelled when stopped; a lost or unsound device is a failure in the report.
Result<ProofReport> prove_device(const ProofInputs& inputs);

}  // namespace headroom
