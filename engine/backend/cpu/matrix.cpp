#include "backend/cpu/matrix.h"

#include <algorithm>

#include "plan/device_rules.h"

namespace headroom {

std::uint32_t tiles_per_block(const Activations& activations) {
  const Bytes row = std::max<Bytes>(activations.int8 != nullptr ? cpu_int8_row_bytes(activations.n_elems) : 0,
                                    activations.f32 != nullptr ? Bytes{activations.n_elems} * 4 : 0);
  return static_cast<std::uint32_t>(std::max<Bytes>(1, kTileBlockBytes / (row * kTileCols)));
}

}  // namespace headroom
