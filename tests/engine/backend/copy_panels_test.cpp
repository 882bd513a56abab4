#include "backend/cpu/copy_panels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "backend/cpu/panel.h"
#include "format/dtype_table.h"
#include "model/gpu_panel.h"

namespace headroom {
namespace {

WeightTensor experts_of(DType dtype, std::uint64_t n_matrices, std::uint64_t n_rows, std::uint64_t n_cols) {
  WeightTensor weight;
  weight.role = n_matrices > 1 ? TensorRole::kExpertUp : TensorRole::kUp;
  weight.dtype = dtype;
  weight.n_matrices = n_matrices;
  weight.n_rows = n_rows;
  weight.n_cols = n_cols;
  return weight;
}

// Every part of a weight is what a load from the file would have made of it.
void expect_as_loaded(const WeightTensor& weight, std::uint32_t n_threads) {
  const Bytes row = row_bytes(weight.dtype, weight.n_cols);
  std::vector<std::byte> rows(weight.n_matrices * weight.n_rows * row);
  std::mt19937 random(7);
  for (std::byte& byte : rows) byte = static_cast<std::byte>(random());

  const PanelFormat gpu{kGpuPanelRows, gpu_panel(weight.dtype, weight.n_cols).bytes(), pack_gpu_panel};
  const std::uint64_t own_panels = div_up(weight.n_rows, kPanelRows), gpu_panels = div_up(weight.n_rows, kGpuPanelRows);
  const Bytes own_bytes = panel_bytes(weight.dtype, weight.n_cols);
  std::vector<std::byte> panels(weight.n_matrices * own_panels * own_bytes);
  std::vector<std::byte> expected(count_panels(weight, gpu) * gpu.bytes);
  const auto fill = [&](std::uint64_t matrix, std::uint32_t panel_rows, Bytes bytes, std::uint64_t n_panels, auto pack,
                        std::vector<std::byte>& to) {
    for (std::uint64_t panel = 0; panel < n_panels; ++panel) {
      const std::uint64_t first = panel * panel_rows;
      const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(panel_rows, weight.n_rows - first));
      pack(weight.dtype, weight.n_cols, n, rows.data() + (matrix * weight.n_rows + first) * row,
           to.data() + (matrix * n_panels + panel) * bytes);
    }
  };
  for (std::uint64_t matrix = 0; matrix < weight.n_matrices; ++matrix) {
    fill(matrix, kPanelRows, own_bytes, own_panels, put_panel, panels);
    fill(matrix, kGpuPanelRows, gpu.bytes, gpu_panels, pack_gpu_panel, expected);
  }

  ThreadPool pool(n_threads);
  std::vector<std::byte> panel_rows(n_threads * kGpuPanelRows * row);
  const std::uint64_t all = count_panels(weight, gpu);
  for (const PanelRange range : {PanelRange{0, all}, PanelRange{0, 1}, PanelRange{all / 2, all}}) {
    const Bytes size = (range.last - range.first) * gpu.bytes;
    std::vector<std::byte> found(size + 1, std::byte{0xA5});
    copy_cpu_panels(weight, panels.data(), gpu, range, panel_rows, pool, found.data());
    EXPECT_EQ(std::memcmp(found.data(), expected.data() + range.first * gpu.bytes, size), 0)
        << range.first << " to " << range.last;
    EXPECT_EQ(found.back(), std::byte{0xA5});
  }
}

TEST(LendWeight, gives_what_a_gpu_would_have_loaded) {
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_weight) continue;
    const std::uint64_t block = type.block_elems;
    for (const std::uint64_t n_rows : {1U, 16U, 31U, 33U, 80U}) {
      for (const std::uint64_t n_blocks : {1U, 3U}) {
        for (const std::uint64_t n_matrices : {1U, 3U}) {
          SCOPED_TRACE(std::string(type.name) + " " + std::to_string(n_rows) + " rows");
          for (const std::uint32_t n_threads : {1U, 3U})
            expect_as_loaded(experts_of(type.dtype, n_matrices, n_rows, n_blocks * block), n_threads);
        }
      }
    }
  }
}

TEST(LendWeight, vectors_are_the_same_everywhere) {
  WeightTensor weight = experts_of(DType::kF32, 1, 1, 5);
  weight.role = TensorRole::kFfnNorm;
  const std::vector<float> own{1, 2, 3, 4, 5};
  std::vector<float> lent(5);
  ThreadPool pool(2);
  copy_cpu_panels(weight, reinterpret_cast<const std::byte*>(own.data()), {1, 20, nullptr}, {0, 1}, {}, pool,
                  reinterpret_cast<std::byte*>(lent.data()));
  EXPECT_EQ(lent, own);
}

}  // namespace
}  // namespace headroom
