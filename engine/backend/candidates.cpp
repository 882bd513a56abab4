#include "backend/candidates.h"

#include <algorithm>

#include "base/check.h"

namespace headroom {

void answer_query(std::span<const float> row, CandidateQuery& query) {
  const std::span<Candidate> best = query.best;
  CHECK(!best.empty() && best.size() <= row.size() && query.logits.size() == query.ids.size(),
        "a query has no room for its answer, or more than there are tokens");
  auto end = best.begin();
  for (std::uint32_t id = 0; id < row.size(); ++id) {
    const Candidate next{finite_logit(row[id]), id};
    if (end == best.end()) {
      if (!is_likelier(next, best.back())) continue;
      --end;
    }
    const auto at = std::upper_bound(best.begin(), end, next, is_likelier);
    std::move_backward(at, end, end + 1);
    *at = next;
    ++end;
  }
  for (std::size_t i = 0; i < query.ids.size(); ++i) query.logits[i] = finite_logit(row[query.ids[i]]);
  if (!query.wants_sum) return;
  query.sum = 0;
  for (const float logit : row) query.sum += std::exp(double{finite_logit(logit)} - best.front().logit);
}

}  // namespace headroom
