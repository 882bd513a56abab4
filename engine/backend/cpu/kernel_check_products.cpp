// The check of what multiplies weights, and of the forms of activations that it reads.
#include <algorithm>
#include <array>
#include <utility>

#include "backend/cpu/activations.h"
#include "backend/cpu/kernel_check_weights.h"
#include "backend/cpu/matrix.h"
#include "backend/cpu/plain_kernels.h"
#include "format/decode.h"
#include "format/dtype_table.h"
#include "model/weight_layout.h"
#include "plan/device_rules.h"

namespace headroom {
namespace {

// Two panels of weights, the second with the rows of the first in reverse, and what their products should be.
struct CheckMatrix {
  static constexpr std::uint32_t kPartCols = 128;  // of which every slab has one or two
  static constexpr std::uint32_t kMostParts = 4;
  std::vector<std::byte> panels;
  Matrix matrix;
  std::vector<float> activations[kCheckRows];
  double sums[kMostParts][kCheckRows][kPanelRows] = {};  // of the columns of a part
  double weight_norms[kPanelRows] = {}, norms[kCheckRows] = {};
  // What rows for slabs have more, in the last slab: outliers. Either the first row none, the next one, the next two
  // and so on, or all rows the same number: kernels add those of a tile at once.
  enum class More { kByRow, kSameInAll };
  static constexpr std::uint32_t kMostMore = 2;
  static constexpr float kMore[kMostMore] = {64.0F, -96.0F};
  double more_sums[kMostMore + 1][kPanelRows] = {};  // of so many outliers
  std::vector<float> weights;                        // (kPanelRows, n_cols)

  CheckMatrix(KernelProbe& probe, DType type) {
    const std::uint32_t n_cols = check_cols(type);
    const Bytes stride = row_bytes(type, n_cols);
    std::vector<std::byte> rows, reversed(stride * kPanelRows);
    weights.resize(std::size_t{kPanelRows} * n_cols);
    for (std::uint32_t lane = 0; lane < kPanelRows; ++lane) {
      const std::vector<std::byte> row = check_weights(probe, type, n_cols);
      decode_row(type, row.data(), n_cols, weights.data() + std::size_t{lane} * n_cols);
      rows.insert(rows.end(), row.begin(), row.end());
      std::copy(row.begin(), row.end(), reversed.begin() + static_cast<std::ptrdiff_t>((15 - lane) * stride));
    }
    matrix = {.dtype = type, .n_rows = 2 * kPanelRows, .n_cols = n_cols, .panel_stride = panel_bytes(type, n_cols)};
    panels.resize(2 * matrix.panel_stride);
    matrix.panels = panels.data();
    put_panel(type, n_cols, kPanelRows, rows.data(), panels.data());
    put_panel(type, n_cols, kPanelRows, reversed.data(), panels.data() + matrix.panel_stride);
    for (std::vector<float>& row : activations) row = check_activations(probe, n_cols, matrix.has_words(), 0.0F);
    multiply_plainly();
  }

  std::uint32_t more_column(std::uint32_t i) const { return matrix.n_cols - (i == 0 ? 20 : 3); }
  std::uint32_t n_more(std::uint32_t row, More more) const {
    if (matrix.has_words()) return 0;
    return more == More::kSameInAll ? kMostMore : row % kCheckRows % (kMostMore + 1);
  }
  std::vector<float> activations_for_slabs(std::uint32_t row, More more) const {
    std::vector<float> with_more = activations[row % kCheckRows];
    for (std::uint32_t i = 0; i < n_more(row, more); ++i) with_more[more_column(i)] += kMore[i];
    return with_more;
  }

