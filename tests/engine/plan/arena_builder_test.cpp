#include "plan/arena_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "model/weight_layout.h"
#include "plan/gpu_rules.h"
#include "plan/layout.h"
#include "plan/plan_options.h"
#include "plan/split_layers.h"
#include "support/model_specs.h"
#include "support/plans.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<DeviceInfo> with_limit(Bytes max_arena_bytes, Bytes granularity = 64 * kKiB) {
  std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB), test::gpu_with(64 * kGiB)};
  devices[1].max_arena_bytes = max_arena_bytes;
  devices[1].granularity = granularity;
  return devices;
}

// What becomes of regions of these sizes: the sizes of the arenas; empty when they are refused.
std::vector<Bytes> arenas_of(const DeviceInfo& device, std::initializer_list<Bytes> regions) {
  ArenaBuilder builder(1, device, Memory::kDevice, Lifetime::kModel, Keep::kSizesOnly);
  for (const Bytes bytes : regions) builder.add({}, "w", bytes);
  const auto arenas = std::move(builder).finish([] { return Error{ErrorCode::kUsage, Message::plain("beyond")}; });
  std::vector<Bytes> sizes;
  if (!arenas) return sizes;
  for (const ArenaPlan& arena : *arenas) sizes.push_back(arena.size);
  return sizes;
}

DeviceInfo of_granules(Bytes alignment, Bytes granularity, Bytes max_arena_bytes) {
  DeviceInfo device = test::gpu_with(kGiB);
  device.alignment = alignment;
  device.granularity = granularity;
  device.max_arena_bytes = max_arena_bytes;
  return device;
}

TEST(ArenaBuilder, opens_an_arena_where_a_region_would_pass_the_limit) {
  const DeviceInfo device = of_granules(64, 256, 1024);
  EXPECT_THAT(arenas_of(device, {700, 320}), testing::ElementsAre(1024)) << "704 + 320 are all of it";
  EXPECT_THAT(arenas_of(device, {700, 320, 1}), testing::ElementsAre(1024, 256));
  EXPECT_THAT(arenas_of(device, {700, 320, 1, 1000}), testing::ElementsAre(1024, 256, 1024));
  EXPECT_TRUE(arenas_of(device, {1025}).empty());
}

TEST(ArenaBuilder, a_sum_stands_for_regions_that_the_last_arena_has_room_for) {
  const DeviceInfo device = of_granules(64, 256, 1024);
  ArenaBuilder builder(1, device, Memory::kDevice, Lifetime::kModel, Keep::kSizesOnly);
  EXPECT_FALSE(builder.add_sum(128)) << "there is no arena yet";
  builder.add({}, "w", 700);
  EXPECT_FALSE(builder.add_sum(384));
  EXPECT_TRUE(builder.add_sum(320));
  const auto arenas = std::move(builder).finish([] { return Error{ErrorCode::kUsage, Message::plain("beyond")}; });
  ASSERT_EQ(arenas->size(), 1U);
  EXPECT_EQ(arenas->front().size, 1024U);
}

TEST(ArenaBuilder, without_a_limit_all_is_one_arena_and_sizes_never_wrap) {
  const DeviceInfo device = of_granules(64, 256, 0);
  EXPECT_THAT(arenas_of(device, {Bytes{1} << 62, Bytes{1} << 62}), testing::ElementsAre(Bytes{1} << 63));
  EXPECT_TRUE(arenas_of(device, {~Bytes{0}}).empty());
}

TEST(ArenaBuilder, a_limit_is_whole_granules) {
  EXPECT_FALSE(largest_arena(of_granules(256, 64 * kKiB, 0)).has_value());
  EXPECT_EQ(largest_arena(of_granules(256, 64 * kKiB, 1000 * kKiB)), 960 * kKiB);
  EXPECT_EQ(largest_arena(of_granules(256, 64 * kKiB, 60 * kKiB)), 0U);
  EXPECT_TRUE(arenas_of(of_granules(256, 64 * kKiB, 60 * kKiB), {1}).empty());
}

