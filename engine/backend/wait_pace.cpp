#include "backend/wait_pace.h"

#include <algorithm>

namespace headroom {
namespace {

using Duration = WaitPace::Duration;

constexpr Duration kShortestPause{20}, kLongestPause{2000};
constexpr int kPausesPerWait = 50;
// Around the time that the last wait took: 3 % of it, but no less than a sleep may last too long, and no more than
// leaves the core to others.
constexpr int kPartsAround = 32;
constexpr Duration kLeastAround{150}, kMostAround{400};
static_assert(WaitPace::kAskedAtFirst + 2 * kMostAround <= WaitPace::kMostAsked);

}  // namespace

Duration WaitPace::pause(Duration waited) const {
  if (waited < kAskedAtFirst) return Duration{0};
  const Duration around = std::clamp(last_ / kPartsAround, kLeastAround, kMostAround), from = last_ - around;
  if (waited >= from && waited < last_ + around && last_ >= kAskedAtFirst) return Duration{0};
  const Duration pause = std::clamp(waited / kPausesPerWait, kShortestPause, kLongestPause);
  return waited < from ? std::min(pause, from - waited) : pause;
}

}  // namespace headroom