  // Of the columns from `first` on, and of n_more outliers.
  double expected(std::uint32_t first, std::uint32_t row, std::uint32_t panel, std::uint32_t lane,
                  std::uint32_t n_more = 0) const {
    double sum = more_sums[n_more][panel == 0 ? lane : 15 - lane];
    for (std::uint32_t part = first / kPartCols; part < kMostParts; ++part)
      sum += sums[part][row % kCheckRows][panel == 0 ? lane : 15 - lane];
    return sum;
  }
  // A sum of n terms is rounded n times: by Cauchy and Schwarz it is off by no more than this. Codes are summed without
  // rounding, 16 or more of them; then there are their scales.
  double most_off(std::uint32_t row, std::uint32_t panel, std::uint32_t lane) const {
    const bool has_codes = dtype_row(matrix.dtype).block_elems > 1;
    const std::uint32_t n_terms = has_codes ? matrix.n_cols / 16 + 8 : matrix.n_cols;
    return norms[row % kCheckRows] * weight_norms[panel == 0 ? lane : 15 - lane] * n_terms * 0x1p-24;
  }

 private:
  void multiply_plainly() {
    const std::uint32_t n_cols = matrix.n_cols;
    for (std::uint32_t lane = 0; lane < kPanelRows; ++lane) {
      const float* w = weights.data() + std::size_t{lane} * n_cols;
      weight_norms[lane] = norm_plainly(w, n_cols);
      for (std::uint32_t first = 0; first < n_cols; first += kPartCols) {
        const std::uint32_t n = std::min(kPartCols, n_cols - first);
        for (std::uint32_t row = 0; row < kCheckRows; ++row)
          sums[first / kPartCols][row][lane] = dot_plainly(w + first, activations[row].data() + first, n);
      }
      for (std::uint32_t i = 0; i < kMostMore; ++i)
        more_sums[i + 1][lane] = more_sums[i][lane] + double{w[more_column(i)]} * kMore[i];
    }
    for (std::uint32_t row = 0; row < kCheckRows; ++row) norms[row] = norm_plainly(activations[row].data(), n_cols);
  }
};

// Activations in the form that a product of n_rows of them reads, in memory of their own.
struct CheckActivations {
  std::vector<std::byte> bytes;
  Activations in;

