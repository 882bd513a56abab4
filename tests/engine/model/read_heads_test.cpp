// Heads of layers with a window that have a size of their own, values that are keys, and factors of layers.
#include "model/read_heads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model_info.h"
#include "read_written.h"
#include "support/random_model.h"

namespace headroom {
namespace {

using test::RandomModelSpec;
using testing::HasSubstr;

// Layers 0 and 2 have a window.
RandomModelSpec two_sizes() {
  RandomModelSpec spec = test::small("gemma4");
  spec.n_layers = 4;
  spec.shared_d_ff = 48;
  spec.n_heads = 4, spec.n_kv_heads = 2, spec.head_dim = 32;
  spec.window = 24, spec.window_head_dim = 16, spec.window_period = 2;
  return spec;
}

TEST(ReadHeads, layers_with_a_window_have_heads_of_their_own) {
  const auto model = test::read_written(two_sizes());
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  for (const std::size_t i : {0U, 1U, 2U, 3U}) {
    const LayerSpec& layer = model->layers[i];
    const bool has_window = i % 2 == 0;
    EXPECT_EQ(layer.window, has_window ? 24U : 0U) << i;
    EXPECT_EQ(layer.head_dim, has_window ? 16U : 32U) << i;
    EXPECT_EQ(model->ropes.at(layer.rope).rope_dim, layer.head_dim) << i;
    EXPECT_EQ(layer.attention_scale, 1.0F);
    EXPECT_FALSE(layer.value_is_key);
  }
  EXPECT_EQ(model->ropes[1].theta, 10000.0) << "of windows, when its key is absent";
}

TEST(ReadHeads, a_layer_without_values_makes_them_by_its_keys) {
  RandomModelSpec spec = two_sizes();
  spec.has_optional_parts = true;
  const auto model = test::read_written(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  for (const std::int32_t i : {0, 1, 2, 3}) {
    EXPECT_EQ(model->layers[static_cast<std::size_t>(i)].value_is_key, i % 2 == 1) << i;
    EXPECT_EQ(model->find_weight(TensorRole::kV, i) == nullptr, i % 2 == 1) << i;
    EXPECT_NE(model->layers[static_cast<std::size_t>(i)].output_scale, 1.0F) << i;
  }
}

// No key says so: the largest models of these families are told by their layers.
TEST(ReadHeads, scores_are_scaled_by_the_width_of_a_head_or_in_the_largest_model_by_its_share_of_d_model) {
  for (const auto& [architecture, n_layers] : {std::pair{"gemma2", 46U}, {"gemma3", 62U}, {"llama", 46U}}) {
    auto spec = test::small(architecture);
    spec.head_dim = 4;
    spec.n_layers = n_layers;
    const bool is_llama = std::string_view(architecture) == "llama";
    EXPECT_FLOAT_EQ(test::read_written(spec)->layers[0].attention_scale, is_llama ? 0.5F : 0.25F) << architecture;
    spec.n_layers = n_layers - 1;
    EXPECT_FLOAT_EQ(test::read_written(spec)->layers[0].attention_scale, 0.5F) << architecture;
  }
}

TEST(ReadHeads, what_cannot_be_is_refused_by_name) {
  const auto error_with = [](const char* key, std::uint32_t value) {
    RandomModelSpec spec = two_sizes();
    spec.uint_keys = {{key, value}};
    const auto model = test::read_written(spec);
    return model.ok() ? std::string("opened") : model.error().message.text();
  };
  EXPECT_THAT(error_with("attention.key_length_swa", 15),
              HasSubstr("metadata 'gemma4.attention.key_length_swa' is 15, expected an even number up to 1024"));
  EXPECT_THAT(error_with("attention.value_length_swa", 8),
              HasSubstr("metadata 'gemma4.attention.value_length_swa' is 8, expected the size of a key, 16"));
  EXPECT_THAT(error_with("rope.dimension_count_swa", 18),
              HasSubstr("metadata 'gemma4.rope.dimension_count_swa' is 18, expected an even number up to the head size "
                        "16"));
}

TEST(ReadHeads, what_is_missing_is_named) {
  RandomModelSpec spec = two_sizes();
  spec.window = 0;
  spec.uint_keys = {{"attention.sliding_window", 0}};
  EXPECT_THAT(test::read_written(spec).error().message.text(),
              HasSubstr("metadata 'gemma4.attention.sliding_window' is 0, expected 1 to "));
  spec = two_sizes();
  ArchRow row = *find_arch("llama");
  row.rope_factors = Presence::kRequired;
  EXPECT_THAT(test::read_written(test::random_gguf({}), row).error().message.text(),
              HasSubstr("tensor 'rope_freqs.weight' is missing"));
  spec.freq_factors = {1.0F};
  EXPECT_THAT(test::read_written(spec).error().message.text(),
              HasSubstr("tensor 'rope_freqs.weight' is F32 of shape (1)"));
}

TEST(ReadHeads, a_factor_of_a_layer_is_one_finite_number) {
  for (const auto& [shape, value, message] :
       {std::tuple{std::vector<std::uint64_t>{2}, 1.0F, "is F32 of shape (2), expected F32 of shape (1)"},
        {std::vector<std::uint64_t>{1}, INFINITY, "holds inf, expected a finite number"}}) {
    GgufWriter writer = test::random_gguf(two_sizes());
    const std::vector<float> values(shape.front(), value);
    const auto bytes = std::as_bytes(std::span(values));
    writer.add_tensor("blk.1.layer_output_scale.weight", 0, shape, {bytes.begin(), bytes.end()});
    EXPECT_THAT(test::read_written(writer).error().message.text(),
                HasSubstr(std::string("tensor 'blk.1.layer_output_scale.weight' ") + message));
  }
}

}  // namespace
}  // namespace headroom
