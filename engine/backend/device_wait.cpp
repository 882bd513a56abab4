#include "backend/device_wait.h"

#include <fmt/format.h>

namespace headroom {

Error no_answer(std::string_view device, std::string_view what, std::chrono::milliseconds waited) {
  return {ErrorCode::kDeviceLost, Message::say("{}: no answer within {} s while {}{}", device,
                                               fmt::format("{:.3g}", std::chrono::duration<double>(waited).count()),
                                               what, Message::of(kGivenUpNote))};
}

Error is_given_up(std::string_view device) {
  return {ErrorCode::kDeviceLost, Message::say("{}: the device was given up, since it did not answer", device)};
}

}  // namespace headroom
