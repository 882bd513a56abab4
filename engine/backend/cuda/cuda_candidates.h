// Finds the likeliest tokens of rows of logits on the card that has the logits.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/cuda_device.h"
#include "backend/gpu/gpu_candidates.h"

namespace headroom {

// Finds its kernels once; find() allocates nothing.
class CudaCandidates {
 public:
  // Errors name the kernel that the driver does not load.
  static Result<std::unique_ptr<CudaCandidates>> prepare(std::shared_ptr<CudaDevice> device,
                                                         const CandidateSlices& slices);

  // As Backend::top_k(), of at most slices.sizes.n_rows queries.
  Status find(std::span<CandidateQuery> queries);

 private:
  struct Launch {
    cuda::CUfunction function = nullptr;
    std::uint32_t n_threads = 0;
    std::vector<std::byte> params;
  };

  CudaCandidates(std::shared_ptr<CudaDevice> device, const CandidateSlices& slices)
      : device_(std::move(device)), slices_(slices), candidates_(slices) {}
  Status find_kernels();
  Status start_queries();
  Status start(const Launch& launch, const CudaDevice::Grid& grid);

  std::shared_ptr<CudaDevice> device_;
  CandidateSlices slices_;
  GpuCandidates candidates_;
  std::array<Launch, 2> launches_;  // row_maxima, top_tokens
};

}  // namespace headroom
