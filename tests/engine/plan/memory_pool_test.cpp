#include "plan/memory_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/fixes.h"
#include "plan/plan_options.h"
#include "plan/plan_text.h"
#include "plan/split_layers.h"
#include "support/model_specs.h"
#include "support/plans.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::HasSubstr;

DeviceInfo shared_gpu(const std::string& id, Bytes free_bytes, DeviceKind kind = DeviceKind::kVulkan) {
  DeviceInfo device = test::gpu_with(free_bytes, 10 * kMiB);
  device.id = id;
  device.name = "Shared " + id;
  test::set_kind(device, kind);
  device.has_unified_memory = true;
  device.granularity = 64 * kKiB;
  return device;
}

std::vector<DeviceInfo> host_and_shared(Bytes pool_bytes) {
  return {test::cpu_with(pool_bytes), shared_gpu("vulkan:0", pool_bytes)};
}

Bytes asked_of_all(const MemoryPlan& plan) {
  Bytes sum = 0;
  for (const DeviceBudget& budget : plan.budgets) sum += budget.peak();
  return sum;
}

const PlanOptions kHalf{.n_ctx = 512, .n_gpu_layers = 11, .devices = {{1}}};

TEST(MemoryPool, what_all_ask_together_is_held_against_what_is_free_to_the_byte) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const Bytes asked = asked_of_all(test::planned(model, host_and_shared(64 * kGiB), kHalf));
  const MemoryPlan fitting = test::planned(model, host_and_shared(asked), kHalf);
  ASSERT_EQ(fitting.budgets.size(), 2U);
  EXPECT_TRUE(fitting.fits());
  for (const DeviceBudget& budget : fitting.budgets) {
    EXPECT_EQ(budget.asked_by_sharers, asked - budget.peak());
    EXPECT_EQ(budget.limit, budget.peak());
    EXPECT_EQ(budget.spare(), 0U);
  }
  const MemoryPlan short_by_one = test::planned(model, host_and_shared(asked - 1), kHalf);
  EXPECT_FALSE(short_by_one.fits());
  for (const DeviceBudget& budget : short_by_one.budgets) EXPECT_EQ(budget.missing(), 1U);
  // Where neither's memory is the other's, each has room.
  std::vector<DeviceInfo> apart = host_and_shared(asked - 1);
  apart[1].has_unified_memory = false;
  EXPECT_TRUE(test::planned(model, apart, kHalf).fits());
}

TEST(MemoryPool, what_one_keeps_free_or_uses_at_most_holds_for_all_together) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const Bytes asked = asked_of_all(test::planned(model, host_and_shared(64 * kGiB), kHalf));
  for (const DeviceIndex ruled : {0U, 1U}) {
    for (const Bytes more : {0U, 1U}) {
      PlanOptions options = kHalf;
      options.set_headroom(ruled, KeepFree{kGiB + more});
      const MemoryPlan kept = test::planned(model, host_and_shared(asked + kGiB), options);
      EXPECT_EQ(kept.fits(), more == 0) << ruled;
      options.set_headroom(ruled, AtMost{asked - more});
      const MemoryPlan capped = test::planned(model, host_and_shared(64 * kGiB), options);
      EXPECT_EQ(capped.fits(), more == 0) << ruled;
      EXPECT_EQ(capped.budgets[0].missing(), more) << ruled;
    }
  }
}

TEST(MemoryPool, a_driver_that_offers_a_part_of_the_memory_bounds_its_device_alone) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  std::vector<DeviceInfo> devices = host_and_shared(64 * kGiB);
  const MemoryPlan plan = test::planned(model, devices, kHalf);
  devices[1].free_bytes = plan.budgets[0].peak();
  EXPECT_TRUE(test::planned(model, devices, kHalf).fits());
  devices[1].free_bytes -= 1;
  const MemoryPlan refused = test::planned(model, devices, kHalf);
  EXPECT_EQ(refused.budgets[0].missing(), 1U);
  EXPECT_EQ(refused.budgets[1].missing(), 0U);
}

TEST(MemoryPool, two_devices_that_share_and_the_host_are_one_pool) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const auto devices_of = [](Bytes pool_bytes, Bytes first_bytes, Bytes second_bytes) {
    return std::vector<DeviceInfo>{test::cpu_with(pool_bytes), shared_gpu("vulkan:0", first_bytes),
                                   shared_gpu("vulkan:1", second_bytes)};
  };
  const PlanOptions options{.n_ctx = 512, .n_gpu_layers = 18, .devices = {{1}, {2}}};
  const MemoryPlan roomy = test::planned(model, devices_of(64 * kGiB, 400 * kMiB, 64 * kGiB), options);
  // Neither has room for all 18 layers.
  const Bytes asked = asked_of_all(roomy), second = roomy.budgets[1].peak();
  const MemoryPlan fitting = test::planned(model, devices_of(asked, 400 * kMiB, second), options);
  ASSERT_EQ(fitting.budgets.size(), 3U);
  EXPECT_TRUE(fitting.fits());
  const MemoryPlan refused = test::planned(model, devices_of(asked - 1, 400 * kMiB, second), options);
  for (const DeviceBudget& budget : refused.budgets) {
    EXPECT_EQ(budget.missing(), 1U);
    EXPECT_EQ(budget.asked_by_sharers, asked - budget.peak());
  }
}

