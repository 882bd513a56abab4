#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include "model/arch_table.h"
#include "model/model_info.h"
#include "read_written.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace headroom {
namespace {

using test::RandomModelSpec;
using test::refusal;
using test::small;
using testing::HasSubstr;

Result<ModelInfo> read(const RandomModelSpec& spec) { return test::read_written(spec); }

void expect_refused(const Result<ModelInfo>& model, ErrorCode code, const std::string& words) {
  ASSERT_FALSE(model.ok()) << words;
  EXPECT_EQ(model.error().code, code) << model.error().message.text();
  EXPECT_THAT(model.error().message.text(), HasSubstr(words));
  // The path stands in the message exactly once, also where the reader passes on an error of the file.
  const std::string& message = model.error().message.text();
  EXPECT_NE(message.find(".gguf: "), std::string::npos) << message;
  EXPECT_EQ(message.find(".gguf"), message.rfind(".gguf")) << message;
}

class EachArchitecture : public testing::TestWithParam<ArchRow> {};

TEST_P(EachArchitecture, is_read_from_its_keys_and_shapes) {
  const ArchRow& row = GetParam();
  const std::string architecture(row.architecture);
  const auto model = read(small(architecture));
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(model->architecture, architecture);
  EXPECT_EQ(model->n_layers(), 2U);
  EXPECT_EQ(model->d_model, 64U);
  EXPECT_EQ(model->n_vocab, 288U);
  EXPECT_EQ(model->n_ctx_trained, 128U);
  EXPECT_FLOAT_EQ(model->norm_epsilon, 1e-5F);
  const LayerSpec& layer = model->layers[1];
  EXPECT_EQ(layer.n_heads, 4U);
  EXPECT_EQ(layer.n_kv_heads, 2U);
  EXPECT_EQ(layer.head_dim, 16U);
  EXPECT_EQ(layer.has_experts(), row.router.has_value());
  EXPECT_EQ(layer.has_experts() ? layer.expert_d_ff : layer.d_ff, 96U);
  EXPECT_FLOAT_EQ(layer.attention_scale, static_cast<float>(row.attention_scale.value_or(0.25)));
  EXPECT_EQ(layer.attention, AttentionKind::kFull);
  EXPECT_EQ(layer.has_qkv_bias, row.qkv_bias == Presence::kRequired);
  EXPECT_EQ(layer.has_qk_norm, row.qk_norm == Presence::kRequired);
  EXPECT_EQ(layer.has_attn_out_bias, row.attn_out_bias == Presence::kRequired);
  EXPECT_EQ(layer.has_post_norms, row.has_post_norms);
  EXPECT_EQ(layer.has_value_norm, row.has_value_norm);
  EXPECT_FALSE(layer.value_is_key);
  EXPECT_EQ(layer.output_scale, 1.0F);
  EXPECT_EQ(model->find_weight(TensorRole::kAttnPostNorm, 1) != nullptr, row.has_post_norms);
  EXPECT_EQ(model->find_weight(TensorRole::kFfnPostNorm, 1) != nullptr, row.has_post_norms);
  EXPECT_EQ(layer.activation, row.activation);
  EXPECT_FLOAT_EQ(layer.attention_softcap, static_cast<float>(row.attention_softcap.value_or(0)));
  EXPECT_FLOAT_EQ(model->logit_softcap, static_cast<float>(row.logit_softcap.value_or(0)));
  EXPECT_FLOAT_EQ(model->embedding_scale, row.scales_embedding ? 8.0F : 1.0F);
  ASSERT_EQ(model->ropes.size(), row.unturned_period > 0 ? 2U : 1U);
  EXPECT_EQ(model->ropes[0].pairing, row.pairing);
  EXPECT_EQ(model->ropes[0].rope_dim, 16U);
  const WeightTensor* up = model->find_weight(row.router ? TensorRole::kExpertUp : TensorRole::kUp, 1);
  ASSERT_NE(up, nullptr);
  EXPECT_EQ(up->name, row.router ? "blk.1.ffn_up_exps.weight" : "blk.1.ffn_up.weight");
  EXPECT_EQ(up->n_rows, 96U);
  EXPECT_EQ(up->n_cols, 64U);
  EXPECT_NE(model->find_weight(TensorRole::kHead, -1), nullptr);
  EXPECT_EQ(model->bytes_by_type.size(), 1U);
  EXPECT_EQ(model->bytes_by_type[0].first, "F32");
  EXPECT_EQ(model->bytes_by_type[0].second, model->n_params * 4);
}

INSTANTIATE_TEST_SUITE_P(Rows, EachArchitecture, testing::ValuesIn(arch_rows().begin(), arch_rows().end()),
                         [](const auto& each) { return test::architecture_label(each.param.architecture); });

TEST(ReadModelInfo, a_tied_head_has_no_slot_of_its_own) {
  auto spec = small("llama");
  spec.has_tied_head = true;
  const auto model = read(spec);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->find_weight(TensorRole::kHead, -1), nullptr);
}

