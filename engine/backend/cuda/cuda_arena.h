// Memory of one arena on a CUDA card, or of the host, page-locked for it.
#pragma once

#include <memory>

#include "backend/cuda/cuda_device.h"

namespace headroom {

class CudaArena final : public GpuArena {
 public:
  // kResource names bytes asked and bytes free.
  static Result<std::unique_ptr<CudaArena>> map(std::shared_ptr<CudaDevice> device, const ArenaPlan& plan);
  CudaArena(const CudaArena&) = delete;
  CudaArena& operator=(const CudaArena&) = delete;
  ~CudaArena() override;

  Bytes mapped_bytes() const override { return size_; }
  std::byte* host_address() const override { return host_; }
  std::byte* mapped() const override { return host_; }

  // For the backend alone: where kernels and copies find it.
  cuda::CUdeviceptr address() const { return address_; }

 private:
  CudaArena(std::shared_ptr<CudaDevice> device, const ArenaPlan& plan)
      : device_(std::move(device)), is_page_locked_(plan.memory == Memory::kPageLocked), size_(plan.size) {}
  Status create();
  Bytes free_now() const;                    // of the card, or of the host for page-locked memory
  std::atomic<Bytes>& bytes_in_use() const;  // of this process on the card, of this kind of memory

  std::shared_ptr<CudaDevice> device_;
  bool is_page_locked_;
  Bytes size_;
  cuda::CUdeviceptr address_ = 0;
  std::byte* host_ = nullptr;  // page-locked memory
};

// Where a slice of this backend's arena begins.
cuda::CUdeviceptr address_of(const GpuSlice& slice);

}  // namespace headroom
