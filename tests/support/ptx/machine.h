// Runs an entry of PTX, for tests: warps of 32 lanes that diverge and meet again, in an order that a seed decides, with
// the instructions for whole warps as NVIDIA's PTX ISA describes their fragments. Undefined registers, shared memory
// that nobody wrote, addresses that were not allocated or are not aligned, and barriers or exchanges that not all lanes
// come to are errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "support/ptx/program.h"

namespace headroom::ptx {

struct Launch {
  const Entry* entry = nullptr;
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t n_threads = 32;
  std::span<const std::byte> params;
  std::uint32_t seed = 1;
  std::function<bool(std::uint64_t address, std::size_t bytes)>
      is_allocated;  // of global memory: addresses of the host
};

// Empty where all is well, else what is wrong, with block, warp and line.
std::string run(const Launch& launch);

}  // namespace headroom::ptx
