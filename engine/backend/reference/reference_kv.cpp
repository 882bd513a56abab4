#include "backend/reference/reference_kv.h"

#include <algorithm>
#include <cstring>

#include "format/decode.h"
#include "format/dtype_table.h"
#include "format/encode.h"
#include "plan/kv_regions.h"

namespace headroom {

ReferenceCache::ReferenceCache(KvPart part, const LayerSpec& layer, const PlanOptions& options, std::byte* rows,
                               std::byte* exact_rows)
    : scheme_(options.kv_scheme), n_heads_(layer.n_kv_heads), head_dim_(layer.head_dim) {
  const DType dtype = part == KvPart::kKeys ? options.kv_k : options.kv_v;
  ends_ = kv_f16_rows_of(layer, dtype, options);
  is_rotated_ = is_quantized_kv(dtype) && scheme_ == KvScheme::kRotated;
  has_shifts_ = has_value_shifts(part, options);
  all_ = {rows, dtype, layer.kv_rows(options.n_ctx, options.n_batch), row_bytes(dtype, head_dim_)};
  exact_ = {exact_rows, DType::kF16, ends_.n_rows(), row_bytes(DType::kF16, head_dim_)};
}

float ReferenceCache::shift(std::uint32_t position) const { return has_shifts_ ? value_shift(position) : 0.0F; }

void ReferenceCache::put(std::uint32_t slot, std::uint32_t head, std::uint32_t position, const float* elems) const {
  std::byte* to = row(all_, slot, head, position % all_.n_rows);
  if (scheme_ == KvScheme::kPlain) {
    encode_row(all_.dtype, elems, head_dim_, to);
  } else {
    encode_kv_row(all_.dtype, elems, head_dim_, shift(position), to);
  }
  if (exact_.n_rows > 0) encode_row(exact_.dtype, elems, head_dim_, row(exact_, slot, head, exact_row(position)));
}

void ReferenceCache::get(std::uint32_t slot, std::uint32_t head, std::uint32_t position, std::uint32_t exact_from,
                         float* elems) const {
  if (position < ends_.n_sinks || (ends_.n_ring > 0 && position >= exact_from))
    return decode_row(exact_.dtype, row(exact_, slot, head, exact_row(position)), head_dim_, elems);
  decode_shifted_row(all_.dtype, row(all_, slot, head, position % all_.n_rows), head_dim_, shift(position), elems);
}

void ReferenceCache::copy(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_positions) const {
  if (from_slot == to_slot) return;
  for (std::uint32_t head = 0; head < n_heads_; ++head) {
    const auto copy_rows = [&](const Rows& rows, std::uint64_t first, std::uint64_t n_rows) {
      if (n_rows == 0) return;
      std::memcpy(row(rows, to_slot, head, first), row(rows, from_slot, head, first), n_rows * rows.row_bytes);
    };
    copy_rows(all_, 0, std::min<std::uint64_t>(n_positions, all_.n_rows));
    copy_rows(exact_, 0, std::min<std::uint64_t>(n_positions, ends_.n_sinks));
    copy_rows(exact_, ends_.n_sinks, std::min<std::uint64_t>(n_positions, ends_.n_ring));
  }
}

}  // namespace headroom
