// Words around arenas that nothing may write to.
#pragma once

#include <string>

#include "backend/backend.h"

namespace headroom {

// The same plan with room for a guard before and behind what each arena holds: one granule of the device more at both
// ends, as padding. Its budgets grow by them.
MemoryPlan with_guards(const MemoryPlan& plan);

// Bytes next to the regions, on either side, that hold a pattern.
inline constexpr Bytes kGuardBytes = 4 * kKiB;

// Writes the pattern around the regions of an arena of such a plan. `bounce` is memory of the host, at least
// 2 * kGuardBytes of it, that the backend copies from and to. Errors as of Backend::copy_bytes().
Status write_guards(Backend& backend, const ArenaPlan& plan, Arena& arena, Arena& bounce);

// Where the pattern is not there any more: "12 bytes behind the arena of weights". Empty: it is.
Result<std::string> find_guard_damage(Backend& backend, const ArenaPlan& plan, Arena& arena, Arena& bounce);

}  // namespace headroom
