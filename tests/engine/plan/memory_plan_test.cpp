#include "plan/memory_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "plan/device_rules.h"
#include "plan/gpu_rules.h"
#include "plan/kv_regions.h"
#include "plan/layout.h"
#include "plan/plan_options.h"
#include "support/model_specs.h"
#include "support/plans.h"

namespace headroom {
namespace {

using test::cpu_and_gpu;
using test::cpu_only;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

constexpr std::array kKvTypes{DType::kF16, DType::kQ8_0, DType::kF8E4M3, DType::kQ4_0};
constexpr std::array kGroups{RegionGroup::kWeights,     RegionGroup::kKv,          RegionGroup::kState,
                             RegionGroup::kCheckpoints, RegionGroup::kActivations, RegionGroup::kLogits,
                             RegionGroup::kScratch,     RegionGroup::kStaging,     RegionGroup::kPadding};

bool is_of_load(const ArenaPlan& arena) { return arena.lifetime == Lifetime::kLoad; }

void expect_regions_tile(const MemoryPlan& plan) {
  for (const ArenaPlan& arena : plan.arenas) {
    const DeviceInfo& device = plan.devices[arena.device];
    Bytes end = 0;
    for (std::size_t i = 0; i < arena.regions.size(); ++i) {
      const Region& region = arena.regions[i];
      EXPECT_EQ(region.id, i);
      EXPECT_EQ(region.offset, end);
      EXPECT_GT(region.size, 0U);
      EXPECT_EQ(region.size % device.alignment, 0U) << region.name;
      EXPECT_FALSE(region.name.empty());
      end += region.size;
    }
    EXPECT_EQ(end, arena.size);
    EXPECT_EQ(arena.size % device.granularity, 0U);
  }
}

void expect_sums_agree(const MemoryPlan& plan) {
  for (const DeviceBudget& budget : plan.budgets) {
    Bytes by_group = 0;
    for (const RegionGroup group : kGroups) by_group += plan.bytes_of(group, budget.device);
    EXPECT_EQ(by_group, budget.planned);
    EXPECT_EQ(plan.planned_bytes(budget.device), budget.planned);
  }
  Bytes total = 0, arenas = 0;
  for (const RegionGroup group : kGroups) total += plan.bytes_of(group);
  for (const ArenaPlan& arena : plan.arenas) arenas += arena.lifetime == Lifetime::kLoad ? 0 : arena.size;
  EXPECT_EQ(total, arenas);
}

// Every weight once (a tied embedding may stand twice), every layer's cache once, the latter of the size that LayerSpec
// gives.
void expect_all_placed(const ModelInfo& model, const MemoryPlan& plan) {
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(model.weights.size()); ++i) {
    const std::optional<RegionRef> ref = find_weight_region(plan, i);
    ASSERT_TRUE(ref) << model.weights[static_cast<std::size_t>(i)].name;
    const Region& region = plan.arenas[ref->arena].regions[ref->region];
    EXPECT_EQ(region.name, model.weights[static_cast<std::size_t>(i)].name);
    const DeviceInfo& device = plan.devices[plan.arenas[ref->arena].device];
    EXPECT_EQ(region.size,
              round_up(weight_bytes(model.weights[static_cast<std::size_t>(i)], device.traits.weight_layout),
                       device.alignment));
  }
  const PlanOptions& options = plan.options;
  for (std::int32_t l = 0; l < static_cast<std::int32_t>(model.n_layers()); ++l) {
    for (const auto& [part, dtype] :
         {std::pair{KvPart::kKeys, options.kv_k}, std::pair{KvPart::kValues, options.kv_v}}) {
      const std::optional<RegionRef> ref = find_kv_region(plan, l, part);
      ASSERT_TRUE(ref);
      const LayerSpec& layer = model.layers[static_cast<std::size_t>(l)];
      const Bytes exact = options.n_slots * layer.kv_rows(options.n_ctx, options.n_batch) * layer.kv_row_bytes(dtype);
      EXPECT_EQ(plan.arenas[ref->arena].regions[ref->region].size,
                round_up(exact, plan.devices[plan.arenas[ref->arena].device].alignment));
      EXPECT_EQ(plan.arenas[ref->arena].device, plan.placement.layers[static_cast<std::size_t>(l)].attention);
    }
  }
}

TEST(MemoryPlan, regions_tile_and_kinds_add_up_for_any_model_and_options) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const ModelInfo model = test::random_model(seed);
    for (const std::uint32_t n_slots : {1U, 3U}) {
      for (const std::uint32_t n_batch : {4U, 256U}) {
        PlanOptions options{.n_ctx = 1 + seed * 37, .n_slots = n_slots, .n_batch = n_batch};
        options.kv_k = kKvTypes[seed % 4];
        options.kv_v = kKvTypes[(seed / 4) % 4];
        const std::vector<DeviceInfo> devices = cpu_and_gpu();
        for (const std::int32_t n_gpu_layers : {-2, 0, 1, static_cast<std::int32_t>(model.n_layers()), kAutoLayers}) {
          options.devices = {{n_gpu_layers == -2 ? 0U : 1U}};  // -2 stands for a plan for the CPU alone
          options.n_gpu_layers = n_gpu_layers == -2 ? kAutoLayers : n_gpu_layers;
          const MemoryPlan plan = test::planned(model, devices, options);
          expect_regions_tile(plan);
          expect_sums_agree(plan);
          expect_all_placed(model, plan);
          ASSERT_FALSE(testing::Test::HasFailure())
              << "seed " << seed << " slots " << n_slots << " batch " << n_batch << " layers " << n_gpu_layers;
        }
      }
    }
  }
}

