#include "backend/cpu/cpu_limits.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include "backend/cpu/activations.h"
#include "backend/cpu/copy_panels.h"
#include "backend/cpu/cpu_format_speed.h"
#include "backend/cpu/isa_choice.h"
#include "backend/cpu/kernel_table.h"
#include "backend/host/host_arena.h"
#include "backend/host/host_memory.h"
#include "backend/host/thread_pool.h"
#include "format/dtype_table.h"
#include "model/gpu_panel.h"
#include "plan/device_rules.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Bytes kReadBytes =
    768 * kMiB;  // well above a server's third-level cache of 260 MiB, which one virtual machine may have to itself
constexpr int kReadPasses = 5, kQuickReadPasses = 3;
constexpr Bytes kQuickReadLeast = 128 * kMiB, kQuickReadMost = 512 * kMiB;
// As f16 and in the floats of 16 and 32 bits a normal number, so that no product is slow for being next to nothing.
constexpr std::byte kFill{0x3C};
constexpr int kOpJobs = 5, kOpsPerJob = 200;
constexpr std::uint32_t kOpCols = 2048;
// Long enough to be timed, and for the clock frequency that this load gets; of a quick look, to be timed.
constexpr double kPeakPassSeconds = 0.05, kQuickPeakSeconds = 0.004;
constexpr int kPeakPasses = 3, kQuickPeakPasses = 1;
constexpr std::uint64_t kLentCols = 4096, kLentRowsPerThread = 1024;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// All threads read memory of whole units. The constructor writes to it, so that its pages are present.
class CpuReadMeter final : public ReadMeter {
 public:
  CpuReadMeter(ThreadPool& pool, const KernelTable& kernels, std::byte* memory, Bytes n_bytes)
      : pool_(pool), read_(kernels.read), memory_(memory), n_bytes_(n_bytes), sums_(pool.n_threads()) {
    pool_.run([&](std::uint32_t thread) {
      const Share units = units_of(thread);
      std::fill(memory_ + units.first * kReadUnitBytes, memory_ + units.last * kReadUnitBytes, kFill);
    });
  }
  CpuReadMeter(ThreadPool& pool, const KernelTable& kernels, std::unique_ptr<Arena> arena, Bytes n_bytes)
      : CpuReadMeter(pool, kernels, arena->host_address(), n_bytes) {
    arena_ = std::move(arena);
  }

  Bytes size() const override { return n_bytes_; }
  double read() override {
    const Clock::time_point start = Clock::now();
    pool_.run([&](std::uint32_t thread) {
      const Share units = units_of(thread);
      sums_[thread] += read_(memory_ + units.first * kReadUnitBytes, units.last - units.first);
    });
    return seconds_since(start);
  }

 private:
  Share units_of(std::uint32_t thread) const {
    return share_of(static_cast<std::uint32_t>(n_bytes_ / kReadUnitBytes), thread, pool_.n_threads());
  }

  ThreadPool& pool_;
  float (*read_)(const std::byte* from, std::uint64_t n_units);
  std::unique_ptr<Arena> arena_;  // null: the memory is another's
  std::byte* memory_;
  Bytes n_bytes_;
  std::vector<float> sums_;  // keeps the reads from being dropped
};

Result<std::unique_ptr<ReadMeter>> map_meter(ThreadPool& pool, const KernelTable& kernels) {
  std::atomic<std::uint64_t> n_allocations = 0;
  ArenaPlan plan;
  plan.size = kReadBytes;
  Result<std::unique_ptr<Arena>> memory = map_host_arena(plan, n_allocations);
  if (!memory) return memory.error();
  return std::unique_ptr<ReadMeter>(std::make_unique<CpuReadMeter>(pool, kernels, std::move(*memory), kReadBytes));
}

// Bytes a second of the best pass: other programs only ever take time away.
double best_read_rate(ReadMeter& meter, int n_passes) {
  double best = 0;
  for (int pass = 0; pass < n_passes; ++pass) best = std::max(best, static_cast<double>(meter.size()) / meter.read());
  return best;
}

// Rounds double until a pass is long enough, whatever the machine; then the best of some.
double measure_peak(ThreadPool& pool, float (*peak)(std::uint64_t n_rounds), std::uint64_t ops_per_round,
                    double pass_seconds, int most_passes) {
  std::vector<float> results(pool.n_threads());
  std::uint64_t n_rounds = 1200;
  double best = 0;
  for (int n_passes = 0; n_passes < most_passes;) {
    const Clock::time_point start = Clock::now();
    pool.run([&](std::uint32_t thread) { results[thread] += peak(n_rounds); });
    const double seconds = seconds_since(start);
    if (seconds < pass_seconds) {
      n_rounds *= 2;
      continue;
    }
    best = std::max(best, static_cast<double>(n_rounds * ops_per_round) * pool.n_threads() / seconds);
    ++n_passes;
  }
  return best;
}

// Multiply-adds a second of what prompts take most of.
double measure_products(ThreadPool& pool, const KernelTable& kernels) {
  const bool has_tiles = kernels.tile_peak != nullptr;
  return measure_peak(pool, has_tiles ? kernels.tile_peak : kernels.int8_peak,
                      has_tiles ? kTilePeakOpsPerRound : kPeakOpsPerRound, kQuickPeakSeconds, kQuickPeakPasses) /
         2;
}