TEST(ReadModelInfo, layers_that_turn_nothing_have_an_embedding_without_pairs) {
  RandomModelSpec spec = small("smollm3");
  spec.n_layers = 9;
  const auto model = read(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_EQ(model->ropes.at(model->layers[i].rope).rope_dim, i % 4 == 3 ? 0U : 16U) << i;
}

TEST(ReadModelInfo, a_gate_and_its_up_may_be_halves_of_one_tensor) {
  const auto model = read(small("phi3"));
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  const WeightTensor *gate = model->find_weight(TensorRole::kGate, 1), *up = model->find_weight(TensorRole::kUp, 1);
  ASSERT_TRUE(gate != nullptr && up != nullptr);
  EXPECT_EQ(gate->name, "blk.1.ffn_up.weight");
  EXPECT_EQ(up->name, gate->name);
  EXPECT_EQ(gate->rows.first, 0U);
  EXPECT_EQ(up->rows.first, 96U) << "behind the gate's";
}

TEST(ReadModelInfo, optional_biases_are_seen) {
  auto spec = small("llama");
  spec.has_optional_parts = true;
  const auto model = read(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_TRUE(model->layers[0].has_qkv_bias);
  EXPECT_TRUE(model->layers[0].has_attn_out_bias);
  EXPECT_EQ(model->find_weight(TensorRole::kVBias, 0)->n_cols, 32U);
}

TEST(ReadModelInfo, caps_are_read_where_the_row_has_them_and_may_be_off) {
  auto spec = small("gemma2");
  spec.float_keys = {{"attn_logit_softcapping", 20.0F}, {"final_logit_softcapping", 0.0F}};
  const auto model = read(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(model->layers[0].attention_softcap, 20.0F);
  EXPECT_EQ(model->logit_softcap, 0.0F);
  spec.float_keys = {{"final_logit_softcapping", -3.0F}};
  expect_refused(read(spec), ErrorCode::kBadFile, "'gemma2.final_logit_softcapping' is -3, expected 0 or more");
  spec = small("gemma3");
  spec.float_keys = {{"attn_logit_softcapping", 20.0F}};
  expect_refused(read(spec), ErrorCode::kUnsupported,
                 "'gemma3.attn_logit_softcapping' is 20, expected 0: it changes what the model computes");
}

TEST(ReadModelInfo, a_head_size_of_its_own_and_a_window_are_read) {
  auto spec = small("llama");
  spec.head_dim = 40;
  spec.window = 24;
  const auto model = read(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(model->layers[0].q_dim(), 160U);
  EXPECT_EQ(model->layers[0].attention, AttentionKind::kWindow);
  EXPECT_EQ(model->layers[0].window, 24U);
}

TEST(ReadModelInfo, a_window_whose_layers_are_unknown_is_refused_unless_it_is_never_reached) {
  auto spec = small("qwen2");
  spec.window = 24;
  expect_refused(read(spec), ErrorCode::kUnsupported, "'qwen2.attention.sliding_window' is 24");
  spec.window = spec.n_ctx_trained;
  const auto model = read(spec);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->layers[0].attention, AttentionKind::kFull);
}

TEST(ReadModelInfo, rope_scalings_are_read) {
  auto spec = small("llama");
  spec.float_keys = {{"rope.freq_base", 500000.0F}, {"rope.scaling.factor", 8.0F}};
  auto model = read(spec);  // a factor without a type
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->ropes[0].scaling, RopeScaling::kLinear);
  EXPECT_EQ(model->ropes[0].factor, 8.0);
  EXPECT_EQ(model->ropes[0].theta, 500000.0);

  spec.string_keys = {{"rope.scaling.type", "yarn"}};
  spec.uint_keys = {{"rope.scaling.original_context_length", 16}};
  model = read(spec);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->ropes[0].scaling, RopeScaling::kYarn);
  EXPECT_EQ(model->ropes[0].original_n_ctx, 16U);
  EXPECT_EQ(model->ropes[0].attention_factor, 0.0);
  spec.float_keys["rope.scaling.attn_factor"] = 0.5F;
  model = read(spec);
  ASSERT_TRUE(model.ok());
  EXPECT_NEAR(model->ropes[0].attention_factor, 0.5 * (1 + 0.1 * std::log(8.0)), 1e-12);
  spec.float_keys.erase("rope.scaling.attn_factor");

  spec.string_keys["rope.scaling.type"] = "llama3";
  expect_refused(read(spec), ErrorCode::kBadFile, "'llama.rope.scaling.low_freq_factor' is missing");
  spec.float_keys["rope.scaling.low_freq_factor"] = 1.0F;
  spec.float_keys["rope.scaling.high_freq_factor"] = 4.0F;
  model = read(spec);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->ropes[0].scaling, RopeScaling::kLlama3);

  spec.string_keys["rope.scaling.type"] = "longrope";
  expect_refused(read(spec), ErrorCode::kUnsupported, "metadata 'llama.rope.scaling.type': RoPE scaling 'longrope'");
}

