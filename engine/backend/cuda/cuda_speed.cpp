#include "backend/cuda/cuda_speed.h"

#include <algorithm>
#include <array>

#include "backend/cuda/cuda_arena.h"
#include "backend/cuda/cuda_arithmetic.h"
#include "backend/cuda/cuda_launch.h"
#include "backend/gpu/timed_work.h"

namespace headroom {
namespace {

constexpr Bytes kCopyBytes = kTimedCopyBytes;
constexpr std::uint32_t kFewOps = 64;
// Of limits: well above the caches of cards.
constexpr Bytes kLimitReadBytes = kGiB, kLeastLimitReadBytes = 32 * kMiB;
// kernels/rates.cu: of a block.
constexpr std::uint32_t kThreads = 256;
constexpr Bytes kBytesPerBlock = Bytes{kThreads} * 16 * 16;
constexpr double kScalarsPerBlock = 256.0 * 2048 * 16, kTilesPerBlock = 256.0 / 32 * 256 * 8 * (16.0 * 8 * 32);

Result<std::unique_ptr<CudaArena>> map(const std::shared_ptr<CudaDevice>& device, Memory memory, Bytes bytes) {
  ArenaPlan plan;
  plan.memory = memory;
  plan.size = bytes;
  return CudaArena::map(device, plan);
}

// A kernel of rates.cu, which reads and writes in one arena.
class Rate {
 public:
  static Result<Rate> open(CudaDevice& device, std::string_view entry, const CudaArena& arena) {
    const Result<cuda::CUfunction> function = device.find_kernel(entry);
    if (!function) return function.error();
    Rate rate(device, *function);
    rate.launch_.buffers.fill(arena.address());
    return rate;
  }

  // n_blocks, n_times one after the other, and waits.
  Status run(std::uint64_t n_blocks, std::uint64_t n_times, const std::array<std::uint32_t, 2>& words = {}) {
    launch_.words.assign(words.begin(), words.end());
    const std::vector<std::byte> params = launch_.params();
    for (std::uint64_t i = 0; i < n_times; ++i) {
      for (std::uint64_t first = 0; first < n_blocks; first += kMostBlocks) {
        const auto n = static_cast<std::uint32_t>(std::min(n_blocks - first, kMostBlocks));
        if (Status started = device_->launch("measuring it", function_, {n, 1, 1}, kThreads, params); !started)
          return started;
      }
    }
    return device_->wait_idle("measuring it");
  }

 private:
  static constexpr std::uint64_t kMostBlocks = 1ULL << 30;
  Rate(CudaDevice& device, cuda::CUfunction function) : device_(&device), function_(function) {}

