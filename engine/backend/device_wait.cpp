#include "backend/device_wait.h"

namespace headroom {

Error no_answer(std::string_view device, std::string_view what, std::chrono::milliseconds waited) {
  const double seconds = std::chrono::duration<double>(waited).count();
  return {ErrorCode::kDeviceLost,
          Message::say("{}: no answer within {} s while {}{}", device, decimal(seconds, seconds < 10 ? 1 : 0), what,
                       Message::of(kGivenUpNote))};
}

Error is_given_up(std::string_view device) {
  return {ErrorCode::kDeviceLost, Message::say("{}: the device was given up, since it did not answer", device)};
}

}  // namespace headroom
