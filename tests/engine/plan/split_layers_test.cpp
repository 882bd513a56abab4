#include "plan/split_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "plan/device_rules.h"
#include "plan/gpu_rules.h"
#include "plan/layout.h"
#include "plan/speed.h"
#include "support/model_specs.h"

namespace headroom {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

// A CPU and this many GPUs of the given memory, each with arenas that are cut to their last region.
std::vector<DeviceInfo> cpu_and_gpus(const std::vector<Bytes>& gpu_bytes) {
  std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB)};
  for (const Bytes bytes : gpu_bytes) {
    devices.push_back(test::gpu_with(bytes, 10 * kMiB));
    devices.back().id = "cuda:" + std::to_string(devices.size() - 2);
    devices.back().name = "GPU " + std::to_string(devices.size() - 2);
    devices.back().granularity = devices.back().alignment;
  }
  return devices;
}

std::vector<DeviceChoice> all_gpus(const std::vector<DeviceInfo>& devices) {
  std::vector<DeviceChoice> choices;
  for (DeviceIndex i = 1; i < devices.size(); ++i) choices.push_back({i, KeepFree{}});
  return choices;
}

ModelInfo four_layers() {
  test::ModelShape shape = test::kTinyLlama;
  shape.n_layers = 4;
  return test::make_model(shape);
}

Bytes peak_of(const MemoryPlan& plan, DeviceIndex device) {
  for (const DeviceBudget& budget : plan.budgets) {
    if (budget.device == device) return budget.peak();
  }
  return 0;
}

// Layers of each GPU, their first FFNs on the CPU: laid out by the planner itself.
Placement place(const ModelInfo& model, const std::vector<DeviceInfo>& devices, const std::vector<std::uint32_t>& runs,
                std::uint32_t n_cpu_ffn) {
  LayerSplit split{.runs = {}, .n_cpu_ffn = n_cpu_ffn};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i] > 0) split.runs.push_back({static_cast<DeviceIndex>(i + 1), runs[i]});
  }
  return place_layers(model, devices, 0, split);
}

// What must hold of any plan over any devices.
void expect_sound(const ModelInfo& model, const MemoryPlan& plan) {
  for (const ArenaPlan& arena : plan.arenas) {
    Bytes end = 0;
    for (const Region& region : arena.regions) {
      EXPECT_EQ(region.offset, end);
      end += region.size;
    }
    EXPECT_EQ(end, arena.size);
  }
  for (std::int32_t w = 0; w < static_cast<std::int32_t>(model.weights.size()); ++w) {
    const WeightTensor& weight = model.weights[static_cast<std::size_t>(w)];
    if (weight.layer < 0) continue;
    const LayerPlacement& layer = plan.placement.layers[static_cast<std::size_t>(weight.layer)];
    for (DeviceIndex d = 0; d < plan.devices.size(); ++d) {
      const bool is_there = (role_is_ffn(weight.role) ? layer.ffn : layer.attention) == d;
      EXPECT_EQ(find_weight_region(plan, w, d).has_value(), is_there) << weight.name << " on " << d;
    }
  }
  for (std::int32_t l = 0; l < static_cast<std::int32_t>(model.n_layers()); ++l) {
    for (DeviceIndex d = 0; d < plan.devices.size(); ++d) {
      EXPECT_EQ(find_kv_region(plan, l, KvPart::kKeys, d).has_value(),
                plan.placement.layers[static_cast<std::size_t>(l)].attention == d);
    }
  }
  for (const DeviceBudget& budget : plan.budgets) {
    Bytes held = 0, loading = 0;
    for (const ArenaPlan& arena : plan.arenas) {
      if (arena.device != budget.device) continue;
      held += arena.lifetime == Lifetime::kLoad ? 0 : arena.size;
      loading += arena.lifetime == Lifetime::kSession ? 0 : arena.size;
    }
    EXPECT_EQ(budget.planned, held);
    EXPECT_EQ(budget.loading, loading);
    EXPECT_EQ(plan.program.activation_bytes[budget.device] > 0,
              find_region(plan, budget.device, RegionKind::kActivations).has_value());
  }
}

