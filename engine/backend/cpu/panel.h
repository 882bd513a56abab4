// Row panels: 16 rows interleaved so that one 32-bit lane of a register is one row. A panel has exactly the bytes of
// its 16 rows.
//
// A row's blocks are cut into pieces of 1, 2 or 4 bytes; the same piece of the 16 rows stands together. All of a block
// stands before the next one, and in it pieces stand in the order in which kernels first read them, so that a panel is
// read from its first byte to its last: one run of addresses, which processors follow by themselves. Where a block is
// not a multiple of 64 bytes loads are therefore not aligned, which costs nothing that could be measured:
// docs/performance.md, "In the order in which they are read".
// Points of large grids have numbers of their own: point_labels.h.
#pragma once

#include <span>

#include "base/bytes.h"
#include "format/dtype.h"
#include "model/weight_layout.h"

namespace headroom {

// How the four bytes of a piece stand in a panel.
enum class PieceOrder : std::uint8_t {
  kAsInFile,
  kSpread,  // 32 bits, one for each element, in the order of spread_bit()
  kSigns,   // of IQ3_XXS: 28 signs in that order, the eighth of each eight left out, and the scale in the top four bits
  kOddSigns,  // likewise the pieces with odd numbers; the others as in the file
};

// How pieces follow each other in a panel: `group` of them stand together, and the next group begins group_stride bytes
// after this one began. Example: {2, 192} of pieces of 64 bytes: 0, 64, 192, 256, 384. A group of 0: all stand
// together.
struct PieceSteps {
  std::uint32_t group = 0, group_stride = 0;

  // Where a piece stands, from where the first one does, if each takes `piece_size`.
  Bytes place(std::uint64_t piece, Bytes piece_size) const {
    if (group == 0) return piece * piece_size;
    return piece / group * group_stride + piece % group * piece_size;
  }
};

// A run of equal pieces of a block.
struct PanelField {
  std::uint32_t row_offset = 0;    // in the block of a row
  std::uint32_t piece_bytes = 4;   // 1, 2 or 4
  std::uint32_t n_pieces = 0;      // per block
  std::uint32_t panel_offset = 0;  // in the 16 interleaved blocks
  PieceSteps steps{};
  std::uint32_t flipped_bits = 0;  // of every piece: signed bytes are kept with an offset of 128
  PieceOrder order = PieceOrder::kAsInFile;
};
std::span<const PanelField> panel_fields(DType dtype);

// Bytes of 16 rows of n_cols elements.
Bytes panel_bytes(DType dtype, std::uint64_t n_cols);

// Puts row `lane` (row_bytes(dtype, n_cols) bytes, as in the file) into a panel, or takes it out again. Only
// put_panel() puts rows of types that has_labels() names.
void put_panel_row(DType dtype, std::uint64_t n_cols, std::uint32_t lane, const std::byte* row, std::byte* panel);
void take_panel_row(DType dtype, std::uint64_t n_cols, std::uint32_t lane, const std::byte* panel, std::byte* row);

// The same for all 16 rows: rows n_rows..15 become zero blocks. rows: (n_rows, row_bytes).
void put_panel(DType dtype, std::uint64_t n_cols, std::uint32_t n_rows, const std::byte* rows, std::byte* panel);

}  // namespace headroom
