#include "backend/cpu/panel.h"

#include <array>
#include <cstring>
#include <type_traits>

#include "backend/cpu/relabel_points.h"
#include "format/bit_order.h"
#include "format/blocks.h"
#include "format/dtype_table.h"

namespace headroom {
namespace {

constexpr std::uint32_t kFlipSigns = 0x80808080U;

// `n` pieces of 1, 2 or 4 bytes from byte `from` of a row's block on, one behind the other from byte `to` of the 16
// interleaved blocks on; or pieces of 4 bytes by turns with others (turn_words() and turn_bytes() know no groups).
constexpr PanelField bytes(std::uint32_t from, std::uint32_t n, std::uint32_t to) {
  return {.row_offset = from, .piece_bytes = 1, .n_pieces = n, .panel_offset = to};
}
constexpr PanelField words(std::uint32_t from, std::uint32_t n, std::uint32_t to) {
  return {.row_offset = from, .piece_bytes = 2, .n_pieces = n, .panel_offset = to};
}
constexpr PanelField dwords(std::uint32_t from, std::uint32_t n, std::uint32_t to,
                            PieceOrder order = PieceOrder::kAsInFile) {
  return {.row_offset = from, .n_pieces = n, .panel_offset = to, .order = order};
}
constexpr PanelField by_turns(std::uint32_t from, std::uint32_t n, std::uint32_t to, PieceSteps steps,
                              PieceOrder order = PieceOrder::kAsInFile) {
  return {.row_offset = from, .n_pieces = n, .panel_offset = to, .steps = steps, .order = order};
}

constexpr std::array kF32Fields{dwords(0, 1, 0)};
constexpr std::array kHalfFields{words(0, 1, 0)};
constexpr std::array kQ8Fields{
    words(0, 1, 0), PanelField{.row_offset = 2, .n_pieces = 8, .panel_offset = 32, .flipped_bits = kFlipSigns}};
constexpr std::array kQ4Fields{words(0, 1, 0), dwords(2, 4, 32)};
constexpr std::array kQ41Fields{words(0, 2, 0), dwords(4, 4, 64)};
constexpr std::array kQ50Fields{words(0, 1, 0), dwords(2, 1, 32, PieceOrder::kSpread), dwords(6, 4, 96)};
constexpr std::array kQ51Fields{words(0, 2, 0), dwords(4, 1, 64, PieceOrder::kSpread), dwords(8, 4, 128)};
constexpr std::array kQ2KFields{words(80, 2, 0),   dwords(0, 1, 64),   dwords(16, 8, 128),
                                dwords(4, 2, 640), dwords(48, 8, 768), dwords(12, 1, 1280)};
constexpr std::array kQ3KFields{words(108, 1, 0),
                                dwords(96, 1, 32),
                                dwords(104, 1, 96),
                                by_turns(0, 8, 160, {1, 128}),
                                by_turns(32, 8, 224, {1, 128}),
                                dwords(100, 1, 1184),
                                dwords(64, 8, 1248)};
constexpr std::array kQ4KFields{words(0, 2, 0), dwords(4, 3, 64), dwords(16, 32, 256)};
constexpr std::array kQ5KFields{words(0, 2, 0), dwords(4, 3, 64), by_turns(16, 8, 256, {1, 128}),
                                by_turns(48, 8, 320, {1, 128}), dwords(80, 24, 1280)};
constexpr std::array kQ6KFields{
    words(208, 1, 0),    dwords(192, 1, 32),   by_turns(0, 8, 96, {1, 128}),    by_turns(128, 8, 160, {1, 128}),
    dwords(32, 8, 1120), dwords(196, 2, 1632), by_turns(64, 8, 1760, {1, 128}), by_turns(160, 8, 1824, {1, 128}),
    dwords(96, 8, 2784), dwords(204, 1, 3296)};
constexpr std::array kIq4XsFields{words(0, 2, 0), dwords(4, 33, 64)};
constexpr std::array kMxfp4Fields{bytes(0, 1, 0), dwords(1, 4, 16)};
constexpr std::array kIq3XxsFields{words(0, 1, 0), by_turns(2, 16, 32, {2, 192}),
                                   by_turns(66, 8, 160, {1, 192}, PieceOrder::kSigns)};
constexpr std::array kIq3SFields{words(0, 1, 0),
                                 dwords(106, 1, 32),
                                 dwords(66, 1, 96),
                                 by_turns(2, 8, 160, {2, 192}),
                                 by_turns(74, 4, 288, {1, 192}, PieceOrder::kSpread),
                                 dwords(70, 1, 928),
                                 by_turns(34, 8, 992, {2, 192}),
                                 by_turns(90, 4, 1120, {1, 192}, PieceOrder::kSpread)};
constexpr std::array kIq2XxsFields{words(0, 1, 0), dwords(2, 16, 32, PieceOrder::kOddSigns)};
constexpr std::array kIq2XsFields{words(0, 1, 0), dwords(66, 1, 32), dwords(2, 8, 96), dwords(70, 1, 608),
                                  dwords(34, 8, 672)};
constexpr std::array kIq2SFields{words(0, 1, 0),
                                 dwords(66, 1, 32),
                                 dwords(74, 1, 96),
                                 by_turns(2, 4, 160, {1, 128}),
                                 by_turns(34, 4, 224, {1, 128}, PieceOrder::kSpread),
                                 dwords(70, 1, 672),
                                 dwords(78, 1, 736),
                                 by_turns(18, 4, 800, {1, 128}),
                                 by_turns(50, 4, 864, {1, 128}, PieceOrder::kSpread)};
constexpr std::array kIq1SFields{words(0, 1, 0), by_turns(34, 4, 32, {1, 192}), by_turns(2, 8, 96, {2, 192})};
constexpr std::array kIq1MFields{dwords(48, 2, 0), by_turns(32, 4, 128, {1, 192}), by_turns(0, 8, 192, {2, 192})};
constexpr std::array kF8Fields{bytes(0, 1, 0)};

template <std::uint32_t kBytes>
using PieceBytes = std::integral_constant<std::uint32_t, kBytes>;
constexpr PieceBytes<2> kRowExtra;  // DTypeRow::row_extra_bytes, where there are any

// How the four bytes of a piece stand in a panel, and how they stood in the row.
struct Kept {
  std::uint32_t flipped_bits = 0;
  PieceOrder order = PieceOrder::kAsInFile;