// Every way to give the last n layers to the GPUs one behind the other: the layers of each.
void each_split(std::uint32_t n, std::size_t n_gpus, std::vector<std::uint32_t>& runs,
                const std::function<void(const std::vector<std::uint32_t>&)>& visit) {
  if (runs.size() + 1 == n_gpus) {
    runs.push_back(n);
    visit(runs);
    runs.pop_back();
    return;
  }
  for (std::uint32_t here = 0; here <= n; ++here) {
    runs.push_back(here);
    each_split(n - here, n_gpus, runs, visit);
    runs.pop_back();
  }
}

TEST(PlaceLayers, every_border_of_four_layers_over_one_two_and_three_gpus) {
  const ModelInfo model = four_layers();
  const std::vector<DeviceInfo> devices = cpu_and_gpus({kGiB, kGiB, kGiB});
  for (std::size_t n_gpus = 1; n_gpus <= 3; ++n_gpus) {
    for (std::uint32_t n = 0; n <= 4; ++n) {
      for (std::uint32_t n_cpu_ffn = 0; n_cpu_ffn <= n; ++n_cpu_ffn) {
        std::vector<std::uint32_t> all;
        each_split(n, n_gpus, all, [&](const std::vector<std::uint32_t>& runs) {
          const Placement placement = place(model, devices, runs, n_cpu_ffn);
          std::uint32_t layer = 0;
          for (; layer < 4 - n; ++layer) EXPECT_EQ(placement.layers[layer], (LayerPlacement{0, 0}));
          for (std::size_t gpu = 0; gpu < runs.size(); ++gpu) {
            for (std::uint32_t i = 0; i < runs[gpu]; ++i, ++layer) {
              const auto device = static_cast<DeviceIndex>(gpu + 1);
              EXPECT_EQ(placement.layers[layer], (LayerPlacement{device, layer < 4 - n + n_cpu_ffn ? 0 : device}));
            }
          }
          EXPECT_EQ(layer, 4U);
          EXPECT_EQ(placement.embed_device, 0U);
          EXPECT_EQ(placement.head_device, placement.layers.back().attention);
        });
      }
    }
  }
}

TEST(LayerSplitter, finds_a_split_wherever_any_split_fits) {
  const ModelInfo model = four_layers();
  const PlanOptions sizes{.n_ctx = 256, .n_gpu_layers = 4, .n_cpu_ffn = 0, .devices = {{1}}};
  const Bytes whole = plan_memory(model, cpu_and_gpus({64 * kGiB}), sizes)->planned_bytes(1);
  std::uint32_t n_found = 0, n_missed = 0;
  // Memory of each GPU in eighths of the model, the order of which matters.
  for (const std::vector<Bytes>& eighths :
       {std::vector<Bytes>{9}, {3}, {1}, {5, 5}, {2, 8}, {8, 2}, {4, 1}, {6, 3, 3}, {3, 3, 6}, {1, 9, 1}, {4, 4, 4}}) {
    std::vector<Bytes> gpu_bytes;
    for (const Bytes eighth : eighths) gpu_bytes.push_back(whole * eighth / 8 + 10 * kMiB);
    const std::vector<DeviceInfo> devices = cpu_and_gpus(gpu_bytes);
    for (std::uint32_t n = 0; n <= 4; ++n) {
      for (std::uint32_t n_cpu_ffn = 0; n_cpu_ffn <= n; ++n_cpu_ffn) {
        PlanOptions options{.n_ctx = 256, .devices = all_gpus(devices)};
        options.n_gpu_layers = static_cast<std::int32_t>(n);
        options.n_cpu_ffn = static_cast<std::int32_t>(n_cpu_ffn);
        const MemoryPlan plan = *plan_memory(model, devices, options);
        expect_sound(model, plan);
        // Counted here once more, from the weights and the program.
        bool any_fits = false;
        std::vector<std::uint32_t> all;
        each_split(n, eighths.size(), all, [&](const std::vector<std::uint32_t>& runs) {
          const Placement placement = place(model, devices, runs, n_cpu_ffn);
          bool fits = true;
          for (DeviceIndex d = 1; d < devices.size(); ++d) {
            Bytes weights = 0, session = 0;
            for (const WeightTensor& weight : model.weights) {
              if (weight_is_on(weight, d, placement, false))
                weights += round_up(weight_bytes(weight, WeightLayout::kRows), 256);
            }
            const Program program =
                build_program(model, placement, static_cast<std::uint32_t>(devices.size()), 256, 1, 256);
            for (std::size_t l = 0; l < 4; ++l) {
              if (placement.layers[l].attention == d)
                session +=
                    2 * round_up(model.layers[l].kv_rows(256, 256) * model.layers[l].kv_row_bytes(DType::kF16), 256);
            }
            session += program.activation_bytes[d];
            if (placement.head_device == d) session += round_up(Bytes{model.n_vocab} * 4, 256);
            session += round_up(scratch_bytes(model, devices[d], plan.options, 256, work_on(placement, {}, d)), 256);
            fits &= weights + session == 0 || weights + session + 10 * kMiB <= devices[d].free_bytes;
          }
          any_fits |= fits;
        });
        const bool found = std::all_of(plan.budgets.begin(), plan.budgets.end(),
                                       [](const DeviceBudget& budget) { return budget.fits(); });
        EXPECT_EQ(found, any_fits) << "layers " << n << " FFN " << n_cpu_ffn << " memory "
                                   << testing::PrintToString(eighths);
        (found ? n_found : n_missed) += 1;
      }
    }
  }
  EXPECT_GT(n_found, 20U);
  EXPECT_GT(n_missed, 20U);
}

