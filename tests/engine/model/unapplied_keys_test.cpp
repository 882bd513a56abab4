// Metadata keys that change what a model computes: they are applied, or refused by name.
#include "model/unapplied_keys.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <tuple>

#include "model/arch_table.h"
#include "model/model_fingerprint.h"
#include "model/model_info.h"
#include "read_written.h"
#include "support/random_model.h"

namespace headroom {
namespace {

using test::RandomModelSpec;
using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;

// With a window where the row gives some layers one, so that keys of windows have something to change.
RandomModelSpec with_windows(std::string_view architecture) {
  const ArchRow& row = *find_arch(architecture);
  RandomModelSpec spec;
  spec.architecture = architecture;
  spec.d_model = 64, spec.d_ff = 96, spec.n_ctx_trained = 128;
  spec.window = row.window == WindowRule::kPattern ? 24 : 0;
  spec.dense_d_ff = 96;
  if (row.shared_expert && row.shared_expert->is_counted) spec.shared_d_ff = 0;  // none is what changes nothing
  return spec;
}

Result<ModelInfo> read_with(const std::string& key, double value) {
  RandomModelSpec spec = with_windows("llama");
  spec.float_keys = {{key, static_cast<float>(value)}};
  return test::read_written(test::random_gguf(spec));
}

TEST(UnappliedKeys, a_refusal_names_the_value_that_was_found_and_those_that_change_nothing) {
  EXPECT_THAT(read_with("logit_scale", 16).error().message.text(),
              EndsWith("m.gguf: metadata 'llama.logit_scale' is 16, expected 1: it changes what the model computes, "
                       "and this version does not apply it"));
  EXPECT_THAT(read_with("expert_weights_scale", 2.5).error().message.text(),
              HasSubstr("metadata 'llama.expert_weights_scale' is 2.5, expected 0 or 1: it changes"));
  EXPECT_THAT(read_with("rope.scaling.low_freq_factor", 1).error().message.text(),
              HasSubstr("metadata 'llama.rope.scaling.low_freq_factor' is 1: it changes"));
  auto writer = test::random_gguf(with_windows("llama"));
  writer.set_bool("llama.attention.causal", false);
  EXPECT_THAT(test::read_written(writer).error().message.text(),
              HasSubstr("metadata 'llama.attention.causal' is false, expected true: it changes"));
  writer = test::random_gguf(with_windows("llama"));
  writer.set_string("llama.expert_gating_func", "sigmoid");
  EXPECT_THAT(test::read_written(writer).error().message.text(),
              HasSubstr("metadata 'llama.expert_gating_func' is 'sigmoid', expected 1 or 3: it changes"));
}

TEST(UnappliedKeys, an_array_changes_nothing_where_none_of_its_entries_does) {
  auto writer = test::random_gguf(with_windows("llama"));
  writer.set_floats("llama.swiglu_clamp_exp", {0, 0, 0});
  writer.set_ints("llama.rope.dimension_sections", {0, 0, 0, 0});
  EXPECT_TRUE(test::read_written(writer).ok());
  writer.set_floats("llama.swiglu_clamp_shexp", {0, 7, 0, 7, 7});
  EXPECT_THAT(test::read_written(writer).error().message.text(),
              HasSubstr("metadata 'llama.swiglu_clamp_shexp' is (0, 7, 0, 7, ...), expected 0: it changes"));
}

TEST(UnappliedKeys, a_key_that_nobody_knows_is_refused_where_its_name_says_that_it_scales_or_caps) {
  for (const char* key : {"attention.key_scale", "rope.scaling.ramp", "residual_multiplier", "swiglu_limit",
                          "router.temperature", "mlp_softcapping", "gate_clamp"}) {
    ASSERT_FALSE(is_known_key(key));
    const auto model = read_with(key, 1);
    ASSERT_FALSE(model.ok()) << key;
    EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
    EXPECT_THAT(model.error().message.text(), HasSubstr(std::string("metadata 'llama.") + key + "' is 1: it changes"));
  }
  EXPECT_TRUE(read_with("author_mood", 1).ok());
  EXPECT_TRUE(read_with("rope.scaling.finetuned", 1).ok());
}

// Ollama's own files of Gemma 4 state how far the images' part shrinks what it has seen.
TEST(UnappliedKeys, keys_of_parts_that_read_images_and_sound_are_none_of_the_model) {
  for (const char* key : {"vision.projector.scale_factor", "audio.input_limit", "mm.embedding_scale"})
    EXPECT_TRUE(read_with(key, 3).ok()) << key;
  for (const char* key : {"visions.scale_factor", "text.mm.embedding_scale", "mm_scale"})
    EXPECT_FALSE(read_with(key, 3).ok()) << key;
}

// What applies to layers with a window alone says nothing where it is the same as elsewhere.
TEST(UnappliedKeys, widths_of_layers_with_a_window_are_those_of_the_others) {
  for (const char* key : {"attention.key_length_swa", "attention.value_length_swa", "rope.dimension_count_swa"}) {
    RandomModelSpec spec = with_windows("gemma3");
    for (const std::uint32_t same : {0U, 16U}) {
      spec.uint_keys = {{key, same}};
      EXPECT_TRUE(test::read_written(test::random_gguf(spec)).ok()) << key;
    }
    spec.uint_keys = {{key, 8}};
    EXPECT_THAT(
        test::read_written(test::random_gguf(spec)).error().message.text(),
        HasSubstr(std::string("metadata 'gemma3.") + key + "' is 8, expected 16, as in layers without a window"));
  }
}

TEST(UnappliedKeys, a_factor_counts_as_its_type_says) {
  RandomModelSpec spec = with_windows("llama");
  spec.string_keys = {{"rope.scaling.type", "none"}};
  spec.float_keys = {{"rope.scaling.factor", 1.0F}};
  EXPECT_TRUE(test::read_written(test::random_gguf(spec)).ok());
  spec.float_keys = {{"rope.scaling.factor", 8.0F}};
  EXPECT_THAT(test::read_written(test::random_gguf(spec)).error().message.text(),
              HasSubstr("metadata 'llama.rope.scaling.factor' is 8, expected 0 or 1: it changes"));
  spec.string_keys = {};
  spec.float_keys["rope.scale_linear"] = 4.0F;
  EXPECT_THAT(test::read_written(test::random_gguf(spec)).error().message.text(),
              HasSubstr("metadata 'llama.rope.scale_linear' is 4, expected 0 or 1: it changes"))
      << "two factors";
}

// The list is of the gguf package: a key that a newer one brings is looked at before it is in a file.
TEST(UnappliedKeys, every_key_of_the_format_is_known) {
  std::ifstream list(std::filesystem::path(HEADROOM_SOURCE_DIR) / "tests/golden/gguf_keys.txt");
  int n_keys = 0;
  for (std::string key; std::getline(list, key); ++n_keys) EXPECT_TRUE(is_known_key(key)) << key;
  EXPECT_GT(n_keys, 100);
}

class UnappliedKeysOf : public testing::TestWithParam<std::tuple<ArchRow, std::string>> {
 protected:
  // Seven layers, so that another pattern of windows shows; weights are holes, and none is read.
  UnappliedKeysOf() {
    const auto& [row, scaling] = GetParam();
    base_ = with_windows(row.architecture);
    base_.n_layers = 7, base_.d_model = 8, base_.n_heads = 2, base_.n_kv_heads = 1, base_.head_dim = 4, base_.d_ff = 8;
    base_.n_vocab = 4, base_.has_holes = true;
    if (scaling.empty()) return;
    base_.string_keys = {{"rope.scaling.type", scaling}};
    if (scaling == "none") return;
    base_.float_keys = {{"rope.scaling.factor", 4.0F}};
    base_.uint_keys = {{"rope.scaling.original_context_length", 16}};
    if (scaling != "llama3") return;
    base_.float_keys.insert({{"rope.scaling.low_freq_factor", 1.0F}, {"rope.scaling.high_freq_factor", 4.0F}});
  }

