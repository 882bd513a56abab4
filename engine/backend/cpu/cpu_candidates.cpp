#include "backend/cpu/cpu_candidates.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace headroom {
namespace {

static_assert(kRowBlock == kLogitBlock && kRowSumBlock % kRowBlock == 0 && kRowSumBlock <= 1024,
              "the plan's blocks are those of the kernels");

// One thread goes over fewer logits than these in about 40 us (152k in 22 us, AVX-512), which is no more than it takes
// to wake others that have fallen asleep.
constexpr std::uint64_t kWorthThreads = 1U << 18;

// One query and the scratch of its row.
class RowSearch {
 public:
  RowSearch(const CandidateRows& rows, std::uint32_t index, CandidateQuery& query)
      : row_(rows.logits + std::size_t{query.row} * rows.n_vocab), n_vocab_(rows.n_vocab), query_(query) {
    std::byte* at = rows.scratch + index * rows.sizes.per_row();
    const std::size_t n_blocks = div_up(n_vocab_, kRowBlock);
    maxima_ = {reinterpret_cast<float*>(at), n_blocks};
    order_ = {reinterpret_cast<float*>(at += rows.sizes.maxima_bytes), n_blocks};
    sums_ = {reinterpret_cast<float*>(at += rows.sizes.order_bytes), div_up(n_vocab_, kRowSumBlock)};
    picked_ = {reinterpret_cast<Candidate*>(at + rows.sizes.sums_bytes), 2UL * kMostCandidates};
  }

  static std::uint32_t n_parts(std::uint32_t n_vocab) {
    return static_cast<std::uint32_t>(div_up(n_vocab, kRowSumBlock));
  }

  // Maxima and sum of one part of the row.
  void measure(const KernelTable& kernels, std::uint32_t part) const {
    const std::uint32_t first = part * kRowSumBlock, n = std::min(n_vocab_ - first, kRowSumBlock);
    kernels.block_maxima(row_ + first, n, maxima_.data() + first / kRowBlock);
    if (query_.wants_sum) sums_[part] = kernels.sum_exps(row_ + first, n, largest_of(part));
  }

  // Once all parts are measured.
  void answer() const {
    pick();
    for (std::size_t i = 0; i < query_.ids.size(); ++i) query_.logits[i] = finite_logit(row_[query_.ids[i]]);
    if (query_.wants_sum) query_.sum = sum();
  }

 private:
  float largest_of(std::uint32_t part) const {
    constexpr std::size_t kBlocks = kRowSumBlock / kRowBlock;
    const std::size_t first = part * kBlocks;
    return *std::ranges::max_element(maxima_.subspan(first, std::min(kBlocks, maxima_.size() - first)));
  }

  // In the order of the row, whichever thread measured a part.
  double sum() const {
    double sum = 0;
    for (std::uint32_t part = 0; part < sums_.size(); ++part)
      sum += sums_[part] * std::exp(double{largest_of(part)} - query_.best.front().logit);
    return sum;
  }

  // What is less likely than this is not among the best: as many blocks hold a token that is at least as likely.
  float least_of_best() const {
    const std::size_t k = query_.best.size();
    if (k > maxima_.size()) return -std::numeric_limits<float>::max();
    std::ranges::copy(maxima_, order_.begin());
    const auto at = order_.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(order_.begin(), at, order_.end(), std::greater<>());
    return *at;
  }

  void pick() const {
    const auto k = static_cast<std::ptrdiff_t>(query_.best.size());
    float least = least_of_best();
    auto end = picked_.begin();
    for (std::size_t block = 0; block < maxima_.size(); ++block) {
      if (maxima_[block] < least) continue;
      const auto first = static_cast<std::uint32_t>(block * kRowBlock), last = std::min(n_vocab_, first + kRowBlock);
      for (std::uint32_t id = first; id < last; ++id) {
        const float logit = finite_logit(row_[id]);
        if (logit < least) continue;
        *end++ = {logit, id};
        if (end != picked_.end()) continue;
        std::nth_element(picked_.begin(), picked_.begin() + k - 1, end, is_likelier);
        end = picked_.begin() + k;
        // Ids ascend, so an equal logit comes too late.
        least = std::nextafter((end - 1)->logit, std::numeric_limits<float>::infinity());
      }
    }
    std::partial_sort_copy(picked_.begin(), end, query_.best.begin(), query_.best.end(), is_likelier);
  }

  const float* row_;
  std::uint32_t n_vocab_;
  CandidateQuery& query_;
  std::span<float> maxima_, order_, sums_;
  std::span<Candidate> picked_;
};

}  // namespace

void find_cpu_candidates(const CandidateRows& rows, const KernelTable& kernels, ThreadPool& pool,
                         std::span<CandidateQuery> queries) {
  CHECK(queries.size() <= rows.sizes.n_rows, "more rows are asked at once than the plan has scratch for");
  const auto n_queries = static_cast<std::uint32_t>(queries.size());
  const std::uint32_t n_parts = RowSearch::n_parts(rows.n_vocab);
  const auto measure = [&](Share parts) {
    for (std::uint32_t i = parts.first; i < parts.last; ++i)
      RowSearch(rows, i / n_parts, queries[i / n_parts]).measure(kernels, i % n_parts);
  };
  const auto answer = [&](std::uint32_t first, std::uint32_t step) {
    for (std::uint32_t i = first; i < n_queries; i += step) RowSearch(rows, i, queries[i]).answer();
  };
  if (std::uint64_t{n_queries} * rows.n_vocab < kWorthThreads) {
    measure({0, n_queries * n_parts});
    answer(0, 1);
    return;
  }
  pool.run([&](std::uint32_t thread) {
    measure(share_of(n_queries * n_parts, thread, pool.n_threads()));
    pool.barrier();
    answer(thread, pool.n_threads());
  });
}

}  // namespace headroom
