// Uploads of streamed weights on CUDA: a second stream copies while the first one computes, and events order the two.
#pragma once

#include <memory>
#include <vector>

#include "backend/cuda/cuda_device.h"

namespace headroom {

class CudaUploads final : public GpuUploads {
 public:
  static Result<std::unique_ptr<GpuUploads>> open(CudaDevice& device, std::uint32_t n_parts);
  CudaUploads(const CudaUploads&) = delete;
  CudaUploads& operator=(const CudaUploads&) = delete;
  ~CudaUploads() override;

  Status begin() override;
  Status mark() override;
  Status wait(std::uint32_t part) override;
  Status start(const GpuCopy& copy, std::uint32_t part) override;
  Status end() override;

 private:
  explicit CudaUploads(CudaDevice& device) : device_(device) {}
  Status make(std::uint32_t n_parts);
  Status done(cuda::CUresult result);

  CudaDevice& device_;
  cuda::CUstream stream_ = nullptr;
  cuda::CUevent marked_ = nullptr, ended_ = nullptr;
  std::vector<cuda::CUevent> parts_;  // when each was copied last
};

}  // namespace headroom