  CheckActivations(const KernelTable& kernels, const CheckMatrix& check, std::uint32_t n_rows, bool slabs,
                   CheckMatrix::More more = CheckMatrix::More::kByRow) {
    const Matrix& matrix = check.matrix;
    const bool is_float = matrix.reads_f32() || matrix.dtype == DType::kF8E4M3;
    bytes.resize(n_rows * std::max<Bytes>(matrix.n_cols * 4ULL, cpu_int8_row_bytes(matrix.n_cols)));
    in = {.n_rows = n_rows, .n_elems = matrix.n_cols};
    (!is_float ? in.int8 : slabs ? in.words : in.f32) = bytes.data();
    in.form = slabs ? Int8Form::kSlabs : matrix.has_super_blocks() ? Int8Form::kSuperBlocks : Int8Form::kBlocks;
    for (std::uint32_t row = 0; row < n_rows; ++row) {
      const std::vector<float> from =
          slabs ? check.activations_for_slabs(row, more) : check.activations[row % kCheckRows];
      put_activation_row(kernels, in, row, from.data());
    }
  }
};

// Every number of columns has code of its own.
void check_dot(KernelProbe& probe, const CheckMatrix& check) {
  constexpr std::uint32_t kStride = kPanelRows + 4;
  const Matrix& matrix = check.matrix;
  // More columns meet slabs, unless the rows are of a cache too.
  const bool has_slabs = probe.kernels.unpack[index_of(matrix.dtype)] != nullptr && !dtype_row(matrix.dtype).is_kv;
  const std::uint32_t most = has_slabs && !matrix.reads_f32() ? kDirectCols : kTileCols;
  std::array<float, kTileCols * kStride> out;
  for (std::uint32_t width = 1; width <= most; ++width) {
    const CheckActivations activations(probe.kernels, check, width, false);
    out.fill(-1.0F);
    probe.begin("dot", matrix.dtype, width, "columns");
    probe.kernels.dot[index_of(matrix.dtype)](matrix.panel(0), matrix.n_cols, activations.in.tile(0), out.data(),
                                              kStride);
    for (std::uint32_t column = 0; column < width; ++column) {
      for (std::uint32_t lane = 0; lane < kPanelRows; ++lane) {
        probe.expect(column * kPanelRows + lane, out[column * kStride + lane], check.expected(0, column, 0, lane),
                     check.most_off(column, 0, lane));
      }
    }
  }
}

// Two products, a code times a scale and that less its group's min, are rounded once each. Asked for: one column of
// each 32, the last one alone, all together, and every third. What was not asked for stays as it was.
void check_columns(KernelProbe& probe, const CheckMatrix& check) {
  constexpr std::uint32_t kStride = kPanelRows + 4;
  constexpr float kUntouched = -7.0F;
  const Matrix& matrix = check.matrix;
  std::vector<float> out(std::size_t{kSlabCols} * kStride);
  const auto ask = [&](std::uint32_t slab, std::uint32_t first, std::uint32_t step) {
    const std::uint32_t n_cols = std::min(kSlabCols, matrix.n_cols - slab * kSlabCols);
    WantedColumns wanted;
    for (std::uint32_t column = first; column < n_cols; column += step) wanted.of_32[column / 32] |= 1U << column % 32;
    std::ranges::fill(out, kUntouched);
    probe.begin("columns", matrix.dtype, slab * kSlabCols + first, "as the first column");
    probe.kernels.columns[index_of(matrix.dtype)](matrix.panel(0), slab, wanted, out.data(), kStride);
    for (std::uint32_t at = 0; at < kSlabCols * kStride; ++at) {
      const std::uint32_t column = at / kStride, lane = at % kStride;
      if (lane < kPanelRows && column < n_cols && (wanted.of_32[column / 32] >> column % 32 & 1U) != 0) {
        const double expected = check.weights[std::size_t{lane} * matrix.n_cols + slab * kSlabCols + column];
        probe.expect(at, out[at], expected, 1e-6 * check.weight_norms[lane]);
      } else {
        probe.expect(at, out[at], kUntouched, 0);
      }
    }
  };
  for (std::uint32_t slab = 0; slab * kSlabCols < matrix.n_cols; ++slab) {
    for (std::uint32_t first = 0; first < 32; ++first) ask(slab, first, 32);
    ask(slab, std::min(kSlabCols, matrix.n_cols - slab * kSlabCols) - 1, kSlabCols);
    ask(slab, 0, 1);
    ask(slab, 2, 3);
  }
}

// Slabs of both panels, (n_slabs, kPairPanels, kSlabBytes).
std::vector<std::byte> unpack_slabs(const KernelTable& kernels, const Matrix& matrix, std::uint32_t n_slabs) {
  std::vector<std::byte> slabs(n_slabs * kPairPanels * kSlabBytes);
  for (std::uint32_t i = 0; i < n_slabs * kPairPanels; ++i) {
    kernels.unpack[index_of(matrix.dtype)](matrix.panel(i % kPairPanels), matrix.n_cols, i / kPairPanels,
                                           slabs.data() + i * kSlabBytes);
  }
  return slabs;
}

// Slabs from `first` to the last times activation rows.
void multiply_slabs(KernelProbe& probe, const CheckMatrix& check, const std::vector<std::byte>& slabs,
                    std::uint32_t first, std::uint32_t n_rows, std::uint32_t n_panels,
                    CheckMatrix::More more = CheckMatrix::More::kByRow) {
  const Matrix& matrix = check.matrix;
  const CheckActivations activations(probe.kernels, check, n_rows, true, more);
  const std::uint32_t n_tiles = activations.in.n_tiles();
  std::vector<ActTile> tiles;
  for (std::uint32_t tile = 0; tile < n_tiles; ++tile) tiles.push_back(activations.in.tile(tile));
  std::vector<float> out(std::size_t{n_tiles} * kPairPanels * kTileCols * kPanelRows, NAN);
  probe.begin("unpack and dot_slabs", matrix.dtype, n_rows, n_panels == 1 ? "columns" : "columns of two panels");
  for (std::uint32_t slab = first; slab < slabs.size() / (kPairPanels * kSlabBytes); ++slab) {
    probe.kernels.dot_slabs[index_of(matrix.dtype)]({.slabs = slabs.data() + slab * kPairPanels * kSlabBytes,
                                                     .n_panels = n_panels,
                                                     .n_cols = matrix.n_cols,
                                                     .slab = slab,
                                                     .first_slab = first,
                                                     .tiles = tiles.data(),
                                                     .n_tiles = n_tiles,
                                                     .out = out.data(),
                                                     .panels = matrix.panels,
                                                     .panel_stride = matrix.panel_stride,
                                                     .columns = probe.kernels.columns[index_of(matrix.dtype)],
                                                     .ahead = matrix.panels});
  }
  const std::uint32_t first_col = first * kSlabCols;
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    for (std::uint32_t i = 0; i < n_panels * kPanelRows; ++i) {
      const std::uint32_t panel = i / kPanelRows, lane = i % kPanelRows;
      const std::size_t at =
          ((std::size_t{row / kTileCols} * kPairPanels + panel) * kTileCols + row % kTileCols) * kPanelRows + lane;
      probe.expect(row * n_panels * kPanelRows + i, out[at],
                   check.expected(first_col, row, panel, lane, check.n_more(row, more)),
                   check.most_off(row, panel, lane));
    }
  }
}

void check_slabs(KernelProbe& probe, const CheckMatrix& check, bool every_width) {
  const Matrix& matrix = check.matrix;
  const auto n_slabs =
      static_cast<std::uint32_t>(div_up(matrix.n_cols, matrix.has_words() ? kWordSlabCols : kSlabCols));
  const std::vector<std::byte> slabs = unpack_slabs(probe.kernels, matrix, n_slabs);
  // In tile registers: 32 rows, and then fewer than 16.
  multiply_slabs(probe, check, slabs, 0, probe.kernels.tile_peak != nullptr ? 37 : 3, kPairPanels);
  if (!every_width) return;
  // Sums of words start with the first slab, those of bytes with any.
  const std::uint32_t first = matrix.has_words() ? 0 : n_slabs - 1;
  for (std::uint32_t width = 1; width <= kTileCols; ++width) {
    for (std::uint32_t n_panels = 1; n_panels <= kPairPanels; ++n_panels)
      multiply_slabs(probe, check, slabs, first, width, n_panels);
  }
  for (std::uint32_t n_panels = 1; n_panels <= kPairPanels; ++n_panels)
    multiply_slabs(probe, check, slabs, first, kTileCols, n_panels, CheckMatrix::More::kSameInAll);
}

}  // namespace