// Bytes a second of weights that a GPU is to read, Q4_K; the second pass, when all pages are there.
double measure_lending(ThreadPool& pool, std::byte* memory, Bytes n_bytes) {
  WeightTensor weight;
  weight.role = TensorRole::kGate;
  weight.dtype = DType::kQ4_K;
  weight.n_cols = kLentCols;
  const Bytes row = row_bytes(weight.dtype, kLentCols), panel_rows = pool.n_threads() * kGpuPanelRows * row;
  if (panel_rows > n_bytes / 2) return 0;  // more threads than any machine has
  weight.n_rows = std::min(kLentRowsPerThread * pool.n_threads(), (n_bytes - panel_rows) / (2 * row));
  weight.n_rows = weight.n_rows / kGpuPanelRows * kGpuPanelRows;
  const PanelFormat format{kGpuPanelRows, gpu_panel(weight.dtype, kLentCols).bytes(), pack_gpu_panel};
  const PanelRange all{0, count_panels(weight, format)};
  const Bytes size = weight_bytes(weight, WeightLayout::kPanels), lent = all.last * format.bytes;
  double seconds = 0;
  for (int pass = 0; pass < 2; ++pass) {
    const Clock::time_point start = Clock::now();
    copy_cpu_panels(weight, memory, format, all, {memory + size + lent, panel_rows}, pool, memory + size);
    seconds = seconds_since(start);
  }
  return seconds > 0 ? static_cast<double>(lent) / seconds : 0;
}

// What an op takes beside its weights: every thread norms and rounds a row, then they wait for each other inside one
// job. The best job: the first one wakes threads that sleep.
double measure_op(ThreadPool& pool, const KernelTable& kernels) {
  const std::vector<float> row(kOpCols, 0.5F);
  std::vector<float> normed(std::size_t{pool.n_threads()} * kOpCols);
  std::vector<std::byte> int8(pool.n_threads() * cpu_int8_row_bytes(kOpCols));
  double best = 1.0;
  for (int job = 0; job < kOpJobs; ++job) {
    const Clock::time_point start = Clock::now();
    pool.run([&](std::uint32_t thread) {
      float* to = normed.data() + std::size_t{thread} * kOpCols;
      const Activations in{.int8 = int8.data() + thread * cpu_int8_row_bytes(kOpCols), .n_rows = 1, .n_elems = kOpCols};
      for (int i = 0; i < kOpsPerJob; ++i) {
        kernels.norm(row.data(), row.data(), kOpCols, 1e-5F, to);
        put_activation_row(kernels, in, 0, to);
        pool.barrier();
      }
    });
    best = std::min(best, seconds_since(start) / kOpsPerJob);
  }
  return best;
}

}  // namespace

Result<DeviceSpeed> measure_cpu_speed(ThreadPool& pool, const KernelTable& kernels, Bytes most_bytes) {
  // 0 or -1 where the system does not know.
  const auto cache_bytes = static_cast<Bytes>(std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), 0L));
  std::atomic<std::uint64_t> n_allocations = 0;
  ArenaPlan plan;
  plan.size = std::clamp(4 * cache_bytes, kQuickReadLeast, kQuickReadMost);
  plan.size = std::max(std::min(plan.size, most_bytes) / kMiB, kLeastMeasureBytes / kMiB) * kMiB;
  const Bytes least_beyond = cache_bytes > 0 ? std::min(2 * cache_bytes, kQuickReadMost) : kQuickReadLeast;
  const bool is_beyond_caches = plan.size >= least_beyond;
  // Pages are only promised by the system: a figure is not worth another program's life.
  const Result<MemorySample> now = sample_host_memory();
  if (!now) return now.error();
  if (now->free < 2 * plan.size) {
    return Error{ErrorCode::kResource, Message::say("measuring the CPU: asked for {} with as much left, free {}",
                                                    amount(plan.size), amount(now->free))};
  }
  const Result<std::unique_ptr<Arena>> memory = map_host_arena(plan, n_allocations);
  if (!memory) return memory.error();
  DeviceSpeed speed;
  CpuReadMeter meter(pool, kernels, (*memory)->host_address(), plan.size);
  const double reads = best_read_rate(meter, kQuickReadPasses);
  if (is_beyond_caches) speed.read_bytes_per_s = reads;
  measure_formats(pool, kernels, {(*memory)->host_address(), plan.size}, is_beyond_caches, speed);
  speed.op_seconds = measure_op(pool, kernels);
  speed.products_per_s = measure_products(pool, kernels);
  speed.copy_bytes_per_s = measure_lending(pool, (*memory)->host_address(), plan.size);
  return speed;
}

Result<std::unique_ptr<ReadMeter>> open_cpu_read_meter(ThreadPool& pool, const KernelTable& kernels) {
  const Result<MemorySample> now = sample_host_memory();
  if (!now) return now.error();
  if (now->free < 2 * kReadBytes) return std::unique_ptr<ReadMeter>();
  return map_meter(pool, kernels);
}

Result<DeviceLimits> measure_cpu_limits(ThreadPool& pool, const KernelTable& kernels) {
  const Result<std::unique_ptr<ReadMeter>> meter = map_meter(pool, kernels);
  if (!meter) return meter.error();
  DeviceLimits limits;
  limits.read_bytes_per_s = best_read_rate(**meter, kReadPasses);
  limits.int8_ops_per_s = measure_peak(pool, kernels.int8_peak, kPeakOpsPerRound, kPeakPassSeconds, kPeakPasses);
  if (kernels.tile_peak != nullptr) {
    limits.tile_ops_per_s = measure_peak(pool, kernels.tile_peak, kTilePeakOpsPerRound, kPeakPassSeconds, kPeakPasses);
  }
  return limits;
}

Result<DeviceLimits> measure_cpu_limits(std::uint32_t n_threads) {
  const Result<IsaChoice> choice = choose_isa();
  if (!choice) return choice.error();
  ThreadPool pool(n_threads);
  return measure_cpu_limits(pool, make_kernel_table(choice->isa));
}

}  // namespace headroom
