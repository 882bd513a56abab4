#include "model/gpu_grids.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"
#include "format/grids.h"

namespace headroom {
namespace {

bool is_grid(DType dtype) {
  switch (dtype) {
    case DType::kIQ1_S:
    case DType::kIQ1_M:
    case DType::kIQ2_XXS:
    case DType::kIQ2_XS:
    case DType::kIQ2_S:
    case DType::kIQ3_XXS:
    case DType::kIQ3_S: return true;
    default: return false;
  }
}

// The values of a point of four elements.
std::uint32_t values_of(const std::uint32_t* grid, const std::int8_t* values, std::uint32_t index) {
  std::uint32_t word = 0;
  for (int element = 0; element < 4; ++element)
    word |= static_cast<std::uint32_t>(values[grid_code<4>(grid, index, element)]) << (8 * element);
  return word;
}

}  // namespace

bool has_grids(const ModelInfo& model) {
  return std::ranges::any_of(model.weights, [](const WeightTensor& weight) { return is_grid(weight.dtype); });
}

void write_gpu_grids(std::span<std::uint32_t, kGpuGridWords> words) {
  std::size_t at = 0;
  const auto add_values = [&](std::span<const std::uint32_t> grid, const std::int8_t* values) {
    for (std::uint32_t i = 0; i < 2 * grid.size(); ++i) words[at++] = values_of(grid.data(), values, i);
  };
  const auto add_points = [&](std::span<const std::uint32_t> grid) {
    std::ranges::copy(grid, words.begin() + static_cast<std::ptrdiff_t>(at));
    at += grid.size();
  };
  add_values(kIq3XxsGrid, kIq3XxsValues);
  add_values(kIq3SGrid, kIq3SValues);
  add_points(kIq2XxsGrid);
  add_points(kIq2XsGrid);
  add_points(kIq2SGrid);
  add_points(kIq1Grid);
  CHECK(at == words.size(), "kGpuGridWords is not what all grids take");
}

}  // namespace headroom
