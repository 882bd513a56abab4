#include "backend/device_wait.h"

#include <fmt/format.h>

namespace headroom {

Error no_answer(std::string_view device, std::string_view what, std::chrono::milliseconds waited) {
  return {ErrorCode::kDeviceLost, fmt::format("{}: no answer within {:.3g} s while {}{}", device,
                                              std::chrono::duration<double>(waited).count(), what, kGivenUpNote)};
}

Error is_given_up(std::string_view device) {
  return {ErrorCode::kDeviceLost, fmt::format("{}: the device was given up, since it did not answer", device)};
}

}  // namespace headroom