TEST(MemoryPlan, sizes_alone_equal_the_sizes_with_regions) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const ModelInfo model = test::random_model(seed);
    const std::vector<DeviceInfo> devices = cpu_and_gpu();
    const PlanOptions options{.n_ctx = 777, .n_slots = 2, .devices = {{seed % 2}}};
    const ArenaLayout sizes = *compute_arenas(model, devices, options, Keep::kSizesOnly);
    const MemoryPlan plan = test::planned(model, devices, options);
    ASSERT_EQ(sizes.arenas.size(), plan.arenas.size());
    for (std::size_t i = 0; i < plan.arenas.size(); ++i) EXPECT_EQ(sizes.arenas[i].size, plan.arenas[i].size);
  }
}

TEST(MemoryPlan, what_is_normed_before_it_is_added_has_its_rows_in_the_scratch) {
  ModelInfo model = test::make_model(test::kGemma2_9B);
  for (LayerSpec& layer : model.layers) layer.n_kv_heads = 1, layer.has_post_norms = false;
  const Bytes without = cpu_scratch(model, {}, 256, 1).step_rows_bytes;
  EXPECT_EQ(without, Bytes{256} * 2 * 256 * 4);
  model.layers[7].has_post_norms = true;
  EXPECT_EQ(cpu_scratch(model, {}, 256, 1).step_rows_bytes, Bytes{256} * 3584 * 4);
}

TEST(MemoryPlan, logits_are_planned_for_the_requested_rows_only) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  EXPECT_EQ(test::planned(model, cpu_only(), {}).bytes_of(RegionGroup::kLogits), 128256U * 4);
  EXPECT_EQ(test::planned(model, cpu_only(), {.n_logit_rows = 256}).bytes_of(RegionGroup::kLogits), 256U * 128256 * 4);
}

TEST(MemoryPlan, a_longer_context_never_takes_less) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const ModelInfo model = test::random_model(seed);
    Bytes before = 0;
    for (std::uint32_t n_ctx = 1; n_ctx < 3000; n_ctx += 61) {
      const Bytes now = test::planned(model, cpu_only(), {.n_ctx = n_ctx, .n_batch = 64}).planned_bytes(0);
      EXPECT_GE(now, before) << "seed " << seed << " n_ctx " << n_ctx;
      before = now;
    }
  }
}

TEST(MemoryPlan, each_layer_more_takes_more_of_the_gpu) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const ModelInfo model = test::random_model(seed);
    std::vector<DeviceInfo> devices = cpu_and_gpu();
    devices[1].granularity = devices[1].alignment;
    Bytes before = 0;
    for (std::int32_t n = 0; n <= static_cast<std::int32_t>(model.n_layers()); ++n) {
      const Bytes now =
          test::planned(model, devices, {.n_ctx = 512, .n_gpu_layers = n, .devices = {{1}}}).planned_bytes(1);
      EXPECT_TRUE(n == 0 ? now == 0 : now > before) << "seed " << seed << " layers " << n;
      before = now;
    }
  }
}