  CudaDevice* device_;
  cuda::CUfunction function_;
  CudaLaunch launch_;
};

// What prompts are multiplied in, and multiply-adds of a block.
struct TilePeak {
  const char* entry;
  std::array<std::uint32_t, 2> words;
  double products;
};
TilePeak tile_peak(const CudaCard& card) {
  if (cuda_arithmetic(card).half_rows == HalfRows::kOfAllWeights)
    return {"peak_half_tiles", {0x38003800U, 0x34003400U}, kTilesPerBlock / 2};  // 0.5 and 0.25, twice each
  return {"peak_tiles", {0x0103F905U, 0x05020301U}, kTilesPerBlock};
}

}  // namespace

Result<DeviceSpeed> measure_cuda_speed(const std::shared_ptr<CudaDevice>& device, Bytes most_bytes) {
  const CudaCard& card = device->card();
  const Bytes uncached_bytes = uncached_read_bytes(card.cache_bytes, card.total_bytes);
  const Bytes read_bytes = timed_read_bytes(uncached_bytes, most_bytes, sample_card(card).free);
  Result<std::unique_ptr<CudaArena>> from = map(device, Memory::kDevice, read_bytes);
  if (!from) return from.error();
  Result<std::unique_ptr<CudaArena>> host = map(device, Memory::kPageLocked, kCopyBytes);
  if (!host) return host.error();
  const GpuSlice all{from->get(), 0, read_bytes};
  if (Status cleared = device->clear(all); !cleared) return cleared.error();
  Result<Rate> rate = Rate::open(*device, "read_rate", **from);
  if (!rate) return rate.error();
  const auto read = [&](std::uint64_t n_blocks, std::uint64_t n_times) {
    return shortest_seconds([&] { return rate->run(n_blocks, n_times); });
  };
  DeviceSpeed speed;
  const Result<double> one = read(1, 1), few = read(1, kFewOps), whole = read(read_bytes / kBytesPerBlock, 1);
  for (const Result<double>* seconds : {&one, &few, &whole}) {
    if (!*seconds) return seconds->error();
  }
  speed.op_seconds = seconds_of_op(*one, *few, kFewOps);
  const double reading = seconds_of_reading(*one, *whole);
  if (reading > 0 && read_bytes == uncached_bytes) speed.read_bytes_per_s = static_cast<double>(read_bytes) / reading;
  const std::array copies{GpuCopy{all.part(0, kCopyBytes), {host->get(), 0, kCopyBytes}}};
  const Result<double> copying = shortest_seconds([&] { return device->copy("measuring it", copies); });
  if (!copying) return copying.error();
  if (*copying > 0) speed.copy_bytes_per_s = static_cast<double>(kCopyBytes) / *copying;
  const TilePeak tiles = tile_peak(card);
  Result<Rate> peak = Rate::open(*device, tiles.entry, **from);
  if (!peak) return peak.error();
  const Result<double> blocks = quick_rate([&](std::uint64_t n) { return peak->run(n, 1, tiles.words); });
  if (!blocks) return blocks.error();
  speed.products_per_s = *blocks * tiles.products;
  return speed;
}

Result<DeviceLimits> measure_cuda_limits(const std::shared_ptr<CudaDevice>& device) {
  const Bytes free = sample_card(device->card()).free;
  const Bytes size = std::min(kLimitReadBytes, free / 2) / (2 * kMiB) * (2 * kMiB);
  if (size < kLeastLimitReadBytes) {
    return Error{ErrorCode::kResource, Message::say("measuring {}: asked for {} with as much left, free {}",
                                                    device->id(), amount(kLeastLimitReadBytes), amount(free))};
  }
  Result<std::unique_ptr<CudaArena>> memory = map(device, Memory::kDevice, size);
  if (!memory) return memory.error();
  if (Status cleared = device->clear({memory->get(), 0, size}); !cleared) return cleared.error();
  DeviceLimits limits;
  const auto take = [&](std::string_view entry, double per_unit, double& rate_of, auto work) -> Status {
    Result<Rate> rate = Rate::open(*device, entry, **memory);
    if (!rate) return rate.error();
    const Result<double> units = best_rate([&](std::uint64_t n_units) { return work(*rate, n_units); });
    if (!units) return units.error();
    rate_of = *units * per_unit;
    return ok_status();
  };
  const auto blocks = [&](const std::array<std::uint32_t, 2>& words) {
    return [words](Rate& rate, std::uint64_t n_blocks) { return rate.run(n_blocks, 1, words); };
  };
  Status done = take("read_rate", static_cast<double>(size / kBytesPerBlock * kBytesPerBlock), limits.read_bytes_per_s,
                     [&](Rate& rate, std::uint64_t n_times) { return rate.run(size / kBytesPerBlock, n_times); });
  // Every sum goes towards 2 and stays there (0.5 and 1): neither infinite nor subnormal.
  if (done) done = take("peak_f32", 2 * kScalarsPerBlock, limits.f32_ops_per_s, blocks({0x3F000000U, 0x3F800000U}));
  if (done) done = take("peak_int8", 8 * kScalarsPerBlock, limits.int8_ops_per_s, blocks({0x0103F905U, 0}));
  const TilePeak tiles = tile_peak(device->card());
  if (done) done = take(tiles.entry, 2 * tiles.products, limits.tile_ops_per_s, blocks(tiles.words));
  if (!done) return done.error();
  return limits;
}

}  // namespace headroom
