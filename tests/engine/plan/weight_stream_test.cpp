#include "plan/weight_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/device_rules.h"
#include "plan/formulas.h"
#include "plan/prompt_speed.h"
#include "plan/speed.h"
#include "support/plans.h"

namespace headroom {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

std::vector<DeviceInfo> measured(Bytes gpu_bytes) {
  return test::measured_cpu_and_gpu(
      gpu_bytes, {.read_bytes_per_s = 500e9, .copy_bytes_per_s = 24e9, .op_seconds = 4e-6, .products_per_s = 60e12});
}

PlanOptions on_gpu(std::int32_t n_gpu_layers, std::int32_t n_cpu_ffn) {
  return {.n_ctx = 1024, .n_batch = 256, .n_gpu_layers = n_gpu_layers, .n_cpu_ffn = n_cpu_ffn, .devices = {{1}}};
}

std::vector<std::string> names_of(const MemoryPlan& plan, RegionKind kind, DeviceIndex device) {
  std::vector<std::string> names;
  for (const ArenaPlan& arena : plan.arenas) {
    if (arena.device != device) continue;
    for (const Region& region : arena.regions) {
      if (region.kind == kind) names.push_back(region.name);
    }
  }
  return names;
}

std::size_t n_notes(const MemoryPlan& plan, const char* part) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plan.notes, [&](const Note& note) { return note.words.text().find(part) != std::string::npos; }));
}

TEST(WeightStream, ffns_on_the_cpu_go_to_where_their_attention_is_or_to_the_first_gpu) {
  std::vector<DeviceInfo> devices = test::cpu_and_gpu();
  devices.push_back(devices[1]);
  Placement placement;
  placement.layers = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 2}};
  EXPECT_THAT(stream_weights(devices, 0, placement, 64).ffn_device, ElementsAre(1, 1, 1, 2, 2));
  devices[1].has_unified_memory = true;  // what is there stands on the CPU already
  EXPECT_THAT(stream_weights(devices, 0, placement, 64).ffn_device, ElementsAre(0, 0, 1, 2, 2));
  devices[2].has_unified_memory = true;
  EXPECT_EQ(stream_weights(devices, 0, placement, 64), WeightStreaming{});
  devices[1].has_unified_memory = false;
  placement.layers = {{0, 0}, {0, 0}};
  EXPECT_EQ(stream_weights(devices, 0, placement, 64), WeightStreaming{}) << "no GPU has a layer";
  placement.layers = {{1, 1}, {1, 1}};
  EXPECT_EQ(stream_weights(devices, 0, placement, 64), WeightStreaming{}) << "nothing is on the CPU";
}

// While an op computes, the weights of the next one are uploaded: the two share none.
TEST(WeightStream, parts_that_follow_each_other_need_different_weights) {
  for (const auto& [part, next] : {std::pair{OpKind::kFfnUp, OpKind::kFfnDown},
                                   {OpKind::kFfnDown, OpKind::kFfnUp},
                                   {OpKind::kMoeRoute, OpKind::kMoeDown},
                                   {OpKind::kMoeDown, OpKind::kMoeRoute},
                                   {OpKind::kMoeDown, OpKind::kFfnUp},
                                   {OpKind::kMoeRoute, OpKind::kSharedUp},
                                   {OpKind::kSharedUp, OpKind::kMoeDown},
                                   {OpKind::kMoeDown, OpKind::kSharedDown},
                                   {OpKind::kSharedDown, OpKind::kMoeRoute},
                                   {OpKind::kSharedDown, OpKind::kFfnUp},
                                   {OpKind::kFfnDown, OpKind::kMoeRoute},
                                   {OpKind::kFfnDown, OpKind::kInputUp},
                                   {OpKind::kInputUp, OpKind::kInputDown},
                                   {OpKind::kInputDown, OpKind::kFfnUp}}) {
    EXPECT_FALSE(streamed_roles(part).empty());
    for (const TensorRole role : streamed_roles(part))
      EXPECT_THAT(streamed_roles(next), Not(Contains(role))) << op_name(part) << ", " << op_name(next);
  }
  std::vector<TensorRole> all;
  for (const OpKind kind : {OpKind::kFfnUp, OpKind::kFfnDown, OpKind::kMoeRoute, OpKind::kMoeDown, OpKind::kSharedUp,
                            OpKind::kSharedDown, OpKind::kInputUp, OpKind::kInputDown})
    all.insert(all.end(), streamed_roles(kind).begin(), streamed_roles(kind).end());
  for (std::size_t i = 0; i < kNTensorRoles; ++i) {
    const auto role = static_cast<TensorRole>(i);
    EXPECT_EQ(std::ranges::find(all, role) != all.end(), role_is_ffn(role)) << role_name(role);
  }
}

