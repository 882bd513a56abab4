// Copies what the host has written for a step from page-locked memory to the card's own, where its kernels read it many
// times. A kernel does so and not the driver's copies: one launch takes all that there is to copy, and a step stays a
// row of kernels, each of which may begin while the one before it ends.
#pragma once

#include <memory>
#include <span>

#include "backend/cuda/cuda_device.h"

namespace headroom {

class CudaInputCopy {
 public:
  // Errors name the kernel that the driver does not load.
  static Result<CudaInputCopy> prepare(std::shared_ptr<CudaDevice> device);

  // Starts at most kMostInputCopies copies of words, which run after all submitted work. Allocates nothing.
  Status start(std::span<const GpuCopy> copies) const;

 private:
  CudaInputCopy(std::shared_ptr<CudaDevice> device, cuda::CUfunction function)
      : device_(std::move(device)), function_(function) {}

  std::shared_ptr<CudaDevice> device_;
  cuda::CUfunction function_;
};

}  // namespace headroom
