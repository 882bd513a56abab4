// How long a large model takes to open: its metadata, its tensor list and its vocabulary are read, no weight is.
#include <benchmark/benchmark.h>

#include "file/gguf_reader.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace headroom {
namespace {

// 40 GB with holes in place of weights, which take no disk; target: under 100 ms.
void open_a_model_of_40_gb(benchmark::State& state) {
  test::RandomModelSpec spec;
  spec.n_layers = 80, spec.d_model = 8192, spec.n_heads = 64, spec.n_kv_heads = 8, spec.d_ff = 28672, spec.n_vocab = 128256;
  spec.weight_type = DType::kQ4_K;
  spec.has_holes = true;
  const test::TempFolder folder;
  const auto path = test::make_random_model(spec, folder.path());
  for (auto _ : state) benchmark::DoNotOptimize(open_model_file(path));
}
BENCHMARK(open_a_model_of_40_gb)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace headroom
