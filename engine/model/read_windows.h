// Which layers have a window, from the file's keys and the architecture's row.
#pragma once

#include <string_view>
#include <vector>

#include "model/arch_table.h"
#include "model/key_reader.h"

namespace headroom {

inline constexpr std::string_view kPatternKey = "attention.sliding_window_pattern";

// (n_layers): how many newest positions each layer sees; 0: all. `keys` keeps failures.
std::vector<std::uint32_t> read_windows(const ArchRow& row, std::uint32_t n_layers, std::uint32_t n_ctx_trained,
                                        KeyReader& keys);

}  // namespace headroom
