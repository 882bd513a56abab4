// Candidates of rows of logits, looked for by the GPU that has them: what it is asked and what it answers.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "backend/candidates.h"
#include "backend/gpu/gpu_args.h"
#include "backend/gpu/gpu_binding.h"

namespace headroom {

// Where it looks and what it has for it.
struct CandidateSlices {
  std::uint32_t n_vocab = 0;
  GpuSlice logits;   // (rows, n_vocab) f32
  GpuSlice scratch;  // see CandidateScratch
  GpuSlice inputs;   // see GpuInputs: where the host asks and is answered
  GpuSlice asked;    // the same, or the device's copy up to the answers: what kernels read
  CandidateScratch sizes;
  GpuInputs layout;
};
CandidateSlices candidate_slices(const GpuBinding& bound);  // of a device with the head

class GpuCandidates {
 public:
  explicit GpuCandidates(const CandidateSlices& slices);

  // By binding, for both kernels: row_maxima, with (n_sums(), n_queries()) workgroups, then top_tokens, with
  // (1, n_queries()).
  std::array<GpuSlice, 6> buffers() const;
  args::CandidatesPush push() const;
  std::uint32_t n_sums() const;
  std::uint32_t n_queries() const { return slices_.sizes.n_rows; }

  // As Backend::top_k(), of at most n_queries() queries: what the kernels are asked, while none of them runs,
  // and what they answered. kDeviceLost where the answer of `device` names tokens that there are not: what else it
  // computed is no better.
  void ask(std::span<const CandidateQuery> queries) const;
  Status read_answers(std::string_view device, std::span<CandidateQuery> queries) const;

 private:
  Status read_answer(std::string_view device, std::uint32_t index, CandidateQuery& query) const;

  CandidateSlices slices_;
  GpuAnswer answer_;
};

}  // namespace headroom
