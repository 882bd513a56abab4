// The check that every backend makes before it copies bytes of a buffer to or from the host.
#pragma once

#include <string_view>

#include "base/result.h"
#include "plan/memory_plan.h"

namespace headroom {

// The device whose buffers are copied.
struct CopySide {
  std::string_view id;  // of the device, for the message
  const Program& program;
  DeviceIndex device = 0;  // of the program
};

// kUsage when `buffer` is not of the program, not on the device, or when n_bytes from the beginning of `first_row` on
// leave it.
Status check_copy(const CopySide& side, BufferId buffer, std::uint32_t first_row, Bytes n_bytes);

}  // namespace headroom
