// How long a plan takes: sliders ask for one per step, searches for a dozen or more.
#include <benchmark/benchmark.h>

#include "devices/device_catalogue.h"
#include "plan/fixes.h"
#include "plan/layout.h"
#include "plan/plan_json.h"
#include "plan/solve.h"
#include "support/model_specs.h"

namespace headroom {
namespace {

// 100 layers of 12 tensors each, and three more: 1,203 tensors.
const ModelInfo& large_model() {
  static const ModelInfo model =
      test::make_model({"1,203 tensors", "qwen2", 100, 8192, 64, 8, 128, 28672, 152064, 131072, false, true, false});
  return model;
}

const std::vector<DeviceInfo>& devices() {
  static const std::vector<DeviceInfo> list{test::cpu_with(256 * kGiB), test::gpu_with(24 * kGiB)};
  return list;
}

void plan_on_cpu(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(plan_memory(large_model(), devices(), {}));
  state.counters["tensors"] = static_cast<double>(large_model().weights.size());
}
BENCHMARK(plan_on_cpu)->Unit(benchmark::kMicrosecond);

void plan_with_given_layers(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(plan_memory(large_model(), devices(), {.n_gpu_layers = 40, .devices = {{1}}}));
}
BENCHMARK(plan_with_given_layers)->Unit(benchmark::kMicrosecond);

void plan_with_auto_layers(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(plan_memory(large_model(), devices(), {.devices = {{1}}}));
}
BENCHMARK(plan_with_auto_layers)->Unit(benchmark::kMicrosecond);

// A fifth of the model on each GPU, so that both are filled and the CPU has layers too; every speed is known, so that
// whole layers and FFNs on the CPU are compared.
void plan_over_three_devices(benchmark::State& state) {
  std::vector<DeviceInfo> list{test::cpu_with(256 * kGiB), test::gpu_with(10 * kGiB), test::gpu_with(8 * kGiB)};
  list[0].speed.read_bytes_per_s = 50e9;
  for (const std::size_t gpu : {1U, 2U}) list[gpu].speed.read_bytes_per_s = 800e9;
  for (auto _ : state) benchmark::DoNotOptimize(plan_memory(large_model(), list, {.devices = {{1}, {2}}}));
  state.counters["tensors"] = static_cast<double>(large_model().weights.size());
}
BENCHMARK(plan_over_three_devices)->Unit(benchmark::kMicrosecond);

// The same over devices that allocate at most 1.6 GiB at once, which the head just fits, and the first of which shares
// the CPU's memory.
void plan_over_three_devices_with_limits(benchmark::State& state) {
  std::vector<DeviceInfo> list{test::cpu_with(256 * kGiB), test::gpu_with(10 * kGiB), test::gpu_with(8 * kGiB)};
  list[0].speed.read_bytes_per_s = 50e9;
  list[1].has_unified_memory = true;
  for (const std::size_t gpu : {1U, 2U}) {
    list[gpu].speed.read_bytes_per_s = 800e9;
    list[gpu].max_arena_bytes = 1600 * kMiB;
  }
  for (auto _ : state) benchmark::DoNotOptimize(plan_memory(large_model(), list, {.devices = {{1}, {2}}}));
  const MemoryPlan plan = plan_memory(large_model(), list, {.devices = {{1}, {2}}}).value();
  state.counters["arenas"] = static_cast<double>(plan.arenas.size());
  state.counters["layers"] = plan.options.n_gpu_layers;
}
BENCHMARK(plan_over_three_devices_with_limits)->Unit(benchmark::kMicrosecond);

// Llama 3 70B over two cards of so many GiB, every speed known: layers, FFNs on the CPU and streaming are compared.
void plan_70b_over_two_cards(benchmark::State& state) {
  const ModelInfo model = test::make_model(test::kLlama3_70B);
  const Bytes card = static_cast<Bytes>(state.range(0)) * kGiB;
  std::vector<DeviceInfo> list{test::cpu_with(256 * kGiB), test::gpu_with(card), test::gpu_with(card)};
  list[0].speed = {.read_bytes_per_s = 50e9, .copy_bytes_per_s = 20e9, .op_seconds = 1e-6, .products_per_s = 2e12};
  for (const std::size_t gpu : {1U, 2U})
    list[gpu].speed = {.read_bytes_per_s = 900e9, .copy_bytes_per_s = 25e9, .op_seconds = 3e-6, .products_per_s = 1e14};
  for (auto _ : state) benchmark::DoNotOptimize(plan_memory(model, list, {.devices = {{1}, {2}}}));
}
BENCHMARK(plan_70b_over_two_cards)->Unit(benchmark::kMicrosecond)->Arg(4)->Arg(12)->Arg(24)->Arg(48)->Arg(80);

void sizes_only(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(compute_arenas(large_model(), devices(), {}, Keep::kSizesOnly));
}
BENCHMARK(sizes_only)->Unit(benchmark::kMicrosecond);

void longest_context_on_cpu(benchmark::State& state) {
  const std::vector<DeviceInfo> tight{test::cpu_with(64 * kGiB)};
  for (auto _ : state) benchmark::DoNotOptimize(longest_context(large_model(), tight, {}));
}
BENCHMARK(longest_context_on_cpu)->Unit(benchmark::kMicrosecond);

void longest_context_with_auto_layers(benchmark::State& state) {
  const std::vector<DeviceInfo> tight{test::cpu_with(50 * kGiB), test::gpu_with(24 * kGiB)};
  for (auto _ : state) benchmark::DoNotOptimize(longest_context(large_model(), tight, {.devices = {{1}}}));
}
BENCHMARK(longest_context_with_auto_layers)->Unit(benchmark::kMicrosecond);

void fixes_of_a_plan_far_too_large(benchmark::State& state) {
  const PlanOptions asked{.n_ctx = 131072, .n_slots = 4, .n_gpu_layers = 60, .devices = {{1}}};
  for (auto _ : state) benchmark::DoNotOptimize(find_fixes(large_model(), devices(), asked));
}
BENCHMARK(fixes_of_a_plan_far_too_large)->Unit(benchmark::kMicrosecond);

// As the command line asks: with every device of the catalogue beside the CPU.
void fixes_among_the_whole_catalogue(benchmark::State& state) {
  std::vector<DeviceInfo> all = built_in_device_catalogue().value();
  all.insert(all.begin(), test::cpu_with(256 * kGiB));
  const PlanOptions asked{.n_ctx = 131072, .n_gpu_layers = 60, .devices = {{find_device(all, "RTX 4090").value()}}};
  for (auto _ : state) benchmark::DoNotOptimize(find_fixes(large_model(), all, asked));
}
BENCHMARK(fixes_among_the_whole_catalogue)->Unit(benchmark::kMicrosecond);

void json_of_a_plan(benchmark::State& state) {
  const MemoryPlan plan = plan_memory(large_model(), devices(), {}).value();
  for (auto _ : state) benchmark::DoNotOptimize(plan_json(large_model(), plan, {}));
}
BENCHMARK(json_of_a_plan)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace headroom