// Kernels see the parts of scratch one by one, and checkpoints not at all.
TEST(ArenaBuilder, a_binding_limits_what_a_kernel_sees_at_once) {
  DeviceInfo device = of_granules(64, 256, 0);
  device.max_binding_bytes = 1024;
  const auto refusal = [&](RegionKind kind, std::optional<Bytes> at_once) {
    ArenaBuilder builder(1, device, Memory::kDevice, Lifetime::kSession, Keep::kSizesOnly);
    builder.add(kind, 4096, at_once);
    const auto arenas = std::move(builder).finish([] { return Error{ErrorCode::kUsage, Message::plain("beyond")}; });
    return arenas.ok() ? std::string() : arenas.error().message.text();
  };
  EXPECT_EQ(refusal(RegionKind::kCheckpoints, std::nullopt), "");
  EXPECT_EQ(refusal(RegionKind::kWeights, std::nullopt), "");
  EXPECT_EQ(refusal(RegionKind::kScratch, 1024), "");
  EXPECT_THAT(refusal(RegionKind::kScratch, 1088),
              AllOf(HasSubstr("(1024 bytes), what a kernel there sees at once"), HasSubstr("(1088 bytes)")));
  EXPECT_THAT(refusal(RegionKind::kKv, std::nullopt), HasSubstr("found 4.00 KiB (4096 bytes); lower n_ctx or n_slots"));
}

TEST(ArenaBuilder, scratch_of_many_rows_is_planned_where_its_largest_part_is_bound) {
  const ModelInfo model = test::make_model(test::kQwen3_30B_A3B);
  std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB), test::gpu_with(64 * kGiB)};
  const PlanOptions options{.n_ctx = 4096, .n_batch = 4096, .n_gpu_layers = 48, .devices = {{1}}};
  const MemoryPlan whole = test::planned(model, devices, options);
  const GpuScratch scratch = gpu_scratch(model, devices[1], whole.options, 4096);
  Bytes largest = scratch.largest();
  for (const ArenaPlan& arena : whole.arenas) {
    for (const Region& region : arena.regions) {
      const bool is_bound = region.kind == RegionKind::kKv || region.kind == RegionKind::kActivations ||
                            region.kind == RegionKind::kLogits || region.kind == RegionKind::kCandidates;
      if (arena.device == 1 && is_bound) largest = std::max(largest, region.size);
    }
  }
  ASSERT_GT(scratch.total(), largest) << "the sum says nothing of what a kernel sees";
  devices[1].max_binding_bytes = largest;
  const auto fine = plan_memory(model, devices, options);
  EXPECT_TRUE(fine.ok()) << fine.error().message.text();
  devices[1].max_binding_bytes = scratch.largest() - 1;
  EXPECT_FALSE(plan_memory(model, devices, options).ok());
}

std::vector<std::string> names_on(const MemoryPlan& plan, DeviceIndex device, Lifetime lifetime) {
  std::vector<std::string> names;
  for (const ArenaPlan& arena : plan.arenas) {
    if (arena.device != device || arena.lifetime != lifetime) continue;
    for (const Region& region : arena.regions) {
      if (region.kind != RegionKind::kPadding) names.push_back(region.name + " " + std::to_string(region.layer));
    }
  }
  return names;
}