  bool has_signs(std::uint64_t piece) const {
    return order == PieceOrder::kSigns || (order == PieceOrder::kOddSigns && piece % 2 == 1);
  }
  template <class Word>
  Word in_panel(Word word, std::uint64_t piece) const {
    if (has_signs(piece)) return spread_bits(open_signs(word));
    return order == PieceOrder::kSpread ? spread_bits(word) : word ^ flipped_bits;
  }
  template <class Word>
  Word in_row(Word word, std::uint64_t piece) const {
    if (has_signs(piece)) return close_signs(spread_bits(word));
    return in_panel(word, piece);  // which does the same twice
  }
};

// Calls `visit(piece of the row, its place in the panel, PieceBytes, Kept, its number)` for every piece of row `lane`.
template <class Visit>
void visit_pieces(DType dtype, std::uint64_t n_cols, std::uint32_t lane, Visit visit) {
  const DTypeRow& row = dtype_row(dtype);
  const std::uint64_t n_blocks = div_up(n_cols, row.block_elems);
  const Bytes block_stride = Bytes{row.block_bytes} * kPanelRows;
  for (const PanelField& field : panel_fields(dtype)) {
    const auto visit_field = [&](auto n_bytes) {
      const Bytes stride = Bytes{n_bytes} * kPanelRows;
      const Bytes first = field.panel_offset + Bytes{lane} * n_bytes;
      const bool is_one_run = row.block_bytes == Bytes{n_bytes} * field.n_pieces;  // nothing but pieces of one kind
      const std::uint64_t n_runs = is_one_run ? 1 : n_blocks,
                          n_pieces = is_one_run ? n_blocks * field.n_pieces : field.n_pieces;
      const Kept kept{field.flipped_bits, field.order};
      for (std::uint64_t run = 0; run < n_runs; ++run) {
        const Bytes in_row = run * row.block_bytes + field.row_offset, in_panel = first + run * block_stride;
#pragma GCC unroll 8
        for (std::uint64_t piece = 0; piece < n_pieces; ++piece)
          visit(in_row + piece * n_bytes, in_panel + field.steps.place(piece, stride), n_bytes, kept, piece);
      }
    };
    switch (field.piece_bytes) {
      case 4: visit_field(PieceBytes<4>()); break;
      case 2: visit_field(PieceBytes<2>()); break;
      default: visit_field(PieceBytes<1>()); break;
    }
  }
  if (row.row_extra_bytes != 0)
    visit(n_blocks * row.block_bytes, n_blocks * block_stride + Bytes{lane} * kRowExtra, kRowExtra, Kept(),
          std::uint64_t{0});
}

// Pieces shorter than 4 bytes are kept as they are.
template <std::uint32_t kBytes, class Keep>
void copy_piece(const std::byte* from, std::byte* to, PieceBytes<kBytes> /*n_bytes*/, Keep keep) {
  if constexpr (kBytes == 4) {
    std::uint32_t piece = 0;
    std::memcpy(&piece, from, 4);
    piece = keep(piece);
    std::memcpy(to, &piece, 4);
  } else {
    std::memcpy(to, from, kBytes);
  }
}

// Pieces that follow each other in 16 rows, `stride` bytes apart.
struct PieceRun {
  const std::byte* from = nullptr;
  Bytes stride = 0;
  std::byte* to = nullptr;
  std::uint64_t n_pieces = 0;
  Kept kept;
  PieceSteps steps{};
};

// Sixteen bytes, in a register on every processor that this runs on.
using Dwords = std::uint32_t __attribute__((vector_size(16)));
using Words = std::uint16_t __attribute__((vector_size(16)));
using Chars = std::uint8_t __attribute__((vector_size(16)));

template <class Register>
Register load_register(const std::byte* from) {
  Register value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Four pieces of 4 bytes of rows [row, row + 4), from piece `first`.
void turn_dwords(const PieceRun& run, std::uint64_t first, std::uint32_t row) {
  const std::byte* from = run.from + row * run.stride + first * 4;
  const auto a = load_register<Dwords>(from), b = load_register<Dwords>(from + run.stride);
  const auto c = load_register<Dwords>(from + 2 * run.stride), d = load_register<Dwords>(from + 3 * run.stride);
  const Dwords ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Dwords cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const std::array<Dwords, 4> pieces{
      __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
      __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Dwords kept = run.kept.in_panel(pieces[i], first + i);
    std::memcpy(run.to + run.steps.place(first + i, 4 * kPanelRows) + row * 4, &kept, sizeof kept);
  }
}

// Eight pieces of 2 bytes of rows [row, row + 8), from piece `first`.
void turn_words(const PieceRun& run, std::uint64_t first, std::uint32_t row) {
  std::array<Words, 8> in, pairs, fours;
  for (std::uint32_t i = 0; i < 8; ++i) in[i] = load_register<Words>(run.from + (row + i) * run.stride + first * 2);
  for (std::uint32_t i = 0; i < 4; ++i) {  // rows 2i and 2i + 1: pieces 0-3, then 4-7
    pairs[i] = __builtin_shufflevector(in[2 * i], in[2 * i + 1], 0, 8, 1, 9, 2, 10, 3, 11);
    pairs[i + 4] = __builtin_shufflevector(in[2 * i], in[2 * i + 1], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (std::uint32_t i = 0; i < 4; ++i) {  // two pieces of four rows each: rows 0-3 with even i, 4-7 with odd i
    fours[i] = __builtin_shufflevector(pairs[i / 2 * 4 + i % 2 * 2], pairs[i / 2 * 4 + i % 2 * 2 + 1], 0, 1, 8, 9, 2, 3,
                                       10, 11);
    fours[i + 4] = __builtin_shufflevector(pairs[i / 2 * 4 + i % 2 * 2], pairs[i / 2 * 4 + i % 2 * 2 + 1], 4, 5, 12, 13,
                                           6, 7, 14, 15);
  }
  std::byte* to = run.to + first * (2 * kPanelRows) + row * 2;
  const auto put = [&](std::uint32_t piece, Words value) {
    std::memcpy(to + piece * (2 * kPanelRows), &value, sizeof value);
  };
  for (std::uint32_t i = 0; i < 4; ++i) {  // pieces 0-1, 2-3, 4-5, 6-7
    const std::uint32_t at = i / 2 * 2 + i % 2 * 4;
    put(2 * i, __builtin_shufflevector(fours[at], fours[at + 1], 0, 1, 2, 3, 8, 9, 10, 11));
    put(2 * i + 1, __builtin_shufflevector(fours[at], fours[at + 1], 4, 5, 6, 7, 12, 13, 14, 15));
  }
}

// Sixteen pieces of a byte of 16 rows, from piece `first`. Four times register i is zipped with register i + 8: then
// each holds one piece.
void turn_bytes(const PieceRun& run, std::uint64_t first) {
  std::array<Chars, kPanelRows> rows, zipped;
  for (std::uint32_t i = 0; i < kPanelRows; ++i) rows[i] = load_register<Chars>(run.from + i * run.stride + first);
  for (std::uint32_t step = 0; step < 4; ++step) {
    for (std::uint32_t i = 0; i < kPanelRows / 2; ++i) {
      const Chars a = rows[i], b = rows[i + kPanelRows / 2];
      zipped[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      zipped[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    rows = zipped;
  }
  std::memcpy(run.to + first * kPanelRows, rows.data(), sizeof rows);
}

// Sixteen rows of pieces. A line of a few rows at a time: rows are often a multiple of 4 KiB apart, and lines of all 16
// would then be in each other's way in the first level of cache.
template <std::uint32_t kBytes>
void interleave(const PieceRun& run) {
  std::uint64_t piece = 0;
  if constexpr (kBytes == 4) {
    for (; piece + 16 <= run.n_pieces; piece += 16) {
      for (std::uint32_t row = 0; row < kPanelRows; row += 4) {
        for (std::uint32_t i = 0; i < 16; i += 4) turn_dwords(run, piece + i, row);
      }
    }
    for (; piece + 4 <= run.n_pieces; piece += 4) {
      for (std::uint32_t row = 0; row < kPanelRows; row += 4) turn_dwords(run, piece, row);
    }
  } else if constexpr (kBytes == 2) {
    for (; piece + 32 <= run.n_pieces; piece += 32) {
      for (std::uint32_t row = 0; row < kPanelRows; row += 8) {
        for (std::uint32_t i = 0; i < 32; i += 8) turn_words(run, piece + i, row);
      }
    }
  } else {
    for (; piece + 16 <= run.n_pieces; piece += 16) turn_bytes(run, piece);
  }
  for (; piece < run.n_pieces; ++piece) {
    for (std::uint32_t row = 0; row < kPanelRows; ++row) {
      copy_piece(run.from + row * run.stride + piece * kBytes,
                 run.to + run.steps.place(piece, kBytes * kPanelRows) + row * kBytes, PieceBytes<kBytes>(),
                 [&](std::uint32_t word) { return run.kept.in_panel(word, piece); });
    }
  }
}

void interleave(const PieceRun& run, std::uint32_t piece_bytes) {
  switch (piece_bytes) {
    case 4: return interleave<4>(run);
    case 2: return interleave<2>(run);
    default: return interleave<1>(run);
  }
}

// The pieces of a field in block `number` of 16 rows, which begin `stride` bytes apart from `block` on.
PieceRun run_of(const DTypeRow& type, const PanelField& field, const std::byte* block, Bytes stride,
                std::uint64_t number, std::byte* panel) {
  const Bytes to = number * type.block_bytes * kPanelRows + field.panel_offset;
  return {block + field.row_offset, stride, panel + to, field.n_pieces, {field.flipped_bits, field.order}, field.steps};
}

// As put_panel(), of a type whose points get other numbers: a block of the rows at a time, in a copy on the stack. What
// puts panels together may not allocate, because it runs on threads that cannot tell of a failure.
void put_relabelled(const DTypeRow& type, std::uint64_t n_cols, std::uint32_t n_rows, const std::byte* rows,
                    std::byte* panel) {
  const std::uint64_t n_blocks = div_up(n_cols, type.block_elems);
  std::array<std::byte, kPanelRows * sizeof(BlockIQ2_S)> copy{};
  CHECK(kPanelRows * type.block_bytes <= copy.size(), "a block of a grid has its room");
  const std::span<std::byte> blocks(copy.data(), n_rows * type.block_bytes);
  for (std::uint64_t number = 0; number < n_blocks; ++number) {
    const std::byte* from = rows + number * type.block_bytes;
    for (std::uint32_t row = 0; row < n_rows; ++row, from += row_bytes(type.dtype, n_cols))
      std::memcpy(copy.data() + row * type.block_bytes, from, type.block_bytes);
    relabel_points(type.dtype, PointNumbers::kOfPanel, blocks);
    for (const PanelField& field : panel_fields(type.dtype)) {
      interleave(run_of(type, field, copy.data(), type.block_bytes, number, panel), field.piece_bytes);
    }
  }
}

}  // namespace

std::span<const PanelField> panel_fields(DType dtype) {
  switch (dtype) {
    case DType::kF32: return kF32Fields;
    case DType::kF16:
    case DType::kBF16: return kHalfFields;
    case DType::kQ8_0: return kQ8Fields;
    case DType::kQ4_0:
    case DType::kIQ4_NL: return kQ4Fields;
    case DType::kQ4_1: return kQ41Fields;
    case DType::kQ5_0: return kQ50Fields;
    case DType::kQ5_1: return kQ51Fields;
    case DType::kQ2_K: return kQ2KFields;
    case DType::kQ3_K: return kQ3KFields;
    case DType::kQ4_K: return kQ4KFields;
    case DType::kQ5_K: return kQ5KFields;
    case DType::kQ6_K: return kQ6KFields;
    case DType::kIQ4_XS: return kIq4XsFields;
    case DType::kMXFP4: return kMxfp4Fields;
    case DType::kIQ1_S: return kIq1SFields;
    case DType::kIQ1_M: return kIq1MFields;
    case DType::kIQ2_XXS: return kIq2XxsFields;
    case DType::kIQ2_XS: return kIq2XsFields;
    case DType::kIQ2_S: return kIq2SFields;
    case DType::kIQ3_XXS: return kIq3XxsFields;
    case DType::kIQ3_S: return kIq3SFields;
    case DType::kF8E4M3: return kF8Fields;
  }
  return {};
}

Bytes panel_bytes(DType dtype, std::uint64_t n_cols) { return row_bytes(dtype, n_cols) * kPanelRows; }

void put_panel_row(DType dtype, std::uint64_t n_cols, std::uint32_t lane, const std::byte* row, std::byte* panel) {
  CHECK(!has_labels(dtype), "rows of this type are put together by put_panel()");
  visit_pieces(dtype, n_cols, lane, [=](Bytes in_row, Bytes in_panel, auto n_bytes, Kept kept, auto piece) {
    copy_piece(row + in_row, panel + in_panel, n_bytes, [=](std::uint32_t word) { return kept.in_panel(word, piece); });
  });
}

void take_panel_row(DType dtype, std::uint64_t n_cols, std::uint32_t lane, const std::byte* panel, std::byte* row) {
  visit_pieces(dtype, n_cols, lane, [=](Bytes in_row, Bytes in_panel, auto n_bytes, Kept kept, auto piece) {
    copy_piece(panel + in_panel, row + in_row, n_bytes, [=](std::uint32_t word) { return kept.in_row(word, piece); });
  });
  if (has_labels(dtype)) relabel_points(dtype, PointNumbers::kOfFile, {row, row_bytes(dtype, n_cols)});
}

void put_panel(DType dtype, std::uint64_t n_cols, std::uint32_t n_rows, const std::byte* rows, std::byte* panel) {
  const DTypeRow& type = dtype_row(dtype);
  const Bytes stride = row_bytes(dtype, n_cols);
  if (has_labels(dtype)) return put_relabelled(type, n_cols, n_rows, rows, panel);
  if (n_rows < kPanelRows) {  // the last panel of a matrix
    std::memset(panel, 0, stride * kPanelRows);
    for (std::uint32_t lane = 0; lane < n_rows; ++lane) put_panel_row(dtype, n_cols, lane, rows + lane * stride, panel);
    return;
  }
  const std::uint64_t n_blocks = div_up(n_cols, type.block_elems);
  for (const PanelField& field : panel_fields(dtype)) {
    if (type.block_bytes ==
        Bytes{field.piece_bytes} * field.n_pieces) {  // nothing but pieces of one kind: the row is one run
      PieceRun run = run_of(type, field, rows, stride, 0, panel);
      run.n_pieces *= n_blocks;
      interleave(run, field.piece_bytes);
      continue;
    }
    for (std::uint64_t block = 0; block < n_blocks; ++block) {
      interleave(run_of(type, field, rows + block * type.block_bytes, stride, block, panel), field.piece_bytes);
    }
  }
  if (type.row_extra_bytes != 0)
    interleave<kRowExtra>(
        {rows + n_blocks * type.block_bytes, stride, panel + n_blocks * type.block_bytes * kPanelRows, 1, {}});
}

}  // namespace headroom
