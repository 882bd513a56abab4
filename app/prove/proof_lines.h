// What a process that checks a device writes to the one that started it: a line of JSON for each step, then one for
// the end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "prove/prove_device.h"

namespace headroom {

// The end where the device could not be judged: its memory is taken, it is not there, or somebody stopped.
struct NoJudgement {
  std::string why;
};
using ProofLine = std::variant<ProofProgress, ProofReport, NoJudgement>;

std::string write_proof_line(const ProofLine& line);
std::optional<ProofLine> read_proof_line(std::string_view text);  // none: it is not one

}  // namespace headroom
