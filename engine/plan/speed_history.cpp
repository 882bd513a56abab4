#include "plan/speed_history.h"

#include <algorithm>
#include <cmath>

namespace headroom {
namespace {

// So many measurements, so far apart, are unlikely to have met another program each time.
constexpr std::uint32_t kFewestMeasurements = 3;
constexpr UtcSeconds kBetween = 600, kLongAgo = 30 * 24 * 3600;
// Answers show what a model gets, which is a bit less than what is measured: only what is clearly better than they say
// replaces it. An op of an answer does more than what is measured of it.
constexpr double kClearly = 1.25, kClearlyOfOps = 4;
// So many slower measurements in a row are no other program.
constexpr std::uint32_t kBelievedSlower = 5;

// How many times as fast.
double gain(double measured, double known, bool is_seconds) { return is_seconds ? known / measured : measured / known; }

void take_slower(double& known, FigureAge& age, double measured, bool is_seconds) {
  const bool is_first = age.n_slower++ == 0;
  if (is_first || gain(measured, age.best_slower, is_seconds) > 1) age.best_slower = measured;
  if (age.n_slower < kBelievedSlower) return;
  known = age.best_slower;
  age.n_slower = 0;
}

void take(double& known, FigureAge& age, double measured, bool is_seconds) {
  if (!(known > 0)) {
    known = measured;
    return;
  }
  const double faster = gain(measured, known, is_seconds);
  const double clearly = age.n_measurements < kFewestMeasurements ? 1 : is_seconds ? kClearlyOfOps : kClearly;
  if (faster > clearly) known = measured;
  if (faster < 1 && age.n_measurements == 0) known = std::sqrt(known * measured);
  if (faster < 1 / (is_seconds ? kClearlyOfOps : kClearly) && age.n_measurements > 0) {
    take_slower(known, age, measured, is_seconds);
  } else {
    age.n_slower = 0;
  }
}

std::array<double, kNSpeedFigures> figures_of(const DeviceSpeed& speed) {
  std::array<double, kNSpeedFigures> figures{};
  for_each_figure(speed, [&](std::size_t index, const std::string&, double value, bool) { figures[index] = value; });
  return figures;
}

}  // namespace

bool is_near(const DeviceSpeed& a, const DeviceSpeed& b) {
  return std::ranges::equal(figures_of(a), figures_of(b),
                            [](double x, double y) { return x == y || std::min(x, y) > 0.95 * std::max(x, y); });
}

void SpeedHistory::take_measurement(const DeviceSpeed& measured, UtcSeconds now) {
  const std::array<double, kNSpeedFigures> found = figures_of(measured);
  for_each_figure(speed, [&](std::size_t index, const std::string&, double& known, bool is_seconds) {
    if (!(found[index] > 0) || !std::isfinite(found[index])) return;
    FigureAge& age = ages[index];
    take(known, age, found[index], is_seconds);
    age.measured_at = now;
    ++age.n_measurements;
  });
  if (measured.read_bytes_per_s > 0) is_doubted = false;
}

void SpeedHistory::take_answer(const SeenSpeed& seen) {
  speed = seen.speed;
  is_doubted |= is_far_off(seen.slowdown);
}

void SpeedHistory::forget_ages() {
  ages = {};
  is_doubted = false;
}

bool SpeedHistory::is_due(UtcSeconds now) const {
  if (!(speed.read_bytes_per_s > 0)) return true;
  const UtcSeconds latest = std::ranges::max_element(ages, {}, &FigureAge::measured_at)->measured_at;
  if (latest == 0 || latest > now) return true;
  if (now - latest < kBetween) return false;
  const FigureAge& reads = ages.front();  // what a measurement with little memory leaves out
  return is_doubted || reads.n_measurements < kFewestMeasurements || now - reads.measured_at >= kLongAgo;
}

}  // namespace headroom
