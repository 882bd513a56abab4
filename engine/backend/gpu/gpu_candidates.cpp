#include "backend/gpu/gpu_candidates.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "backend/gpu/gpu_words.h"
#include "base/check.h"

namespace headroom {

CandidateSlices candidate_slices(const GpuBinding& bound) {
  return {.n_vocab = bound.model->n_vocab,
          .logits = bound.buffer(bound.plan->program.logits),
          .scratch = bound.candidates,
          .inputs = bound.inputs,
          .kernel_inputs = bound.step_inputs(),
          .sizes = candidate_scratch(*bound.model, bound.plan->options),
          .layout = bound.input_layout};
}

GpuCandidates::GpuCandidates(const CandidateSlices& slices) : slices_(slices), answer_(gpu_answer(slices.n_vocab)) {
  CHECK(slices.scratch && slices.scratch.size >= slices.sizes.total() && slices.inputs.size >= slices.layout.total(),
        "the plan has too little room to look for candidates");
}

std::uint32_t GpuCandidates::n_sums() const {
  return static_cast<std::uint32_t>(div_up(slices_.n_vocab, kRowSumBlock));
}

std::array<GpuSlice, 6> GpuCandidates::buffers() const {
  const GpuSlice answers = slices_.inputs.part(slices_.layout.answers_at * 4, n_queries() * answer_.n_words * 4);
  return {slices_.kernel_inputs, {}, {}, slices_.logits, answers, slices_.scratch};
}

args::CandidatesPush GpuCandidates::push() const {
  return {.n_vocab = slices_.n_vocab,
          .queries_at = narrow(slices_.layout.queries_at),
          .ids_at = narrow(slices_.layout.ids_at),
          .answer_words = narrow(answer_.n_words),
          .answer_logits_at = narrow(answer_.logits_at),
          .sums_at = narrow(answer_.sums_at),
          .maxima_words = narrow(slices_.sizes.per_row() / 4)};
}

void GpuCandidates::write_queries(std::span<const CandidateQuery> queries) const {
  CHECK(queries.size() <= slices_.sizes.n_rows, "more queries at once than the plan has scratch for");
  auto* words = reinterpret_cast<std::uint32_t*>(slices_.inputs.mapped());
  for (std::uint32_t i = 0; i < slices_.sizes.n_rows; ++i) {
    std::uint32_t* of_query = words + slices_.layout.queries_at + std::size_t{i} * kGpuRowWords;
    std::fill_n(of_query, kGpuRowWords, 0U);
    if (i >= queries.size()) continue;
    const CandidateQuery& query = queries[i];
    CHECK(!query.best.empty() && query.best.size() <= std::min(slices_.n_vocab, kMostCandidates) &&
              query.ids.size() <= kMostCandidates && query.logits.size() == query.ids.size(),
          "a query has no room for its answer, or asks for more than there is");
    of_query[0] = query.row;
    of_query[1] = static_cast<std::uint32_t>(query.best.size());
    of_query[2] = static_cast<std::uint32_t>(query.ids.size());
    std::ranges::copy(query.ids, words + slices_.layout.ids_at + std::size_t{i} * kMostCandidates);
  }
}

Status GpuCandidates::read_answers(std::string_view device, std::span<CandidateQuery> queries) const {
  for (std::uint32_t i = 0; i < queries.size(); ++i) {
    if (Status read = read_answer(device, i, queries[i]); !read) return read;
  }
  return ok_status();
}

Status GpuCandidates::read_answer(std::string_view device, std::uint32_t index, CandidateQuery& query) const {
  const auto* words = reinterpret_cast<const std::uint32_t*>(slices_.inputs.mapped()) + slices_.layout.answers_at +
                      index * answer_.n_words;
  const auto number = [&](std::uint64_t at) { return std::bit_cast<float>(words[at]); };
  for (std::size_t i = 0; i < query.best.size(); ++i) {
    query.best[i] = {number(answer_.best_at + 2 * i), words[answer_.best_at + 2 * i + 1]};
    if (query.best[i].id < slices_.n_vocab) continue;
    return Error{ErrorCode::kDeviceLost, Message::say("{}: expected tokens below {}, the device answered token {}",
                                                      device, slices_.n_vocab, query.best[i].id)};
  }
  for (std::size_t i = 0; i < query.logits.size(); ++i) query.logits[i] = number(answer_.logits_at + i);
  if (!query.wants_sum) return ok_status();
  query.sum = 0;
  for (std::uint64_t i = 0; i < n_sums(); ++i) {
    const std::uint64_t at = answer_.sums_at + 2 * i;
    query.sum += number(at) * std::exp(double{number(at + 1)} - query.best.front().logit);
  }
  return ok_status();
}

}  // namespace headroom
