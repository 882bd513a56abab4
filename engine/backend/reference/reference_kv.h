// The cache of one layer's K or V in plain order: (n_slots, n_kv_heads, n_rows) rows of one head each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/model_info.h"
#include "plan/memory_plan.h"

namespace headroom {

class ReferenceCache {
 public:
  ReferenceCache() = default;
  // `part` is keys or values. `rows` and `exact_rows` stand at the first bytes of its two regions; the latter is not
  // read when there are no exact ends.
  ReferenceCache(KvPart part, const LayerSpec& layer, const PlanOptions& options, std::byte* rows,
                 std::byte* exact_rows);

  bool is_bound() const { return all_.base != nullptr; }
  bool is_rotated() const { return is_rotated_; }  // heads come and go as rotate_head() leaves them

  // elems: (head_dim), in the type of the cache, and as F16 where this position belongs to an exact end as well.
  void put(std::uint32_t slot, std::uint32_t head, std::uint32_t position, const float* elems) const;
  // elems: (head_dim). Positions from `exact_from` on stand in the ring, if there is one.
  void get(std::uint32_t slot, std::uint32_t head, std::uint32_t position, std::uint32_t exact_from,
           float* elems) const;
  // The first positions of a slot, with all that its exact ends hold of them.
  void copy(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions) const;

  // Bytes of the two regions.
  Bytes n_bytes(std::uint32_t n_slots) const { return n_slots * n_heads_ * all_.n_rows * all_.row_bytes; }
  Bytes n_exact_bytes(std::uint32_t n_slots) const { return n_slots * n_heads_ * exact_.n_rows * exact_.row_bytes; }

 private:
  struct Rows {
    std::byte* base = nullptr;
    DType dtype = DType::kF16;
    std::uint64_t n_rows = 0;  // of each head
    Bytes row_bytes = 0;
  };
  std::byte* row(const Rows& rows, std::uint32_t slot, std::uint32_t head, std::uint64_t index) const {
    return rows.base + ((std::uint64_t{slot} * n_heads_ + head) * rows.n_rows + index) * rows.row_bytes;
  }
  // Where a position stands in exact_.
  std::uint64_t exact_row(std::uint32_t position) const {
    return position < ends_.n_sinks ? position : ends_.n_sinks + position % ends_.n_ring;
  }
  float shift(std::uint32_t position) const;

  Rows all_, exact_;
  KvF16Rows ends_;
  KvScheme scheme_ = KvScheme::kRotated;
  bool is_rotated_ = false, has_shifts_ = false;
  std::uint64_t n_heads_ = 0;
  std::uint32_t head_dim_ = 0;
};

}  // namespace headroom
