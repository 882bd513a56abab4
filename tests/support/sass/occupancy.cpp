#include "support/sass/occupancy.h"

#include <algorithm>
#include <utility>

namespace headroom::test {
namespace {

constexpr int kRegisters = 65536, kPartitions = 4, kWarpUnit = 256, kWarp = 32;

int up_to(int value, int unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

Occupancy occupancy_of(const SmLimits& limits, int threads, int registers, int shared_bytes) {
  const int warps = up_to(threads, kWarp) / kWarp;
  const int of_warp = up_to(std::max(registers, 1) * kWarp, kWarpUnit);
  // A launch is refused where a block's warps, as many in each partition, have more than all registers.
  const bool is_refused = of_warp * up_to(warps, kPartitions) > kRegisters;
  const int by_registers = is_refused ? 0 : kRegisters / kPartitions / of_warp * kPartitions / warps;
  const int of_block = up_to(shared_bytes + limits.reserved_bytes, limits.shared_unit);
  const int by_shared = of_block == 0 ? limits.warps : limits.shared_bytes / of_block;
  Occupancy occupancy{limits.warps / warps, 0, "warps"};
  for (const auto& [blocks, limit] :
       {std::pair{by_registers, "registers"}, std::pair{by_shared, "shared"}, std::pair{limits.blocks, "blocks"}}) {
    if (blocks < occupancy.blocks) occupancy = {blocks, 0, limit};
  }
  occupancy.warps = occupancy.blocks * warps;
  return occupancy;
}

}  // namespace headroom::test
