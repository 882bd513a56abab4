// Drafts that are taken back, held against a session that never had them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "support/all_logits.h"
#include "support/relative_error.h"

namespace headroom::test {

inline constexpr std::uint32_t kDrafts = 7;  // a decode step has up to eight rows of a slot

// The session of slot 0 in steps of n rows of which `n_kept` are kept, beside one token of slot 1 in each.
struct DraftStep {
  std::uint32_t n_rows = 0, n_kept = 0;
};

inline std::vector<DraftStep> all_draft_steps() {
  std::vector<DraftStep> steps;
  for (std::uint32_t n_rows = 1; n_rows <= kDrafts + 1; ++n_rows) {
    for (std::uint32_t n_kept = 0; n_kept <= n_rows; ++n_kept) steps.push_back({n_rows, n_kept});
  }
  return steps;
}
// For devices that compute slowly.
inline std::vector<DraftStep> few_draft_steps() { return {{1, 0}, {2, 1}, {8, 0}, {8, 3}, {5, 5}, {8, 7}, {3, 1}}; }

inline void step_both_slots(Session& session, std::span<const TokenId> rows, TokenId other) {
  const auto n = static_cast<std::uint32_t>(rows.size());
  std::vector<SlotRows> parts;
  if (n > 0) parts.push_back({0, rows, n});
  parts.push_back({1, {&other, 1}, 1});
  const Status done = session.step(parts, {});
  ASSERT_TRUE(done.ok()) << done.error().message;
}

// Two sessions of one model with two slots and kDrafts; both have read the same prompts into the slots. `tolerance` is
// on logits, relative; 0: they are the same bits.
inline void expect_drafts_leave_no_trace(Session& drafting, Session& plain, std::span<const DraftStep> steps,
                                         double tolerance) {
  const auto expect_same = [&](std::span<const float> found, std::span<const float> expected, const DraftStep& step,
                               const char* what) {
    const std::string where = fmt::format("{} of {} rows kept, {}", step.n_kept, step.n_rows, what);
    if (tolerance == 0) {
      EXPECT_TRUE(std::ranges::equal(found, expected)) << where;
    } else {
      EXPECT_LT(relative_error(found, expected), tolerance) << where;
    }
  };
  const std::size_t n_vocab = plain.model().info->n_vocab;
  std::uint32_t n_done = 0;
  for (const DraftStep& step : steps) {
    std::vector<TokenId> rows;
    for (std::uint32_t i = 0; i < step.n_rows; ++i) rows.push_back(3 + (n_done + i * 41) % 280);
    const auto n_held = static_cast<std::uint32_t>(plain.cache().tokens(0).size());
    const TokenId other = 3 + n_done % 200;
    ASSERT_NO_FATAL_FAILURE(step_both_slots(drafting, rows, other));
    ASSERT_NO_FATAL_FAILURE(step_both_slots(plain, std::span(rows).first(step.n_kept), other));
    const std::vector<float> found = all_logits(drafting, step.n_rows + 1),
                             expected = all_logits(plain, step.n_kept + 1);
    if (step.n_kept > 0) {
      expect_same(std::span(found).first(step.n_kept * n_vocab), std::span(expected).first(step.n_kept * n_vocab), step,
                  "those kept");
    }
    expect_same(std::span(found).last(n_vocab), std::span(expected).last(n_vocab), step, "the other slot");
    ASSERT_EQ(drafting.take_back(0, n_held + step.n_kept), n_held + step.n_kept);
    ASSERT_TRUE(std::ranges::equal(drafting.cache().tokens(0), plain.cache().tokens(0)));
    n_done += step.n_rows;
    const TokenId next = 5 + n_done % 100;
    ASSERT_NO_FATAL_FAILURE(step_both_slots(drafting, {&next, 1}, other));
    ASSERT_NO_FATAL_FAILURE(step_both_slots(plain, {&next, 1}, other));
    expect_same(all_logits(drafting, 2), all_logits(plain, 2), step, "the step after");
  }
  EXPECT_EQ(drafting.n_allocations_after_open(), 0U);
}

}  // namespace headroom::test
