// States of recurrent layers in the plan: their bytes, where they stand, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "plan/formulas.h"
#include "plan/gpu_rules.h"
#include "plan/speed.h"
#include "support/plans.h"
#include "support/published_models.h"

namespace headroom {
namespace {

using test::cpu_and_gpu;
using test::cpu_only;
using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;

ModelInfo qwen35() { return test::make_model(test::kQwen35_27B); }

// 27B: 48 of 64 layers have states. Matrices: 48 layers x 48 value heads x 128 x 128 x 4 bytes = 150,994,944.
// Convolution: 48 layers x 3 rows x (2 x 16 x 128 + 48 x 128 = 10,240 channels) x 4 bytes = 5,898,240. Together
// 156,893,184 a slot. Cache: 16 layers x 2 x 4 KV heads x 256 elements x 2 bytes = 65,536 a token.
TEST(StatePlan, has_the_bytes_of_the_published_shape) {
  for (const std::uint32_t n_slots : {1U, 3U}) {
    for (const std::uint32_t n_ctx : {64U, 4096U}) {
      const MemoryPlan plan = test::planned(qwen35(), cpu_only(), {.n_ctx = n_ctx, .n_slots = n_slots});
      EXPECT_EQ(plan.bytes_of(RegionGroup::kState), n_slots * Bytes{156'893'184}) << n_ctx;
      EXPECT_EQ(plan.bytes_of(RegionGroup::kKv), n_slots * n_ctx * Bytes{65'536});
    }
  }
}

// 35B-A3B: 30 of 40 layers have states. Matrices: 30 x 32 value heads x 128 x 128 x 4 bytes = 62,914,560. Convolution:
// 30 x 3 rows x (2 x 16 x 128 + 32 x 128 = 8,192 channels) x 4 bytes = 2,949,120. Together 65,863,680 a slot. Cache: 10
// layers x 2 x 2 KV heads x 256 elements x 2 bytes = 20,480 a token.
// 80B-A3B: 36 of 48 layers: 36 x 32 x 128 x 128 x 4 = 75,497,472 and 36 x 3 x 8,192 x 4 = 3,538,944, together
// 79,036,416 a slot; 12 x 2 x 2 x 256 x 2 = 24,576 a token.
TEST(StatePlan, has_the_bytes_of_the_published_shapes_with_experts) {
  for (const auto& [shape, of_slot, of_token] : {std::tuple(&test::kQwen35_35B_A3B, 65'863'680, 20'480),
                                                 std::tuple(&test::kQwen3Next_80B_A3B, 79'036'416, 24'576)}) {
    SCOPED_TRACE(shape->name);
    const MemoryPlan plan = test::planned(test::make_model(*shape), cpu_only(), {.n_ctx = 4096, .n_slots = 2});
    EXPECT_EQ(plan.bytes_of(RegionGroup::kState), Bytes{2} * of_slot);
    EXPECT_EQ(plan.bytes_of(RegionGroup::kKv), Bytes{2} * 4096 * of_token);
  }
}

// Of 35B-A3B, F16, a token reads in a layer 8 of 256 experts of 3 x 512 x 2,048 elements, the router of 256 x 2,048,
// and all of the shared expert: 3 x 512 x 2,048 and a gate of 2,048 in F32.
TEST(StatePlan, a_token_reads_all_of_a_shared_expert_and_its_share_of_the_others) {
  const ModelInfo model = test::make_model(test::kQwen35_35B_A3B, DType::kF16);
  const auto bytes_of = [](const ModelInfo& read, DType dtype) {
    const MemoryPlan plan = test::planned(read, cpu_only(128 * kGiB), {.n_ctx = 64});
    return token_work(read, plan.devices, plan.placement, plan.options, 1)[0]
        .weight_bytes[static_cast<std::size_t>(dtype)];
  };
  ModelInfo without = model;
  std::erase_if(without.weights, [](const WeightTensor& weight) {
    return weight.role == TensorRole::kGate || weight.role == TensorRole::kUp || weight.role == TensorRole::kDown ||
           weight.role == TensorRole::kSharedGate;
  });
  EXPECT_EQ(bytes_of(model, DType::kF16) - bytes_of(without, DType::kF16), 40.0 * 3 * 512 * 2048 * 2);
  EXPECT_EQ(bytes_of(model, DType::kF32) - bytes_of(without, DType::kF32), 40.0 * 2048 * 4);
  std::erase_if(without.weights, [](const WeightTensor& weight) { return role_is_experts(weight.role); });
  EXPECT_EQ(bytes_of(model, DType::kF16) - bytes_of(without, DType::kF16), 40.0 * 9 * 3 * 512 * 2048 * 2);
  EXPECT_EQ(n_ffn_ops(model.layers[0]), 5U);
  EXPECT_EQ(n_ffn_ops(test::make_model(test::kQwen3_30B_A3B).layers[0]), 3U);
}

// The plan that cards of little memory want: attention and states of all layers on the card, and the experts of most on
// the CPU.
TEST(StatePlan, experts_stay_on_the_cpu_beside_attention_and_states_on_a_small_gpu) {
  const ModelInfo model = test::make_model(test::kQwen35_35B_A3B);
  const std::vector<DeviceInfo> devices = test::measured_cpu_and_gpu(8 * kGiB, test::fast_card());
  const MemoryPlan plan = test::planned(model, devices, {.n_ctx = 4096, .devices = {{1}}});
  for (const LayerPlacement& layer : plan.placement.layers) EXPECT_EQ(layer.attention, 1U);
  EXPECT_THAT(plan.options.n_cpu_ffn, testing::AllOf(testing::Gt(20), testing::Lt(40)));
  EXPECT_EQ(test::planned(model, devices, plan.options).placement, plan.placement) << "resolved";
}

TEST(StatePlan, a_layer_has_a_state_or_a_cache_beside_its_weights) {
  const ModelInfo model = qwen35();
  std::vector<DeviceInfo> devices = cpu_and_gpu();
  test::set_kind(devices[1], DeviceKind::kReference);
  const MemoryPlan plan = test::planned(
      model, devices, {.n_ctx = 1024, .kv_k = DType::kF32, .kv_v = DType::kF32, .n_gpu_layers = 6, .devices = {{1}}});
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(model.n_layers()); ++i) {
    const LayerSpec& layer = model.layers[static_cast<std::size_t>(i)];
    const DeviceIndex device = i < 58 ? 0 : 1;
    EXPECT_EQ(find_kv_region(plan, i, KvPart::kKeys, device).has_value(), !layer.delta_net) << i;
    for (const StatePart part : {StatePart::kConv, StatePart::kMatrix}) {
      const std::optional<RegionRef> found = find_state_region(plan, i, part, device);
      ASSERT_EQ(found.has_value(), layer.delta_net.has_value()) << i;
      EXPECT_FALSE(find_state_region(plan, i, part, 1 - device));
      if (!found) continue;
      const Bytes bytes = part == StatePart::kConv ? layer.delta_net->conv_bytes() : layer.delta_net->matrix_bytes();
      EXPECT_EQ(plan.arenas[found->arena].regions[found->region].size, bytes);
    }
  }
}

TEST(StatePlan, says_what_a_state_takes_and_that_it_cannot_go_back) {
  const MemoryPlan plan = test::planned(qwen35(), cpu_only(), {.n_ctx = 1024, .n_slots = 2});
  EXPECT_THAT(plan.notes, Contains(Field(&Note::words, AllOf(HasSubstr("48 of 64 layers"),
                                                             HasSubstr(format_bytes(156'893'184) + " for each"),
                                                             HasSubstr("2 slots")))));
  EXPECT_THAT(plan.notes, Contains(Field(&Note::words, HasSubstr("A state cannot go back"))));
  const MemoryPlan alone = test::planned(qwen35(), cpu_only(), {.n_ctx = 1024});
  EXPECT_THAT(alone.notes, Contains(Field(&Note::words, HasSubstr(format_bytes(156'893'184) + ", however long"))));
  const std::vector<Formula> formulas = plan_formulas(qwen35(), plan);
  const auto matrices =
      std::ranges::find(formulas, Message::say("State of recurrent layers, matrices"), &Formula::label);
  ASSERT_NE(matrices, formulas.end());
  EXPECT_EQ(matrices->expression, "48 layers x 2 slots x 48 value heads x 128 x 128 elements x 4 bytes");
  EXPECT_EQ(matrices->bytes, Bytes{2} * 150'994'944);
  const auto conv =
      std::ranges::find(formulas, Message::say("State of recurrent layers, convolution"), &Formula::label);
  ASSERT_NE(conv, formulas.end());
  EXPECT_EQ(conv->expression, "48 layers x 2 slots x 3 rows x 10240 channels x 4 bytes");
}

// LFM2 1.2B: 10 of 16 layers are convolutions, 2 rows x 2,048 channels x 4 bytes = 16,384 each; the others have 8 heads
// of K and V of 64 elements: 6 x 2 x 512 x 2 bytes = 12,288 a token.
TEST(StatePlan, short_convolutions_have_a_state_of_one_part) {
  const auto published = test::published_models(HEADROOM_SOURCE_DIR);
  const auto found = std::ranges::find(published, "LFM2 1.2B", &test::PublishedModel::name);
  ASSERT_NE(found, published.end());
  const Result<ModelInfo> read = test::read_published(*found);
  ASSERT_TRUE(read.ok()) << read.error().message.text();
  const ModelInfo& model = *read;
  const MemoryPlan plan = test::planned(model, cpu_only(), {.n_ctx = 1024, .n_slots = 2, .n_checkpoints = 0});
  EXPECT_EQ(plan.bytes_of(RegionGroup::kState), Bytes{2} * 163'840);
  EXPECT_EQ(plan.bytes_of(RegionGroup::kKv), Bytes{2} * 1024 * 12'288);
  const std::vector<Formula> formulas = plan_formulas(model, plan);
  const auto conv =
      std::ranges::find(formulas, Message::say("State of recurrent layers, convolution"), &Formula::label);
  ASSERT_NE(conv, formulas.end());
  EXPECT_EQ(conv->expression, "10 layers x 2 slots x 2 rows x 2048 channels x 4 bytes");
  for (const Formula& formula : formulas) EXPECT_EQ(formula.label.text().find("matrices"), std::string::npos);
  EXPECT_THAT(plan.notes, Contains(Field(&Note::words, AllOf(HasSubstr("10 of 16 layers"), HasSubstr("160 KiB")))));
}

TEST(StatePlan, models_without_states_have_no_word_of_them) {
  const MemoryPlan plan = test::planned(test::make_model(test::kQwen3_8B), cpu_only(), {.n_ctx = 1024});
  EXPECT_EQ(plan.bytes_of(RegionGroup::kState), 0U);
  for (const Note& note : plan.notes)
    EXPECT_EQ(note.words.text().find("state"), std::string::npos) << note.words.text();
}

// The GPUs of the backends have kernels for them: what fits is there.
TEST(StatePlan, stands_on_a_gpu_with_its_layer) {
  for (const DeviceKind kind : {DeviceKind::kCuda, DeviceKind::kVulkan}) {
    std::vector<DeviceInfo> devices = cpu_and_gpu();
    test::set_kind(devices[1], kind);
    const MemoryPlan plan = test::planned(qwen35(), devices, {.n_ctx = 1024, .n_slots = 2, .devices = {{1}}});
    ASSERT_GT(plan.options.n_gpu_layers, 8) << device_kind_name(kind);
    for (std::int32_t i = 0; i < 64; ++i) {
      if (plan.placement.layers[static_cast<std::size_t>(i)].attention != 1) continue;
      EXPECT_EQ(find_state_region(plan, i, StatePart::kMatrix, 1).has_value(), i % 4 != 3) << i;
      EXPECT_EQ(find_kv_region(plan, i, KvPart::kKeys, 1).has_value(), i % 4 == 3) << i;
    }
  }
}

// 27B in steps of 64 rows: queries and keys 64 x 16 x 128, values 64 x 48 x 128, alphas and betas 64 x 48, all f32:
// 2 x 524,288 + 1,572,864 + 2 x 12,288.
TEST(StatePlan, scratch_of_gpus_has_room_for_what_goes_into_the_convolution) {
  const ModelInfo model = qwen35();
  const GpuMixes mixes = gpu_mixes(*model.layers[0].delta_net, 64);
  EXPECT_EQ(mixes.n_words * 4, 2 * 524'288U + 1'572'864U + 2 * 12'288U);
  PlanOptions options{.n_ctx = 1024, .n_batch = 64};
  options.n_logit_rows = 1;
  const std::vector<DeviceInfo> devices = cpu_and_gpu();
  EXPECT_EQ(gpu_scratch(model, devices[1], options, 64).mixes_bytes, mixes.n_words * 4);
  EXPECT_EQ(gpu_scratch(test::make_model(test::kQwen3_8B), devices[1], options, 64).mixes_bytes, 0U);
}

TEST(StatePlan, drafts_are_refused) {
  const Result<MemoryPlan> refused = plan_memory(qwen35(), cpu_only(), {.n_ctx = 1024, .n_draft = 3});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message.text(),
            "n_draft: expected 0 for Qwen3.8 27B, whose recurrent layers cannot take drafts back, found 3");
}

// A decode step reads and writes each state: 2 x 156,893,184 bytes, however many positions it sees.
TEST(StatePlan, a_token_reads_and_writes_the_states) {
  const ModelInfo model = qwen35();
  const MemoryPlan plan = test::planned(model, cpu_only(), {.n_ctx = 4096});
  const auto cache_bytes = [&](std::uint64_t n_positions, DType dtype) {
    return token_work(model, plan.devices, plan.placement, plan.options, n_positions)[0]
        .cache_bytes[static_cast<std::size_t>(dtype)];
  };
  for (const std::uint64_t n_positions : {1U, 4000U}) {
    EXPECT_EQ(cache_bytes(n_positions, DType::kF32), 2.0 * 156'893'184);
    EXPECT_EQ(cache_bytes(n_positions, DType::kF16), static_cast<double>(n_positions) * 65'536);
  }
}

}  // namespace
}  // namespace headroom
