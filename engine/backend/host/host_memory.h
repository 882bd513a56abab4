// What the host has, as the system counts it.
#pragma once

#include <string>

#include "backend/backend.h"
#include "base/control_groups.h"

namespace headroom {

// Physical memory, or the smallest limit of the control groups above this process when that is less; free is what
// programs can still have of it without swapping; other programs hold what is neither free nor this process's.
// kResource when the system does not tell.
Result<MemorySample> sample_host_memory(const HostPaths& paths = {});

// "Intel(R) Xeon(R) ...", or "CPU" when the system does not tell.
std::string host_cpu_name(const HostPaths& paths = {});

}  // namespace headroom
