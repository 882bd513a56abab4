#include "model/weight_index.h"

namespace headroom {

WeightIndex::WeightIndex(const ModelInfo& model) : index_of_(model.layers.size() + 1) {
  for (auto& roles : index_of_) roles.fill(-1);
  for (std::size_t i = 0; i < model.weights.size(); ++i) {
    const WeightTensor& weight = model.weights[i];
    index_of_[static_cast<std::size_t>(weight.layer + 1)][static_cast<std::size_t>(weight.role)] =
        static_cast<std::int32_t>(i);
  }
}

std::optional<std::size_t> WeightIndex::find(TensorRole role, std::int32_t layer) const {
  const std::int32_t index = index_of_[static_cast<std::size_t>(layer + 1)][static_cast<std::size_t>(role)];
  if (index < 0) return std::nullopt;
  return static_cast<std::size_t>(index);
}

}  // namespace headroom
