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

namespace {

// Blocks of all rows, 16 at a time.
void encode_q4_rows(const KernelTable& kernels, const KvRows& rows, const float* shifts, std::byte* out) {
  Q4Blocks blocks{.divisors = kQ4ScaleDivisors, .n_divisors = std::size(kQ4ScaleDivisors)};
  const auto encode = [&] {
    std::uint32_t quants[4][kPanelRows];
    float scales[kPanelRows];
    kernels.quantize_q4(blocks, quants[0], scales);
    for (std::uint32_t i = 0; i < blocks.n_blocks; ++i, out += sizeof(BlockQ4_0)) {
      const std::uint16_t scale = f32_to_f16(std::clamp(scales[i], -65504.0F, 65504.0F));
      std::memcpy(out, &scale, 2);
      for (std::uint32_t dword = 0; dword < 4; ++dword) std::memcpy(out + 2 + 4 * dword, &quants[dword][i], 4);
    }
    blocks.n_blocks = 0;
  };
  rows.for_each([&](const float* elems, std::uint32_t /*head*/, std::uint32_t lane) {
    for (std::uint32_t at = 0; at < rows.head_dim; at += 32) {
      blocks.elems[blocks.n_blocks] = elems + at;
      blocks.n_elems[blocks.n_blocks] = std::min(rows.head_dim - at, 32U);
      blocks.shifts[blocks.n_blocks] = shifts[lane];
      if (++blocks.n_blocks == kPanelRows) encode();
    }
  });
  if (blocks.n_blocks > 0) encode();
}

}  // namespace

void encode_kv_rows(const KernelTable& kernels, KvScheme scheme, DType dtype, const KvRows& rows, const float* shifts,
                    std::byte* out) {
  const auto encode = kernels.encode[static_cast<std::size_t>(dtype)];
  if (encode == nullptr && scheme != KvScheme::kPlain && dtype == DType::kQ4_0)
    return encode_q4_rows(kernels, rows, shifts, out);
  const Bytes stride = row_bytes(dtype, rows.head_dim);
  rows.for_each([&](const float* elems, std::uint32_t /*head*/, std::uint32_t /*lane*/) {
    if (encode != nullptr) {
      encode(elems, rows.head_dim, out);
    } else {
      encode_row(dtype, elems, rows.head_dim, out);
    }
    out += stride;
  });
}

void put_value_row(DType dtype, std::uint32_t head_dim, std::uint32_t lane, const std::byte* row, std::byte* group) {
  const DTypeRow& type = dtype_row(dtype);
  const std::uint32_t n_blocks = static_cast<std::uint32_t>(div_up(head_dim, type.block_elems));
  if (type.block_elems == 1) {
    const std::uint32_t elems_bytes = head_dim * type.block_bytes;
    std::memcpy(group + Bytes{lane} * elems_bytes, row, elems_bytes);
    if (type.row_extra_bytes != 0)
      std::memcpy(group + Bytes{kPanelRows} * elems_bytes + Bytes{lane} * 2, row + elems_bytes, 2);
    return;
  }
  const std::uint32_t quant_bytes = type.block_bytes - 2;
  std::byte* scales = group + Bytes{kPanelRows} * n_blocks * quant_bytes;
  std::byte* quants = group + Bytes{lane} * n_blocks * quant_bytes;
  for (std::uint32_t block = 0; block < n_blocks; ++block, row += type.block_bytes, quants += quant_bytes) {
    std::memcpy(scales + (Bytes{block} * kPanelRows + lane) * 2, row, 2);
    for (std::uint32_t i = 0; i < quant_bytes; i += 16)
      std::memcpy(quants + i, row + 2 + i, 16);  // a call for a size that varies costs more
  }
}

void put_kv_rows(const KernelTable& kernels, KvScheme scheme, const KvView& view, KvPart part, const KvRows& rows,
                 std::uint32_t slot, std::uint32_t head, std::uint32_t position) {
  std::array<std::byte, kPanelRows * kMaxHeadDim * sizeof(float)> encoded;  // of the widest cache type, F32
  encode_kv_rows(kernels, scheme, view.dtype, rows, view.shifts, encoded.data());
  std::byte* first_group = view.group(slot, head, position);
  if (part == KvPart::kKeys && rows.n_rows == kPanelRows)
    return put_panel(view.dtype, rows.head_dim, kPanelRows, encoded.data(), first_group);
  const std::byte* row = encoded.data();
  const Bytes stride = row_bytes(view.dtype, rows.head_dim);
  rows.for_each([&](const float* /*elems*/, std::uint32_t each, std::uint32_t lane) {
    if (part == KvPart::kKeys) {
      put_panel_row(view.dtype, rows.head_dim, lane, row, first_group + each * view.head_bytes);
    } else {
      put_value_row(view.dtype, rows.head_dim, lane, row, first_group + each * view.head_bytes);
    }
    row += stride;
  });
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
KvView make_view(std::byte* base, DType dtype, const LayerSpec& layer, std::uint64_t n_rows,
                 std::uint64_t stride_rows) {
  KvView view{.base = base,
              .dtype = dtype,
              .n_rows = static_cast<std::uint32_t>(n_rows),
              .head_dim = layer.head_dim,
              .shifts = kNoShifts.data()};
  view.group_bytes = row_bytes(dtype, layer.head_dim) * kPanelRows;
  view.head_bytes = view.group_bytes * (stride_rows / kPanelRows);
  view.slot_bytes = view.head_bytes * layer.n_kv_heads;
  return view;
}

}  // namespace

KvCache make_kv_cache(std::byte* base, std::byte* exact_base, KvPart part, const LayerSpec& layer,
                      const PlanOptions& options) {
  const DType dtype = part == KvPart::kKeys ? options.kv_k : options.kv_v;
  const std::uint64_t rows = layer.kv_rows(options.n_ctx, options.n_batch);
  const KvF16Rows ends = kv_f16_rows_of(layer, dtype, options);
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
