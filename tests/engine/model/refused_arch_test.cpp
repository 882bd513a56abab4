#include "model/refused_arch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "model/arch_table.h"
#include "support/refused_models.h"
#include "support/temp_folder.h"

namespace headroom {
namespace {

using test::RefusedSpec;
using testing::HasSubstr;

RefusedModel figures_of(const GgufWriter& writer) {
  const test::TempFolder folder;
  const std::filesystem::path path = folder.path() / "m.gguf";
  EXPECT_TRUE(writer.write(path).ok());
  const auto file = open_model_file(path);
  EXPECT_TRUE(file.ok()) << file.error().message.text();
  const auto model = read_refused_model(*file);
  EXPECT_TRUE(model.has_value());
  return model.value_or(RefusedModel());
}

RefusedModel figures_of(const RefusedSpec& spec) { return figures_of(test::refused_gguf(spec)); }

TEST(RefusedArch, each_is_tried_here_and_none_has_a_row) {
  std::set<std::string> tried;
  for (const RefusedSpec& spec : test::refused_specs()) tried.insert(spec.architecture);
  EXPECT_EQ(tried.size(), refused_archs().size());
  for (const RefusedArch& arch : refused_archs()) {
    EXPECT_TRUE(tried.contains(std::string(arch.architecture))) << arch.architecture;
    EXPECT_EQ(find_arch(arch.architecture), nullptr) << arch.architecture << " is open: its line is to go";
    EXPECT_FALSE(arch.models.empty()) << arch.architecture;
  }
}

// Hand-computed: layers x (values of a cached row) x 2 bytes.
TEST(RefusedArch, latent_attention_keeps_one_row_in_both_layouts_of_files) {
  const RefusedModel flash = figures_of(test::glm47_flash());  // 47 of 48 layers, 512 + 64 values
  EXPECT_EQ(flash.kv_bytes_per_token(), 54144U);
  EXPECT_EQ(flash.latent_elems, 576U);
  EXPECT_EQ(flash.kv_bytes(1000), 54144000U);
  EXPECT_EQ(flash.state_bytes, 0U);
  EXPECT_EQ(flash.n_ctx_trained, 202752U);
  EXPECT_EQ(figures_of(test::deepseek_v3()).kv_bytes_per_token(), 70272U);
  EXPECT_EQ(figures_of(test::deepseek_v2_lite()).kv_bytes_per_token(), 31104U);
  EXPECT_EQ(figures_of(test::mistral_small4()).kv_bytes_per_token(), 36U * 320 * 2);
}

TEST(RefusedArch, indexers_keep_a_key_in_each_layer_that_has_one) {
  EXPECT_EQ(figures_of(test::glm5()).kv_bytes_per_token(), (8U * 576 + 2 * 128) * 2);
  RefusedSpec spec = test::glm5();
  spec.tensors.erase("blk.3.indexer.attn_k.weight");
  EXPECT_EQ(figures_of(spec).kv_bytes_per_token(), (8U * 576 + 128) * 2);
}

TEST(RefusedArch, rows_that_stand_for_several_positions_are_counted_for_each_that_is_begun) {
  const RefusedModel model = figures_of(test::deepseek_v4());
  EXPECT_EQ(model.kv_bytes_per_token(), 640U * 2 / 4 + 512 * 2 / 128);
  EXPECT_EQ(model.kv_bytes(1000), 250U * 640 * 2 + 8 * 512 * 2 + 3 * 128 * 512 * 2);
  EXPECT_EQ(model.kv_bytes(1001), 251U * 640 * 2 + 8 * 512 * 2 + 3 * 128 * 512 * 2);
  EXPECT_EQ(model.kv_bytes(100), 25U * 640 * 2 + 512 * 2 + 3 * 100 * 512 * 2) << "fewer than a window has";
}

TEST(RefusedArch, delta_nets_keep_a_state_beside_the_caches_of_every_fourth_layer) {
  const RefusedModel model = figures_of(test::qwen38_flash());
  EXPECT_EQ(model.kv_bytes_per_token(), 12U * (2 * 512 + 128) * 2);
  EXPECT_EQ(model.state_bytes, 36U * (48 * 128 * 128 + 3 * 10240) * 4);
}

TEST(RefusedArch, mamba_layers_keep_a_matrix_and_the_inputs_of_a_convolution) {
  const RefusedModel granite = figures_of(test::granite4_small());  // 36 of 40
  EXPECT_EQ(granite.kv_bytes_per_token(), 16384U);
  EXPECT_EQ(granite.state_bytes, 150994944U + 3649536);
  const RefusedModel nano = figures_of(test::nemotron3_nano());  // 23 of 52, 6 with attention, the others an FFN alone
  EXPECT_EQ(nano.kv_bytes_per_token(), 6144U);
  EXPECT_EQ(nano.state_bytes, 48234496U + 1695744);
  const RefusedModel dense = figures_of(test::nemotron_h());
  EXPECT_EQ(dense.kv_bytes_per_token(), 4096U);
  EXPECT_EQ(dense.state_bytes, 2U * (10240 * 128 + 3 * 12288) * 4);
}

TEST(RefusedArch, chunks_keep_the_newest_positions_in_three_layers_of_four) {
  RefusedSpec spec = test::scout();
  EXPECT_EQ(figures_of(spec).kv_bytes_per_token(), 49152U);
  EXPECT_EQ(figures_of(spec).kv_bytes(4096), 4096U * 48 * 4096);
  EXPECT_EQ(figures_of(spec).kv_bytes(100000), 100000ULL * 49152 + 1207959552);
  spec.uints["attention.sliding_window"] = 0;
  EXPECT_EQ(figures_of(spec).kv_bytes_per_token(), 48U * 4096) << "a file that states no chunks";
}

// Every second layer of 24 keeps the newest 128 positions alone.
TEST(RefusedArch, a_layout_of_another_program_keeps_what_the_model_keeps) {
  const RefusedModel model = figures_of(test::gpt_oss_of_ollama());
  EXPECT_EQ(model.kv_bytes_per_token(), 12U * 8 * 128 * 2);
  EXPECT_EQ(model.kv_bytes(1000), 12U * 8 * 128 * 2 * (1000 + 128));
  ASSERT_NE(model.arch, nullptr);
  EXPECT_NE(find_arch(model.arch->opens_as), nullptr);
}

TEST(RefusedArch, weights_are_those_of_all_tensors_of_all_parts) {
  const test::TempFolder folder;
  GgufWriter first = test::refused_gguf(test::deepseek_v2_lite()), second;
  const std::uint64_t matrix = 64 * 1024, vectors = 27 * 2 * 64;
  second.add_hole("output.weight", 40, {64, 1024}, matrix / 64 * 36);  // NVFP4
  for (GgufWriter* part : {&first, &second}) {
    part->set_uint("split.no", part == &first ? 0 : 1);
    part->set_uint("split.count", 2);
    part->set_uint("split.tensors.count", 2 + 27 * 2);
  }
  ASSERT_TRUE(first.write(folder.path() / "v2-00001-of-00002.gguf").ok());
  ASSERT_TRUE(second.write(folder.path() / "v2-00002-of-00002.gguf").ok());
  const auto file = open_model_file(folder.path() / "v2-00002-of-00002.gguf");
  ASSERT_TRUE(file.ok()) << file.error().message.text();
  const auto model = read_refused_model(*file);
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->weights.n_elems, 2 * matrix + vectors);
  EXPECT_EQ(model->weights.n_bytes, matrix / 32 * 34 + matrix / 64 * 36 + vectors * 4);
  EXPECT_EQ(model->kv_bytes_per_token(), 31104U);
}

// What a figure of the model lacks, all together.
std::string unknown(const RefusedModel& model) {
  return (model.cache_unknown + model.state_unknown + model.n_ctx_unknown).text();
}

TEST(RefusedArch, a_key_that_is_missing_is_named_and_takes_its_figure_alone) {
  for (const RefusedSpec& spec : test::refused_specs()) {
    EXPECT_EQ(unknown(figures_of(spec)), "") << spec.name;
    std::set<std::string> keys;
    for (const auto& [key, value] : spec.uints) keys.insert(key);
    for (const auto& [key, values] : spec.arrays) keys.insert(key);
    int n_named = 0;
    for (const std::string& key : keys) {
      RefusedSpec without = spec;
      without.uints.erase(key);
      without.arrays.erase(key);
      const RefusedModel model = figures_of(without);
      const std::string missing = fmt::format("metadata '{}.{}' is missing", spec.architecture, key);
      const bool is_named = unknown(model).find(missing) != std::string::npos;
      n_named += is_named ? 1 : 0;
      EXPECT_EQ(model.has_cache(), model.cache_unknown.empty());
      EXPECT_EQ(model.kv_bytes(1).has_value(), model.cache_unknown.empty()) << spec.name << ' ' << key;
      EXPECT_GT(model.weights.n_bytes, 0U);
    }
    EXPECT_GE(n_named, 4) << spec.name;
  }
  RefusedSpec mamba = test::nemotron3_nano();
  mamba.uints.erase("ssm.state_size");
  const RefusedModel model = figures_of(mamba);
  EXPECT_EQ(model.state_unknown, "metadata 'nemotron_h_moe.ssm.state_size' is missing");
  EXPECT_EQ(model.kv_bytes_per_token(), 6144U) << "the cache needs no such key";
  mamba = test::nemotron3_nano();
  mamba.arrays.erase("feed_forward_length");
  EXPECT_EQ(figures_of(mamba).state_unknown, "metadata 'nemotron_h_moe.feed_forward_length' is missing");
  RefusedSpec latent = test::glm47_flash();
  latent.uints.erase("context_length");
  EXPECT_EQ(figures_of(latent).n_ctx_unknown, "metadata 'deepseek2.context_length' is missing");
  EXPECT_EQ(figures_of(latent).kv_bytes_per_token(), 54144U);
}

TEST(RefusedArch, numbers_that_make_no_sense_leave_their_figure_out) {
  for (const RefusedSpec& spec : test::refused_specs()) {
    for (const auto& [key, stated] : spec.uints) {
      for (const std::uint32_t value : {0U, 1U << 24, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
        RefusedSpec with = spec;
        if (key == "block_count") continue;  // the specs follow it: below
        with.uints[key] = value;
        const RefusedModel model = figures_of(with);
        EXPECT_EQ(model.kv_bytes(1).has_value(), model.cache_unknown.empty()) << spec.name << ' ' << key;
        EXPECT_TRUE(model.state_unknown.empty() || model.state_bytes == 0) << spec.name << ' ' << key;
      }
    }
    for (const auto& [key, stated] : spec.arrays) {
      RefusedSpec with = spec;
      with.arrays[key].pop_back();
      EXPECT_THAT(unknown(figures_of(with)),
                  HasSubstr(fmt::format("metadata '{}.{}' has {} entries, expected one for each", spec.architecture,
                                        key, stated.size() - 1)));
      with.arrays[key] = std::vector<std::uint32_t>(stated.size(), 0xFFFFFFFFU);
      EXPECT_NE(unknown(figures_of(with)), "") << key;
    }
    for (const std::uint32_t value : {0U, 0xFFFFFFFFU}) {
      GgufWriter writer;
      writer.set_string("general.architecture", spec.architecture);
      writer.set_uint(spec.architecture + ".block_count", value);
      writer.add_hole("token_embd.weight", 0, {64}, 256);
      EXPECT_EQ(figures_of(writer).cache_unknown,
                fmt::format("metadata '{}.block_count' is {}, expected 1 to 1", spec.architecture, value));
    }
  }
  RefusedSpec all_predict = test::glm47_flash();
  all_predict.uints["nextn_predict_layers"] = 48;
  EXPECT_THAT(figures_of(all_predict).cache_unknown,
              HasSubstr("is 48, expected less than 'deepseek2.block_count', 48"));
  RefusedSpec uneven = test::scout();
  uneven.uints["attention.head_count"] = 33;
  EXPECT_EQ(figures_of(uneven).cache_unknown,
            "metadata 'llama4.attention.head_count' is 33, which does not divide 'llama4.embedding_length', 5120");
  RefusedSpec ratios = test::deepseek_v4();
  ratios.arrays["attention.compress_ratios"] = {0, 4, 7};
  EXPECT_EQ(figures_of(ratios).cache_unknown,
            "metadata 'deepseek4.attention.compress_ratios' is 7 in layer 2, expected 0, 4 or 128");
}

TEST(RefusedArch, keys_of_another_type_are_told_without_the_path) {
  GgufWriter writer;
  writer.set_string("general.architecture", "deepseek2");
  writer.set_uint("general.name", 7);
  writer.set_uint("deepseek2.block_count", 1);
  writer.set_string("deepseek2.attention.kv_lora_rank", "many");
  writer.add_hole("token_embd.weight", 0, {64}, 256);
  const RefusedModel model = figures_of(writer);
  EXPECT_EQ(model.cache_unknown,
            "metadata 'deepseek2.attention.kv_lora_rank': expected an unsigned integer, found a string");
  EXPECT_EQ(model.name, "m");
}

TEST(RefusedArch, bytes_beyond_64_bits_are_no_figure) {
  RefusedSpec caches = test::scout();
  caches.uints["attention.head_count_kv"] = 1U << 14;
  caches.uints["attention.key_length"] = 1U << 24;
  caches.uints["attention.value_length"] = 1U << 24;
  EXPECT_EQ(figures_of(caches).kv_bytes(1U << 30), std::nullopt);
  EXPECT_TRUE(figures_of(caches).kv_bytes(1).has_value());
  // 20,000 layers, each of whose states has 2^48 elements.
  RefusedSpec states = test::granite4_small();
  states.uints["block_count"] = 20000;
  states.arrays["attention.head_count_kv"] = std::vector<std::uint32_t>(20000, 0);
  states.uints["ssm.inner_size"] = states.uints["ssm.state_size"] = 1U << 24;
  EXPECT_EQ(figures_of(states).state_unknown, "its bytes are more than 64 bits can count");
}

TEST(RefusedArch, of_an_unknown_architecture_the_weights_are_known) {
  RefusedSpec spec = test::scout();
  spec.architecture = "mamba";
  const RefusedModel model = figures_of(spec);
  EXPECT_EQ(model.arch, nullptr);
  EXPECT_FALSE(model.has_cache());
  EXPECT_EQ(model.weights.n_elems, 64U * 1024 + 48 * 64);
}

}  // namespace
}  // namespace headroom
