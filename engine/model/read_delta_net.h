// Which layers are recurrent, and the sizes of their delta nets, as a file's metadata has them.
#pragma once

#include <optional>
#include <vector>

#include "model/arch_table.h"
#include "model/key_reader.h"

namespace headroom {

// A flag for each of n_blocks layers: those that are recurrent. None where the row has no delta net. `keys` keeps
// failures.
std::vector<bool> read_recurrent_layers(const ArchRow& row, std::uint32_t n_blocks, KeyReader& keys);

// Absent where the row has none. kBadFile names sizes that contradict each other.
std::optional<DeltaNetSpec> read_delta_net(const ArchRow& row, KeyReader& keys);

}  // namespace headroom
