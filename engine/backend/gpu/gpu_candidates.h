// The likeliest tokens of rows of logits, found by the GPU that has the logits: the host's side, which writes the
// questions and reads the answers.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "backend/candidates.h"
#include "backend/gpu/gpu_args.h"
#include "backend/gpu/gpu_binding.h"

namespace headroom {

// The buffers of a search.
struct CandidateSlices {
  std::uint32_t n_vocab = 0;
  GpuSlice logits;         // (rows, n_vocab) f32
  GpuSlice scratch;        // see CandidateScratch
  GpuSlice inputs;         // GpuInputs, page-locked: the host writes questions to it, the device answers
  GpuSlice kernel_inputs;  // the questions as kernels read them: the same, or the device's copy of them
  CandidateScratch sizes;
  GpuInputs layout;
};
CandidateSlices candidate_slices(const GpuBinding& bound);  // of a device with the head

class GpuCandidates {
 public:
  explicit GpuCandidates(const CandidateSlices& slices);

  // The buffers by binding, the same for both kernels: row_maxima runs first with (n_sums(), n_queries()) workgroups,
  // then top_tokens with (1, n_queries()).
  std::array<GpuSlice, 6> buffers() const;
  args::CandidatesPush push() const;
  std::uint32_t n_sums() const;
  std::uint32_t n_queries() const { return slices_.sizes.n_rows; }

  // Write at most n_queries() queries for the kernels, while none of them runs, and read their answers. See
  // Backend::top_k(). kDeviceLost where an answer of `device` names a token that the vocabulary does not have: nothing
  // else that this device computed can be trusted then.
  void write_queries(std::span<const CandidateQuery> queries) const;
  Status read_answers(std::string_view device, std::span<CandidateQuery> queries) const;

 private:
  Status read_answer(std::string_view device, std::uint32_t index, CandidateQuery& query) const;

  CandidateSlices slices_;
  GpuAnswer answer_;
};

}  // namespace headroom
