// Tensors that nothing reads: refused by name, or counted where the row says what they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <span>

#include "model/arch_table.h"
#include "model/model_info.h"
#include "read_written.h"
#include "support/random_model.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

test::RandomModelSpec two_layers_spec(std::string_view architecture) {
  test::RandomModelSpec spec;
  spec.architecture = architecture;
  spec.d_model = 64, spec.d_ff = 96, spec.n_ctx_trained = 128;
  return spec;
}
GgufWriter two_layers(std::string_view architecture) { return test::random_gguf(two_layers_spec(architecture)); }

void add(GgufWriter& writer, const std::string& tensor, const std::vector<std::uint64_t>& shape, float value = 0) {
  std::size_t n = 1;
  for (const std::uint64_t dim : shape) n *= dim;
  const std::vector<float> values(n, value);
  const auto bytes = std::as_bytes(std::span(values));
  writer.add_tensor(tensor, 0, shape, {bytes.begin(), bytes.end()});
}

Result<ModelInfo> read_with(std::string_view architecture, const std::string& tensor,
                            const std::vector<std::uint64_t>& shape = {8}, float value = 0) {
  GgufWriter writer = two_layers(architecture);
  add(writer, tensor, shape, value);
  return test::read_written(writer);
}

TEST(UnreadTensors, a_refusal_names_the_tensor_what_it_is_and_what_is_expected) {
  EXPECT_THAT(
      read_with("llama", "blk.1.attn_sinks.weight", {4}).error().message.text(),
      EndsWith("m.gguf: tensor 'blk.1.attn_sinks.weight' has no place in a llama model here: found F32 of shape "
               "(4), which nothing would read; expected in layer 1 are attn_norm.weight, attn_q.weight, "
               "attn_k.weight, attn_v.weight, attn_output.weight, ffn_norm.weight, ffn_gate.weight, "
               "ffn_up.weight, ffn_down.weight"));
  EXPECT_THAT(read_with("qwen3", "blk.2.nextn.eh_proj.weight", {128, 64}).error().message.text(),
              EndsWith("m.gguf: tensor 'blk.2.nextn.eh_proj.weight' has no place in a qwen3 model here: found F32 of "
                       "shape (128, 64), which nothing would read; expected are layers 0 to 1 by metadata "
                       "'qwen3.block_count'"));
  EXPECT_THAT(read_with("gemma3", "vision.patch_embd.weight").error().message.text(),
              EndsWith("m.gguf: tensor 'vision.patch_embd.weight' has no place in a gemma3 model here: found F32 of "
                       "shape (8), which nothing would read; expected beside the layers are token_embd.weight, "
                       "output_norm.weight, output.weight"));
}

TEST(UnreadTensors, rotary_angles_of_old_llama_files_are_counted_in_each_layer) {
  GgufWriter writer = two_layers("llama");
  for (const char* tensor : {"blk.0.attn_rot_embd.weight", "blk.1.attn_rot_embd.weight", "blk.1.attn_rot_embd.freqs"})
    add(writer, tensor, {8});
  const auto model = test::read_written(writer);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_THAT(model->not_loaded, ElementsAre(NotLoaded{Message::say("rotary angles"), 3, 96}));
  add(writer, "blk.2.attn_rot_embd.weight", {8});
  EXPECT_THAT(test::read_written(writer).error().message.text(),
              HasSubstr("tensor 'blk.2.attn_rot_embd.weight' has no place"));
}

// A row as one that comes may be.
TEST(UnreadTensors, what_a_row_says_is_not_used_is_counted_by_what_it_is) {
  constexpr Message::Mark kSpeech = Message::mark("speech"), kSinks = Message::mark("sinks");
  constexpr std::array kUnused{UnusedTensors{"tts.*", kSpeech}, UnusedTensors{"vocoder.*", kSpeech},
                               UnusedTensors{"blk.N.attn_sinks.weight", kSinks}};
  ArchRow row = *find_arch("llama");
  row.unused = kUnused;
  GgufWriter writer = two_layers("llama");
  add(writer, "tts.blk.0.attn_q.weight", {64, 2});
  add(writer, "blk.1.attn_sinks.weight", {4});
  add(writer, "vocoder.0.weight", {3});
  const auto model = test::read_written(writer, row);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_THAT(model->not_loaded,
              ElementsAre(NotLoaded{Message::say("speech"), 2, 524}, NotLoaded{Message::say("sinks"), 1, 16}));
  EXPECT_THAT(test::read_written(writer).error().message.text(),
              HasSubstr("tensor 'tts.blk.0.attn_q.weight' has no place"));
  add(writer, "blk.1.attn_sinks.bias", {4});
  EXPECT_THAT(test::read_written(writer, row).error().message.text(),
              HasSubstr("tensor 'blk.1.attn_sinks.bias' has no place"));
}

