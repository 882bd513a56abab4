// Which layers have a window, from the file's keys and the architecture's row.
#pragma once

#include <string_view>
#include <vector>

#include "model/arch_table.h"
#include "model/key_reader.h"

namespace headroom {

inline constexpr std::string_view kPatternKey = "attention.sliding_window_pattern";

// (n_blocks): how many newest positions each layer sees; 0: all. n_layers: those that are run, whose flags are all that
// some converters write. `keys` keeps failures.
std::vector<std::uint32_t> read_windows(const ArchRow& row, std::uint32_t n_blocks, std::uint32_t n_layers,
                                        std::uint32_t n_ctx_trained, KeyReader& keys);

}  // namespace headroom
