// Measures how long work on a device takes, by the host's clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "backend/backend.h"

namespace headroom {

inline constexpr int kTimedPasses = 3;
// Long enough to be timed, and for the clocks that this load gets; far below what drivers take for a hang.
inline constexpr double kTimedSeconds = 0.025;
// Of one pass, where only the order of magnitude is asked.
inline constexpr double kQuickSeconds = 0.003;
inline constexpr std::uint64_t kMostTimedUnits = 1ULL << 32;

// Bytes by which the rate of copying is measured.
inline constexpr Bytes kTimedCopyBytes = 8 * kMiB;
inline constexpr Bytes kLeastUncachedBytes = 64 * kMiB, kMostUncachedBytes = kMostMeasureBytes - kTimedCopyBytes;

// Bytes that must be read to know the rate of the memory: four times the last cache (an RTX 5090 has 96 MiB, a B200
// 126). A device that tells of no cache (0) reads an eighth of its memory, which is that much and more of every card of
// the catalogue.
inline Bytes uncached_read_bytes(Bytes cache_bytes, Bytes memory_bytes) {
  const Bytes wanted = cache_bytes > 0 ? cache_bytes * 4 : memory_bytes / 8;
  return std::clamp((wanted + kMiB - 1) / kMiB * kMiB, kLeastUncachedBytes, kMostUncachedBytes);
}

// Bytes that are read to measure: those that must be, or fewer where measure_speed() is not given so many or more than
// half of what is free would be taken. Then the rate stays unknown: it would be a cache's.
inline Bytes timed_read_bytes(Bytes uncached_bytes, Bytes most_bytes, Bytes free_bytes) {
  const Bytes most = std::min(most_bytes, free_bytes / 2) / kMiB * kMiB;
  return std::max(std::min(most, uncached_bytes + kTimedCopyBytes), kLeastMeasureBytes) - kTimedCopyBytes;
}

// `work()` is done when it returns.
template <class Work>
Result<double> seconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  if (Status done = work(); !done) return done.error();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The time of the shortest of some passes: other programs can only make a pass longer.
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

// Units of work a second. Doubles the units of a pass until it takes least_seconds, then keeps the best of some passes.
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

// The time of one op, from `one`, the time of an op that is submitted alone, and `few`, that of n_few ops submitted
// together: their difference has no submission in it. On a busy machine `one` may be the longer; then an op takes at
// most its share of `few`.
inline double seconds_of_op(double one, double few, std::uint32_t n_few) {
  return few > one ? (few - one) / (n_few - 1) : few / n_few;
}

// The time that reading takes within an op of `whole` seconds, where an op that reads next to nothing takes `one`.
inline double seconds_of_reading(double one, double whole) { return whole > one ? whole - one : whole; }

}  // namespace headroom