TEST(UnreadTensors, layers_that_predict_further_tokens_are_not_run_where_the_row_says_so) {
  ArchRow row = *find_arch("llama");
  row.skips_prediction_layers = true;
  test::RandomModelSpec spec = two_layers_spec("llama");
  const auto base = test::read_written(test::random_gguf(spec));
  ASSERT_TRUE(base.ok()) << base.error().message.text();
  spec.n_layers = 4;
  spec.uint_keys = {{"nextn_predict_layers", 2}};
  GgufWriter writer = test::random_gguf(spec);
  add(writer, "blk.3.nextn.enorm.weight", {64});
  const auto model = test::read_written(writer, row);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(model->n_layers(), 2U);
  EXPECT_EQ(model->n_params, base->n_params);
  constexpr Bytes kLayerBytes = 4 * (2 * 64 + 2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 96);
  EXPECT_THAT(model->not_loaded,
              ElementsAre(NotLoaded{Message::say("multi-token prediction"), 19, 2 * kLayerBytes + 256}));

  EXPECT_THAT(test::read_written(writer).error().message.text(),
              HasSubstr("metadata 'llama.nextn_predict_layers' is 2, expected 0: it changes what the model computes"));
  add(writer, "blk.4.nextn.enorm.weight", {64});
  EXPECT_THAT(
      test::read_written(writer, row).error().message.text(),
      HasSubstr("tensor 'blk.4.nextn.enorm.weight' has no place in a llama model here: found F32 of shape (64), "
                "which nothing would read; expected are layers 0 to 3"));
  spec.uint_keys = {{"nextn_predict_layers", 4}};
  EXPECT_THAT(test::read_written(test::random_gguf(spec), row).error().message.text(),
              HasSubstr("metadata 'llama.nextn_predict_layers' is 4, expected less than 'llama.block_count', 4"));
}

// Keys that say something of each layer count those that are not run.
TEST(UnreadTensors, a_pattern_of_windows_has_an_entry_for_layers_that_are_not_run) {
  ArchRow row = *find_arch("gemma3");
  row.skips_prediction_layers = true;
  test::RandomModelSpec spec = two_layers_spec("gemma3");
  spec.n_layers = 3;
  spec.window = 24;
  spec.uint_keys = {{"nextn_predict_layers", 1}};
  GgufWriter writer = test::random_gguf(spec);
  writer.set_raw("gemma3.attention.sliding_window_pattern", GgufType::kArray, test::flags("010"));
  const auto model = test::read_written(writer, row);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  ASSERT_EQ(model->n_layers(), 2U);
  EXPECT_EQ(model->layers[0].window, 0U);
  EXPECT_EQ(model->layers[1].window, 24U);
}

class UnreadTensorsOf : public testing::TestWithParam<ArchRow> {};

TEST_P(UnreadTensorsOf, refuses_what_its_forward_pass_does_not_read) {
  const ArchRow& row = GetParam();
  for (const char* tensor :
       {"blk.0.attn_sinks.weight", "blk.0.ffn_gate.bias", "blk.1.attn_q.scale", "blk.1.layer_output_scale.weight",
        "blk.1.exp_probs_b.bias", "blk.2.attn_norm.weight", "blk.2.nextn.enorm.weight", "blk.00.attn_rot_embd.weight",
        "blk..attn_norm.weight", "output.bias", "per_layer_token_embd.weight", "v", "vision.patch_embd.weight",
        "mmproj.0.weight", "rope_factors_long.weight", "rope_freqs.weights"}) {
    if (row.may_scale_output && std::string_view(tensor).ends_with(kOutputScaleTensor)) continue;
    if (row.has_sinks && std::string_view(tensor) == role_tensor_name(TensorRole::kAttnSinks, 0)) continue;
    if (row.may_be_long && std::string_view(tensor) == kLongFactorsTensor) continue;
    if (row.choice_bias != Presence::kNever && std::string_view(tensor) == role_tensor_name(TensorRole::kChoiceBias, 1))
      continue;
    const auto model = read_with(row.architecture, tensor);
    ASSERT_FALSE(model.ok()) << tensor;
    EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
    EXPECT_THAT(model.error().message.text(), HasSubstr("tensor '" + std::string(tensor) + "' has no place"));
  }
}