TEST(ArenaLimit, a_plan_has_the_same_regions_in_the_same_order_in_more_arenas) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const PlanOptions options{.n_ctx = 2048, .n_gpu_layers = 22, .devices = {{1}}};
  const MemoryPlan whole = test::planned(model, with_limit(0), options);
  for (const Bytes limit : {100 * kMiB, 200 * kMiB, 333 * kMiB + 77, 64 * kGiB}) {
    const MemoryPlan plan = test::planned(model, with_limit(limit), options);
    std::size_t n_arenas = 0;
    for (const ArenaPlan& arena : plan.arenas) {
      Bytes end = 0;
      for (std::size_t i = 0; i < arena.regions.size(); ++i) {
        EXPECT_EQ(arena.regions[i].id, i);
        EXPECT_EQ(arena.regions[i].offset, end);
        end += arena.regions[i].size;
      }
      EXPECT_EQ(end, arena.size);
      EXPECT_EQ(arena.size % plan.devices[arena.device].granularity, 0U);
      if (arena.device != 1) continue;
      EXPECT_LE(arena.size, limit);
      ++n_arenas;
    }
    EXPECT_EQ(n_arenas > 2, limit < kGiB) << limit;
    for (const Lifetime lifetime : {Lifetime::kModel, Lifetime::kSession})
      EXPECT_EQ(names_on(plan, 1, lifetime), names_on(whole, 1, lifetime)) << limit;
    EXPECT_EQ(plan.budgets[0].planned, plan.planned_bytes(1));
    EXPECT_GE(plan.planned_bytes(1), whole.planned_bytes(1));
    const ArenaLayout sizes = *compute_arenas(model, plan.devices, options, Keep::kSizesOnly);
    ASSERT_EQ(sizes.arenas.size(), plan.arenas.size());
    for (std::size_t i = 0; i < plan.arenas.size(); ++i) EXPECT_EQ(sizes.arenas[i].size, plan.arenas[i].size);
  }
}

TEST(ArenaLimit, a_region_that_no_arena_holds_is_named_with_its_device_and_both_sizes) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  PlanOptions options{.n_ctx = 2048, .n_gpu_layers = 22, .devices = {{1}}};
  const Result<MemoryPlan> weight = plan_memory(model, with_limit(8 * kMiB), options);
  ASSERT_FALSE(weight.ok());
  EXPECT_EQ(weight.error().code, ErrorCode::kUsage);
  EXPECT_THAT(weight.error().message.text(),
              AllOf(HasSubstr("Test GPU: output.weight: expected at most 8.00 MiB (8388608 bytes)"),
                    HasSubstr("found 35.2 MiB (36864000 bytes)")));
  options.n_ctx = 2048 * 128;
  const Result<MemoryPlan> cache = plan_memory(model, with_limit(100 * kMiB), options);
  ASSERT_FALSE(cache.ok());
  EXPECT_EQ(cache.error().code, ErrorCode::kUsage);
  EXPECT_THAT(cache.error().message.text(),
              AllOf(HasSubstr("Test GPU: k of layer 0: expected at most 100 MiB (104857600 bytes)"),
                    HasSubstr("found 128 MiB (134217728 bytes)"), HasSubstr("lower n_ctx or n_slots")));
}

TEST(ArenaLimit, layers_left_to_us_stay_on_the_cpu_where_the_device_cannot_hold_a_tensor_of_theirs) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const MemoryPlan plan = test::planned(model, with_limit(8 * kMiB), {.n_ctx = 2048, .devices = {{1}}});
  EXPECT_EQ(plan.options.n_gpu_layers, 0);
  EXPECT_THAT(plan.notes, testing::Contains(
                              testing::Field(&Note::words, AllOf(HasSubstr("Test GPU"), HasSubstr("8.00 MiB at once"),
                                                                 HasSubstr("output.weight"), HasSubstr("35.2 MiB")))));
}

