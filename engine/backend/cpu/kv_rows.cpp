#include "backend/cpu/kv_rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "backend/cpu/panel.h"
#include "format/blocks.h"
#include "format/decode.h"
#include "format/dtype_table.h"
#include "format/encode.h"
#include "plan/kv_regions.h"

namespace headroom {

void encode_kv_head(const KernelTable& kernels, KvScheme scheme, DType dtype, const float* head, std::uint32_t head_dim, float shift,
                    std::byte* out) {
  if (const auto encode = kernels.encode[static_cast<std::size_t>(dtype)]) return encode(head, head_dim, out);
  if (scheme == KvScheme::kPlain || dtype != DType::kQ4_0) return encode_row(dtype, head, head_dim, out);
  std::uint8_t quants[kMaxHeadDim / 2];
  float scales[kMaxHeadDim / 32];
  kernels.quantize_q4(head, head_dim, {kQ4ScaleDivisors, std::size(kQ4ScaleDivisors), shift}, quants, scales);
  const std::uint32_t n_blocks = static_cast<std::uint32_t>(div_up(head_dim, 32));
  for (std::uint32_t block = 0; block < n_blocks; ++block, out += sizeof(BlockQ4_0)) {
    const std::uint16_t scale = f32_to_f16(std::clamp(scales[block], -65504.0F, 65504.0F));
    std::memcpy(out, &scale, 2);
    std::memcpy(out + 2, quants + std::size_t{block} * 16, 16);
  }
}

namespace {

template <class Word>
void put_words(std::uint32_t n, std::uint32_t lane, const std::byte* row, std::byte* group) {
  for (std::uint32_t i = 0; i < n; ++i)
    std::memcpy(group + (std::size_t{i} * kPanelRows + lane) * sizeof(Word), row + i * sizeof(Word), sizeof(Word));
}

}  // namespace

// As put_panel_row(), five times as fast for types without blocks.
void put_key_row(DType dtype, std::uint32_t head_dim, std::uint32_t lane, const std::byte* row, std::byte* group) {
  switch (dtype) {
    case DType::kF16: return put_words<std::uint16_t>(head_dim, lane, row, group);
    case DType::kF8E4M3:
      put_words<std::uint8_t>(head_dim, lane, row, group);
      return put_words<std::uint16_t>(1, lane, row + head_dim, group + std::size_t{head_dim} * kPanelRows);
    default: return put_panel_row(dtype, head_dim, lane, row, group);
  }
}

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

namespace {

static_assert(kPanelRows % kValueShifts == 0, "a group has every shift");

constexpr std::array<float, kPanelRows> kNoShifts{};
constexpr std::array<float, kPanelRows> kShifts = [] {
  std::array<float, kPanelRows> shifts{};
  for (std::uint32_t lane = 0; lane < kPanelRows; ++lane) shifts[lane] = value_shift(lane);
  return shifts;
}();

// `n_rows` of the `stride_rows` rows that each head of a slot has in its region.
KvView make_view(std::byte* base, DType dtype, const LayerSpec& layer, std::uint64_t n_rows, std::uint64_t stride_rows) {
  KvView view{.base = base, .dtype = dtype, .n_rows = static_cast<std::uint32_t>(n_rows), .head_dim = layer.head_dim, .shifts = kNoShifts.data()};
  view.group_bytes = row_bytes(dtype, layer.head_dim) * kPanelRows;
  view.head_bytes = view.group_bytes * (stride_rows / kPanelRows);
  view.slot_bytes = view.head_bytes * layer.n_kv_heads;
  return view;
}

}  // namespace

KvCache make_kv_cache(std::byte* base, std::byte* exact_base, KvPart part, const LayerSpec& layer, const PlanOptions& options) {
  const DType dtype = part == KvPart::kKeys ? options.kv_k : options.kv_v;
  const std::uint64_t rows = layer.kv_rows(options.n_ctx, options.n_batch);
  const KvEnds ends = kv_ends_of(layer, dtype, options);
  KvCache cache;
  cache.all = make_view(base, dtype, layer, rows, rows);
  if (has_value_shifts(part, options)) cache.all.shifts = kShifts.data();
  if (ends.n_rows() == 0) return cache;
  cache.sinks = make_view(exact_base, DType::kF16, layer, ends.n_sinks, ends.n_rows());
  cache.ring = make_view(exact_base, DType::kF16, layer, ends.n_ring, ends.n_rows());
  cache.ring.base += cache.ring.group_bytes * (ends.n_sinks / kPanelRows);
  return cache;
}

}  // namespace headroom