void check_products(KernelProbe& probe) {
  const KernelTable& kernels = probe.kernels;
  std::vector<DotSlabsFn> seen;  // types may share one
  for (const DTypeRow& type : kDTypes) {
    if (kernels.dot[index_of(type.dtype)] == nullptr || probe.has_failed()) continue;
    const CheckMatrix check(probe, type.dtype);
    check_dot(probe, check);
    if (kernels.columns[index_of(type.dtype)] != nullptr) check_columns(probe, check);
    const DotSlabsFn dot_slabs = kernels.dot_slabs[index_of(type.dtype)];
    if (dot_slabs == nullptr || kernels.unpack[index_of(type.dtype)] == nullptr) continue;
    const bool is_new = std::find(seen.begin(), seen.end(), dot_slabs) == seen.end();
    seen.push_back(dot_slabs);
    check_slabs(probe, check, is_new);
  }
}

namespace {

// What `from` should become: codes, and a step for each group of 256 of them.
struct Codes {
  std::vector<std::int32_t> codes;
  std::vector<float> steps;
  Codes(const std::vector<float>& from, float most) : codes(from.size()) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (i % 256 == 0) steps.push_back(from[i] / most);  // the largest stands first
      codes[i] = static_cast<std::int32_t>(std::lround(from[i] / steps.back()));
    }
  }
  std::int32_t sum(std::uint32_t first, std::uint32_t n) const {
    std::int32_t sum = 0;
    for (std::uint32_t i = first; i < first + n && i < codes.size(); ++i) sum += codes[i];
    return sum;
  }
};

constexpr std::uint32_t kWidth = 3, kColumn = 1;

