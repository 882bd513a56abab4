#include "backend/cuda/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "backend/cuda/cuda_arena.h"
#include "backend/cuda/cuda_kernels.h"
#include "backend/cuda/cuda_uploads.h"
#include "backend/device_wait.h"

namespace headroom {
namespace {

// Kernels that begin while others end: cards, and drivers that also record them into graphs.
constexpr int kLeastOverlapMajor = 9, kLeastOverlapVersion = 12030;

// The context that this process shares on a card.
struct SharedContext {
  std::atomic<std::uint64_t> n_resets = 0;
  std::atomic<bool> is_broken = false;
  // Where the card did not answer: nothing is asked of it but whether this stream has come to its end.
  std::atomic<bool> is_given_up = false;
  cuda::CUcontext context = nullptr;
  cuda::CUstream stream = nullptr;
  std::vector<std::function<void()>> left;  // see CudaDevice::when_released()
};
SharedContext& shared_context(int ordinal) {
  static std::mutex mutex;
  static std::map<int, SharedContext> all;
  const std::lock_guard lock(mutex);
  return all[ordinal];
}

void reset_if_broken(const cuda::Driver& driver, const CudaCard& card) {
  SharedContext& shared = shared_context(card.ordinal);
  cuda::CUdevice device = 0;
  if (!shared.is_broken || driver.cuDeviceGet(&device, card.ordinal) != cuda::CUDA_SUCCESS) return;
  driver.cuCtxSetCurrent(nullptr);
  driver.cuDevicePrimaryCtxReset_v2(device);
  shared.is_broken = false;
  ++shared.n_resets;
}

// Whether a card that was given up may be opened again: when it has answered after all, what was left in its context is
// thrown away with it.
Status check_not_given_up(const cuda::Driver& driver, const CudaCard& card) {
  SharedContext& shared = shared_context(card.ordinal);
  if (!shared.is_given_up) return ok_status();
  driver.cuCtxSetCurrent(shared.context);
  if (driver.cuStreamQuery(shared.stream) == cuda::CUDA_ERROR_NOT_READY) return is_given_up(card.info.id);
  shared.is_given_up = false;
  shared.is_broken = true;
  reset_if_broken(driver, card);
  for (const auto& then : std::exchange(shared.left, {})) then();
  return ok_status();
}

}  // namespace

Result<std::shared_ptr<CudaDevice>> CudaDevice::open(const CudaCard& card, const CudaWays& ways) {
  const Result<const cuda::Driver*> driver = cuda::driver();
  if (!driver) return driver.error();
  if (Status usable = check_not_given_up(**driver, card); !usable) return usable.error();
  std::shared_ptr<CudaDevice> device(new CudaDevice(**driver, card, ways));  // NOLINT: the constructor is private
  if (Status made = device->create(); !made) return made.error();
  return device;
}

CudaDevice::CudaDevice(const cuda::Driver& driver, CudaCard card, const CudaWays& ways)
    : driver_(driver), card_(std::move(card)), ways_(ways) {
  ++use_of_card(card_).n_open;
  reset_if_broken(driver_, card_);
  n_resets_ = shared_context(card_.ordinal).n_resets;
}

bool CudaDevice::has_context() const {
  const SharedContext& shared = shared_context(card_.ordinal);
  return n_resets_ == shared.n_resets && !shared.is_given_up;
}

bool CudaDevice::is_given_up() const {
  const SharedContext& shared = shared_context(card_.ordinal);
  return n_resets_ == shared.n_resets && shared.is_given_up;
}

void CudaDevice::when_released(std::function<void()> then) {
  if (!is_given_up()) return then();
  shared_context(card_.ordinal).left.push_back(std::move(then));
}

Status CudaDevice::create() {
  const auto refused = [&](std::string_view what, cuda::CUresult result) -> Status {
    Error error = failed(what, result);
    if (error.code != ErrorCode::kDeviceLost) error.code = ErrorCode::kResource;
    // Behind some errors NVIDIA's documents ask for a new process. A reset of the context may do as well; here it did
    // not.
    const bool stays_lost = error.code == ErrorCode::kDeviceLost && shared_context(card_.ordinal).n_resets > 0;
    if (stays_lost) error.message = Message::say("{}; restart Headroom to use it again", error.message);
    return error;
  };
  if (const auto found = driver_.cuDeviceGet(&device_, card_.ordinal); found != cuda::CUDA_SUCCESS)
    return refused("opening it", found);
  // A program that waits for an answer leaves its core to others.
  driver_.cuDevicePrimaryCtxSetFlags_v2(device_, cuda::CU_CTX_SCHED_BLOCKING_SYNC);
  if (const auto made = driver_.cuDevicePrimaryCtxRetain(&context_, device_); made != cuda::CUDA_SUCCESS)
    return refused("opening it", made);
  if (const auto made = driver_.cuCtxSetCurrent(context_); made != cuda::CUDA_SUCCESS)
    return refused("opening it", made);
  int version = 0;
  const char* wanted = std::getenv(kOverlapVariable);
  has_overlap_ = ways_.overlaps && card_.major >= kLeastOverlapMajor &&
                 driver_.cuDriverGetVersion(&version) == cuda::CUDA_SUCCESS && version >= kLeastOverlapVersion &&
                 wanted != nullptr && std::string_view(wanted) == "1";
  // What kernels never use is not set aside for them. A driver rounds up to what it needs at least; one that refuses
  // keeps its own.
  for (const int limit : {cuda::CU_LIMIT_STACK_SIZE, cuda::CU_LIMIT_PRINTF_FIFO_SIZE, cuda::CU_LIMIT_MALLOC_HEAP_SIZE})
    driver_.cuCtxSetLimit(limit, 0);
  if (const auto made = driver_.cuStreamCreate(&stream_, cuda::CU_STREAM_NON_BLOCKING); made != cuda::CUDA_SUCCESS)
    return refused("opening it", made);
  return ok_status();
}

CudaDevice::~CudaDevice() {
  if (context_ != nullptr && !is_given_up()) {
    reset_if_broken(driver_, card_);
    if (has_context()) {
      driver_.cuCtxSetCurrent(context_);
      for (const auto& [file, module] : modules_) driver_.cuModuleUnload(module);
      if (stream_ != nullptr) driver_.cuStreamDestroy_v2(stream_);
      driver_.cuCtxSetCurrent(nullptr);
    }
  }
  when_released([&driver = driver_, device = device_, is_retained = context_ != nullptr, &use = use_of_card(card_)] {
    if (is_retained) driver.cuDevicePrimaryCtxRelease_v2(device);
    if (--use.n_open == 0) use.driver_bytes = 0;
  });
}

const cuda::Driver& CudaDevice::driver() const {
  driver_.cuCtxSetCurrent(context_);
  return driver_;
}

Status CudaDevice::check_present() const {
  if (is_given_up()) return headroom::is_given_up(id());
  if (!is_lost_ && has_context()) return ok_status();
  return Error{ErrorCode::kDeviceLost, Message::say("{}: the device was lost", id())};
}

Error CudaDevice::failed(std::string_view what, cuda::CUresult result) {
  if (!cuda::is_device_lost(result)) return cuda::driver_error(id(), std::string(what), result);
  is_lost_ = true;
  if (has_context()) shared_context(card_.ordinal).is_broken = true;
  return {ErrorCode::kDeviceLost,
          Message::say("{}: the device was lost while {}: {}", id(), what, cuda::result_name(result))};
}

Status CudaDevice::wait_idle(std::string_view what) {
  if (is_idle_) return check_present();
  const Result<WaitPace::Duration> waited =
      wait_until_done(what, idle_pace_, [&] { return driver().cuStreamQuery(stream_); });
  if (!waited) return waited.error();
  is_idle_ = true;
  // The copy of a row of logits, say, tells nothing of how long a step takes.
  if (*waited >= WaitPace::kAskedAtFirst) idle_pace_ = WaitPace(*waited);
  return ok_status();
}

Status CudaDevice::wait_for(std::string_view what, cuda::CUstream stream) {
  const auto waited = wait_until_done(what, {}, [&] { return driver().cuStreamQuery(stream); });
  return waited ? ok_status() : Status(waited.error());
}

Status CudaDevice::wait_for(std::string_view what, cuda::CUevent event) {
  const auto waited = wait_until_done(what, {}, [&] { return driver().cuEventQuery(event); });
  return waited ? ok_status() : Status(waited.error());
}

// How long it waited.
Result<WaitPace::Duration> CudaDevice::wait_until_done(std::string_view what, const WaitPace& pace,
                                                       const std::function<cuda::CUresult()>& query) {
  if (Status present = check_present(); !present) return present.error();
  const std::chrono::milliseconds limit = device_wait_limit();
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const cuda::CUresult done = query();
    const auto waited = std::chrono::duration_cast<WaitPace::Duration>(std::chrono::steady_clock::now() - start);
    if (done == cuda::CUDA_SUCCESS) return waited;
    if (done != cuda::CUDA_ERROR_NOT_READY) return failed(what, done);
    if (waited >= limit) return give_up(what, limit);
    if (const auto pause = pace.pause(waited); pause.count() > 0) std::this_thread::sleep_for(pause);
  }
}

