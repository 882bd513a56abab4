// Finds the likeliest tokens in logits that stand in the host's memory; with all threads where there are many.
#pragma once

#include "backend/candidates.h"
#include "backend/cpu/kernel_table.h"
#include "backend/host/thread_pool.h"

namespace headroom {

// Rows of logits, and the scratch to look into them.
struct CandidateRows {
  const float* logits = nullptr;  // (rows, n_vocab)
  std::uint32_t n_vocab = 0;
  std::byte* scratch = nullptr;  // sizes.total()
  CandidateScratch sizes;
};

// As Backend::top_k(); at most sizes.n_rows queries.
void find_cpu_candidates(const CandidateRows& rows, const KernelTable& kernels, ThreadPool& pool,
                         std::span<CandidateQuery> queries);

}  // namespace headroom