TEST(MemoryPlan, auto_puts_as_many_layers_on_the_gpu_as_fit) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  for (Bytes gpu_bytes = kGiB; gpu_bytes <= 8 * kGiB; gpu_bytes += kGiB / 2) {
    const std::vector<DeviceInfo> devices = cpu_and_gpu(gpu_bytes);
    PlanOptions options{.devices = {{1, KeepFree{256 * kMiB}}}};
    const std::int32_t chosen = test::planned(model, devices, options).options.n_gpu_layers;
    std::int32_t most = 0;
    for (std::int32_t n = 1; n <= 32; ++n) {
      options.n_gpu_layers = n;
      if (test::planned(model, devices, options).budgets.front().fits()) most = n;
    }
    EXPECT_EQ(chosen, most) << format_bytes(gpu_bytes);
  }
}

TEST(MemoryPlan, the_last_layers_and_the_head_go_to_the_gpu_and_the_embedding_stays) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const Placement placement = test::planned(model, cpu_and_gpu(), {.n_gpu_layers = 5, .devices = {{1}}}).placement;
  EXPECT_EQ(placement.embed_device, 0U);
  EXPECT_EQ(placement.head_device, 1U);
  for (std::size_t l = 0; l < 22; ++l) {
    const DeviceIndex device = l < 17 ? 0 : 1;
    EXPECT_EQ(placement.layers[l], (LayerPlacement{device, device}));
  }
}

TEST(MemoryPlan, a_tied_embedding_is_counted_on_both_devices_and_noted) {
  const ModelInfo model = test::make_model(test::kLlama32_1B);
  const MemoryPlan plan = test::planned(model, cpu_and_gpu(), {.devices = {{1}}});
  EXPECT_EQ(plan.options.n_gpu_layers, 16);
  EXPECT_TRUE(find_weight_region(plan, 0, 0));
  EXPECT_TRUE(find_weight_region(plan, 0, 1));
  EXPECT_THAT(plan.notes, Contains(Field(&Note::words, HasSubstr("held twice"))));
  EXPECT_THAT(test::planned(model, cpu_only(), {}).notes, Not(Contains(Field(&Note::words, HasSubstr("held twice")))));
}

// What the host holds of any plan, to choose tokens and to know what the slots hold.
Bytes sampling_bytes(const ModelInfo& model, const MemoryPlan& plan) {
  return sampler_layout(model, plan.options).total() + slot_token_bytes(plan.options);
}

// What it holds for a device that copies by itself.
Bytes input_bytes(const ModelInfo& model, const MemoryPlan& plan) {
  return round_up(gpu_inputs(model, plan.options).total(), plan.devices[1].alignment);
}

TEST(MemoryPlan, a_device_that_shares_the_cpus_memory_holds_the_embedding_once_and_needs_no_upload) {
  const ModelInfo model = test::make_model(test::kLlama32_1B);
  std::vector<DeviceInfo> devices = cpu_and_gpu();
  devices[1].has_unified_memory = true;
  const MemoryPlan plan = test::planned(model, devices, {.devices = {{1}}});
  EXPECT_EQ(plan.placement.embed_device, 1U);
  EXPECT_FALSE(find_weight_region(plan, 0, 0));
  EXPECT_EQ(plan.bytes_of(RegionGroup::kStaging),
            sampling_bytes(model, plan) + input_bytes(model, plan) + Bytes{model.n_vocab} * 4)
      << "only the logits cross";
  EXPECT_EQ(std::count_if(plan.arenas.begin(), plan.arenas.end(), is_of_load), 0);
  ASSERT_EQ(plan.budgets.size(), 2U);
  EXPECT_EQ(plan.budgets[1].limit, devices[0].free_bytes - plan.budgets[0].peak());
}

TEST(MemoryPlan, staging_is_planned_on_the_host_when_a_gpu_takes_part) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const MemoryPlan alone = test::planned(model, cpu_only(), {});
  EXPECT_EQ(alone.bytes_of(RegionGroup::kStaging), sampling_bytes(model, alone));
  const MemoryPlan plan = test::planned(model, cpu_and_gpu(), {.devices = {{1}}});
  EXPECT_EQ(plan.bytes_of(RegionGroup::kStaging, 0), sampling_bytes(model, plan) + input_bytes(model, plan) +
                                                         Bytes{256} * model.d_model * 4 + Bytes{model.n_vocab} * 4);
  EXPECT_EQ(plan.bytes_of(RegionGroup::kStaging, 1), 0U);
}

