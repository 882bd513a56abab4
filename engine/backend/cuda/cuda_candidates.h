// Finds the likeliest tokens of rows of logits on the card that has the logits.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backend/cuda/cuda_input_copy.h"
#include "backend/gpu/gpu_candidates.h"

namespace headroom {

// Finds its kernels once; steps allocate nothing.
class CudaCandidates {
 public:
  // Errors name the kernel that the driver does not load.
  static Result<std::unique_ptr<CudaCandidates>> prepare(std::shared_ptr<CudaDevice> device,
                                                         const CandidateSlices& slices);

  // As Backend::top_k(), of at most slices.sizes.n_rows queries: what these do one after the other, with a wait before
  // the last: host().write_queries(), copy_of_queries(), start() and host().read_answers().
  Status find(std::span<CandidateQuery> queries);
  const GpuCandidates& host() const { return candidates_; }
  // The first n_queries with their ids, to where kernels read them; absent where they read what the host has written.
  std::optional<GpuCopy> copy_of_queries(std::size_t n_queries) const;
  // Starts the kernels that answer the first n_queries, which run after all submitted work. One that asks for nothing
  // takes next to no time.
  Status start(std::size_t n_queries);

 private:
  struct Launch {
    cuda::CUfunction function = nullptr;
    std::uint32_t n_threads = 0;
    std::vector<std::byte> params;
  };

  CudaCandidates(std::shared_ptr<CudaDevice> device, const CandidateSlices& slices, CudaInputCopy copy)
      : device_(std::move(device)), slices_(slices), copy_(std::move(copy)), candidates_(slices) {}
  Status find_kernels();
  Status launch(const Launch& launch, const CudaDevice::Grid& grid);

  std::shared_ptr<CudaDevice> device_;
  CandidateSlices slices_;
  CudaInputCopy copy_;
  GpuCandidates candidates_;
  std::array<Launch, 2> launches_;  // row_maxima, top_tokens
};

}  // namespace headroom
