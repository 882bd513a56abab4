// How many threads are worth starting on this machine.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/control_groups.h"

namespace headroom {

// Physical cores that this process may run on, no more than its control groups give it time for; at least 1.
std::uint32_t usable_cores();

// The same for a process that may run on the hardware threads `cpus`, as the files under `paths` tell.
std::uint32_t usable_cores(const std::vector<std::uint32_t>& cpus, const HostPaths& paths);

// Processors' worth of time that the tightest group above this process has (1.5: one and a half); absent without a
// limit.
std::optional<double> cpu_quota(const HostPaths& paths);

// sched_getaffinity() of this process; 0, or -1 and errno.
using GetAffinity = int (*)(std::size_t n_bytes, cpu_set_t* cpus);

// Ids of the hardware threads that this process may run on; empty when the system does not tell. A machine may have
// more of them than cpu_set_t holds.
std::vector<std::uint32_t> allowed_cpus(GetAffinity get_affinity);

}  // namespace headroom
