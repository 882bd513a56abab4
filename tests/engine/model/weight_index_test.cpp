#include "model/weight_index.h"

#include <gtest/gtest.h>

#include "support/model_specs.h"

namespace headroom {
namespace {

TEST(WeightIndex, finds_every_weight_where_the_model_has_it_and_no_other) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const WeightIndex index(model);
  std::size_t n_found = 0;
  for (std::int32_t layer = -1; layer < static_cast<std::int32_t>(model.n_layers()); ++layer) {
    for (std::size_t role = 0; role < kNTensorRoles; ++role) {
      const auto found = index.find(static_cast<TensorRole>(role), layer);
      const WeightTensor* expected = model.find_weight(static_cast<TensorRole>(role), layer);
      ASSERT_EQ(found.has_value(), expected != nullptr) << role << " of layer " << layer;
      if (!found) continue;
      ++n_found;
      EXPECT_EQ(&model.weights[*found], expected);
    }
  }
  EXPECT_EQ(n_found, model.weights.size());
}

}  // namespace
}  // namespace headroom
