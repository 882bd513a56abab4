// What a sampled token costs once its logits are there: from the whole row, and from candidates that the CPU finds.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "backend/cpu/cpu_candidates.h"
#include "base/usable_cores.h"
#include "run/sampler.h"

namespace headroom {
namespace {

struct Preset {
  const char* name;
  SamplerSettings settings;
};
const std::vector<Preset>& presets() {
  static const std::vector<Preset> all{
      {"usual",
       {.temperature = 0.8F, .top_k = 40, .top_p = 0.95F, .min_p = 0.05F, .repetition_penalty = 1.1F, .seed = 0}},
      {"no_top_k", {.temperature = 0.8F, .top_k = 0, .top_p = 0.95F, .min_p = 0.05F, .seed = 0}},
      {"greedy", {.temperature = 0.0F, .seed = 0}},
  };
  return all;
}

// Some rows in turn, as wide as those of a model that is sure of little, and what was said before.
struct Rows {
  explicit Rows(std::size_t n_vocab) : logits(8, std::vector<float>(n_vocab)) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0.0F, 2.5F);
    for (std::vector<float>& row : logits) {
      for (float& logit : row) logit = normal(random);
    }
    for (int i = 0; i < 64; ++i) recent.push_back(random() % n_vocab);
  }
  const std::vector<float>& next() { return logits[i++ % logits.size()]; }

  std::vector<std::vector<float>> logits;
  std::vector<TokenId> recent;
  std::size_t i = 0;
};

void from_whole_rows(benchmark::State& state) {
  const auto n_vocab = static_cast<std::size_t>(state.range(0));
  const Preset& preset = presets()[static_cast<std::size_t>(state.range(1))];
  state.SetLabel(preset.name);
  Rows rows(n_vocab);
  std::vector<Candidate> known(n_vocab);
  Sampler sampler(preset.settings, 1, known);
  for (auto _ : state) benchmark::DoNotOptimize(sampler.choose(rows.next(), rows.recent));
}

void from_candidates(benchmark::State& state) {
  const auto n_vocab = static_cast<std::uint32_t>(state.range(0));
  const Preset& preset = presets()[static_cast<std::size_t>(state.range(1))];
  state.SetLabel(preset.name);
  Rows rows(n_vocab);
  ModelInfo model;
  model.n_vocab = n_vocab;
  const CandidateScratch sizes = candidate_scratch(model, {.n_logit_rows = 1});
  std::vector<std::byte> scratch(sizes.total());
  ThreadPool pool(usable_cores());
  const KernelTable kernels = make_kernel_table(detected_isa());
  std::vector<Candidate> known(n_vocab), best(kMostCandidates);
  std::vector<TokenId> ids(kMostCandidates);
  std::vector<float> logits(kMostCandidates);
  Sampler sampler(preset.settings, 1, known);
  std::uint64_t n_rows_read = 0;
  for (auto _ : state) {
    const std::vector<float>& row = rows.next();
    std::optional<CandidateQuery> query = sampler.ask(rows.recent, {best, ids, logits});
    find_cpu_candidates({row.data(), n_vocab, scratch.data(), sizes}, kernels, pool, {&*query, 1});
    std::optional<TokenId> token = sampler.choose(*query);
    if (!token) {
      ++n_rows_read;
      token = sampler.choose(row, rows.recent);
    }
    benchmark::DoNotOptimize(token);
  }
  state.counters["whole_rows"] =
      benchmark::Counter(static_cast<double>(n_rows_read), benchmark::Counter::kAvgIterations);
}

void arguments(benchmark::internal::Benchmark* bench) {
  for (const int n_vocab : {32000, 151936}) {
    for (std::size_t preset = 0; preset < presets().size(); ++preset)
      bench->Args({n_vocab, static_cast<std::int64_t>(preset)});
  }
  bench->Unit(benchmark::kMicrosecond)->UseRealTime();
}
BENCHMARK(from_whole_rows)->Apply(arguments);
BENCHMARK(from_candidates)->Apply(arguments);

}  // namespace
}  // namespace headroom
