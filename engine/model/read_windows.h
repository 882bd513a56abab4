// Which layers see their newest positions only, as a file and its architecture
// say.
#pragma once

#include <vector>

#include "model/arch_table.h"
#include "model/key_reader.h"

namespace headroom {

// (n_layers) positions that a layer sees; 0: all. Failures are kept by `keys`.
std::vector<std::uint32_t> read_windows(const ArchRow& row, std::uint32_t n_layers, std::uint32_t n_ctx_trained,
                                        KeyReader& keys);

}  // namespace headroom
