// The tests of candidates on CUDA: see gpu_contract/gpu_candidates.h.
#pragma once

#include <memory>
#include <span>

#include "backend/cuda/cuda_arena.h"
#include "backend/cuda/cuda_candidates.h"
#include "cuda/cuda_fixture.h"

namespace headroom::test {

inline constexpr bool kCopiesQueries = true;

class CandidateDevice {
 public:
  std::unique_ptr<GpuArena> map(const ArenaPlan& plan) { return take(CudaArena::map(device_, plan)); }
  Status prepare(const CandidateSlices& slices) {
    Result<std::unique_ptr<CudaCandidates>> made = CudaCandidates::prepare(device_, slices);
    if (!made) return made.error();
    candidates_ = std::move(*made);
    return ok_status();
  }
  Status find(std::span<CandidateQuery> queries) { return candidates_->find(queries); }

 private:
  std::shared_ptr<CudaDevice> device_ = take(CudaDevice::open(cuda_cards().cards.at(0)));
  std::unique_ptr<CudaCandidates> candidates_;
};

}  // namespace headroom::test