TEST(BindingLimit, each_region_of_the_session_but_no_weight_is_held_to_it) {
  struct Case {
    RegionKind kind;
    const char* name;
    PlanOptions options;  // that make it the largest of the session so far
    const char* advice;
  };
  const Case cases[] = {
      {RegionKind::kKv, "k of layer 0", {.n_ctx = 2048, .n_batch = 16}, "lower n_ctx or n_slots"},
      {RegionKind::kActivations, "activations", {.n_ctx = 2048, .n_batch = 512}, "lower n_batch or n_slots"},
      {RegionKind::kLogits, "logits", {.n_ctx = 32, .n_batch = 64, .n_logit_rows = 64}, "lower n_logit_rows"},
      {RegionKind::kScratch, "scratch", {.n_ctx = 4096, .n_batch = 8}, "lower n_batch or n_slots"},
  };
  ModelInfo model = test::make_model(test::kTinyLlama);
  for (const Case& each : cases) {
    if (each.kind == RegionKind::kScratch) {
      model.n_vocab = 100;
      for (LayerSpec& layer : model.layers) layer.d_ff = 64, layer.n_heads = 64, layer.n_kv_heads = 1;
    }
    std::vector<DeviceInfo> devices = with_limit(0);
    PlanOptions options = each.options;
    options.n_gpu_layers = 22;
    options.devices = {{1}};
    const MemoryPlan plan = test::planned(model, devices, options);
    const RegionRef ref = *find_region(plan, 1, each.kind);
    // Of scratch a kernel sees one part at once.
    const Bytes size = each.kind == RegionKind::kScratch
                           ? gpu_scratch(model, devices[1], plan.options, plan.options.step_rows()).largest()
                           : plan.arenas[ref.arena].regions[ref.region].size;
    for (const Region& region : plan.arenas[ref.arena].regions) {
      ASSERT_TRUE(region.id >= ref.region || region.size < size) << each.name << " after " << region.name;
    }
    ASSERT_GT(plan.bytes_of(RegionGroup::kWeights, 1), size);
    devices[1].max_binding_bytes = size - 1;
    const Result<MemoryPlan> refused = plan_memory(model, devices, options);
    ASSERT_FALSE(refused.ok()) << each.name;
    EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
    EXPECT_THAT(refused.error().message.text(),
                AllOf(HasSubstr(std::string("Test GPU: ") + each.name + ": expected at most "),
                      HasSubstr("(" + std::to_string(size - 1) + " bytes)"),
                      HasSubstr("(" + std::to_string(size) + " bytes)"), HasSubstr(each.advice)));
  }
}

TEST(BindingLimit, weights_may_be_larger_and_the_limit_itself_is_within) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const PlanOptions options{.n_ctx = 4096, .n_batch = 16, .n_gpu_layers = 22, .devices = {{1}}};
  std::vector<DeviceInfo> devices = with_limit(0);
  devices[1].max_binding_bytes = 2 * kMiB;
  const MemoryPlan plan = test::planned(model, devices, options);
  const RegionRef keys = *find_kv_region(plan, 0, KvPart::kKeys);
  EXPECT_EQ(plan.arenas[keys.arena].regions[keys.region].size, 2 * kMiB);
  const RegionRef head = *find_weight_region(plan, static_cast<std::int32_t>(model.weights.size() - 1));
  EXPECT_GT(plan.arenas[head.arena].regions[head.region].size, 2 * kMiB);
}

// --- what the splitter sums is what the plan lays out ---

bool gpus_fit(const Result<MemoryPlan>& plan) {
  return plan.ok() && std::all_of(plan->budgets.begin(), plan->budgets.end(), [&](const DeviceBudget& budget) {
           return plan->devices[budget.device].kind == DeviceKind::kCpu || budget.fits();
         });
}

struct Counts {
  std::size_t n_fit = 0, n_refused = 0, n_short = 0, n_several = 0;
};