// The splitter sums, the planner lays out: they must speak of the same bytes.
TEST(LayerSplitter, auto_takes_the_most_layers_that_fit_on_any_number_of_gpus) {
  for (std::uint32_t seed = 0; seed < 24; ++seed) {
    const ModelInfo model = test::random_model(seed);
    const auto n_layers = static_cast<std::int32_t>(model.n_layers());
    const PlanOptions sizes{.n_ctx = 500, .n_gpu_layers = n_layers, .devices = {{1}}};
    const Bytes whole = plan_memory(model, cpu_and_gpus({64 * kGiB}), sizes)->planned_bytes(1);
    const std::vector<DeviceInfo> devices =
        cpu_and_gpus({whole * (seed % 5) / 8 + 10 * kMiB, whole * (seed % 3 + 2) / 8 + 10 * kMiB,
                      whole * (seed % 7) / 16 + 10 * kMiB});
    for (std::size_t n_gpus = 1; n_gpus <= 3; ++n_gpus) {
      for (const std::int32_t n_cpu_ffn : {0, 1, n_layers}) {
        PlanOptions options{.n_ctx = 500, .n_cpu_ffn = n_cpu_ffn, .devices = all_gpus(devices)};
        options.devices.resize(n_gpus);
        const MemoryPlan chosen = *plan_memory(model, devices, options);
        expect_sound(model, chosen);
        std::int32_t most = 0;
        for (std::int32_t n = 1; n <= n_layers; ++n) {
          options.n_gpu_layers = n;
          options.n_cpu_ffn = std::min(n_cpu_ffn, n);
          if (plan_memory(model, devices, options)->fits()) most = n;
        }
        EXPECT_EQ(chosen.options.n_gpu_layers, most) << "seed " << seed << " GPUs " << n_gpus << " FFN " << n_cpu_ffn;
        EXPECT_EQ(chosen.options.n_cpu_ffn, std::min(n_cpu_ffn, most));
      }
    }
  }
}