// Ollama's own files have them beside the text.
TEST_P(UnreadTensorsOf, counts_parts_for_images_and_sound_and_predictions_that_stand_apart) {
  const ArchRow& row = GetParam();
  test::RandomModelSpec spec = two_layers_spec(row.architecture);
  if (row.vision_needs_scaling) spec.float_keys = {{"rope.scaling.factor", 8.0F}};
  const auto base = test::read_written(spec);
  ASSERT_TRUE(base.ok()) << base.error().message.text();
  GgufWriter writer = test::random_gguf(spec);
  for (const char* tensor : {"v.blk.0.attn_q.weight", "v.patch_embd.bias", "mm.input_projection.weight",
                             "a.blk.11.conv_dw.weight", "mm.a.fc.weight", "mtp.layers.0.input_layernorm.weight"})
    add(writer, tensor, {8});
  const auto model = test::read_written(writer);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_THAT(model->not_loaded,
              ElementsAre(NotLoaded{Message::say("vision"), 3, 96}, NotLoaded{Message::say("audio"), 2, 64},
                          NotLoaded{Message::say("multi-token prediction"), 1, 32}));
  EXPECT_EQ(model->n_params, base->n_params);
  EXPECT_EQ(model->weights.size(), base->weights.size());
}

// A role is filled in a shape that is checked, or its tensor has no place.
TEST_P(UnreadTensorsOf, refuses_tensors_of_other_rows) {
  const ArchRow& row = GetParam();
  const auto base = test::read_written(two_layers(row.architecture));
  ASSERT_TRUE(base.ok()) << base.error().message.text();
  int n_others = 0;
  for (std::size_t i = 0; i < kNTensorRoles; ++i) {
    const auto role = static_cast<TensorRole>(i);
    if (base->find_weight(role, -1) != nullptr || base->find_weight(role, 1) != nullptr) continue;
    const std::string tensor = role_tensor_name(role, 1);
    // Another role's, by a name of this row.
    if (std::ranges::find(base->weights, tensor, &WeightTensor::name) != base->weights.end()) continue;
    ++n_others;
    const auto model = read_with(row.architecture, tensor, {1});
    ASSERT_FALSE(model.ok()) << tensor;
    EXPECT_THAT(model.error().message.text(), HasSubstr("tensor '" + tensor + "' has "));
  }
  EXPECT_GT(n_others, 3);
}

TEST_P(UnreadTensorsOf, has_factors_of_the_rotary_embedding_or_refuses_them) {
  const ArchRow& row = GetParam();
  if (row.rope_factors == Presence::kRequired) {
    const auto model = test::read_written(test::random_gguf(two_layers_spec(row.architecture)));
    ASSERT_TRUE(model.ok()) << model.error().message.text();
    EXPECT_EQ(model->ropes[0].freq_factors, (std::vector<float>{1, 1, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F, 1e30F}));
    EXPECT_THAT(model->not_loaded, IsEmpty());
    return;
  }
  const auto model = read_with(row.architecture, "rope_freqs.weight", {8}, 1.0F);
  EXPECT_EQ(model.ok(), row.rope_factors != Presence::kNever);
  if (model.ok()) {
    EXPECT_EQ(model->ropes[0].freq_factors, std::vector<float>(8, 1.0F));
    EXPECT_THAT(model->not_loaded, IsEmpty()) << "they are read";
  } else {
    EXPECT_THAT(model.error().message.text(), HasSubstr("tensor 'rope_freqs.weight' has no place"));
  }
}

// A tensor that the pattern is about: "blk.1.attn_rot_embd.weight" for "blk.N.attn_rot_embd.*".
std::string in_layer_1(std::string_view pattern) {
  constexpr std::string_view kAnyLayer = "blk.N.";
  std::string name(pattern);
  if (name.starts_with(kAnyLayer)) name.replace(0, kAnyLayer.size(), "blk.1.");
  if (name.ends_with('*')) name.replace(name.size() - 1, 1, "weight");
  return name;
}

TEST_P(UnreadTensorsOf, counts_what_its_row_says_is_not_used) {
  const ArchRow& row = GetParam();
  test::RandomModelSpec spec = two_layers_spec(row.architecture);
  if (row.may_share_caches) spec.n_shared_caches = 1;
  const auto base = test::read_written(spec);
  ASSERT_TRUE(base.ok()) << base.error().message.text();
  EXPECT_THAT(base->not_loaded, IsEmpty());
  for (const UnusedTensors& unused : row.unused) {
    GgufWriter writer = test::random_gguf(spec);
    add(writer, in_layer_1(unused.name), {8});
    const auto model = test::read_written(writer);
    ASSERT_TRUE(model.ok()) << model.error().message.text();
    EXPECT_THAT(model->not_loaded, ElementsAre(NotLoaded{Message::of(unused.what), 1, 32}));
    EXPECT_EQ(model->n_params, base->n_params);
    EXPECT_EQ(model->bytes_by_type, base->bytes_by_type);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, UnreadTensorsOf, testing::ValuesIn(arch_rows().begin(), arch_rows().end()),
                         [](const auto& each) { return test::architecture_label(each.param.architecture); });

}  // namespace
}  // namespace headroom
