// A matrix in row panels, and its product with activation rows.
#pragma once

#include "backend/cpu/activations.h"
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/panel.h"
#include "base/stop.h"

namespace headroom {

struct Matrix {
  const std::byte* panels = nullptr;
  DType dtype = DType::kF32;
  std::uint32_t n_rows = 0, n_cols = 0;
  Bytes panel_stride = 0;

  std::uint32_t n_panels() const { return (n_rows + kPanelRows - 1) / kPanelRows; }
  const std::byte* panel(std::uint32_t index) const { return panels + index * panel_stride; }
  bool reads_f32() const { return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16; }
  bool has_super_blocks() const { return dtype == DType::kQ4_K || dtype == DType::kQ5_K || dtype == DType::kQ6_K; }
};

// Products of 16 rows with the columns of one tile: (width, kPanelRows).
struct PanelProduct {
  std::uint32_t first_row = 0, n_rows = 0;  // of the matrix; 16, or fewer in the last panel
  std::uint32_t first_col = 0, n_cols = 0;  // activation rows
  const float* values = nullptr;
};

// Chooses between reading packed panels and unpacking them first.
class PanelReader {
 public:
  // wide: n_cols * kCpuWideColBytes bytes of scratch.
  PanelReader(const KernelTable& kernels, const Matrix& matrix, std::uint32_t n_activation_rows, std::byte* wide) : matrix_(matrix), wide_(wide) {
    const auto type = static_cast<std::size_t>(matrix.dtype);
    unpack_ = n_activation_rows > kDirectCols ? kernels.unpack[type] : nullptr;
    dot_ = unpack_ != nullptr ? kernels.dot_wide[type] : kernels.dot[type];
  }
  void start(std::uint32_t panel) {
    from_ = matrix_.panel(panel);
    if (unpack_ == nullptr) return;
    unpack_(from_, matrix_.n_cols, wide_);
    from_ = wide_;
  }
  void multiply(const ActTile& tile, float* out) const { dot_(from_, matrix_.n_cols, tile, out, kPanelRows); }

 private:
  const Matrix& matrix_;
  std::byte* wide_;
  UnpackFn unpack_;
  DotFn dot_;
  const std::byte* from_ = nullptr;
};

// Tiles whose activations stay in the second-level cache while panels pass by.
inline constexpr Bytes kTileBlockBytes = Bytes{768} << 10;
std::uint32_t tiles_per_block(const Activations& activations);

// Calls `store(PanelProduct)` for panels [first, last) and all activation rows. Returns early, results undefined, when asked to stop.
template <class Store>
void multiply(const KernelTable& kernels, const Matrix& matrix, std::uint32_t first, std::uint32_t last, const Activations& in, std::byte* wide,
              const StopToken& stop, Store store) {
  alignas(64) float values[kTileCols * kPanelRows];
  PanelReader reader(kernels, matrix, in.n_rows, wide);
  const std::uint32_t step = tiles_per_block(in), n_tiles = in.n_tiles();
  for (std::uint32_t block = 0; block < n_tiles; block += step) {
    for (std::uint32_t panel = first; panel < last; ++panel) {
      if (stop.stop_requested()) return;
      reader.start(panel);
      const std::uint32_t row = panel * kPanelRows, n_rows = row + kPanelRows <= matrix.n_rows ? kPanelRows : matrix.n_rows - row;
      for (std::uint32_t t = block; t < n_tiles && t < block + step; ++t) {
        const ActTile tile = in.tile(t);
        reader.multiply(tile, values);
        store(PanelProduct{row, n_rows, t * kTileCols, tile.width, values});
      }
    }
  }
}

}  // namespace headroom