TEST(LayerSplitter, the_next_device_is_used_only_when_those_before_it_are_full) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const MemoryPlan one = *plan_memory(model, cpu_and_gpus({24 * kGiB, 24 * kGiB}), {.devices = {{1}, {2}}});
  EXPECT_EQ(attention_run(one.placement, 1).count(), 32);
  EXPECT_EQ(attention_run(one.placement, 2).count(), 0);
  EXPECT_THAT(one.notes, Contains(Field(&Note::words, HasSubstr("GPU 1 is not used"))));
  const std::vector<DeviceInfo> small = cpu_and_gpus({3 * kGiB, 4 * kGiB});
  const MemoryPlan both = *plan_memory(model, small, {.devices = {{1}, {2}}});
  EXPECT_EQ(both.options.n_gpu_layers, 32);
  const LayerRun first = attention_run(both.placement, 1), second = attention_run(both.placement, 2);
  EXPECT_EQ(first.first, 0);
  EXPECT_EQ(second.first, first.last + 1);
  EXPECT_EQ(second.last, 31);
  EXPECT_EQ(both.placement.head_device, 2U);
  ASSERT_EQ(both.budgets.size(), 3U);
  EXPECT_EQ(both.budgets[0].device, 1U);
  EXPECT_EQ(both.budgets[1].device, 2U);
  EXPECT_EQ(both.budgets[2].device, 0U);
  const MemoryPlan turned = *plan_memory(model, small, {.devices = {{2}, {1}}});
  EXPECT_EQ(attention_run(turned.placement, 2).first, 0) << "the user's order";
  EXPECT_EQ(turned.placement.head_device, 1U);
}

TEST(LayerSplitter, each_device_is_held_to_its_own_rule_and_so_is_the_cpu) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const std::vector<DeviceInfo> devices = cpu_and_gpus({6 * kGiB, 6 * kGiB});
  const MemoryPlan plan = *plan_memory(
      model, devices, {.devices = {{1, KeepFree{4 * kGiB}}, {2, AtMost{3 * kGiB}}, {0, AtMost{8 * kGiB}}}});
  EXPECT_TRUE(plan.fits());
  EXPECT_LE(peak_of(plan, 1), 2 * kGiB);
  EXPECT_LE(peak_of(plan, 2), 3 * kGiB);
  EXPECT_GT(peak_of(plan, 2), 2 * kGiB);
  EXPECT_EQ(plan.budgets.back().limit, 8 * kGiB);
}

TEST(LayerSplitter, a_device_too_small_for_a_layer_is_passed_over_and_noted) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const MemoryPlan plan = *plan_memory(model, cpu_and_gpus({64 * kMiB, 24 * kGiB}), {.devices = {{1}, {2}}});
  EXPECT_EQ(attention_run(plan.placement, 1).count(), 0);
  EXPECT_EQ(attention_run(plan.placement, 2).count(), 32);
  EXPECT_THAT(plan.notes, Contains(Field(&Note::words, HasSubstr("No layer fits on GPU 0"))));
}

// The CPU is the faster one here, as it is with the smallest models; nobody named it.
TEST(LayerSplitter, a_device_without_room_leaves_layers_to_the_next_one_and_not_to_a_faster_cpu) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices = cpu_and_gpus({64 * kMiB, 24 * kGiB});
  devices[0].speed.read_bytes_per_s = 2000e9;
  devices[1].speed.read_bytes_per_s = devices[2].speed.read_bytes_per_s = 100e9;
  for (const std::int32_t n_cpu_ffn : {0, 1, kAutoLayers}) {
    const MemoryPlan plan = *plan_memory(model, devices, {.n_cpu_ffn = n_cpu_ffn, .devices = {{1}, {2}}});
    EXPECT_EQ(plan.options.n_gpu_layers, 32) << n_cpu_ffn;
    EXPECT_EQ(plan.options.n_cpu_ffn, std::max(n_cpu_ffn, 0));
    EXPECT_EQ(attention_run(plan.placement, 2).count(), 32);
  }
}

TEST(CpuFfn, takes_the_ffn_alone_from_the_gpu) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const std::vector<DeviceInfo> devices = cpu_and_gpus({24 * kGiB});
  Bytes before = ~Bytes{0};
  for (std::int32_t n = 0; n <= 32; ++n) {
    const MemoryPlan plan =
        *plan_memory(model, devices, {.n_ctx = 2048, .n_gpu_layers = 32, .n_cpu_ffn = n, .devices = {{1}}});
    expect_sound(model, plan);
    EXPECT_LT(plan.planned_bytes(1), before);
    before = plan.planned_bytes(1);
    EXPECT_EQ(plan.bytes_of(RegionGroup::kKv, 0), 0U) << "the cache stays";
    const auto n_transfers = std::count_if(plan.program.ops.begin(), plan.program.ops.end(),
                                           [](const Op& op) { return op.kind == OpKind::kTransfer; });
    EXPECT_EQ(n_transfers, 1 + 2 * n);
  }
}

