// Published models as the engine reads them: parameters, KV and state are those that are known of them.
#include "support/published_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <set>

#include "engine/model/read_written.h"
#include "model/arch_table.h"
#include "support/model_specs.h"
#include "support/plans.h"

namespace headroom {
namespace {

// Read once: each model is a file of its header.
struct Read {
  test::PublishedModel published;
  ModelInfo model;
};
const std::vector<Read>& all_models() {
  static const std::vector<Read> models = [] {
    std::vector<Read> read;
    for (test::PublishedModel& published : test::published_models(HEADROOM_SOURCE_DIR)) {
      Result<ModelInfo> model = test::read_published(published);
      if (!model) ADD_FAILURE() << published.name << ": " << model.error().message.text();
      if (model) read.push_back({std::move(published), std::move(model).value()});
    }
    return read;
  }();
  return models;
}

TEST(PublishedModels, every_header_is_read_and_there_are_some_of_every_architecture) {
  EXPECT_EQ(all_models().size(), test::published_models(HEADROOM_SOURCE_DIR).size());
  EXPECT_GE(all_models().size(), 30U);
  std::set<std::string> names, architectures;
  for (const auto& [published, model] : all_models()) {
    EXPECT_TRUE(names.insert(published.name).second) << published.name;
    architectures.insert(model.architecture);
  }
  for (const ArchRow& row : arch_rows())
    EXPECT_TRUE(architectures.contains(std::string(row.architecture)))
        << row.architecture << " has no model in tests/support/published_models.tsv";
}

TEST(PublishedModels, have_as_many_parameters_as_is_published) {
  for (const auto& [published, model] : all_models())
    EXPECT_TRUE(test::agrees(published.total, model.n_params)) << published.name << ": " << model.n_params;
}

TEST(PublishedModels, with_experts_go_through_as_many_as_is_published) {
  for (const auto& [published, model] : all_models()) {
    const bool has_experts = model.layers.back().has_experts();  // the first ones may be dense
    EXPECT_EQ(has_experts, published.active.unit > 0) << published.name;
    const std::uint64_t n_active = test::active_params(model);
    EXPECT_EQ(has_experts, n_active < model.n_params * 9 / 10) << published.name;
    if (!has_experts) continue;
    const std::uint64_t n_embedding = published.embedding_is_active ? 0 : std::uint64_t{model.n_vocab} * model.d_model;
    EXPECT_TRUE(test::agrees(published.active, n_active - n_embedding)) << published.name << ": " << n_active;
  }
}

// The table says by which formulas its numbers were computed.
TEST(PublishedModels, have_the_cache_and_the_state_that_the_table_says) {
  for (const auto& [published, model] : all_models()) {
    EXPECT_EQ(test::kv_per_token(model), published.kv_per_token) << published.name;
    EXPECT_EQ(test::window_kv(model), published.window_kv) << published.name;
    EXPECT_EQ(model.state_bytes(), published.state) << published.name;
  }
}

// Both contexts are longer than any window, so what 8,192 positions more cost is in the other layers.
TEST(PublishedModels, are_planned_with_that_cache_and_state) {
  for (const auto& [published, model] : all_models()) {
    PlanOptions options;
    options.n_batch = 256, options.n_checkpoints = 0, options.n_ctx = 8192;
    const MemoryPlan shorter = test::planned(model, test::cpu_only(512 * kGiB), options);
    options.n_ctx = 16384;
    const MemoryPlan longer = test::planned(model, test::cpu_only(512 * kGiB), options);
    EXPECT_EQ(longer.bytes_of(RegionGroup::kKv) - shorter.bytes_of(RegionGroup::kKv), 8192 * published.kv_per_token)
        << published.name;
    EXPECT_EQ(shorter.bytes_of(RegionGroup::kState), published.state) << published.name;
  }
}

// The planner's tests compute with some of these shapes as values.
TEST(PublishedModels, are_the_shapes_that_tests_of_the_planner_have) {
  using namespace test;
  for (const ModelShape* shape : std::initializer_list<const ModelShape*>{
           &kTinyLlama, &kLlama32_1B, &kLlama3_8B, &kQwen25_7B, &kQwen3_8B, &kLlama3_70B, &kMistral7B, &kGemma2_9B,
           &kGemma3_27B, &kQwen3_30B_A3B, &kQwen35_27B, &kQwen35_35B_A3B, &kQwen3Next_80B_A3B, &kGemma4_12B,
           &kGemma4_26B_A4B, &kGemma4_31B}) {
    const auto found =
        std::ranges::find_if(all_models(), [&](const Read& r) { return r.published.name == shape->name; });
    ASSERT_NE(found, all_models().end()) << shape->name;
    const ModelInfo model = make_model(*shape);
    EXPECT_EQ(active_params(model), active_params(found->model)) << shape->name;
    EXPECT_EQ(kv_per_token(model), kv_per_token(found->model)) << shape->name;
    EXPECT_EQ(window_kv(model), window_kv(found->model)) << shape->name;
    EXPECT_EQ(model.state_bytes(), found->model.state_bytes()) << shape->name;
  }
}

// 4.58 GiB is what llama.cpp tells of its Q4_K_M file.
TEST(PublishedModels, have_files_as_large_as_those_of_q4_k_m) {
  const auto llama = std::ranges::find_if(all_models(), [](const Read& r) { return r.published.name == "Llama 3 8B"; });
  ASSERT_NE(llama, all_models().end());
  EXPECT_EQ(format_bytes(llama->model.file_bytes), "4.58 GiB");
}

// Converters write granite where all layers have attention, with keys of the hybrid model that its configuration has.
// The keys of ollama's file of Granite 4.0 1B:
TEST(PublishedModels, granite_4_is_read_with_the_keys_of_its_hybrid_siblings) {
  const auto granite =
      std::ranges::find_if(all_models(), [](const Read& r) { return r.published.name == "Granite 4.0 1B"; });
  ASSERT_NE(granite, all_models().end());
  test::RandomModelSpec spec = granite->published.spec;
  spec.full_kv_heads = spec.n_kv_heads;  // states an array
  spec.uint_keys = {{"expert_count", 0},     {"expert_used_count", 0},    {"expert_shared_feed_forward_length", 4096},
                    {"ssm.conv_kernel", 4},  {"ssm.group_count", 1},      {"ssm.inner_size", 4096},
                    {"ssm.state_size", 256}, {"ssm.time_step_rank", 128}, {"rope.dimension_count", 128}};
  spec.float_keys = {{"attention.scale", 0.0078125F},
                     {"embedding_scale", 12.0F},
                     {"logit_scale", 8.0F},
                     {"residual_scale", 0.22F},
                     {"rope.freq_base", 1e7F}};
  GgufWriter writer = test::random_gguf(spec);
  writer.set_bool("granite.rope.scaling.finetuned", true);
  const Result<ModelInfo> model = test::read_written(writer);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  EXPECT_EQ(model->n_params, granite->model.n_params);
  EXPECT_FALSE(model->layers.front().has_experts());
  // Where a layer is of Mamba, they mean something.
  writer.add_hole("blk.0.ssm_in.weight", 0, {2048, 8}, 2048 * 8 * 4);
  EXPECT_NE(test::refusal(test::read_written(writer)).find("tensor 'blk.0.ssm_in.weight' has no place in a granite"),
            std::string::npos);
}

TEST(PublishedCount, is_exact_or_a_unit_of_its_last_digit_away) {
  const test::PublishedCount exact = test::parse_count("494032768"), coarse = test::parse_count("3.3B");
  EXPECT_TRUE(test::agrees(exact, 494032768));
  EXPECT_FALSE(test::agrees(exact, 494032769));
  EXPECT_EQ(coarse.n, 3'300'000'000U);
  EXPECT_TRUE(test::agrees(coarse, 3'353'032'704));
  EXPECT_FALSE(test::agrees(coarse, 3'401'000'000));
  EXPECT_FALSE(test::agrees(coarse, 3'199'000'000));
}

}  // namespace
}  // namespace headroom
