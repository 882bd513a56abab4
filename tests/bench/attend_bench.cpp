// Attention of one KV head group on one thread, by KV type, depth, head size and number of queries: operations and
// cache bytes per second. Benchmark's CPU time is what to read on a shared machine.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "backend/cpu/attend.h"
#include "format/dtype_table.h"
#include "plan/device_rules.h"
#include "support/filled_cache.h"

namespace headroom {
namespace {

constexpr std::uint32_t kKvHeads = 8;

void attend_all_heads(benchmark::State& state, DType dtype, std::uint32_t head_dim, std::uint32_t n_queries,
                      std::uint32_t n_keys) {
  const Result<Isa> isa = selected_isa();
  if (!isa) return state.SkipWithError(isa.error().message.text().c_str());
  const KernelTable kernels = make_kernel_table(*isa);
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  const test::FilledCache cache(
      kernels, {.k = dtype, .v = dtype, .n_kv_heads = kKvHeads, .head_dim = head_dim, .n_keys = n_keys},
      [&](bool, std::span<float> head) {
        for (float& x : head) x = normal(random);
      });
  ModelInfo model;
  model.layers.emplace_back();
  model.layers[0].head_dim = head_dim;
  std::vector<std::byte> bytes(cpu_scratch(model, {}, 1, 1).attention_bytes);
  const std::vector<float> query(head_dim, 0.7F);
  const std::vector<const float*> queries(n_queries, query.data());
  std::vector<float> results(std::size_t{n_queries} * head_dim);
  std::vector<float*> outputs;
  for (std::uint32_t i = 0; i < n_queries; ++i) outputs.push_back(results.data() + std::size_t{i} * head_dim);
  const std::vector<std::uint32_t> from(n_queries, 0), to(n_queries, n_keys);
  for (auto _ : state) {
    for (std::uint32_t kv_head = 0; kv_head < kKvHeads; ++kv_head) {
      attend_many(kernels,
                  {.keys = &cache.keys,
                   .values = &cache.values,
                   .kv_head = kv_head,
                   .exact_from = cache.exact_from,
                   .scale = 0.125F,
                   .n_queries = n_queries,
                   .queries = queries.data(),
                   .seen_from = from.data(),
                   .seen_to = to.data(),
                   .first = 0,
                   .last = n_keys},
                  head_dim, bytes.data(), outputs.data());
    }
    benchmark::DoNotOptimize(results[0]);
  }
  using Counter = benchmark::Counter;
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["ops_per_s"] = Counter(rounds * 4.0 * kKvHeads * n_queries * n_keys * head_dim, Counter::kIsRate);
  state.counters["bytes_per_s"] = Counter(rounds * cache.n_bytes(), Counter::kIsRate);
}

const int kRegistered = [] {
  for (const std::uint32_t head_dim : {64U, 128U}) {
    for (const std::uint32_t n_queries : {4U, 8U, 64U, kCpuQueryTile}) {
      for (const std::uint32_t n_keys : {2048U, 16384U}) {
        for (const DType dtype : {DType::kF16, DType::kQ8_0, DType::kF8E4M3, DType::kQ4_0}) {
          const std::string name = std::string(dtype_row(dtype).label) + "/head" + std::to_string(head_dim) +
                                   "/queries" + std::to_string(n_queries) + "/keys" + std::to_string(n_keys);
          benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
            attend_all_heads(state, dtype, head_dim, n_queries, n_keys);
          });
        }
      }
    }
  }
  return 0;
}();

}  // namespace
}  // namespace headroom
