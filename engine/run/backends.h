// The backends of a loaded model: one per device that its plan puts something on.
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.h"

namespace headroom {

// By device index of the plan; null where nothing stands.
using Backends = std::vector<std::shared_ptr<Backend>>;

// kUnsupported names a device that is not in this machine, and what the plan puts on it.
Result<Backends> make_backends(const MemoryPlan& plan, const BackendFactory& make_backend);

// What is measured of a device, with a backend of its own and at most so much of its memory; to be called while nothing
// computes. Errors as of the factory and of Backend::measure_speed().
Result<DeviceMeasurement> measure_device(const DeviceInfo& device, const BackendFactory& make_backend,
                                         Bytes most_bytes = kMostMeasureBytes);

// Over all of them.
std::uint64_t n_allocations(const Backends& backends);
double product_seconds(const Backends& backends);

// What this process is about to take on one device, and what the plan's rule says of it: memory_request.h asks for all.
// `held`: mapped there already by the model in question; it counts towards "at most". kDoesNotFit names device, bytes
// asked, bytes free now, what this process holds and what other programs hold.
Status check_fits_now(const DeviceInfo& device, const HeadroomRule& rule, Bytes asked, Bytes held,
                      const MemorySample& now);
// How such an error ends: what is free, what the rule says of it, and who holds the rest.
Message free_words(const HeadroomRule& rule, Bytes held, const MemorySample& now);

}  // namespace headroom