// Of the row for slabs: two in its first slab, the columns ascending, and one in the second.
constexpr std::array<std::pair<std::uint32_t, float>, 3> kRowOutliers{{{40, 2000.0F}, {43, -3000.0F}, {300, 1500.0F}}};

void expect_outliers(KernelProbe& probe, const SlabRowView& row, std::uint32_t slab) {
  std::uint32_t n = 0;
  for (const auto& [column, value] : kRowOutliers) {
    if (column / kSlabCols != slab) continue;
    probe.expect(column, row.outliers(slab).columns[n], column % kSlabCols, 0);
    probe.expect(column, row.outliers(slab).values[n], value, 0);
    ++n;
  }
  probe.expect(slab * kSlabCols, row.n_outliers(slab), n, 0);
}

void check_int8(KernelProbe& probe, Int8Form form, std::uint32_t n) {
  std::vector<float> from = check_activations(probe, n, false, 0.3F);
  const bool slabs = form == Int8Form::kSlabs;
  for (const auto& [column, value] : kRowOutliers) {
    if (slabs) from[column] = 0.0F;
  }
  const Codes codes(from, 127.0F);
  for (const auto& [column, value] : kRowOutliers) {
    if (slabs) from[column] = value;
  }
  std::vector<std::byte> bytes(kWidth * cpu_int8_row_bytes(n));
  const Activations in{.int8 = bytes.data(), .n_rows = kWidth, .n_elems = n, .form = form};
  probe.begin(slabs ? "quantize_slabs" : "quantize", kNoType, n, "elements");
  put_activation_row(probe.kernels, in, kColumn, from.data());
  const ActTile tile = in.tile(0);
  const SlabRowView row{tile, n, kColumn, slabs && probe.kernels.tile_peak != nullptr};
  for (std::uint32_t i = 0; i < n; ++i) probe.expect(i, row.quant(i), codes.codes[i], 0);
  for (std::uint32_t slab = 0; slab < div_up(n, 256); ++slab) {
    probe.expect(slab * 256, row.scale(slab), codes.steps[slab], 0);
    probe.expect(slab * 256, row.slab_start(slab), -128 * codes.sum(slab * 256, 256), 0);
    if (slabs) expect_outliers(probe, row, slab);
  }
  for (std::uint32_t block = 0; block < n / 32; ++block) {
    const std::int32_t sum = codes.sum(block * 32, 32);
    probe.expect(block * 32, row.start(block), -128 * sum, 0);
    if (slabs) continue;
    const std::size_t at = block * kWidth + kColumn;
    probe.expect(block * 32, tile.scales[at], codes.steps[block / 8], 0);
    probe.expect(block * 32, tile.offset_corrections16[2 * at], -128 * codes.sum(block * 32, 16), 0);
    probe.expect(block * 32 + 16, tile.offset_corrections16[2 * at + 1], -128 * codes.sum(block * 32 + 16, 16), 0);
    const std::int8_t* split = tile.sums + (block / 8 * kWidth + kColumn) * 16 + block % 8;
    probe.expect(block * 32, 64 * split[0] + split[8], sum, 0);
  }
}

void check_words(KernelProbe& probe, std::uint32_t n) {
  const std::vector<float> from = check_activations(probe, n, true, 0.3F);
  const Codes codes(from, 8191.0F);
  std::vector<std::byte> bytes(kWidth * word_row_bytes(n));
  const Activations in{.words = bytes.data(), .n_rows = kWidth, .n_elems = n};
  probe.begin("quantize_words", kNoType, n, "elements");
  put_activation_row(probe.kernels, in, kColumn, from.data());
  const ActTile tile = in.tile(0);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::size_t group = i / 64 * kWidth + kColumn;
    probe.expect(i, tile.words[group * 64 + i % 64], codes.codes[i], 0);
    probe.expect(i, tile.word_scales[group], codes.steps[i / 256], 0);
  }
}

}  // namespace

void check_quantizers(KernelProbe& probe) {
  check_int8(probe, Int8Form::kBlocks, 352);
  check_int8(probe, Int8Form::kSuperBlocks, 512);
  check_int8(probe, Int8Form::kSlabs, 352);
  check_words(probe, 192);
}

}  // namespace headroom
