// Bytes and operations per second of each panel kernel on one thread, beside the two limits measured in the same run.
#include <benchmark/benchmark.h>

#include <sys/mman.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "backend/cpu/cpu_limits.h"
#include "backend/cpu/matrix.h"
#include "format/dtype_table.h"
#include "format/encode.h"
#include "plan/device_rules.h"

namespace headroom {
namespace {

constexpr std::uint32_t kCols = 2048;

// Memory as arenas have it: in huge pages where the system gives them. Processors do not read ahead across the end of a
// page.
class HugePages {
 public:
  HugePages() = default;
  explicit HugePages(Bytes size)
      : size_(size), memory_(static_cast<std::byte*>(std::aligned_alloc(kPage, round_up(size, kPage)))) {
    if (memory_ == nullptr) throw std::bad_alloc();
    madvise(memory_.get(), round_up(size, kPage), MADV_HUGEPAGE);
  }
  std::byte* data() const { return memory_.get(); }
  Bytes size() const { return size_; }

 private:
  static constexpr Bytes kPage = Bytes{2} << 20;
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  Bytes size_ = 0;
  std::unique_ptr<std::byte, Free> memory_;
};

// A matrix of repeated random rows, large enough that decode reads memory and not a cache.
struct RandomMatrix {
  HugePages panels;
  Matrix matrix;

  RandomMatrix(DType dtype, std::uint32_t n_rows) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0.0F, 0.02F);
    std::vector<float> row(kCols);
    std::vector<std::byte> rows(row_bytes(dtype, kCols) * kPanelRows);
    for (std::uint32_t i = 0; i < kPanelRows; ++i) {
      for (float& x : row) x = normal(random);
      encode_row(dtype, row.data(), kCols, rows.data() + i * row_bytes(dtype, kCols));
    }
    const Bytes stride = panel_bytes(dtype, kCols);
    panels = HugePages(stride * n_rows / kPanelRows);
    for (std::uint32_t panel = 0; panel < n_rows / kPanelRows; ++panel)
      put_panel(dtype, kCols, kPanelRows, rows.data(), panels.data() + panel * stride);
    matrix = {.panels = panels.data(), .dtype = dtype, .n_rows = n_rows, .n_cols = kCols, .panel_stride = stride};
  }
};

const DeviceLimits& limits() {
  static const DeviceLimits kMeasured = measure_cpu_limits(1).value();
  return kMeasured;
}

// Where a row has activations that are much larger than the others.
enum class Outliers : std::uint8_t {
  kNone,
  kChannels,   // one channel in 512, in every row, as models are trained to have: every other slab has an outlier
  kScattered,  // one of 256, each row has its own: what an FFN's products of two numbers have
};
std::vector<float> activation_row(std::mt19937& random, Outliers outliers) {
  std::normal_distribution<float> normal;
  std::uniform_int_distribution<std::uint32_t> place(0, 255);
  std::vector<float> row(kCols);
  for (float& value : row) value = normal(random);
  const std::uint32_t step = outliers == Outliers::kScattered ? 256 : 512;
  for (std::uint32_t i = 0; i < kCols && outliers != Outliers::kNone; i += step) {
    float& value = row[i + (outliers == Outliers::kScattered ? place(random) : 37)];
    value = 60.0F * (1.0F + 0.2F * value);
  }
  return row;
}

struct Shape {
  std::uint32_t n_activation_rows, n_rows;
  Outliers outliers = Outliers::kNone;
};

void multiply_matrix(benchmark::State& state, DType dtype, Shape shape) {
  const auto [n_activation_rows, n_rows, outliers] = shape;
  const Result<Isa> isa = selected_isa();
  if (!isa) return state.SkipWithError(isa.error().message.text().c_str());
  const KernelTable kernels = make_kernel_table(*isa);
  const RandomMatrix weights(dtype, n_rows);
  const Matrix& matrix = weights.matrix;
  std::vector<std::byte> f32(Bytes{n_activation_rows} * kCols * 4), int8(n_activation_rows * cpu_int8_row_bytes(kCols));
  std::vector<std::byte> slabs(kPairPanels * kSlabBytes);
  std::vector<float> values(std::size_t{kCpuBlockTiles} * kPairPanels * kTileCols * kPanelRows);
  const bool words = matrix.has_words() && n_activation_rows > kDirectCols;
  const Activations in{.f32 = matrix.reads_f32() && !words ? f32.data() : nullptr,
                       .words = words ? f32.data() : nullptr,
                       .int8 = matrix.reads_f32() ? nullptr : int8.data(),
                       .n_rows = n_activation_rows,
                       .n_elems = kCols,
                       .form = n_activation_rows > kDirectCols ? Int8Form::kSlabs
                               : matrix.has_super_blocks()     ? Int8Form::kSuperBlocks
                                                               : Int8Form::kBlocks};
  std::mt19937 random(3);
  for (std::uint32_t i = 0; i < n_activation_rows; ++i)
    put_activation_row(kernels, in, i, activation_row(random, outliers).data());
  float sum = 0.0F;
  for (auto _ : state) {
    multiply(kernels, matrix, 0, matrix.n_panels(), in, whole_blocks(in), {slabs.data(), values.data()}, StopToken(),
             [&](const PanelProduct& product, bool) { sum += product.values[0]; });
  }
  benchmark::DoNotOptimize(sum);
  const auto rounds = static_cast<double>(state.iterations());
  const double bytes = rounds * static_cast<double>(weights.panels.size()),
               ops = rounds * 2.0 * n_rows * kCols * n_activation_rows;
  using Counter = benchmark::Counter;
  state.counters["bytes_per_s"] = Counter(bytes, Counter::kIsRate);
  state.counters["of_read_limit"] = Counter(bytes / limits().read_bytes_per_s, Counter::kIsRate);
  state.counters["ops_per_s"] = Counter(ops, Counter::kIsRate);
  state.counters["of_int8_peak"] = Counter(ops / limits().int8_ops_per_s, Counter::kIsRate);
}

const int kRegistered = [] {
  for (const DTypeRow& row : kDTypes) {
    if (!row.is_weight) continue;
    const DType dtype = row.dtype;
    const std::string name(row.name);
    benchmark::RegisterBenchmark(("decode/" + name).c_str(), [dtype](benchmark::State& state) {
      multiply_matrix(state, dtype, {1, 32768});
    })->UseRealTime();
    benchmark::RegisterBenchmark(("prefill/" + name).c_str(), [dtype](benchmark::State& state) {
      multiply_matrix(state, dtype, {256, 512});
    })->UseRealTime();
    if (row.block_elems == 1) continue;
    for (const auto& [prefix, outliers] :
         {std::pair("prefill_outliers/", Outliers::kChannels), std::pair("prefill_scattered/", Outliers::kScattered)}) {
      benchmark::RegisterBenchmark((prefix + name).c_str(), [dtype, outliers = outliers](benchmark::State& state) {
        multiply_matrix(state, dtype, {256, 512, outliers});
      })->UseRealTime();
    }
  }
  return 0;
}();

}  // namespace
}  // namespace headroom