TEST(ReadModelInfo, rope_numbers_that_make_no_sense_are_refused) {
  const auto with = [](const char* key, float value, const char* type = "yarn") {
    auto spec = small("llama");
    spec.float_keys = {{"rope.scaling.factor", 4.0F}};
    spec.string_keys = {{"rope.scaling.type", type}};
    spec.float_keys[key] = value;
    return read(spec);
  };
  expect_refused(with("rope.freq_base", 0), ErrorCode::kBadFile, "'llama.rope.freq_base' is 0");
  expect_refused(with("rope.freq_base", std::numeric_limits<float>::quiet_NaN()), ErrorCode::kBadFile,
                 "not a finite number");
  expect_refused(with("rope.scaling.factor", -1), ErrorCode::kBadFile,
                 "'llama.rope.scaling.factor' is -1, expected more than 0");
  expect_refused(with("rope.scaling.factor", 0.5F), ErrorCode::kBadFile, "expected at least 1");
  expect_refused(with("rope.scaling.yarn_beta_slow", 64), ErrorCode::kBadFile, "expected fast > slow");
  expect_refused(with("rope.scaling.attn_factor", 2, "linear"), ErrorCode::kUnsupported,
                 "metadata 'llama.rope.scaling.attn_factor' is 2, expected 1: it changes");
}