TEST(WeightStream, a_plan_has_room_for_one_layer_on_the_gpu_and_for_what_is_on_its_way) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  PlanOptions options = on_gpu(20, 5);
  options.stream_rows = 0;
  const MemoryPlan without = test::planned(model, test::cpu_and_gpu(), options);
  EXPECT_EQ(without.bytes_of(RegionGroup::kStreamed), 0U);
  options.stream_rows = 64;
  const MemoryPlan plan = test::planned(model, test::cpu_and_gpu(), options);
  EXPECT_THAT(names_of(plan, RegionKind::kStreamed, 1),
              ElementsAre("streamed ffn_norm", "streamed ffn_gate", "streamed ffn_up", "streamed ffn_down"));
  const Bytes matrix = Bytes{4096} * 14336 / 256 * 144;  // Q4_K
  EXPECT_EQ(plan.bytes_of(RegionGroup::kStreamed, 1), 3 * matrix + 4096 * 4);
  EXPECT_EQ(plan.bytes_of(RegionGroup::kStreamed, 0), 0U);
  EXPECT_TRUE(find_region(plan, 1, RegionKind::kStream));
  EXPECT_TRUE(find_region(plan, 0, RegionKind::kUnpackedRows));
  EXPECT_EQ(plan.bytes_of(RegionGroup::kWeights), without.bytes_of(RegionGroup::kWeights));
  EXPECT_EQ(plan.bytes_of(RegionGroup::kKv), without.bytes_of(RegionGroup::kKv));
  EXPECT_EQ(plan.streaming.least_rows, 64U);
  EXPECT_EQ(n_notes(plan, "Prompts of 64 tokens or more are read faster: the FFN weights of 17 layers on the CPU"), 1U);
  Bytes explained = 0;
  for (const Formula& formula : plan_formulas(model, plan)) explained += formula.bytes;
  Bytes all = 0;
  for (const ArenaPlan& arena : plan.arenas) all += arena.size;
  EXPECT_EQ(explained, all);
}

TEST(WeightStream, a_model_that_is_on_the_gpu_whole_has_nothing_to_stream) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  PlanOptions options = on_gpu(32, 0);
  options.stream_rows = 64;
  const MemoryPlan plan = test::planned(model, test::cpu_and_gpu(), options);
  EXPECT_EQ(plan.bytes_of(RegionGroup::kStreamed), 0U);
  EXPECT_EQ(plan.program.n_streaming_ops, 0U);
  EXPECT_EQ(plan.streaming.least_rows, 0U);
}

TEST(WeightStream, steps_of_enough_rows_stream) {
  MemoryPlan plan;
  plan.placement.layers = {{0, 0}, {1, 1}};
  EXPECT_EQ(execution_mode_of(plan.streaming, 1000), ExecutionMode::kResident);
  EXPECT_EQ(placement_of(plan.placement, plan.streaming, 1000), plan.placement);
  plan.streaming = {.ffn_device = {1, 1}, .least_rows = 20};
  EXPECT_EQ(execution_mode_of(plan.streaming, 19), ExecutionMode::kResident);
  EXPECT_EQ(placement_of(plan.placement, plan.streaming, 19).layers[0].ffn, 0U);
  EXPECT_EQ(execution_mode_of(plan.streaming, 20), ExecutionMode::kStreamed);
  EXPECT_EQ(placement_of(plan.placement, plan.streaming, 20).layers[0], (LayerPlacement{0, 1}));
}

