// The sizes of short convolutions, from a file's keys.
#pragma once

#include <cstdint>
#include <optional>

#include "model/arch_table.h"
#include "model/key_reader.h"

namespace headroom {

// Absent where the row has none, or after a failure. It has as many channels as the residual.
std::optional<ShortConvSpec> read_short_conv(const ArchRow& row, std::uint32_t d_model, KeyReader& keys);

}  // namespace headroom
