#include "run/growth_meter.h"

namespace headroom {
namespace {

Bytes more(Bytes before, Bytes now) { return now > before ? now - before : 0; }

std::optional<Bytes> driver_share(Backend* backend) {
  if (backend == nullptr) return std::nullopt;
  const Result<MemorySample> now = backend->sample_memory();
  return now ? now->account.driver : std::nullopt;
}

std::vector<std::optional<Bytes>> driver_shares(const Backends& backends) {
  std::vector<std::optional<Bytes>> shares;
  for (const auto& backend : backends) shares.push_back(driver_share(backend.get()));
  return shares;
}

}  // namespace

// The process last: what this object itself takes is there already.
GrowthMeter::GrowthMeter(const Backends& backends)
    : backends_(backends), n_arenas_(n_allocations(backends)), drivers_(driver_shares(backends)) {
  own_ = read_own_memory();
}

MemoryGrowth GrowthMeter::growth() const {
  const OwnMemory now = read_own_memory();
  MemoryGrowth growth{.n_arenas = n_allocations(backends_) - n_arenas_,
                      .heap = more(own_.heap, now.heap),
                      .mapped = more(own_.mapped, now.mapped)};
  const std::vector<std::optional<Bytes>> drivers = driver_shares(backends_);
  for (std::size_t i = 0; i < drivers.size(); ++i) {
    if (drivers[i] && drivers_[i]) growth.driver += more(*drivers_[i], *drivers[i]);
  }
  return growth;
}

}  // namespace headroom