TEST(ReadModelInfo, frequency_factors_are_read_and_checked) {
  auto spec = small("llama");
  spec.freq_factors = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto model = read(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(model->ropes[0].freq_factors, spec.freq_factors);
  spec.freq_factors[3] = 0;
  expect_refused(read(spec), ErrorCode::kBadFile, "'rope_freqs.weight' holds 0");
  spec.freq_factors = {1, 2};
  expect_refused(read(spec), ErrorCode::kBadFile, "expected F32 of shape (8)");
}

TEST(ReadModelInfo, fused_rows_fill_three_slots) {
  GgufWriter writer;
  writer.set_string("general.architecture", "llama");
  for (const auto& [key, value] : std::map<std::string, std::uint32_t>{{"block_count", 1},
                                                                       {"context_length", 64},
                                                                       {"embedding_length", 8},
                                                                       {"feed_forward_length", 8},
                                                                       {"attention.head_count", 2},
                                                                       {"attention.head_count_kv", 1}})
    writer.set_uint("llama." + key, value);
  writer.set_float("llama.attention.layer_norm_rms_epsilon", 1e-5F);
  const auto add = [&](const char* name, const std::vector<std::uint64_t>& shape) {
    std::uint64_t n = 4;
    for (const std::uint64_t dim : shape) n *= dim;
    writer.add_tensor(name, 0, shape, std::vector<std::byte>(n));
  };
  add("token_embd.weight", {8, 5});
  add("output_norm.weight", {8});
  for (const char* norm : {"blk.0.attn_norm.weight", "blk.0.ffn_norm.weight"}) add(norm, {8});
  for (const char* square :
       {"blk.0.attn_output.weight", "blk.0.ffn_gate.weight", "blk.0.ffn_up.weight", "blk.0.ffn_down.weight"})
    add(square, {8, 8});
  add("blk.0.attn_qkv.weight", {8, 16});
  const auto model = test::read_written(writer);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  const WeightTensor *q = model->find_weight(TensorRole::kQ, 0), *k = model->find_weight(TensorRole::kK, 0),
                     *v = model->find_weight(TensorRole::kV, 0);
  EXPECT_EQ(q->rows.of(0), 0U);
  EXPECT_EQ(k->rows.of(0), 8U);
  EXPECT_EQ(v->rows.of(0), 12U);
  EXPECT_EQ(v->n_rows, 4U);
  EXPECT_EQ(q->file_tensor, v->file_tensor);
  EXPECT_EQ(model->n_params, 8U * 5 + 8 * 3 + 64 * 4 + 128);
}

TEST(ReadModelInfo, what_this_version_lacks_is_named) {
  auto spec = small("llama");
  spec.architecture = "mamba";
  expect_refused(read(spec), ErrorCode::kUnsupported,
                 "metadata 'general.architecture': 'mamba' is not supported: it needs a row in arch_table");
  spec = small("llama");
  spec.uint_keys = {{"expert_count", 8}};
  expect_refused(
      read(spec), ErrorCode::kUnsupported,
      "metadata 'llama.expert_count' is 8, expected 0: how a mixture of experts of this architecture chooses them is "
      "not known to this version");
  spec.uint_keys = {};
  spec.float_keys = {{"attn_logit_softcapping", 50}};
  expect_refused(read(spec), ErrorCode::kUnsupported,
                 "'llama.attn_logit_softcapping' is 50, expected 0: it changes what the model computes");
  auto adapter = test::random_gguf(small("llama"));
  adapter.set_string("general.type", "adapter");
  expect_refused(test::read_written(adapter), ErrorCode::kUnsupported,
                 "metadata 'general.type' is 'adapter', expected 'model'");
}

TEST(ReadModelInfo, a_weight_type_without_kernels_is_named_with_those_that_work) {
  auto writer = GgufWriter();
  const test::TempFolder folder;
  auto spec = small("llama");
  // The writer takes any type number: NVFP4 has the size of Q4_0.
  spec.role_types[TensorRole::kUp] = DType::kQ4_0;
  auto bytes_path = test::make_random_model(spec, folder.path());
  std::string bytes;
  {
    std::ifstream file(bytes_path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const auto at = bytes.find("blk.0.ffn_up.weight") + std::string("blk.0.ffn_up.weight").size() + 4 + 16;
  ASSERT_EQ(bytes[at], 2);
  bytes[at] = 40;
  std::ofstream(bytes_path, std::ios::binary) << bytes;
  const auto file = open_model_file(bytes_path);
  ASSERT_TRUE(file.ok()) << file.error().message.text();
  expect_refused(read_model_info(*file), ErrorCode::kUnsupported,
                 "'blk.0.ffn_up.weight' is NVFP4, which this version cannot compute with; supported: F32, F16, BF16, "
                 "Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, IQ4_NL, IQ4_XS, MXFP4, "
                 "IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S");
  expect_refused(read_model_info(*file), ErrorCode::kUnsupported, " of 21 tensors (");
}

TEST(ReadModelInfo, a_byte_level_tokenizer_without_its_rule_for_words_is_a_warning) {
  auto spec = small("qwen2");
  spec.n_vocab = 288;  // with a tokenizer
  EXPECT_TRUE(read(spec)->warnings.empty());
  spec.names_pre_tokenizer = false;
  const auto model = read(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  ASSERT_EQ(model->warnings.size(), 1U);
  EXPECT_NE(model->warnings[0].text().find("tokenizer.ggml.pre"), std::string::npos);
  spec.architecture = "llama";  // SentencePiece needs no such rule
  EXPECT_TRUE(read(spec)->warnings.empty());
}

// The metadata says one thing, the shapes another.
TEST(ReadModelInfo, contradictions_between_keys_and_shapes_are_refused) {
  const auto with = [](const char* key, std::uint32_t value) {
    GgufWriter writer = test::random_gguf(small("llama"));
    const test::TempFolder folder;
    EXPECT_TRUE(writer.write(folder.path() / "m.gguf").ok());
    std::fstream file(folder.path() / "m.gguf", std::ios::binary | std::ios::in | std::ios::out);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    const std::string name = std::string("llama.") + key;
    const auto at = bytes.find(name);
    EXPECT_NE(at, std::string::npos);
    file.seekp(static_cast<std::streamoff>(at + name.size() + 4));
    file.write(reinterpret_cast<const char*>(&value), sizeof(value));
    file.close();
    const auto opened = open_model_file(folder.path() / "m.gguf");
    EXPECT_TRUE(opened.ok());
    return read_model_info(*opened);
  };
  expect_refused(with("block_count", 4000000000U), ErrorCode::kBadFile,
                 "'llama.block_count' is 4000000000, but the file holds only");
  expect_refused(with("block_count", 3), ErrorCode::kBadFile, "tensor 'blk.2.attn_norm.weight' is missing");
  expect_refused(with("block_count", 1), ErrorCode::kUnsupported,
                 "tensor 'blk.1.attn_norm.weight' has no place in a llama model here");
  expect_refused(with("embedding_length", 32), ErrorCode::kBadFile,
                 "tensor 'token_embd.weight' has shape (64, 288), expected (32, 288)");
  expect_refused(with("embedding_length", 0), ErrorCode::kBadFile, "'llama.embedding_length' is 0, expected 1 to");
  expect_refused(with("feed_forward_length", 97), ErrorCode::kBadFile, "expected (64, 97)");
  expect_refused(with("attention.head_count", 7), ErrorCode::kBadFile,
                 "'llama.attention.head_count' is 7, which does not divide 'llama.embedding_length', 64");
  expect_refused(with("attention.head_count_kv", 3), ErrorCode::kBadFile,
                 "'llama.attention.head_count' is 4, which is no multiple of 'llama.attention.head_count_kv', 3");
  expect_refused(with("context_length", 0xFFFFFFFFU), ErrorCode::kBadFile, "'llama.context_length' is 4294967295");
  expect_refused(with("vocab_size", 4000000000U), ErrorCode::kBadFile,
                 "has 288 rows, but metadata 'llama.vocab_size' is 4000000000");
}

TEST(ReadModelInfo, a_vocabulary_without_weights_is_no_model) {
  GgufWriter writer;
  writer.set_string("general.architecture", "llama");
  expect_refused(test::read_written(writer), ErrorCode::kBadFile, "holds no tensors");
  expect_refused(test::read_written(GgufWriter()), ErrorCode::kBadFile, "'general.architecture' is missing");
}

// What the file itself says of a key or of its end names the path already.
TEST(ReadModelInfo, errors_that_come_from_the_file_are_passed_on_as_they_are) {
  GgufWriter writer;
  writer.set_string("general.architecture", "llama");
  writer.set_uint("general.name", 7);
  EXPECT_EQ(refusal(test::read_written(writer)),
            "m.gguf: metadata 'general.name': expected a string, found an unsigned integer");
  auto spec = small("llama");
  const test::TempFolder folder;
  spec.freq_factors.assign(8, 1.0F);
  const auto path = test::make_random_model(spec, folder.path(), "m");
  const auto file = open_model_file(path);
  ASSERT_TRUE(file.ok());
  const TensorInfo* factors = file->find_tensor("rope_freqs.weight");
  ASSERT_NE(factors, nullptr);
  std::filesystem::resize_file(path, factors->offset);
  EXPECT_EQ(refusal(read_model_info(*file)),
            fmt::format("m.gguf: ends at byte {}, 32 more bytes expected (it had {} bytes when opened)",
                        factors->offset, file->n_bytes()));
}

TEST(ReadModelInfo, numbers_that_make_no_sense_are_named_by_their_keys) {
  const auto rope = [](const char* key, float value) {
    auto spec = small("llama");
    spec.float_keys = {{"rope.scaling.factor", 4.0F}};
    spec.float_keys[key] = value;
    spec.string_keys = {{"rope.scaling.type", "yarn"}};
    return refusal(read(spec));
  };
  EXPECT_EQ(rope("rope.scaling.factor", -1),
            "m.gguf: metadata 'llama.rope.scaling.factor' is -1, expected more than 0");
  EXPECT_EQ(rope("rope.scaling.factor", 0.5F),
            "m.gguf: metadata 'llama.rope.scaling.factor' is 0.5, expected at least 1 for RoPE scaling yarn");
  EXPECT_EQ(rope("rope.freq_base", 1),
            "m.gguf: metadata 'llama.rope.freq_base' is 1, expected more than 1 for RoPE scaling yarn");
  EXPECT_EQ(rope("rope.scaling.yarn_beta_slow", 64),
            "m.gguf: metadata 'llama.rope.scaling.yarn_beta_fast' is 32 and 'llama.rope.scaling.yarn_beta_slow' is 64, "
            "expected fast > slow > 0");
  EXPECT_EQ(rope("rope.scaling.attn_factor", -2),
            "m.gguf: metadata 'llama.rope.scaling.attn_factor' times 'llama.rope.scaling.yarn_attn_factor' is -2, "
            "expected more than 0");
  EXPECT_EQ(rope("rope.scaling.yarn_ext_factor", 2),
            "m.gguf: metadata 'llama.rope.scaling.yarn_ext_factor' is 2; this version has 1 only");
  auto spec = small("llama");
  spec.float_keys = {{"rope.scale_linear", -2.0F}};  // as older files name the factor
  EXPECT_EQ(refusal(read(spec)), "m.gguf: metadata 'llama.rope.scale_linear' is -2, expected more than 0");
  spec = small("llama");
  spec.string_keys = {{"rope.scaling.type", "llama3"}};
  spec.uint_keys = {{"rope.scaling.original_context_length", 16}};
  spec.float_keys = {{"rope.scaling.low_freq_factor", 4.0F}, {"rope.scaling.high_freq_factor", 1.0F}};
  EXPECT_EQ(
      refusal(read(spec)),
      "m.gguf: metadata 'llama.rope.scaling.low_freq_factor' is 4 and 'llama.rope.scaling.high_freq_factor' is 1, "
      "expected 0 < low < high");
  spec = small("llama");
  spec.uint_keys = {{"attention.key_length", 16}, {"attention.value_length", 8}};
  EXPECT_EQ(
      refusal(read(spec)),
      "m.gguf: metadata 'llama.attention.value_length' is 8, expected the size of a key, 16: this version has equal "
      "ones only");
  spec.uint_keys = {{"attention.key_length", 15}};
  EXPECT_EQ(refusal(read(spec)),
            "m.gguf: a head has 15 elements by metadata 'llama.attention.key_length', expected an "
            "even number up to 1024");
}

}  // namespace
}  // namespace headroom
