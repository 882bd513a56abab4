#include "backend/cpu/kv_rows.h"

#include <cstring>

#include "format/dtype_table.h"

namespace headroom {
void put_value_row(DType dtype, std::uint32_t head_dim, std::uint32_t lane, const std::byte* row, std::byte* group) {
  const DTypeRow& type = dtype_row(dtype);
  const std::uint32_t n_blocks = static_cast<std::uint32_t>(div_up(head_dim, type.block_elems));
  if (type.block_elems == 1) {
    const std::uint32_t elems_bytes = head_dim * type.block_bytes;
    std::memcpy(group + Bytes{lane} * elems_bytes, row, elems_bytes);
    if (type.row_extra_bytes != 0) std::memcpy(group + Bytes{kPanelRows} * elems_bytes + Bytes{lane} * 2, row + elems_bytes, 2);
    return;
  }
  const std::uint32_t quant_bytes = type.block_bytes - 2;
  std::byte* scales = group + Bytes{kPanelRows} * n_blocks * quant_bytes;
  for (std::uint32_t block = 0; block < n_blocks; ++block, row += type.block_bytes) {
    std::memcpy(scales + (Bytes{block} * kPanelRows + lane) * 2, row, 2);
    std::memcpy(group + (Bytes{lane} * n_blocks + block) * quant_bytes, row + 2, quant_bytes);
  }
}

KvView make_kv_view(std::byte* base, DType dtype, const LayerSpec& layer, std::uint64_t n_ctx, std::uint64_t n_batch) {
  KvView view{.base = base, .dtype = dtype, .n_rows = static_cast<std::uint32_t>(layer.kv_rows(n_ctx, n_batch)), .head_dim = layer.head_dim};
  view.group_bytes = row_bytes(dtype, layer.head_dim) * kPanelRows;
  view.head_bytes = view.group_bytes * (view.n_rows / kPanelRows);
  view.slot_bytes = view.head_bytes * layer.n_kv_heads;
  return view;
}

}  // namespace headroom
