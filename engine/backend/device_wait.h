// How long this program waits for a device, and what it says of one that did not answer.
#pragma once

#include <atomic>
#include <chrono>
#include <string_view>

#include "base/result.h"

namespace headroom {

// A device that has not answered for so long is given up: nothing waits for it again, and what it holds is left to it.
// A backend submits about half a second of work of a slow GPU at once, and drivers end what runs for more than about
// ten seconds; the rest is for drivers that compute on the CPU.
inline constexpr std::chrono::milliseconds kDeviceWaitLimit{60'000};

// Where every wait for a device takes its end from. Tests make it small; set at any time, by any thread.
inline std::atomic<std::chrono::milliseconds>& device_wait_limit() {
  static std::atomic<std::chrono::milliseconds> limit = kDeviceWaitLimit;
  return limit;
}

// kDeviceLost: "vulkan:0: no answer within 60 s while copying weights", and kGivenUpNote.
inline constexpr Message::Mark kGivenUpNote =
    Message::mark(": the device is given up, and what it holds stays taken until it answers or the program ends");
Error no_answer(std::string_view device, std::string_view what, std::chrono::milliseconds waited);

// kDeviceLost, of a device that was given up before and is asked for something.
Error is_given_up(std::string_view device);

}  // namespace headroom