// Each number of layers and of FFNs: fits in the splitter, and as a plan.
void expect_same_verdicts(const ModelInfo& model, const std::vector<DeviceInfo>& devices, PlanOptions options,
                          Counts& counts) {
  const PlanOptions resolved = *resolve_options(model, devices, options);
  const auto stream_rows = static_cast<std::uint32_t>(std::max(options.stream_rows, 0));
  const DeviceArenas sizes(model, devices, resolved, 0);
  const LayerSplitter splitter(sizes, stream_rows, gpus_of(options, devices));
  for (std::uint32_t n = 1; n <= model.n_layers(); ++n) {
    for (const std::uint32_t n_cpu_ffn : {0U, n / 2, n}) {
      options.n_gpu_layers = static_cast<std::int32_t>(n);
      options.n_cpu_ffn = static_cast<std::int32_t>(n_cpu_ffn);
      const Result<MemoryPlan> plan = plan_memory(model, devices, options);
      ASSERT_EQ(splitter.fits(n, n_cpu_ffn), gpus_fit(plan))
          << n << " layers, FFN " << n_cpu_ffn << ", limit " << devices[1].max_arena_bytes << ", granularity "
          << devices[1].granularity << ", free " << devices[1].free_bytes;
      ++(!plan.ok() ? counts.n_refused : gpus_fit(plan) ? counts.n_fit : counts.n_short);
      if (!plan.ok()) continue;
      std::size_t n_arenas = 0;
      for (const ArenaPlan& arena : plan->arenas) n_arenas += arena.device == 1 ? 1 : 0;
      counts.n_several += n_arenas > 2 ? 1 : 0;
    }
  }
}

TEST(ArenaLimit, the_splitter_fits_exactly_where_the_plan_fits_for_any_limit_and_granularity) {
  Counts counts;
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    const ModelInfo model = test::random_model(seed);
    Bytes whole = 0, largest = 0;
    for (const WeightTensor& weight : model.weights) {
      const Bytes bytes = weight_bytes(weight, WeightLayout::kRows);
      whole += bytes;
      largest = std::max(largest, bytes);
    }
    for (const Bytes granularity : {Bytes{256}, 4 * kKiB, 64 * kKiB, 2 * kMiB}) {
      for (const Bytes limit : {Bytes{100}, largest / 3, largest, largest + granularity, 2 * largest,
                                3 * largest + 12345, whole / 2, 4 * whole + granularity, Bytes{0}}) {
        std::vector<DeviceInfo> devices = with_limit(limit, granularity);
        devices.push_back(devices[1]);
        devices[2].max_arena_bytes = 2 * limit;
        for (const Bytes free_bytes : {whole / 4 + 8 * kMiB, whole + 2 * kMiB, 64 * kGiB}) {
          devices[1].driver_bytes = devices[2].driver_bytes = 0;
          devices[1].free_bytes = free_bytes;
          devices[2].free_bytes = free_bytes / 2;
          for (const std::int32_t stream_rows : {0, 16}) {
            expect_same_verdicts(model, devices,
                                 {.n_ctx = 300, .n_batch = 32, .stream_rows = stream_rows, .devices = {{1}, {2}}},
                                 counts);
            ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed << ", from rows " << stream_rows;
          }
        }
      }
    }
  }
  for (const std::size_t n : {counts.n_fit, counts.n_refused, counts.n_short, counts.n_several}) EXPECT_GT(n, 500U);
}

TEST(ArenaLimit, the_splitter_counts_several_arenas_to_the_byte) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  PlanOptions options{.n_ctx = 512, .n_gpu_layers = 12, .devices = {{1}}};
  for (const Bytes limit : {100 * kMiB, 130 * kMiB + 1, 400 * kMiB}) {
    std::vector<DeviceInfo> devices = with_limit(limit);
    const Bytes peak = test::planned(model, devices, options).budgets[0].peak();
    for (const Bytes less : {0U, 1U}) {
      devices[1].free_bytes = peak - less;
      const DeviceArenas sizes(model, devices, *resolve_options(model, devices, options), 0);
      const LayerSplitter splitter(sizes, 0, gpus_of(options, devices));
      EXPECT_EQ(splitter.fits(12, 0), less == 0) << limit;
    }
  }
}

}  // namespace
}  // namespace headroom