Error CudaDevice::give_up(std::string_view what, std::chrono::milliseconds waited) {
  SharedContext& shared = shared_context(card_.ordinal);
  shared.context = context_;
  shared.stream = stream_;
  shared.is_given_up = true;
  return no_answer(id(), what, waited);
}

Status CudaDevice::launch(std::string_view what, cuda::CUfunction function, const Grid& grid, std::uint32_t n_threads,
                          std::span<const std::byte> params) {
  cuda::CUlaunchAttribute overlap{cuda::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 0, 1, {}};
  const cuda::CUlaunchConfig config{grid.x, grid.y, grid.z,   n_threads, 1,
                                    1,      0,      stream(), &overlap,  has_overlap_ ? 1U : 0U};
  void* given[] = {const_cast<std::byte*>(params.data())};
  const cuda::CUresult started = driver().cuLaunchKernelEx(&config, function, given, nullptr);
  return started == cuda::CUDA_SUCCESS ? ok_status() : Status(failed(what, started));
}

Status CudaDevice::start_copy(std::string_view what, const GpuCopy& copy) {
  if (Status present = check_present(); !present) return present;
  const auto started = driver().cuMemcpyAsync(address_of(copy.to), address_of(copy.from), copy.from.size, stream());
  return started == cuda::CUDA_SUCCESS ? ok_status() : Status(failed(what, started));
}