const Region* find_named(const MemoryPlan& plan, const char* name, Memory memory, Lifetime lifetime) {
  for (const ArenaPlan& arena : plan.arenas) {
    for (const Region& region : arena.regions) {
      if (region.name == name && arena.memory == memory && arena.lifetime == lifetime) return &region;
    }
  }
  return nullptr;
}

TEST(MemoryPlan, weights_reach_a_gpu_through_page_locked_memory_that_is_gone_after_the_load) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  for (const DeviceKind kind : {DeviceKind::kCuda, DeviceKind::kVulkan, DeviceKind::kReference}) {
    std::vector<DeviceInfo> devices = cpu_and_gpu();
    test::set_kind(devices[1], kind);
    const bool is_driven = kind != DeviceKind::kReference;
    const MemoryPlan plan = test::planned(model, devices, {.devices = {{1}}});
    expect_regions_tile(plan);
    expect_sums_agree(plan);
    const Region* upload = find_named(plan, "upload", Memory::kPageLocked, Lifetime::kLoad);
    ASSERT_EQ(upload != nullptr, is_driven) << device_kind_name(kind);
    if (upload != nullptr) {
      EXPECT_EQ(upload->size, kUploadBytes);
    }
    EXPECT_EQ(std::count_if(plan.arenas.begin(), plan.arenas.end(), is_of_load), is_driven ? 1 : 0);
    const Region* staging =
        find_named(plan, "staging", is_driven ? Memory::kPageLocked : Memory::kHost, Lifetime::kSession);
    ASSERT_NE(staging, nullptr) << device_kind_name(kind);
    const StagingLayout layout =
        staging_layout(model, plan.devices, plan.options, plan.placement, plan.streaming, is_driven ? 1 : 0);
    // The residual comes from the CPU: only a device that copies by itself needs it somewhere else first.
    EXPECT_EQ(layout.transfer, is_driven ? Bytes{256} * model.d_model * 4 : 0);
    EXPECT_EQ(layout.logits_offset, round_up(layout.transfer, 64));
    EXPECT_EQ(layout.total, layout.logits_offset + Bytes{model.n_vocab} * 4);
    EXPECT_EQ(staging->size, round_up(layout.total, plan.devices[0].alignment));
    for (const ArenaPlan& arena : plan.arenas)
      EXPECT_EQ(arena.memory == Memory::kDevice, arena.device == 1) << memory_name(arena.memory);
  }
}

TEST(MemoryPlan, an_absurd_context_does_not_fit_and_never_wraps) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const MemoryPlan plan = test::planned(model, cpu_only(), {.n_ctx = kMaxContext, .n_slots = 65536});
  EXPECT_FALSE(plan.fits());
  EXPECT_GE(plan.bytes_of(RegionGroup::kKv), Bytes{131072} * kMaxContext * 65536);
}

TEST(MemoryPlan, what_goes_beyond_64_bits_is_refused_with_the_options_that_cause_it) {
  test::ModelShape shape = test::kLlama3_8B;
  shape.n_heads = shape.n_kv_heads = 128;
  shape.head_dim = kMaxHeadDim;
  const ModelInfo model = test::make_model(shape);
  const Result<MemoryPlan> plan =
      plan_memory(model, cpu_only(), {.n_ctx = kMaxContext, .n_slots = 65536, .n_batch = 65536});
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, ErrorCode::kUsage);
  EXPECT_THAT(plan.error().message.text(),
              testing::AllOf(HasSubstr("n_ctx 16777216"), HasSubstr("n_slots 65536"), HasSubstr("2^64")));
}

TEST(MemoryPlan, the_same_input_gives_the_same_plan) {
  const ModelInfo model = test::make_model(test::kQwen3_8B);
  const MemoryPlan a = test::planned(model, cpu_and_gpu(6 * kGiB), {.devices = {{1}}});
  const MemoryPlan b = test::planned(model, cpu_and_gpu(6 * kGiB), {.devices = {{1}}});
  EXPECT_EQ(a.options, b.options);
  EXPECT_EQ(a.placement, b.placement);
  ASSERT_EQ(a.arenas.size(), b.arenas.size());
  for (std::size_t i = 0; i < a.arenas.size(); ++i) {
    ASSERT_EQ(a.arenas[i].regions.size(), b.arenas[i].regions.size());
    for (std::size_t r = 0; r < a.arenas[i].regions.size(); ++r) {
      EXPECT_EQ(a.arenas[i].regions[r].offset, b.arenas[i].regions[r].offset);
      EXPECT_EQ(a.arenas[i].regions[r].name, b.arenas[i].regions[r].name);
    }
  }
}

