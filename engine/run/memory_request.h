// What is about to be taken on the devices of a plan, held against what is free there now.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "run/backends.h"

namespace headroom {

struct MemoryRequest {
  DeviceIndex device = 0;  // of the plan
  Bytes asked = 0;
  Bytes held = 0;  // there already for the model in question; it counts towards "at most"
  MemorySample now;
  Bytes driver = 0;  // of what is held: what the driver has taken of its share
};

using BytesOf = std::function<Bytes(DeviceIndex)>;

// Of each device with a backend. `driver`: its driver's share, where the plan asks for one; of that, what the driver
// has taken already is held and not asked for again. Errors as of Backend::sample_memory().
Result<std::vector<MemoryRequest>> read_memory_requests(const Backends& backends, const BytesOf& asked,
                                                        const BytesOf& held, const BytesOf& driver = {});

// The asks as they will be when every device has `given` of this process's bytes back. Of memory that devices share,
// what one of them gives back is free for all; whether their drivers then offer it is seen by whoever asks next.
void give_back(const MemoryPlan& plan, const BytesOf& given, std::span<MemoryRequest> asks);

// Whether all of it fits under the plan's rules: each device alone as check_fits_now() of one, and those that share
// memory together (plan/memory_pool.h), where the error names the device whose rule says so, what is asked there, what
// the others ask, and what is free.
Status check_fits_now(const MemoryPlan& plan, std::span<const MemoryRequest> asks);

}  // namespace headroom
