// How often a wait for a device asks whether it is over.
#pragma once

#include <chrono>

namespace headroom {

// A question takes about a microsecond, and a sleep ends some 60 us late, which would be a part of each token of an
// answer. So a wait asks again and again where it is likely to end, and sleeps elsewhere, so that its core is left to
// others. Likely are its first 100 us, in which a copy or a short step ends, and some time around what the last wait
// took, since the tokens of an answer take as long as each other; both together at most kMostAsked of each wait. A
// sleep is at most 2 % of what was waited, so that the end of a wait that nobody could expect is seen no later than
// that. Example: tokens of 5 ms. A wait asks for 100 us, sleeps until 4.84 ms, and asks until the end. After a prompt
// of 200 ms the first token is seen at most 0.1 ms late, and the next one at once.
class WaitPace {
 public:
  using Duration = std::chrono::microseconds;
  static constexpr Duration kAskedAtFirst{100}, kMostAsked{900};

  WaitPace() = default;
  // `last`: what the last wait took that was like this one.
  explicit WaitPace(Duration last) : last_(last) {}

  // How long to sleep before the next question when so much was waited; 0: not at all.
  Duration pause(Duration waited) const;

 private:
  Duration last_{0};
};

}  // namespace headroom