TEST(MemoryPlan, the_plan_of_its_own_options_is_itself) {
  const ModelInfo model = test::make_model(test::kQwen25_7B);
  const MemoryPlan plan = test::planned(model, cpu_and_gpu(4 * kGiB), {.devices = {{1}}});
  const MemoryPlan again = test::planned(model, cpu_and_gpu(4 * kGiB), plan.options);
  EXPECT_EQ(again.options, plan.options);
  EXPECT_EQ(again.placement, plan.placement);
  EXPECT_EQ(again.planned_bytes(0), plan.planned_bytes(0));
  EXPECT_EQ(again.planned_bytes(1), plan.planned_bytes(1));
}

TEST(MemoryPlan, notes_say_what_the_numbers_do_not) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  std::vector<DeviceInfo> devices = cpu_and_gpu();
  devices[1].driver_measured = false;
  devices[1].is_present = false;
  const auto notes = test::planned(model, devices, {.n_ctx = 5001, .kv_v = DType::kQ4_0, .devices = {{1}}}).notes;
  for (const char* text :
       {"above the 2048", "5001 is planned as 5024", "q4_0 is kept rotated", "assumption", "not in this machine"}) {
    EXPECT_THAT(notes, Contains(Field(&Note::words, HasSubstr(text)))) << text;
  }
  EXPECT_TRUE(test::planned(model, cpu_only(), {}).notes.empty());
}

TEST(MemoryPlan, tensors_that_are_not_used_are_named_and_take_no_memory) {
  ModelInfo model = test::make_model(test::kTinyLlama);
  const MemoryPlan plan = test::planned(model, cpu_only(), {});
  model.not_loaded = {{Message::plain("multi-token prediction"), 15, 312 * kMiB},
                      {Message::plain("vision"), 1, 2 * kGiB}};
  const MemoryPlan with_unused = test::planned(model, cpu_only(), {});
  EXPECT_EQ(with_unused.planned_bytes(0), plan.planned_bytes(0));
  EXPECT_THAT(with_unused.notes,
              ElementsAre(Field(&Note::words, "Not loaded: 15 tensors of multi-token prediction, 312 MiB."),
                          Field(&Note::words, "Not loaded: 1 tensor of vision, 2.00 GiB.")));
}

TEST(MemoryPlan, a_note_on_the_kernels_of_a_device_is_there_when_something_is_planned_for_it) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  std::vector<DeviceInfo> devices = cpu_and_gpu();
  devices[1].kernel_note = Message::plain("its driver has no products of int8");
  const auto is_noted = Contains(Field(&Note::words, devices[1].kernel_note));
  EXPECT_THAT(test::planned(model, devices, {.n_gpu_layers = 22, .devices = {{1}}}).notes, is_noted);
  EXPECT_THAT(test::planned(model, devices, {.devices = {{0}}}).notes, testing::Not(is_noted));
}

TEST(MemoryPlan, a_note_says_where_it_is_not_known_what_other_programs_hold) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  std::vector<DeviceInfo> devices = cpu_and_gpu();
  const auto says = [&](const PlanOptions& options) {
    const std::vector<Note> notes = test::planned(model, devices, options).notes;
    return std::ranges::any_of(notes, [&](const Note& note) {
      return note.words.text() ==
             "What other programs hold of " + devices[1].name + " is not known: less may be free than is planned with.";
    });
  };
  const PlanOptions there{.n_gpu_layers = 22, .devices = {{1}}}, elsewhere{.n_gpu_layers = 0, .devices = {{0}}};
  EXPECT_FALSE(says(there));
  devices[1].account.confidence = MemoryConfidence::kEstimated;
  EXPECT_FALSE(says(there));
  devices[1].account.confidence = MemoryConfidence::kAssumed;
  EXPECT_TRUE(says(there));
  EXPECT_FALSE(says(elsewhere)) << "nothing is planned for it";
  devices[1].is_present = false;
  EXPECT_FALSE(says(there)) << "no program is on it";
}

}  // namespace
}  // namespace headroom