Status CudaDevice::copy(std::string_view what, std::span<const GpuCopy> copies) {
  for (const GpuCopy& each : copies) {
    if (Status started = start_copy(what, each); !started) return started;
  }
  return wait_idle(what);
}

Status CudaDevice::clear(const GpuSlice& slice) {
  if (Status present = check_present(); !present) return present;
  const auto started = driver().cuMemsetD8Async(address_of(slice), 0, slice.size, stream());
  if (started != cuda::CUDA_SUCCESS) return failed("clearing memory", started);
  return wait_idle("clearing memory");
}

Result<std::unique_ptr<GpuUploads>> CudaDevice::make_uploads(std::uint32_t n_parts) {
  return CudaUploads::open(*this, n_parts);
}

Result<cuda::CUfunction> CudaDevice::find_kernel(std::string_view entry) {
  if (Status present = check_present(); !present) return present.error();
  const CudaKernelFile& file = kernel_file_of(entry);
  auto loaded = modules_.find(file.name);
  if (loaded == modules_.end()) {
    cuda::CUmodule module = nullptr;
    if (const auto made = driver().cuModuleLoadData(&module, file.image.data()); made != cuda::CUDA_SUCCESS) {
      Error error = failed(fmt::format("loading the kernels {}", file.name), made);
      error.message = Message::say("{} (compute capability {}.{})", error.message, card_.major, card_.minor);
      return error;
    }
    loaded = modules_.emplace(file.name, module).first;
  }
  cuda::CUfunction function = nullptr;
  const std::string name(entry);
  if (const auto found = driver().cuModuleGetFunction(&function, loaded->second, name.c_str());
      found != cuda::CUDA_SUCCESS)
    return failed(fmt::format("finding the kernel {}", entry), found);
  return function;
}

}  // namespace headroom
