// Layers that read caches of earlier ones, and layer inputs.
#include "model/read_layer_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model_info.h"
#include "read_written.h"
#include "support/random_model.h"

namespace headroom {
namespace {

using test::RandomModelSpec;
using testing::ElementsAre;
using testing::HasSubstr;

// Layers 2 and 5 have no window; of seven the last `n_shared` have no cache.
RandomModelSpec seven_layers(std::uint32_t n_shared, std::uint32_t input_dim) {
  RandomModelSpec spec = test::small("gemma4");
  spec.n_layers = 7;
  spec.n_experts = 0;
  spec.window = 24, spec.window_head_dim = 8, spec.window_period = 3;
  spec.n_shared_caches = n_shared;
  spec.input_dim = input_dim;
  return spec;
}

std::vector<int> caches_read(const ModelInfo& model) {
  std::vector<int> caches;
  for (const LayerSpec& layer : model.layers) caches.push_back(layer.kv_layer ? static_cast<int>(*layer.kv_layer) : -1);
  return caches;
}

TEST(ReadLayerInputs, layers_read_the_last_cache_that_sees_as_much) {
  const auto four = test::read_written(seven_layers(4, 0)), two = test::read_written(seven_layers(2, 0));
  ASSERT_TRUE(four.ok()) << four.error().message.text();
  ASSERT_TRUE(two.ok()) << two.error().message.text();
  EXPECT_THAT(caches_read(*four), ElementsAre(-1, -1, -1, 1, 1, 2, 1));
  EXPECT_THAT(caches_read(*two), ElementsAre(-1, -1, -1, -1, -1, 2, 4));
  EXPECT_EQ(four->n_layers_together(), 6U);
  EXPECT_EQ(two->n_layers_together(), 5U);
  for (const TensorRole role : {TensorRole::kK, TensorRole::kV, TensorRole::kKNorm}) {
    EXPECT_NE(two->find_weight(role, 4), nullptr);
    EXPECT_EQ(two->find_weight(role, 5), nullptr);
  }
  EXPECT_FALSE(two->layers[5].has_cache());
  EXPECT_EQ(two->layers[5].kv_rows(64, 8), two->layers[2].kv_rows(64, 8)) << "what it reads";
  const auto none = test::read_written(seven_layers(0, 0));
  ASSERT_TRUE(none.ok()) << none.error().message.text();
  EXPECT_EQ(none->n_layers_together(), 0U);
}

TEST(ReadLayerInputs, every_layer_has_its_part_of_a_row) {
  const auto model = test::read_written(seven_layers(0, 4));
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(model->input_elems, 28U);
  for (const LayerSpec& layer : model->layers) EXPECT_EQ(layer.input_dim, 4U);
  EXPECT_EQ(model->find_weight(TensorRole::kLayerEmbedding, -1)->n_cols, 28U);
  EXPECT_EQ(model->find_weight(TensorRole::kInputGate, 6)->n_rows, 4U);
}

std::string error_of(const RandomModelSpec& spec) {
  const auto model = test::read_written(spec);
  return model.ok() ? "opened" : model.error().message.text();
}

TEST(ReadLayerInputs, caches_that_cannot_be_shared_are_refused_by_name) {
  EXPECT_THAT(error_of(seven_layers(7, 0)),
              HasSubstr("metadata 'gemma4.attention.shared_kv_layers' is 7, expected less than the 7 layers"));
  EXPECT_THAT(error_of(seven_layers(4000000000U, 0)),
              HasSubstr("metadata 'gemma4.attention.shared_kv_layers' is 4000000000, expected 0 to"));
  EXPECT_THAT(error_of(seven_layers(5, 0)),
              HasSubstr("is 5, expected a layer with a cache that sees as much as layer 2 among the first 2"));
}

TEST(ReadLayerInputs, sizes_that_lie_are_refused_by_name) {
  RandomModelSpec spec = seven_layers(0, 0);
  spec.uint_keys["embedding_length_per_layer_input"] = 256;
  EXPECT_THAT(error_of(spec), HasSubstr("metadata 'gemma4.embedding_length_per_layer_input' is 256, expected 0 to"));
  spec.uint_keys["embedding_length_per_layer_input"] = 4;
  EXPECT_THAT(error_of(spec), HasSubstr("tensor 'per_layer_token_embd.weight' is missing"));
}

}  // namespace
}  // namespace headroom
