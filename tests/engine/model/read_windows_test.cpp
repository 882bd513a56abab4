// Which layers have a window, and what follows from it: by the rule of each architecture, and by keys that say
// otherwise.
#include "model/read_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model_info.h"
#include "read_written.h"
#include "support/random_model.h"

namespace headroom {
namespace {

using test::RandomModelSpec;
using testing::HasSubstr;

RandomModelSpec patterned(const std::string& architecture, std::uint32_t n_layers) {
  RandomModelSpec spec;
  spec.architecture = architecture;
  spec.n_layers = n_layers;
  spec.d_model = 64, spec.d_ff = 96, spec.head_dim = 8;
  return spec;
}

ModelInfo read_or_die(const RandomModelSpec& spec) {
  auto model = test::read_written(test::random_gguf(spec));
  EXPECT_TRUE(model.ok()) << model.error().message.text();
  return model.ok() ? *std::move(model) : ModelInfo{};
}

std::vector<std::uint32_t> windows(const ModelInfo& model) {
  std::vector<std::uint32_t> found;
  for (const LayerSpec& layer : model.layers) {
    EXPECT_EQ(layer.attention == AttentionKind::kWindow, layer.window > 0);
    found.push_back(layer.window);
  }
  return found;
}

using Windows = std::vector<std::uint32_t>;

TEST(ReadWindows, every_second_layer_sees_all_in_gemma2_which_has_a_window_without_its_key) {
  EXPECT_EQ(windows(read_or_die(patterned("gemma2", 5))), (Windows{4096, 0, 4096, 0, 4096}));
  auto spec = patterned("gemma2", 3);
  spec.window = 24;
  EXPECT_EQ(windows(read_or_die(spec)), (Windows{24, 0, 24}));
}

TEST(ReadWindows, every_sixth_layer_sees_all_in_gemma3_and_all_do_without_the_key) {
  auto spec = patterned("gemma3", 8);
  EXPECT_EQ(windows(read_or_die(spec)), Windows(8, 0));
  spec.window = 24;
  EXPECT_EQ(windows(read_or_die(spec)), (Windows{24, 24, 24, 24, 24, 0, 24, 24}));
}

TEST(ReadWindows, a_file_may_state_another_period_or_a_flag_for_each_layer) {
  auto spec = patterned("gemma3", 4);
  spec.window = 24;
  spec.uint_keys = {{"attention.sliding_window_pattern", 3}};
  EXPECT_EQ(windows(read_or_die(spec)), (Windows{24, 24, 0, 24}));
  spec.uint_keys = {{"attention.sliding_window_pattern", 1}};
  EXPECT_EQ(windows(read_or_die(spec)), Windows(4, 0));
  spec.uint_keys = {};
  auto writer = test::random_gguf(spec);
  writer.set_raw("gemma3.attention.sliding_window_pattern", GgufType::kArray, test::flags("0110"));
  const auto model = test::read_written(writer);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(windows(*model), (Windows{0, 24, 24, 0}));
}

// EXAONE 4.5: its converter writes a flag for each layer that is run, or one for each block.
TEST(ReadWindows, flags_may_leave_out_layers_that_predict_further_tokens) {
  auto spec = patterned("exaone4", 5);
  spec.window = 24;
  spec.uint_keys = {{"nextn_predict_layers", 1}};
  for (const char* pattern : {"1110", "11101"}) {
    auto writer = test::random_gguf(spec);
    writer.set_raw("exaone4.attention.sliding_window_pattern", GgufType::kArray, test::flags(pattern));
    const auto model = test::read_written(writer);
    ASSERT_TRUE(model.ok()) << model.error().message.text();
    EXPECT_EQ(windows(*model), (Windows{24, 24, 24, 0}));
    EXPECT_EQ(model->ropes[model->layers[3].rope].rope_dim, 0U) << "it turns nothing";
    ASSERT_EQ(model->not_loaded.size(), 1U);
    EXPECT_EQ(model->not_loaded[0].what, "multi-token prediction");
  }
  auto writer = test::random_gguf(spec);
  writer.set_raw("exaone4.attention.sliding_window_pattern", GgufType::kArray, test::flags("111"));
  EXPECT_THAT(test::read_written(writer).error().message.text(),
              HasSubstr("'exaone4.attention.sliding_window_pattern' has 3 entries, expected one for each of 5 layers"));
}

TEST(ReadWindows, patterns_that_make_no_sense_are_refused_by_their_key) {
  auto spec = patterned("gemma2", 3);
  auto writer = test::random_gguf(spec);
  writer.set_raw("gemma2.attention.sliding_window_pattern", GgufType::kArray, test::flags("01"));
  EXPECT_THAT(
      test::read_written(writer).error().message.text(),
      HasSubstr("metadata 'gemma2.attention.sliding_window_pattern' has 2 entries, expected one for each of 3"));
  spec.uint_keys = {{"attention.sliding_window_pattern", 0}};
  EXPECT_THAT(test::read_written(test::random_gguf(spec)).error().message.text(),
              HasSubstr("'gemma2.attention.sliding_window_pattern' is 0, expected 1 to"));
  spec = patterned("llama", 2);
  spec.window = 24;
  spec.uint_keys = {{"attention.sliding_window_pattern", 2}};
  EXPECT_THAT(
      test::read_written(test::random_gguf(spec)).error().message.text(),
      HasSubstr("'llama.attention.sliding_window_pattern' is 2, expected 0: it changes what the model computes"));
}

TEST(ReadWindows, layers_with_a_window_turn_by_their_own_base_and_unscaled_where_the_row_says_so) {
  auto spec = patterned("gemma3", 6);
  spec.window = 24;
  spec.float_keys = {{"rope.freq_base", 500000.0F}, {"rope.scaling.factor", 8.0F}};
  spec.string_keys = {{"rope.scaling.type", "linear"}};
  ModelInfo model = read_or_die(spec);
  ASSERT_EQ(model.ropes.size(), 2U);
  const RopeSpec &all = model.ropes[model.layers[5].rope], &of_window = model.ropes[model.layers[0].rope];
  EXPECT_EQ(all.theta, 500000.0);
  EXPECT_EQ(all.scaling, RopeScaling::kLinear);
  EXPECT_EQ(all.factor, 8.0);
  EXPECT_EQ(of_window.theta, 10000.0);
  EXPECT_EQ(of_window.scaling, RopeScaling::kNone);
  EXPECT_EQ(of_window.rope_dim, all.rope_dim);
  EXPECT_EQ(of_window.pairing, all.pairing);
  spec.float_keys["rope.freq_base_swa"] = 20000.0F;
  model = read_or_die(spec);
  EXPECT_EQ(model.ropes[model.layers[0].rope].theta, 20000.0);
  spec.float_keys["rope.freq_base_swa"] = -1.0F;
  EXPECT_THAT(test::read_written(test::random_gguf(spec)).error().message.text(),
              HasSubstr("metadata 'gemma3.rope.freq_base_swa' is -1, expected more than 0"));
}

// OLMo 3: YaRN is of the layers without a window. Its converters write the whole attention factor under either key.
TEST(ReadWindows, yarn_of_olmo3_is_of_layers_without_a_window) {
  for (const char* key : {"rope.scaling.attn_factor", "rope.scaling.yarn_attn_factor"}) {
    auto spec = patterned("olmo2", 4);
    spec.window = 24;
    spec.float_keys = {{"rope.freq_base", 500000.0F}, {"rope.scaling.factor", 8.0F}, {key, 1.25F}};
    spec.string_keys = {{"rope.scaling.type", "yarn"}};
    ModelInfo model = read_or_die(spec);
    const RopeSpec &all = model.ropes[model.layers[3].rope], &of_window = model.ropes[model.layers[0].rope];
    EXPECT_EQ(all.scaling, RopeScaling::kYarn);
    EXPECT_EQ(all.attention_factor, 1.25);
    EXPECT_EQ(of_window.scaling, RopeScaling::kNone);
    EXPECT_EQ(of_window.theta, 500000.0);
    EXPECT_FLOAT_EQ(rope_frequencies(of_window).magnitude, 1.0F);
    spec.float_keys["rope.freq_base_swa"] = 20000.0F;
    model = read_or_die(spec);
    EXPECT_EQ(model.ropes[model.layers[0].rope].theta, 20000.0);
    EXPECT_EQ(model.ropes[model.layers[3].rope].theta, 500000.0);
  }
  EXPECT_EQ(read_or_die(patterned("olmo2", 4)).ropes.size(), 1U);
}

TEST(ReadWindows, the_base_of_windows_is_that_of_the_only_layers_that_turn) {
  for (const char* architecture : {"exaone4", "muse-glimmer"}) {
    auto spec = patterned(architecture, 4);
    spec.window = 24;
    spec.float_keys = {{"rope.freq_base_swa", 20000.0F}};
    const ModelInfo model = read_or_die(spec);
    EXPECT_EQ(model.ropes[model.layers[0].rope].theta, 20000.0);
    EXPECT_EQ(model.ropes[model.layers[3].rope].rope_dim, 0U);
    spec.float_keys = {{"rope.freq_base_swa", -1.0F}};
    EXPECT_THAT(
        test::read_written(test::random_gguf(spec)).error().message.text(),
        HasSubstr(std::string("metadata '") + architecture + ".rope.freq_base_swa' is -1, expected more than 0"));
  }
}

TEST(ReadWindows, elsewhere_another_base_for_windows_is_refused) {
  auto spec = patterned("gemma2", 2);
  EXPECT_EQ(read_or_die(spec).ropes.size(), 1U);
  spec.float_keys["rope.freq_base_swa"] = 20000.0F;
  EXPECT_THAT(test::read_written(test::random_gguf(spec)).error().message.text(),
              HasSubstr("'gemma2.rope.freq_base_swa' is 20000, expected 0: it changes what the model computes"));
}

}  // namespace
}  // namespace headroom
