// The rotary embedding as a file's metadata describes it.
#pragma once

#include <optional>
#include <string_view>

#include "model/arch_table.h"
#include "model/key_reader.h"

namespace headroom {

inline constexpr std::string_view kWindowThetaKey = "rope.freq_base_swa";

// Keys may be absent: rope_dim is then `head_dim`, the original context n_ctx_trained. `keys` keeps failures.
RopeSpec read_rope(const ModelFile& file, const ArchRow& row, std::uint32_t head_dim, std::uint32_t n_ctx_trained,
                   KeyReader& keys);

// The embedding of queries, for architectures whose `row` lets them grow: `rope` with RopeSpec::growth. Absent where
// the file has them turn as keys do. `head_dim`: all of a head has to turn.
std::optional<RopeSpec> read_query_rope(const ArchRow& row, const RopeSpec& rope, std::uint32_t head_dim,
                                        std::uint32_t n_ctx_trained, KeyReader& keys);

// The base of layers with a window; `fallback` where the file states none.
double read_window_theta(double fallback, KeyReader& keys);

// The embedding of layers with a window, for architectures whose `row` says that they are unscaled: `rope` with their
// base and without scaling and factors. `head_dim` is of those layers.
RopeSpec read_window_rope(const ArchRow& row, const RopeSpec& rope, std::uint32_t head_dim, KeyReader& keys);

}  // namespace headroom
