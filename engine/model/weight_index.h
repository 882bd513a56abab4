// Finds the weight of a role and layer without a search, for backends that ask in every op.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "model/model_info.h"

namespace headroom {

class WeightIndex {
 public:
  WeightIndex() = default;
  explicit WeightIndex(const ModelInfo& model);

  // Into ModelInfo::weights; absent when the model has no such weight. `layer` -1: of no layer.
  std::optional<std::size_t> find(TensorRole role, std::int32_t layer) const;

 private:
  std::vector<std::array<std::int32_t, kNTensorRoles>> index_of_;  // (1 + n_layers); -1: none
};

}  // namespace headroom
