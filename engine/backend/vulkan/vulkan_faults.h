// Faults that tests seed into all Vulkan devices of the process, at any time.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/bytes.h"

namespace headroom {

// A count n lets the n-th call from now fail, once; 0: none.
struct VulkanFaults {
  std::atomic<std::uint32_t> lose_at_submit = 0;    // the submission loses its device
  std::atomic<std::uint32_t> hang_at_submit = 0;    // from the submission on its device never answers, unless
  std::atomic<bool> ends_hangs = false;             // this is set: then it does when it is looked at again
  std::atomic<std::uint32_t> fail_at_pipeline = 0;  // of the pipelines that are compiled together next, one is refused
  std::atomic<std::uint32_t> refuse_at_map = 0;     // the driver has no memory for an arena
  std::atomic<Bytes> more_for_buffers = 0;          // that the driver takes than a buffer is large
  std::atomic<Bytes> taken = 0;                     // what another program holds of a device, as the system counts it
  std::atomic<std::uint32_t> vendor = 0;            // of which devices say that they are, unless it is 0
  std::atomic<bool> hides_options = false;          // devices that are looked for have nothing that is optional
};

inline VulkanFaults& vulkan_faults() {
  static VulkanFaults faults;
  return faults;
}

}  // namespace headroom