TEST(WeightStream, is_planned_where_devices_are_known_and_it_is_faster) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const std::vector<DeviceInfo> devices = measured(4 * kGiB);
  const MemoryPlan plan = test::planned(model, devices, on_gpu(kAutoLayers, kAutoLayers));
  EXPECT_TRUE(plan.fits());
  EXPECT_GT(plan.bytes_of(RegionGroup::kStreamed, 1), 0U);
  // The CPU reads all weights of a layer in 1.7 ms and multiplies a row in 0.24 ms; they are uploaded in 6.2 ms.
  EXPECT_GT(plan.streaming.least_rows, 16U);
  EXPECT_LT(plan.streaming.least_rows, 64U);
  const auto changed = [&](auto change) {
    std::vector<DeviceInfo> others = devices;
    change(others);
    return choose_stream_rows(model, others, on_gpu(20, 0), 0);
  };
  const std::uint32_t now = changed([](auto&) {});
  EXPECT_EQ(now, plan.streaming.least_rows);
  EXPECT_GT(changed([](auto& all) { all[0].speed.products_per_s *= 4; }), now) << "a faster CPU";
  EXPECT_GT(changed([](auto& all) { all[1].speed.copy_bytes_per_s = 4e9; }), now) << "a slow bus";
  EXPECT_GT(changed([](auto& all) { all[0].speed.copy_bytes_per_s = 4e9; }), now) << "a CPU that lends slowly";
  EXPECT_EQ(changed([](auto& all) { all[0].speed.products_per_s = 400e12; }), 0U);
  EXPECT_EQ(changed([](auto& all) { all[1].speed.products_per_s = 1e12; }), 0U) << "a slow GPU";
  EXPECT_EQ(changed([](auto& all) { all[0].speed.products_per_s = 0; }), 0U) << "nobody measured the CPU";
  EXPECT_EQ(changed([](auto& all) { all[1].speed.copy_bytes_per_s = 0; }), 0U) << "nor the GPU";
  EXPECT_EQ(changed([](auto& all) { all[1].has_unified_memory = true; }), 0U);
  PlanOptions small = on_gpu(20, 0);
  small.n_batch = 16;
  EXPECT_EQ(choose_stream_rows(model, devices, small, 0), 0U) << "no step has so many rows";
}

// All experts are uploaded, and a row is computed by some: more rows are needed.
TEST(WeightStream, experts_need_more_rows) {
  std::vector<DeviceInfo> devices = measured(6 * kGiB);
  PlanOptions options = on_gpu(20, 0);
  options.n_batch = 4096;
  const std::uint32_t of_experts = choose_stream_rows(test::make_model(test::kQwen3_30B_A3B), devices, options, 0),
                      of_dense = choose_stream_rows(test::make_model(test::kLlama3_8B), devices, options, 0);
  EXPECT_GT(of_experts, 4 * of_dense);
}

// 8 of 128 experts: nine rows go through 44 % of them, sixteen through 64 %. All are streamed in half the time in which
// the CPU reads all, and that is worth it where it is 1.25 times as fast.
TEST(WeightStream, experts_that_no_row_goes_through_cost_the_cpu_nothing) {
  std::vector<DeviceInfo> devices = measured(6 * kGiB);
  devices[0].speed = {.read_bytes_per_s = 10e9, .copy_bytes_per_s = 20e9, .op_seconds = 0, .products_per_s = 1e16};
  devices[1].speed = {.read_bytes_per_s = 500e9, .copy_bytes_per_s = 20e9, .op_seconds = 0, .products_per_s = 1e16};
  const ModelInfo model = test::make_model(test::kQwen3_30B_A3B);
  EXPECT_EQ(choose_stream_rows(model, devices, on_gpu(20, 0), 0), 16U);
  EXPECT_EQ(choose_stream_rows(test::make_model(test::kLlama3_8B), devices, on_gpu(20, 0), 0), kLeastStreamRows);
}

