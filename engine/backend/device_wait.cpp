#include "backend/device_wait.h"

namespace headroom {

namespace {

// Tenths where they tell something; thousandths of limits that tenths would show as 0.
int decimals_of(double seconds) { return seconds >= 10 ? 0 : seconds >= 0.1 ? 1 : 3; }

}  // namespace

Error no_answer(std::string_view device, std::string_view what, std::chrono::milliseconds waited) {
  const double seconds = std::chrono::duration<double>(waited).count();
  return {ErrorCode::kDeviceLost,
          Message::say("{}: no answer within {} s while {}{}", device, decimal(seconds, decimals_of(seconds)), what,
                       Message::of(kGivenUpNote))};
}

Error is_given_up(std::string_view device) {
  return {ErrorCode::kDeviceLost, Message::say("{}: the device was given up, since it did not answer", device)};
}

}  // namespace headroom
