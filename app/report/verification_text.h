// What a verification found, in words and for scripts, as the command line and reports have it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "plan/verification.h"

namespace headroom {

// "as planned: 6.31 GiB planned, 6.31 GiB mapped, nothing allocated since load"; else what differs, by how much and on
// which device, one clause behind another.
std::string verificationVerdict(const Verification& found, VerifyProcess process);

// The verdict, then tables of devices and speeds, and the growth; whole lines.
std::string verificationText(const Verification& found, VerifyProcess process);

// as_planned, differences[] (kind, device, expected, found), n_ctx, n_slots, n_full_slots, devices[], prompt, speeds[],
// n_answers, grown_by_answers and taken_after_load (arenas, driver_bytes, mapped_bytes, heap_bytes), seconds. Figures
// that nothing tells are null.
nlohmann::ordered_json verificationJson(const Verification& found, VerifyProcess process);
nlohmann::ordered_json growthJson(const MemoryGrowth& grown);

}  // namespace headroom
