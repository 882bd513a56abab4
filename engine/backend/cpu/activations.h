// Activation rows in the form that dot kernels read: tiles of kTileCols rows, interleaved.
#pragma once

#include <span>

#include "backend/cpu/kernel_table.h"
#include "base/bytes.h"

namespace headroom {

// Bytes of one row of n_elems activations as 16-bit words, with a scale per 64.
constexpr Bytes word_row_bytes(std::uint64_t n_elems) { return n_elems * 2 + n_elems / 64 * 4; }

// Which weights int8 rows are multiplied with. It decides which scales and sums stand beside the quants.
enum class Int8Form : std::uint8_t {
  kBlocks,       // weights with a scale per 32, read packed: a scale per 32
  kSuperBlocks,  // K-quants, read packed: a scale per 256, and the sums that their mins need
  kSlabs,  // weights that are unpacked: a scale per 256, outliers, and the sums that the offset of their bytes needs
};

// A view of scratch that holds n_rows activation rows of n_elems each, as f32, as 16-bit words, as int8, or several.
struct Activations {
  std::byte* f32 = nullptr;    // n_rows * n_elems * 4 bytes; null: not wanted
  std::byte* words = nullptr;  // n_rows * word_row_bytes(n_elems) bytes; null: not wanted
  std::byte* int8 = nullptr;   // n_rows * cpu_int8_row_bytes(n_elems) bytes; null: not wanted
  std::uint32_t n_rows = 0, n_elems = 0;
  Int8Form form = Int8Form::kBlocks;

  std::uint32_t n_tiles() const { return (n_rows + kTileCols - 1) / kTileCols; }
  ActTile tile(std::uint32_t index) const;
};

// Writes row `row` from n_elems floats.
void put_activation_row(const KernelTable& kernels, const Activations& to, std::uint32_t row, const float* from);

}  // namespace headroom
