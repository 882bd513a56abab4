// The layout of the CPU's cache. The region of a layer's K or V is (n_slots, n_kv_heads, kv_rows / 16) groups of 16
// positions. A group of keys is a row panel: a lane is a key. A group of values keeps the elements of each position
// together, then the scales block by block: a lane is an element of the head.
//
// Beside a quantized cache an F16 region (n_slots, n_kv_heads, (n_sinks + n_ring) / 16) holds the first positions, then
// a ring of the newest. Every row is written to both when it is computed. So a position that leaves the ring has its
// codes already, and nothing is quantized a second time.
#pragma once

#include "backend/cpu/kernel_table.h"
#include "base/bytes.h"
#include "format/dtype.h"
#include "model/weight_layout.h"
#include "plan/memory_plan.h"

namespace headroom {

// Heads of consecutive positions within one group: n_heads * n_rows rows to write to the cache, at most kPanelRows
// positions.
struct KvRows {
  std::uint32_t lane = 0, n_rows = 1, n_heads = 1;  // lane + n_rows <= kPanelRows
  std::uint32_t head_dim = 0;
  const float* elems = nullptr;  // (n_rows, stride), n_heads of head_dim of each used
  std::size_t stride = 0;

  // Calls work(elems, head, lane) for every row in the order of (n_heads, n_rows).
  template <class Work>
  void for_each(Work work) const {
    for (std::uint32_t head = 0; head < n_heads; ++head) {
      for (std::uint32_t row = 0; row < n_rows; ++row)
        work(elems + row * stride + std::size_t{head} * head_dim, head, lane + row);
    }
  }
};

// out: (n_heads, n_rows, row_bytes(dtype, head_dim)), as encode_kv_row() makes them, by kernels where there are any, or
// encode_row() in the plain scheme; shifts: (kPanelRows), by lane.
void encode_kv_rows(const KernelTable& kernels, KvScheme scheme, DType dtype, const KvRows& rows, const float* shifts,
                    std::byte* out);

// row: one that is encoded, into its lane of a group of values; put_panel_row() does it for keys.
void put_value_row(DType dtype, std::uint32_t head_dim, std::uint32_t lane, const std::byte* row, std::byte* group);

// The groups of a layer's K or V: where they begin and how far apart they are.
struct KvView {
  std::byte* base = nullptr;
  DType dtype = DType::kF16;
  std::uint32_t n_rows = 0;  // positions per slot; position p stands at p % n_rows
  std::uint32_t head_dim = 0;
  const float* shifts = nullptr;  // (kPanelRows) of the positions of a group, as decode_shifted_row() takes them
  Bytes group_bytes = 0, head_bytes = 0, slot_bytes = 0;

  std::byte* group(std::uint32_t slot, std::uint32_t head, std::uint32_t position) const {
    return base + slot * slot_bytes + head * head_bytes + position % n_rows / kPanelRows * group_bytes;
  }
};
// Encodes rows and writes them to their lanes of the group of `position`, heads from `head` on.
void put_kv_rows(const KernelTable& kernels, KvScheme scheme, const KvView& view, KvPart part, const KvRows& rows,
                 std::uint32_t slot, std::uint32_t head, std::uint32_t position);

// The cache of a layer's K or V: the codes of all positions, and the F16 rows beside them.
struct KvCache {
  KvView all;
  KvView sinks, ring;  // n_rows 0: none

  bool has_ends() const { return ring.n_rows > 0; }
};

// `base` and `exact_base` stand at the first bytes of the regions of `part`, keys or values, and of its exact ends; the
// latter is not read when there are none.
KvCache make_kv_cache(std::byte* base, std::byte* exact_base, KvPart part, const LayerSpec& layer,
                      const PlanOptions& options);

}  // namespace headroom