  RandomModelSpec without(const std::string& key) const {
    RandomModelSpec spec = base_;
    spec.float_keys.erase(key);
    spec.uint_keys.erase(key);
    spec.string_keys.erase(key);
    if (key == "attention.sliding_window") spec.window = 0;
    return spec;
  }
  static Result<ModelInfo> read_float(RandomModelSpec spec, const std::string& key, double value) {
    spec.float_keys[key] = static_cast<float>(value);
    return test::read_written(test::random_gguf(spec));
  }
  static Result<ModelInfo> read_uint(RandomModelSpec spec, const std::string& key, std::uint32_t value) {
    spec.uint_keys[key] = value;
    return test::read_written(test::random_gguf(spec));
  }
  static Result<ModelInfo> read_string(RandomModelSpec spec, const std::string& key) {
    spec.string_keys[key] = "another";
    return test::read_written(test::random_gguf(spec));
  }

  RandomModelSpec base_;
};

TEST_P(UnappliedKeysOf, every_key_that_changes_results_is_applied_or_refused_by_name) {
  const auto base = test::read_written(test::random_gguf(base_));
  ASSERT_TRUE(base.ok()) << base.error().message.text();
  const std::uint64_t print = model_fingerprint(*base);
  for (const KeyRule& rule : key_rules()) {
    const std::string key(rule.key);
    if (key == "attention.layer_norm_rms_epsilon") continue;  // every file has it: see norm_epsilon
    if (!std::get<1>(GetParam()).empty() && !key.starts_with("rope.")) continue;
    // Sizes and lists of recurrent layers: read_delta_net_test.cpp.
    const bool is_of_states =
        key.starts_with("ssm.") || key == "full_attention_interval" || key == "attention.recurrent_layers";
    if (std::get<0>(GetParam()).delta_net && is_of_states) continue;
    // A list that no number stands for: read_rope_test.cpp.
    if (std::get<0>(GetParam()).has_rope_sections && key == "rope.dimension_sections") continue;
    if (std::get<0>(GetParam()).has_short_convs && key == "shortconv.l_cache") continue;  // read_short_conv_test.cpp
    // That it changes nothing is what its row says.
    if (std::get<0>(GetParam()).window == WindowRule::kIgnored && key == "attention.sliding_window") continue;
    if (std::get<0>(GetParam()).ignores_state_sizes && key.starts_with("ssm.")) continue;
    // A number of a function and a flag, without values that change nothing: read_experts_test.cpp.
    const bool is_of_routers = key == "expert_gating_func" || key == "expert_weights_norm";
    if (std::get<0>(GetParam()).has_router_keys && is_of_routers) continue;
    SCOPED_TRACE(key);
    const RandomModelSpec spec = without(key);
    bool is_applied = false;
    for (const auto& model : {read_float(spec, key, 7.25), read_uint(spec, key, 7), read_string(spec, key)}) {
      if (model.ok()) {
        EXPECT_NE(model_fingerprint(*model), print) << "the key was read and changes nothing";
        is_applied = true;
      } else {
        // A size that is applied contradicts another one, or a tensor's shape.
        EXPECT_THAT(model.error().message.text(),
                    AnyOf(HasSubstr(fmt::format("metadata '{}.{}", base_.architecture, key)),
                          HasSubstr(fmt::format("'{}.{}'", base_.architecture, key)), HasSubstr("m.gguf: tensor '")));
      }
    }
    for (const auto& neutral : {rule.neutral, rule.other_neutral}) {
      if (is_applied || !neutral || !std::get<1>(GetParam()).empty()) continue;  // scaled, other values are neutral
      const auto as_float = read_float(spec, key, *neutral);
      const auto as_uint = read_uint(spec, key, static_cast<std::uint32_t>(*neutral));
      ASSERT_TRUE(as_float.ok() || as_uint.ok()) << as_float.error().message.text();
      EXPECT_EQ(model_fingerprint(as_float.ok() ? *as_float : *as_uint), print);
    }
  }
}

std::string row_and_scaling(const testing::TestParamInfo<UnappliedKeysOf::ParamType>& info) {
  const auto& [row, scaling] = info.param;
  return test::architecture_label(row.architecture) + (scaling.empty() ? "" : "_" + scaling);
}
INSTANTIATE_TEST_SUITE_P(Rows, UnappliedKeysOf,
                         testing::Combine(testing::ValuesIn(arch_rows().begin(), arch_rows().end()),
                                          testing::Values("", "none", "linear", "llama3", "yarn")),
                         row_and_scaling);

}  // namespace
}  // namespace headroom
