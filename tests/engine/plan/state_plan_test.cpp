// States of recurrent layers in the plan: their bytes, where they stand, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "plan/formulas.h"
#include "plan/speed.h"
#include "support/plans.h"

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

// The plan that cards of little memory want: attention and states on the card, experts on the CPU. No card has kernels
// for a shared expert; the one here has them for delta nets.
TEST(StatePlan, shared_experts_stay_on_the_cpu_beside_attention_and_states_on_a_gpu) {
  const ModelInfo model = test::make_model(test::kQwen35_35B_A3B);
  std::vector<DeviceInfo> devices = cpu_and_gpu(8 * kGiB);
  devices[1].traits.has_delta_nets = true;
  for (const std::int32_t n_gpu_layers : {kAutoLayers, std::int32_t{12}}) {
    SCOPED_TRACE(n_gpu_layers);
    const PlanOptions asked{.n_ctx = 4096, .n_gpu_layers = n_gpu_layers, .devices = {{1}}};
    const MemoryPlan plan = test::planned(model, devices, asked);
    const std::size_t n_first = n_gpu_layers == kAutoLayers ? 0 : 28;
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      EXPECT_EQ(plan.placement.layers[i].attention, i < n_first ? 0U : 1U) << i;
      EXPECT_EQ(plan.placement.layers[i].ffn, 0U) << i;
    }
    EXPECT_FALSE(plan.streaming.is_used());
    EXPECT_THAT(plan.notes, Contains(Field(&Note::text, HasSubstr("shared experts on the CPU alone"))));
    EXPECT_EQ(test::planned(model, devices, plan.options).placement, plan.placement) << "resolved";
  }
  const Result<MemoryPlan> refused =
      plan_memory(model, devices, {.n_ctx = 4096, .n_gpu_layers = 12, .n_cpu_ffn = 4, .devices = {{1}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "n_cpu_ffn: expected 12 (all layers on GPUs) or auto, found 4: this version computes the shared experts of "
            "Qwen3.6 35B A3B on the CPU alone");
  test::set_kind(devices[1], DeviceKind::kReference);
  const MemoryPlan whole = test::planned(
      model, devices,
      {.n_ctx = 4096, .kv_k = DType::kF32, .kv_v = DType::kF32, .n_gpu_layers = 2, .n_cpu_ffn = 1, .devices = {{1}}});
  EXPECT_EQ(whole.placement.layers[39].ffn, 1U) << "kernels are there";
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
  EXPECT_THAT(plan.notes, Contains(Field(&Note::text, AllOf(HasSubstr("48 of 64 layers"),
                                                            HasSubstr(format_bytes(156'893'184) + " for each"),
                                                            HasSubstr("2 slots")))));
  EXPECT_THAT(plan.notes, Contains(Field(&Note::text, HasSubstr("A state cannot go back"))));
  const MemoryPlan alone = test::planned(qwen35(), cpu_only(), {.n_ctx = 1024});
  EXPECT_THAT(alone.notes, Contains(Field(&Note::text, HasSubstr(format_bytes(156'893'184) + ", however long"))));
  const std::vector<Formula> formulas = plan_formulas(qwen35(), plan);
  const auto matrices = std::ranges::find(formulas, "State of recurrent layers, matrices", &Formula::label);
  ASSERT_NE(matrices, formulas.end());
  EXPECT_EQ(matrices->expression, "48 layers x 2 slots x 48 value heads x 128 x 128 elements x 4 bytes");
  EXPECT_EQ(matrices->bytes, Bytes{2} * 150'994'944);
  const auto conv = std::ranges::find(formulas, "State of recurrent layers, convolution", &Formula::label);
  ASSERT_NE(conv, formulas.end());
  EXPECT_EQ(conv->expression, "48 layers x 2 slots x 3 rows x 10240 channels x 4 bytes");
}

TEST(StatePlan, models_without_states_have_no_word_of_them) {
  const MemoryPlan plan = test::planned(test::make_model(test::kQwen3_8B), cpu_only(), {.n_ctx = 1024});
  EXPECT_EQ(plan.bytes_of(RegionGroup::kState), 0U);
  for (const Note& note : plan.notes) EXPECT_EQ(note.text.find("state"), std::string::npos) << note.text;
}

TEST(StatePlan, stays_on_the_cpu_where_a_gpu_has_no_kernels_for_it) {
  const MemoryPlan plan = test::planned(qwen35(), cpu_and_gpu(), {.n_ctx = 1024, .devices = {{1}}});
  EXPECT_EQ(plan.options.n_gpu_layers, 0);
  EXPECT_EQ(plan.options.stream_rows, 0);
  EXPECT_EQ(plan.planned_bytes(1), 0U);
  EXPECT_THAT(plan.notes, Contains(Field(&Note::text, HasSubstr("computes recurrent layers on the CPU alone"))));
  const Result<MemoryPlan> refused =
      plan_memory(qwen35(), cpu_and_gpu(), {.n_ctx = 1024, .n_gpu_layers = 4, .devices = {{1}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "n_gpu_layers: expected 0 or auto, found 4: this version computes the recurrent layers of Qwen3.8 27B on "
            "the CPU alone");
}

TEST(StatePlan, drafts_are_refused) {
  const Result<MemoryPlan> refused = plan_memory(qwen35(), cpu_only(), {.n_ctx = 1024, .n_draft = 3});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
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