TEST(MemoryPool, a_card_that_is_listed_twice_has_its_memory_once) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB), test::gpu_with(64 * kGiB, 10 * kMiB)};
  devices[1].heap = "0000:01:00.0";
  devices.push_back(devices[1]);
  devices[2].id = "cuda:1";
  devices[1].free_bytes = 400 * kMiB;
  devices[2].free_bytes = 450 * kMiB;
  const PlanOptions options{.n_ctx = 512, .n_gpu_layers = 22, .devices = {{1}, {2}}};
  EXPECT_FALSE(test::planned(model, devices, options).fits()) << "each alone has room for its share";
  devices[2].heap = "0000:02:00.0";
  const MemoryPlan two_cards = test::planned(model, devices, options);
  ASSERT_TRUE(two_cards.fits());
  ASSERT_EQ(two_cards.budgets.size(), 3U);
  std::vector<DeviceBudget> budgets = two_cards.budgets;
  devices[2].heap = devices[1].heap;
  hold_to_pools(devices, options, budgets);
  const Bytes first = budgets[0].peak(), second = budgets[1].peak();
  for (const DeviceIndex i : {0U, 1U}) {
    EXPECT_EQ(budgets[i].pool_missing, first + second - 400 * kMiB);
    EXPECT_EQ(budgets[i].asked_by_sharers, i == 0 ? second : first);
  }
  EXPECT_EQ(budgets[2].asked_by_sharers, 0U) << "the host's memory is another";
}

TEST(MemoryPool, a_device_with_memory_of_its_own_is_not_in_it) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  std::vector<DeviceInfo> devices = host_and_shared(64 * kGiB);
  devices.push_back(test::gpu_with(400 * kMiB));
  const MemoryPlan plan = test::planned(model, devices, {.n_ctx = 512, .n_gpu_layers = 18, .devices = {{2}, {1}}});
  ASSERT_EQ(plan.budgets.size(), 3U);
  ASSERT_EQ(plan.budgets[0].device, 2U);
  EXPECT_EQ(plan.budgets[0].asked_by_sharers, 0U);
  // While weights are loaded for the device apart, the host holds more and the session nothing.
  const Bytes running = plan.budgets[1].planned + plan.budgets[1].driver + plan.budgets[2].planned;
  const Bytes loading = plan.budgets[1].loading + plan.budgets[1].driver + plan.budgets[2].loading;
  EXPECT_GT(plan.budgets[2].loading, plan.budgets[2].planned);
  EXPECT_EQ(plan.budgets[1].asked_by_sharers, std::max(running, loading) - plan.budgets[1].peak());
  EXPECT_EQ(plan.budgets[2].asked_by_sharers, std::max(running, loading) - plan.budgets[2].peak());
}

TEST(MemoryPool, a_device_of_the_catalogue_shares_the_memory_of_its_own_machine) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  std::vector<DeviceInfo> devices = host_and_shared(64 * kGiB);
  devices[1].is_present = false;
  const MemoryPlan plan = test::planned(model, devices, kHalf);
  devices[0].free_bytes = plan.budgets[1].peak();  // what stays on the CPU, of this machine
  devices[1].free_bytes = asked_of_all(plan);
  PlanOptions options = kHalf;
  options.set_headroom(0, AtMost{devices[0].free_bytes});
  EXPECT_TRUE(test::planned(model, devices, options).fits());
  devices[1].free_bytes -= 1;
  EXPECT_EQ(test::planned(model, devices, options).budgets[0].missing(), 1U);
}

TEST(MemoryPool, a_verdict_names_the_device_what_it_is_asked_and_what_the_others_are) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  PlanOptions options = kHalf;
  options.set_headroom(0, KeepFree{100 * kMiB});
  const MemoryPlan plan = test::planned(model, host_and_shared(700 * kMiB), options);
  ASSERT_FALSE(plan.fits());
  EXPECT_THAT(verdict_words(plan).text(),
              AllOf(HasSubstr("Does not fit by " + format_bytes(asked_of_all(plan) - 600 * kMiB) + ": "),
                    HasSubstr("Shared vulkan:0 is asked for " + format_bytes(plan.budgets[0].peak())),
                    HasSubstr("Test CPU with the same memory for " + format_bytes(plan.budgets[1].peak()) + " more"),
                    HasSubstr("and has 700 MiB free, 100 MiB to keep free on Test CPU")));
}

