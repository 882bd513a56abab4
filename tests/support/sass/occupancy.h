// How many blocks of a kernel a multiprocessor of NVIDIA's cards runs at the same time.
#pragma once

#include <array>
#include <string_view>

namespace headroom::test {

// CUDA C++ Programming Guide, "Technical specifications per compute capability". All of these have 64 Ki registers in
// four partitions, of which a warp gets 256 at a time from one.
struct SmLimits {
  int architecture;    // 75: sm_75
  int warps, blocks;   // at most
  int shared_bytes;    // that blocks may have together
  int reserved_bytes;  // of these for each block, beside what it asks for ("Shared memory" of each capability)
  int shared_unit;     // bytes; a block gets a multiple
};
inline constexpr std::array kSmLimits = {
    SmLimits{75, 32, 16, 64 << 10, 0, 256},      SmLimits{80, 64, 32, 164 << 10, 1024, 128},
    SmLimits{86, 48, 16, 100 << 10, 1024, 128},  SmLimits{89, 48, 24, 100 << 10, 1024, 128},
    SmLimits{90, 64, 32, 228 << 10, 1024, 128},  SmLimits{100, 64, 32, 228 << 10, 1024, 128},
    SmLimits{120, 48, 24, 100 << 10, 1024, 128},
};

struct Occupancy {
  int blocks = 0, warps = 0;    // at the same time; 0: not one block fits
  std::string_view limited_by;  // "warps" (as many as there can be, but for a rest), "registers", "shared" or "blocks"
};

// For blocks of `threads`, with as many registers a thread and as much static shared memory a block.
Occupancy occupancy_of(const SmLimits& limits, int threads, int registers, int shared_bytes);

}  // namespace headroom::test