TEST(CpuFfn, auto_takes_the_faster_plan_that_fits) {
  // Its windows are read whole at half of this context: a layer on the CPU then costs as much per byte as its FFN
  // alone.
  const ModelInfo model = test::make_model(test::kMistral7B);
  std::uint32_t n_whole = 0, n_ffn = 0;
  for (const double cpu_speed : {20e9, 100e9}) {
    for (const std::uint32_t n_slots : {1U, 8U}) {
      for (Bytes gpu_bytes = kGiB; gpu_bytes <= 8 * kGiB; gpu_bytes += kGiB / 4) {
        std::vector<DeviceInfo> devices = cpu_and_gpus({gpu_bytes});
        devices[0].speed.read_bytes_per_s = cpu_speed;
        devices[1].speed.read_bytes_per_s = 900e9;
        const PlanOptions options{.n_ctx = 16384, .n_slots = n_slots, .devices = {{1}}};
        const MemoryPlan plan = *plan_memory(model, devices, options);
        PlanOptions whole = options;
        whole.n_cpu_ffn = 0;
        const MemoryPlan other = *plan_memory(model, devices, whole);
        const double speed = *estimate_tokens_per_s(model, plan), other_speed = *estimate_tokens_per_s(model, other);
        EXPECT_TRUE(plan.fits());
        EXPECT_GE(speed, other_speed);
        if (plan.options.n_cpu_ffn == 0) {
          EXPECT_EQ(plan.placement, other.placement);
        } else {
          EXPECT_GT(speed, other_speed);
          EXPECT_THAT(plan.notes, Contains(Field(&Note::words, HasSubstr("The FFN of layer"))));
        }
        (plan.options.n_cpu_ffn == 0 ? n_whole : n_ffn) += 1;
      }
    }
  }
  EXPECT_GT(n_whole, 0U);
  EXPECT_GT(n_ffn, 0U);
}

TEST(CpuFfn, auto_keeps_layers_whole_where_a_speed_is_unknown_or_layers_are_given) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices = cpu_and_gpus({4 * kGiB});
  EXPECT_EQ(plan_memory(model, devices, {.devices = {{1}}})->options.n_cpu_ffn, 0);
  devices[0].speed.read_bytes_per_s = 20e9;
  devices[1].speed.read_bytes_per_s = 900e9;
  EXPECT_EQ(plan_memory(model, devices, {.n_gpu_layers = 32, .devices = {{1}}})->options.n_cpu_ffn, 0);
}

TEST(Scratch, of_a_cpu_that_only_embeds_is_a_row_per_thread) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const std::vector<DeviceInfo> devices = cpu_and_gpus({24 * kGiB});
  const MemoryPlan plan = *plan_memory(model, devices, {.devices = {{1}}});
  ASSERT_EQ(work_on(plan.placement, plan.streaming, 0), DeviceWork::kEmbeds);
  EXPECT_EQ(plan.bytes_of(RegionGroup::kScratch, 0), 8 * 4096 * 4U);
  const CpuScratch scratch = cpu_scratch(model, plan.options, 256, 8, DeviceWork::kEmbeds);
  EXPECT_EQ(scratch.per_thread(), 4096 * 4U);
  EXPECT_EQ(scratch.total(), plan.bytes_of(RegionGroup::kScratch, 0));
  const MemoryPlan with_layer = *plan_memory(model, devices, {.n_gpu_layers = 31, .devices = {{1}}});
  EXPECT_EQ(with_layer.bytes_of(RegionGroup::kScratch, 0), cpu_scratch(model, plan.options, 256, 8).total());
}

