#include "backend/cuda/cuda_arena.h"

#include "backend/host/host_memory.h"

namespace headroom {

Result<std::unique_ptr<CudaArena>> CudaArena::map(std::shared_ptr<CudaDevice> device, const ArenaPlan& plan) {
  if (Status present = device->check_present(); !present) return present.error();
  std::unique_ptr<CudaArena> arena(new CudaArena(std::move(device), plan));  // NOLINT: the constructor is private
  if (plan.size == 0) return arena;
  if (Status made = arena->create(); !made) return made.error();
  return arena;
}

std::atomic<Bytes>& CudaArena::bytes_in_use() const {
  GpuUse& use = use_of_card(device_->card());
  return is_page_locked_ ? use.host_arena_bytes : use.device_arena_bytes;
}

Bytes CudaArena::free_now() const {
  if (is_page_locked_) {
    const Result<MemorySample> host = sample_host_memory();
    return host ? host->free : 0;
  }
  // Its driver counts what all programs hold, also where NVML does not tell.
  std::size_t free = 0, total = 0;
  if (device_->driver().cuMemGetInfo_v2(&free, &total) == cuda::CUDA_SUCCESS) return free;
  return sample_card(device_->card()).free;
}

Status CudaArena::create() {
  const cuda::Driver& driver = device_->driver();
  cuda::CUresult made = cuda::CUDA_SUCCESS;
  if (is_page_locked_) {
    void* host = nullptr;
    made = driver.cuMemHostAlloc(&host, size_, cuda::CU_MEMHOSTALLOC_PORTABLE);
    host_ = static_cast<std::byte*>(host);
    if (made == cuda::CUDA_SUCCESS) made = driver.cuMemHostGetDevicePointer_v2(&address_, host, 0);
  } else {
    made = driver.cuMemAlloc_v2(&address_, size_);
  }
  if (made == cuda::CUDA_SUCCESS) {
    bytes_in_use() += size_;
    return ok_status();
  }
  if (cuda::is_device_lost(made)) return device_->failed("mapping memory", made);
  const Bytes free = free_now();
  return Error{ErrorCode::kResource,
               Message::say("{}: asked for {} ({} bytes) of {} memory, free {} ({} bytes), refused by the driver: {}",
                            device_->id(), amount(size_), size_,
                            memory_words(is_page_locked_ ? Memory::kPageLocked : Memory::kDevice), amount(free), free,
                            cuda::result_name(made))};
}

CudaArena::~CudaArena() {
  if (address_ != 0) device_->when_released([size = size_, &in_use = bytes_in_use()] { in_use -= size; });
  if (!device_->has_context()) return;
  const cuda::Driver& driver = device_->driver();
  if (is_page_locked_) {
    if (host_ != nullptr) driver.cuMemFreeHost(host_);
  } else if (address_ != 0) {
    driver.cuMemFree_v2(address_);
  }
}

cuda::CUdeviceptr address_of(const GpuSlice& slice) {
  return static_cast<const CudaArena*>(slice.arena)->address() + slice.offset;
}

}  // namespace headroom