// Its room on the GPU costs layers there, which every token of an answer pays for: it is planned where prompts gain
// more than that, as beside a slower CPU, and not where the answer loses more.
TEST(WeightStream, is_planned_where_a_typical_answer_is_quicker_with_it) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::size_t n_for_prompts = 0, n_for_answers = 0;
  const auto check = [&](Bytes gpu_bytes, double cpu_products_per_s) {
    std::vector<DeviceInfo> devices = measured(gpu_bytes);
    devices[0].speed.products_per_s = cpu_products_per_s;
    PlanOptions options = on_gpu(kAutoLayers, kAutoLayers);
    const MemoryPlan chosen = test::planned(model, devices, options);
    options.stream_rows = 0;
    const MemoryPlan resident = test::planned(model, devices, options);
    options.stream_rows = static_cast<std::int32_t>(choose_stream_rows(model, devices, options, 0));
    const MemoryPlan streaming = test::planned(model, devices, options);
    if (!streaming.streaming.is_used() || resident.options.n_gpu_layers == 0) return;
    const auto seconds = [&](const MemoryPlan& plan) {
      return *typical_answer_seconds(model, devices, plan.placement, plan.streaming, plan.options);
    };
    EXPECT_DOUBLE_EQ(seconds(chosen), std::min(seconds(resident), seconds(streaming)));
    const bool streams = chosen.streaming.is_used();
    EXPECT_EQ(streams, seconds(streaming) < seconds(resident));
    EXPECT_EQ(
        n_notes(chosen, streams ? "Weights are streamed for prompts: an answer of 300 tokens to a prompt of 1000"
                                : "Weights are not streamed for prompts: an answer of 300 tokens to a prompt of 1000"),
        1U);
    if (*estimate_tokens_per_s(model, streaming) < *estimate_tokens_per_s(model, resident))
      ++(streams ? n_for_prompts : n_for_answers);
  };
  for (Bytes gpu_bytes = 4 * kGiB; gpu_bytes <= 5 * kGiB + kGiB / 2; gpu_bytes += 64 * kMiB) {
    for (const double cpu_products_per_s : {0.7e12, 1.5e12}) check(gpu_bytes, cpu_products_per_s);
  }
  EXPECT_GT(n_for_prompts, 0U) << "though tokens of an answer take longer";
  EXPECT_GT(n_for_answers, 0U) << "whose tokens would take too much longer";
}

// What it takes of the GPU is only asked for where it is there.
TEST(WeightStream, a_plan_that_fits_without_is_planned_without) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices = measured(24 * kGiB);
  PlanOptions options = on_gpu(20, 0);
  options.stream_rows = 0;
  const Bytes least = test::planned(model, devices, options).budgets.front().peak();
  options.stream_rows = kAutoRows;
  devices[1].free_bytes = least;
  const MemoryPlan without = test::planned(model, devices, options);
  EXPECT_TRUE(without.fits());
  EXPECT_EQ(without.bytes_of(RegionGroup::kStreamed), 0U);
  EXPECT_EQ(n_notes(without, "are streamed to"), 0U);
  devices[1].free_bytes = least + 200 * kMiB;
  const MemoryPlan with = test::planned(model, devices, options);
  EXPECT_TRUE(with.fits());
  EXPECT_GT(with.bytes_of(RegionGroup::kStreamed), 0U);
  devices[1].free_bytes = least;
  options.stream_rows = 64;
  EXPECT_FALSE(test::planned(model, devices, options).fits()) << "a user's number is not changed";
}

TEST(WeightStream, options_that_make_no_sense_are_refused) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  for (const std::int32_t rows : {-2, 1, 8}) {
    PlanOptions options = on_gpu(4, 0);
    options.stream_rows = rows;
    const auto plan = plan_memory(model, test::cpu_and_gpu(), options);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().code, ErrorCode::kUsage);
    EXPECT_THAT(plan.error().message.text(), HasSubstr("stream_rows: expected auto, 0 (none) or at least 9, found "));
  }
  test::ModelShape shape = test::kTinyLlama;
  shape.d_ff = 1U << 20;
  PlanOptions options = on_gpu(4, 0);
  options.stream_rows = 64;
  const auto plan = plan_memory(test::make_model(shape), test::cpu_and_gpu(), options);
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.error().message.text(),
              HasSubstr("ffn_down.weight: expected rows of which 32 are at most 8.00 MiB"));
}

}  // namespace
}  // namespace headroom