TEST(Scratch, for_candidates_is_where_the_head_is_for_the_rows_of_one_group) {
  const ModelInfo model = four_layers();
  const std::vector<DeviceInfo> devices = cpu_and_gpus({kGiB});
  for (const std::int32_t n_gpu_layers : {0, 4}) {
    for (const auto& [n_logit_rows, n_rows] : {std::pair{0U, 2U}, std::pair{7U, 7U}, std::pair{16U, 8U}}) {
      const MemoryPlan plan = *plan_memory(
          model, devices,
          {.n_slots = 2, .n_batch = 16, .n_logit_rows = n_logit_rows, .n_gpu_layers = n_gpu_layers, .devices = {{1}}});
      const DeviceIndex head = n_gpu_layers > 0 ? 1 : 0;
      ASSERT_EQ(plan.placement.head_device, head);
      const CandidateScratch scratch = candidate_scratch(model, plan.options);
      EXPECT_EQ(scratch.n_rows, n_rows);
      EXPECT_EQ(sampler_layout(model, plan.options).n_rows, n_rows);
      EXPECT_FALSE(find_region(plan, 1 - head, RegionKind::kCandidates));
      const std::optional<RegionRef> found = find_region(plan, head, RegionKind::kCandidates);
      ASSERT_TRUE(found);
      EXPECT_EQ(plan.arenas[found->arena].regions[found->region].size,
                round_up(scratch.total(), devices[head].alignment));
    }
  }
}

TEST(GpuInputs, have_an_answer_for_each_row_of_one_group_where_a_binding_may_begin) {
  for (const std::uint32_t n_vocab : {1U, 1024U, 1025U, 128256U}) {
    for (const auto& [n_logit_rows, n_rows] : {std::pair{1U, 1U}, std::pair{16U, 8U}}) {
      ModelInfo model = four_layers();
      model.n_vocab = n_vocab;
      const PlanOptions options{.n_slots = 2, .n_batch = 16, .n_logit_rows = n_logit_rows};
      const GpuInputs inputs = gpu_inputs(model, options);
      const GpuAnswer answer = gpu_answer(n_vocab);
      EXPECT_EQ(inputs.queries_at, inputs.groups_at + inputs.max_groups * kGpuRowWords);
      EXPECT_EQ(inputs.ids_at, inputs.queries_at + n_rows * kGpuRowWords);
      EXPECT_GE(inputs.answers_at, inputs.ids_at + n_rows * kMostCandidates);
      EXPECT_EQ(inputs.answers_at * 4 % kGpuAlignment, 0U);
      EXPECT_EQ(inputs.n_words, inputs.answers_at + n_rows * answer.n_words);
      EXPECT_GE(answer.n_words, 3 * kMostCandidates + 2 * div_up(n_vocab, kRowSumBlock));
    }
  }
}

TEST(Staging, holds_the_largest_transfer_and_one_row_of_logits_of_every_split) {
  const ModelInfo model = four_layers();
  const std::vector<DeviceInfo> devices = cpu_and_gpus({kGiB, kGiB});
  for (std::int32_t n = 0; n <= 4; ++n) {
    for (std::int32_t n_cpu_ffn = 0; n_cpu_ffn <= n; ++n_cpu_ffn) {
      const MemoryPlan plan = *plan_memory(
          model, devices,
          {.n_ctx = 64, .n_slots = 2, .n_batch = 16, .n_gpu_layers = n, .n_cpu_ffn = n_cpu_ffn, .devices = {{1}, {2}}});
      const std::optional<RegionRef> staging = find_region(plan, 1, RegionKind::kStaging);
      ASSERT_EQ(staging.has_value(), n > 0);
      if (!staging) continue;
      Bytes largest = 0;
      for (const Op& op : plan.program.ops) {
        if (op.kind == OpKind::kTransfer)
          largest = std::max(largest, 16 * plan.program.buffers[op.outputs[0]].row_bytes());
      }
      const StagingLayout layout = staging_layout(model, plan.devices, plan.options, plan.placement, plan.streaming, 1);
      EXPECT_EQ(layout.transfer, largest);
      const Bytes needed = round_up(largest, 64) + Bytes{model.n_vocab} * 4;
      EXPECT_EQ(layout.total, needed) << "rows of logits are read one at a time";
      EXPECT_GE(plan.arenas[staging->arena].regions[staging->region].size, needed);
    }
  }
}

}  // namespace
}  // namespace headroom
