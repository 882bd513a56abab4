// The sizes of attention heads and the scale of their scores, as a file's metadata has them.
#pragma once

#include <string_view>

#include "model/arch_table.h"
#include "model/key_reader.h"

namespace headroom {

// Elements of a head: of a layer that sees everything, and of one with a window. Even, at most kMaxHeadDim.
struct HeadSizes {
  std::uint32_t full = 0, window = 0;
  std::uint32_t of(AttentionKind kind) const { return kind == AttentionKind::kWindow ? window : full; }
};

// `n_heads`: of the first layer. Both sizes are one unless the row says otherwise. kBadFile names sizes that cannot be,
// kUnsupported values of another size than keys. `keys` keeps failures, as below.
HeadSizes read_head_sizes(const ArchRow& row, std::uint32_t d_model, std::uint32_t n_heads, KeyReader& keys);

// A width that the key states for layers with a window; 0, as an absent key, is that of the others. kUnsupported names
// another one.
void expect_same_in_windows(std::string_view key, std::uint32_t width, KeyReader& keys);
// The width that the key states for layers with a window; `width` where it is absent or 0.
std::uint32_t width_in_windows(std::string_view key, std::uint32_t width, KeyReader& keys);

// On q.k of a layer whose heads are counted and measured already.
float attention_scale(const ArchRow& row, std::uint32_t n_layers, std::uint32_t d_model, const LayerSpec& layer);

}  // namespace headroom
