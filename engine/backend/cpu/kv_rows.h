// How a row of K or V stands in the cache. Region of a layer: (n_slots, n_kv_heads, kv_rows / 16) groups of 16 positions.
// A group of keys is a row panel (a lane is a key). A group of values keeps the elements of each key together, then the scales by block (a lane is an
// element of the head).
#pragma once

#include "base/bytes.h"
#include "format/dtype.h"
#include "model/model_info.h"

namespace headroom {

// row: one head of one position as encode_row() writes it.
void put_value_row(DType dtype, std::uint32_t head_dim, std::uint32_t lane, const std::byte* row, std::byte* group);

// Where the groups of a layer's K (or V) stand.
struct KvView {
  std::byte* base = nullptr;
  DType dtype = DType::kF16;
  std::uint32_t n_rows = 0;  // positions per slot; position p stands at p % n_rows
  std::uint32_t head_dim = 0;
  Bytes group_bytes = 0, head_bytes = 0, slot_bytes = 0;

  std::byte* group(std::uint32_t slot, std::uint32_t head, std::uint32_t position) const {
    return base + slot * slot_bytes + head * head_bytes + position % n_rows / kPanelRows * group_bytes;
  }
};
KvView make_kv_view(std::byte* base, DType dtype, const LayerSpec& layer, std::uint64_t n_ctx, std::uint64_t n_batch);

}  // namespace headroom