TEST(MemoryPool, a_fix_that_moves_bytes_within_the_pool_frees_nothing) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const Bytes asked = asked_of_all(test::planned(model, host_and_shared(64 * kGiB), kHalf));
  PlanOptions options = kHalf;
  options.set_headroom(1, KeepFree{kGiB});
  const std::vector<DeviceInfo> devices = host_and_shared(asked + kGiB / 2);
  const std::vector<Fix> fixes = *find_fixes(model, devices, options);
  bool keeps_less = false;
  for (const Fix& fix : fixes) {
    const MemoryPlan fixed = test::planned(model, devices, fix.options);
    EXPECT_EQ(fixed.fits(), fix.makes_it_fit) << fix.words.text();
    EXPECT_EQ(fix.freed, asked - std::min(asked, asked_of_all(fixed))) << fix.words.text();
    keeps_less |= fix.makes_it_fit && fix.options.headroom_of(1) == HeadroomRule(KeepFree{kGiB / 2});
  }
  EXPECT_TRUE(keeps_less);
}

// --- what the splitter sums is what the plan lays out ---

TEST(MemoryPool, the_splitter_fits_exactly_where_the_plan_fits) {
  std::size_t n_fit = 0, n_short = 0;
  for (std::uint32_t seed = 0; seed < 16; ++seed) {
    ModelInfo model = test::random_model(seed);
    model.heap_bytes = 123457;
    for (const DeviceKind kind : {DeviceKind::kVulkan, DeviceKind::kReference}) {
      std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB), shared_gpu("a:0", 64 * kGiB, kind),
                                      shared_gpu("a:1", 64 * kGiB, kind)};
      PlanOptions options{.n_ctx = 300, .n_slots = 2, .n_batch = 32, .devices = {{1, KeepFree{kMiB}}, {2}}};
      if (seed % 2 == 0) options.devices.pop_back();
      // Beside the one that shares, one that FFNs are streamed to, and that is loaded without an upload.
      if (seed % 4 == 1) std::swap(options.devices[0], options.devices[1]);
      if (seed % 4 == 1 || seed % 4 == 3) {
        test::set_kind(devices[2], DeviceKind::kReference);
        devices[2].has_unified_memory = false;
        options.stream_rows = 16;
      }
      if (seed % 3 == 0) devices[1].max_arena_bytes = 3 * kMiB;
      devices[1].free_bytes = seed % 4 == 0 ? 6 * kMiB : 64 * kGiB;
      for (std::uint32_t n = 1; n <= model.n_layers(); ++n) {
        for (const std::uint32_t n_cpu_ffn : {0U, n / 2, n}) {
          options.n_gpu_layers = static_cast<std::int32_t>(n);
          options.n_cpu_ffn = static_cast<std::int32_t>(n_cpu_ffn);
          devices[0].free_bytes = 64 * kGiB;
          const Result<MemoryPlan> roomy = plan_memory(model, devices, options);
          if (!roomy.ok()) continue;  // a tensor larger than an arena
          const Bytes asked = asked_of_all(*roomy) + kMiB;
          for (const Bytes free_bytes : {asked - 1, asked}) {
            devices[0].free_bytes = free_bytes;
            const MemoryPlan plan = test::planned(model, devices, options);
            const DeviceArenas sizes(model, devices, *resolve_options(model, devices, options), 0);
            const LayerSplitter splitter(sizes, static_cast<std::uint32_t>(std::max(options.stream_rows, 0)),
                                         gpus_of(options, devices));
            ASSERT_EQ(splitter.fits(n, n_cpu_ffn), plan.fits())
                << "seed " << seed << " layers " << n << " FFN " << n_cpu_ffn << " " << device_kind_name(kind) << " of "
                << model.n_layers() << ": " << verdict_words(plan).text();
            ++(plan.fits() ? n_fit : n_short);
          }
        }
      }
    }
  }
  EXPECT_GT(n_fit, 100U);
  EXPECT_GT(n_short, 100U);
}

TEST(MemoryPool, layers_left_to_us_are_on_the_device_only_where_that_fits_beside_the_host) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const PlanOptions automatic{.n_ctx = 512, .devices = {{1}}};
  PlanOptions none = automatic, all = automatic;
  none.n_gpu_layers = 0;
  all.n_gpu_layers = 22;
  const Bytes for_none = asked_of_all(test::planned(model, host_and_shared(64 * kGiB), none));
  const Bytes for_all = asked_of_all(test::planned(model, host_and_shared(64 * kGiB), all));
  ASSERT_LT(for_none, for_all) << "a driver and a second scratch";
  const MemoryPlan roomy = test::planned(model, host_and_shared(for_all), automatic);
  EXPECT_EQ(roomy.options.n_gpu_layers, 22);
  EXPECT_TRUE(roomy.fits());
  const MemoryPlan tight = test::planned(model, host_and_shared(for_none), automatic);
  EXPECT_EQ(tight.options.n_gpu_layers, 0);
  EXPECT_TRUE(tight.fits());
}

}  // namespace
}  // namespace headroom
