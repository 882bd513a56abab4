#include "backend/cpu/panel.h"

#include <array>
#include <cstring>

#include "format/blocks.h"
#include "format/dtype_table.h"

namespace headroom {
namespace {

constexpr std::uint32_t kFlipSigns = 0x80808080U;

constexpr std::array kF32Fields{PanelField{.piece_bytes = 4, .n_pieces = 1}};
constexpr std::array kHalfFields{PanelField{.piece_bytes = 2, .n_pieces = 1}};
constexpr std::array kQ8Fields{PanelField{.row_offset = 2, .n_pieces = 8, .flipped_bits = kFlipSigns},
                               PanelField{.row_offset = 0, .piece_bytes = 2, .n_pieces = 1, .behind_blocks = true}};
constexpr std::array kQ4Fields{PanelField{.row_offset = 2, .n_pieces = 4},
                               PanelField{.row_offset = 0, .piece_bytes = 2, .n_pieces = 1, .behind_blocks = true}};
constexpr std::array kQ4KFields{PanelField{.row_offset = 0, .piece_bytes = 2, .n_pieces = 2},
                                PanelField{.row_offset = 4, .n_pieces = 3, .panel_offset = 64},
                                PanelField{.row_offset = 16, .n_pieces = 32, .panel_offset = 256}};
constexpr std::array kQ5KFields{PanelField{.row_offset = 0, .piece_bytes = 2, .n_pieces = 2},
                                PanelField{.row_offset = 4, .n_pieces = 3, .panel_offset = 64},
                                PanelField{.row_offset = 16, .n_pieces = 40, .panel_offset = 256}};
constexpr std::array kQ6KFields{PanelField{.row_offset = 0, .n_pieces = 52},
                                PanelField{.row_offset = 208, .piece_bytes = 2, .n_pieces = 1, .behind_blocks = true}};
constexpr std::array kF8Fields{PanelField{.piece_bytes = 1, .n_pieces = 1}};

// Calls `visit(piece of the row, its place in the panel, bytes, flipped bits)` for every piece of the first n_visited blocks of row `lane`.
template <class Visit>
void visit_pieces(DType dtype, std::uint64_t n_cols, std::uint64_t n_visited, std::uint32_t lane, Visit visit) {
  const DTypeRow& row = dtype_row(dtype);
  const std::uint64_t n_blocks = div_up(n_cols, row.block_elems);
  const Bytes plane = panel_plane_offset(dtype, n_cols);
  for (const PanelField& field : panel_fields(dtype)) {
    const Bytes stride = Bytes{field.piece_bytes} * kPanelRows;
    const Bytes block_stride = field.behind_blocks ? field.n_pieces * stride : plane / n_blocks;
    const Bytes first = (field.behind_blocks ? plane : field.panel_offset) + Bytes{lane} * field.piece_bytes;
    for (std::uint64_t block = 0; block < n_visited; ++block) {
      for (std::uint32_t piece = 0; piece < field.n_pieces; ++piece) {
        visit(block * row.block_bytes + field.row_offset + Bytes{piece} * field.piece_bytes, first + block * block_stride + piece * stride,
              field.piece_bytes, field.flipped_bits);
      }
    }
  }
  if (row.row_extra_bytes != 0 && n_visited == n_blocks)
    visit(n_blocks * row.block_bytes, plane + Bytes{lane} * row.row_extra_bytes, row.row_extra_bytes, 0U);
}

// `flipped_bits` is 0 for pieces shorter than 4 bytes.
void copy_piece(const std::byte* from, std::byte* to, std::uint32_t n_bytes, std::uint32_t flipped_bits) {
  if (n_bytes == 4) {
    std::uint32_t piece = 0;
    std::memcpy(&piece, from, 4);
    piece ^= flipped_bits;
    std::memcpy(to, &piece, 4);
  } else {
    std::memcpy(to, from, n_bytes == 2 ? 2 : 1);
  }
}

}  // namespace

std::span<const PanelField> panel_fields(DType dtype) {
  switch (dtype) {
    case DType::kF32: return kF32Fields;
    case DType::kF16:
    case DType::kBF16: return kHalfFields;
    case DType::kQ8_0: return kQ8Fields;
    case DType::kQ4_0: return kQ4Fields;
    case DType::kQ4_K: return kQ4KFields;
    case DType::kQ5_K: return kQ5KFields;
    case DType::kQ6_K: return kQ6KFields;
    case DType::kF8E4M3: return kF8Fields;
  }
  return {};
}

Bytes panel_bytes(DType dtype, std::uint64_t n_cols) { return row_bytes(dtype, n_cols) * kPanelRows; }

Bytes panel_plane_offset(DType dtype, std::uint64_t n_cols) {
  Bytes per_block = 0;
  for (const PanelField& field : panel_fields(dtype)) {
    if (!field.behind_blocks) per_block += Bytes{field.piece_bytes} * field.n_pieces * kPanelRows;
  }
  return div_up(n_cols, dtype_row(dtype).block_elems) * per_block;
}

void put_panel_row(DType dtype, std::uint64_t n_cols, std::uint32_t lane, const std::byte* row, std::byte* panel) {
  const std::uint64_t n_blocks = div_up(n_cols, dtype_row(dtype).block_elems);
  visit_pieces(dtype, n_cols, n_blocks, lane, [=](Bytes in_row, Bytes in_panel, std::uint32_t n_bytes, std::uint32_t flipped_bits) {
    copy_piece(row + in_row, panel + in_panel, n_bytes, flipped_bits);
  });
}

void take_panel_row(DType dtype, std::uint64_t n_cols, std::uint32_t lane, const std::byte* panel, std::byte* row) {
  take_panel_row_start(dtype, n_cols, n_cols, lane, panel, row);
}

void take_panel_row_start(DType dtype, std::uint64_t n_cols, std::uint64_t n_taken, std::uint32_t lane, const std::byte* panel, std::byte* row) {
  const std::uint64_t n_blocks = div_up(n_taken, dtype_row(dtype).block_elems);
  visit_pieces(dtype, n_cols, n_blocks, lane, [=](Bytes in_row, Bytes in_panel, std::uint32_t n_bytes, std::uint32_t flipped_bits) {
    copy_piece(panel + in_panel, row + in_row, n_bytes, flipped_bits);
  });
}

void put_panel(DType dtype, std::uint64_t n_cols, std::uint32_t n_rows, const std::byte* rows, std::byte* panel) {
  const DTypeRow& type = dtype_row(dtype);
  const std::uint64_t n_blocks = div_up(n_cols, type.block_elems);
  const Bytes stride = row_bytes(dtype, n_cols), plane = panel_plane_offset(dtype, n_cols);
  std::memset(panel, 0, stride * kPanelRows);
  for (const PanelField& field : panel_fields(dtype)) {
    const Bytes block_stride = field.behind_blocks ? Bytes{field.piece_bytes} * field.n_pieces * kPanelRows : plane / n_blocks;
    for (std::uint64_t block = 0; block < n_blocks; ++block) {
      const std::byte* from = rows + block * type.block_bytes + field.row_offset;
      std::byte* to = panel + (field.behind_blocks ? plane : field.panel_offset) + block * block_stride;
      for (std::uint32_t piece = 0; piece < field.n_pieces; ++piece, from += field.piece_bytes) {  // in the order of the panel: writes are sequential
        for (std::uint32_t lane = 0; lane < n_rows; ++lane, to += field.piece_bytes) {
          copy_piece(from + lane * stride, to, field.piece_bytes, field.flipped_bits);
        }
        to += Bytes{kPanelRows - n_rows} * field.piece_bytes;
      }
    }
  }
}

}  // namespace headroom
