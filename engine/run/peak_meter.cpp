#include "run/peak_meter.h"

#include <algorithm>

namespace headroom {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);

}  // namespace

PeakMeter::PeakMeter(const Backends& backends) : backends_(backends), peaks_(backends.size()) { sample(); }

void PeakMeter::sample_when_due() {
  if (std::chrono::steady_clock::now() - sampled_ >= kInterval) sample();
}

void PeakMeter::sample() {
  sampled_ = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < backends_.size(); ++i) {
    if (backends_[i] == nullptr) continue;
    const Result<MemorySample> now = backends_[i]->sample_memory();
    if (!now) continue;  // one reading less
    Peak& peak = peaks_[i];
    peak.ours = std::max(peak.ours, now->ours);
    if (now->account.driver) peak.driver = std::max(peak.driver.value_or(0), *now->account.driver);
    peak.least_free = std::min(peak.least_free.value_or(now->free), now->free);
  }
}

}  // namespace headroom
