// How long work on a device takes, as the host sees it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "backend/backend.h"

namespace headroom {

inline constexpr int kTimedPasses = 3;
// Long enough to be timed, and for the clocks that this load gets; far below what drivers take for a hang.
inline constexpr double kTimedSeconds = 0.025;
// Of one pass of what needs no more than its size.
inline constexpr double kQuickSeconds = 0.003;
inline constexpr std::uint64_t kMostTimedUnits = 1ULL << 32;

// What rates of reading and copying are measured with. Caches hold less than kTimedReadBytes of reads, so a rate that
// was measured with less is none.
inline constexpr Bytes kTimedReadBytes = 64 * kMiB, kTimedCopyBytes = 8 * kMiB;
inline Bytes timed_read_bytes(Bytes most_bytes) {
  return std::clamp(most_bytes / kMiB * kMiB, kLeastMeasureBytes, kTimedReadBytes + kTimedCopyBytes) - kTimedCopyBytes;
}

// `work()` is done when it returns.
template <class Work>
Result<double> seconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  if (Status done = work(); !done) return done.error();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Of the shortest of some passes: other programs only ever take time away.
template <class Work>
Result<double> shortest_seconds(Work work) {
  double best = 0;
  for (int pass = 0; pass < kTimedPasses; ++pass) {
    const Result<double> seconds = seconds_of(work);
    if (!seconds) return seconds;
    if (best == 0 || *seconds < best) best = *seconds;
  }
  return best;
}

// Units of work a second: as many at a time as take long enough to be timed, whatever the device; the best pass.
template <class Work>
Result<double> best_rate(Work work, double least_seconds = kTimedSeconds, int most_passes = kTimedPasses) {
  std::uint64_t n_units = 1;
  double best = 0;
  for (int n_passes = 0; n_passes < most_passes;) {
    const Result<double> seconds = seconds_of([&] { return work(n_units); });
    if (!seconds) return seconds;
    if (*seconds < least_seconds && n_units < kMostTimedUnits) {
      n_units *= 2;
      continue;
    }
    best = std::max(best, static_cast<double>(n_units) / *seconds);
    ++n_passes;
  }
  return best;
}

template <class Work>
Result<double> quick_rate(Work work) {
  return best_rate(work, kQuickSeconds, 1);
}

// What one of n_few ops costs that were submitted together, when `one` by itself takes so long, submission and all. A
// busy machine may make that the longer: then what is known is that an op takes no more than its share of all.
inline double seconds_of_op(double one, double few, std::uint32_t n_few) {
  return few > one ? (few - one) / (n_few - 1) : few / n_few;
}

// Seconds of reading alone, when `one` op that reads next to nothing takes so long.
inline double seconds_of_reading(double one, double whole) { return whole > one ? whole - one : whole; }

}  // namespace headroom
