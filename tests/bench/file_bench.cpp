// How long a large model takes to open: its metadata, its tensor list and its vocabulary are read, no weight is.
#include <benchmark/benchmark.h>

#include "file/gguf_reader.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace headroom {
namespace {

// Target: under 100 ms.
void open_a_model_of_40_gb(benchmark::State& state) {
  const test::TempFolder folder;
  const auto path = test::make_random_model(test::spec_of_40_gb(), folder.path());
  for (auto _ : state) benchmark::DoNotOptimize(open_model_file(path));
}
BENCHMARK(open_a_model_of_40_gb)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace headroom
