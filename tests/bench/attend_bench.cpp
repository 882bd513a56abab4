// Attention of one KV head group on one thread, by KV type, depth, head size and number of queries: operations and cache bytes per second.
// Benchmark's CPU time is what to read on a shared machine.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "backend/cpu/attend.h"
#include "format/dtype_table.h"
#include "plan/device_rules.h"
#include "plan/kv_regions.h"

namespace headroom {
namespace {

constexpr std::uint32_t kKvHeads = 8;

// The cache of a layer, filled with random heads: its exact ends as a decode at its end would find them.
class FilledCache {
 public:
  FilledCache(const KernelTable& kernels, DType dtype, std::uint32_t head_dim, std::uint32_t n_keys) : kernels_(kernels) {
    LayerSpec layer;
    layer.n_kv_heads = kKvHeads;
    layer.head_dim = head_dim;
    const PlanOptions options{.n_ctx = n_keys, .kv_k = dtype, .kv_v = dtype};
    for (const KvRegion& region : kv_regions(layer, options)) bytes_.emplace_back(*kv_region_bytes(layer, region, 1));
    const bool has_ends = bytes_.size() > 2;
    keys = make_kv_cache(bytes_[0].data(), has_ends ? bytes_[2].data() : nullptr, dtype, layer, options);
    values = make_kv_cache(bytes_[1].data(), has_ends ? bytes_[3].data() : nullptr, dtype, layer, options);
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    std::vector<float> head(head_dim);
    for (std::uint32_t position = 0; position < n_keys; ++position) {
      for (std::uint32_t kv_head = 0; kv_head < kKvHeads; ++kv_head) {
        for (float& x : head) x = normal(random);
        put(keys, kv_head, position, head, true);
        put(values, kv_head, position, head, false);
      }
    }
  }
  double n_bytes() const {
    double sum = 0;
    for (const std::vector<std::byte>& region : bytes_) sum += static_cast<double>(region.size());
    return sum;
  }

  KvCache keys, values;

 private:
  void put(const KvCache& cache, std::uint32_t kv_head, std::uint32_t position, const std::vector<float>& head, bool is_keys) {
    const auto n = static_cast<std::uint32_t>(head.size());
    std::vector<std::byte> row(4UL * n + 64);
    const auto put_in = [&](const KvView& view) {
      encode_kv_head(kernels_, KvScheme::kRotated, view.dtype, head.data(), n, row.data());
      (is_keys ? put_key_row : put_value_row)(view.dtype, n, position % kPanelRows, row.data(), view.group(0, kv_head, position));
    };
    put_in(cache.all);
    if (cache.has_ends()) put_in(position < cache.sinks.n_rows ? cache.sinks : cache.ring);
  }
  const KernelTable& kernels_;
  std::vector<std::vector<std::byte>> bytes_;
};

void attend_all_heads(benchmark::State& state, DType dtype, std::uint32_t head_dim, std::uint32_t n_queries, std::uint32_t n_keys) {
  const Result<Isa> isa = selected_isa();
  if (!isa) return state.SkipWithError(isa.error().message.c_str());
  const KernelTable kernels = make_kernel_table(*isa);
  const FilledCache cache(kernels, dtype, head_dim, n_keys);
  ModelInfo model;
  model.layers.emplace_back();
  model.layers[0].head_dim = head_dim;
  std::vector<std::byte> bytes(cpu_scratch(model, {}, 1, 1).attention_bytes);
  const AttendScratch scratch = cut_attend_scratch(bytes.data(), head_dim);
  const std::vector<float> query(head_dim, 0.7F);
  const std::vector<const float*> queries(n_queries, query.data());
  const std::vector<std::uint32_t> from(n_queries, 0), to(n_queries, n_keys);
  for (auto _ : state) {
    for (std::uint32_t kv_head = 0; kv_head < kKvHeads; ++kv_head) {
      attend(kernels,
             {.keys = &cache.keys,
              .values = &cache.values,
              .kv_head = kv_head,
              .exact_from = n_keys - cache.keys.ring.n_rows,
              .scale = 0.125F,
              .n_queries = n_queries,
              .queries = queries.data(),
              .seen_from = from.data(),
              .seen_to = to.data(),
              .first = 0,
              .last = n_keys},
             scratch);
    }
    benchmark::DoNotOptimize(scratch.acc[0]);
  }
  using Counter = benchmark::Counter;
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["ops_per_s"] = Counter(rounds * 4.0 * kKvHeads * n_queries * n_keys * head_dim, Counter::kIsRate);
  state.counters["bytes_per_s"] = Counter(rounds * cache.n_bytes(), Counter::kIsRate);
}

const int kRegistered = [] {
  for (const std::uint32_t head_dim : {64U, 128U}) {
    for (const std::uint32_t n_queries : {4U, kCpuQueryTile}) {
      for (const std::uint32_t n_keys : {2048U, 16384U}) {
        for (const DType dtype : {DType::kF16, DType::kQ8_0, DType::kF8E4M3, DType::kQ4_0}) {
          const std::string name = std::string(dtype_row(dtype).label) + "/head" + std::to_string(head_dim) + "/queries" + std::to_string(n_queries) +
                                   "/keys" + std::to_string(n_keys);
          benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { attend_all_heads(state, dtype, head_dim, n_queries, n_keys); });
        }
      }
    }
  }
  return 0;
}();

}  // namespace
}  // namespace headroom
