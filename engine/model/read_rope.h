// The rotary embedding as a file's metadata describes it.
#pragma once

#include "model/arch_table.h"
#include "model/key_reader.h"

namespace headroom {

// `head_dim` is the default of the rotated part, n_ctx_trained that of the original context. Failures are kept by
// `keys`.
RopeSpec read_rope(const ModelFile& file, const ArchRow& row, std::uint32_t head_dim, std::uint32_t n_ctx_trained,
                   KeyReader& keys);

}  // namespace headroom
