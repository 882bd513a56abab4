// The rotary embedding as a file's metadata describes it.
#pragma once

#include <string_view>

#include "model/arch_table.h"
#include "model/key_reader.h"

namespace headroom {

inline constexpr std::string_view kWindowThetaKey = "rope.freq_base_swa";

// `head_dim` is the default of the rotated part, n_ctx_trained that of the original context. Failures are kept by
// `keys`.
RopeSpec read_rope(const ModelFile& file, const ArchRow& row, std::uint32_t head_dim, std::uint32_t n_ctx_trained,
                   KeyReader& keys);

// Of layers with a window, where `row` has a base for them: as the others turn, `rope`, but by that base and not
// scaled.
RopeSpec read_window_rope(const ArchRow& row, const RopeSpec& rope, KeyReader& keys);

}  // namespace headroom
