// Rows of a decode step that are taken back, held against a slot or a session that never had them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "run/session.h"
#include "support/all_logits.h"
#include "support/random_model.h"
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

// The models and the plan of TakenBackRows. At kEdge a layer with a window begins its rows afresh (248 positions and a
// batch of 8 are 256), and so does the ring of F16 rows of any quantized cache (32 of them); a group of keys ends
// there, too. The batch is as small as the drafts allow: a draft overwrites the row that left the window just before.
inline constexpr std::uint32_t kEdge = 256, kEdgeContext = 512, kEdgeBatch = kDrafts + 1;

// With windows the first layer has one and the second has none, but sinks; without, both have sinks.
inline RandomModelSpec edge_model(bool has_windows) {
  RandomModelSpec spec;
  spec.architecture = has_windows ? "gemma2" : "llama";
  spec.n_layers = 2;
  spec.d_model = 32;
  spec.n_heads = 2;
  spec.n_kv_heads = 1;
  spec.d_ff = 64;
  spec.n_ctx_trained = 1024;
  spec.window = has_windows ? kEdge - kEdgeBatch : 0;
  return spec;
}

inline PlanOptions edge_options(DType kv) {
  PlanOptions options;
  options.n_ctx = kEdgeContext;
  options.n_batch = kEdgeBatch;
  options.n_slots = 2;
  options.n_draft = kDrafts;
  options.kv_k = options.kv_v = kv;
  options.n_gpu_layers = options.n_cpu_ffn = 0;
  options.devices = {{0}};
  return options;
}

// Where the two layers of edge_model() stand: both on one device, one beside the CPU, one on each of two devices.
enum class EdgeSplit { kNone, kWithCpu, kTwoDevices };
inline constexpr std::array kEdgeSplits{EdgeSplit::kNone, EdgeSplit::kWithCpu, EdgeSplit::kTwoDevices};

// For devices 1 and 2.
inline PlanOptions edge_options(DType kv, EdgeSplit split) {
  PlanOptions options = edge_options(kv);
  options.n_gpu_layers = split == EdgeSplit::kWithCpu ? 1 : 2;
  options.devices = {{1}};
  if (split == EdgeSplit::kTwoDevices) options.devices = {{1, KeepFree{}, 1}, {2, KeepFree{}, 1}};
  return options;
}

// What edge_model() and edge_options() say of themselves.
inline void expect_rows_end_at_the_edge(const Session& session) {
  const PlanOptions& options = session.plan().options;
  for (const LayerSpec& layer : session.model().info->layers) {
    const bool has_window = layer.attention == AttentionKind::kWindow;
    if (has_window) {
      ASSERT_EQ(layer.kv_rows(options.n_ctx, options.n_batch), kEdge);
    }
    const KvF16Rows exact = layer.kv_f16_rows(options.n_ctx, options.n_batch);
    ASSERT_EQ(exact.n_ring, 32U);
    ASSERT_EQ(exact.n_sinks > 0, !has_window);
  }
}

// On the CPU up to four rows are multiplied otherwise than more, so what rows that are kept leave in the cache may
// differ in its last bits: F16 and FP8 round a few elements to the other neighbour, and queries are int8 where a cache
// is Q8_0 or Q4_0.
inline double edge_tolerance_of_cpu(DType kv) {
  if (kv == DType::kF32) return 1e-5;
  return kv == DType::kQ8_0 || kv == DType::kQ4_0 ? 3e-3 : 2e-4;
}

// A session of edge_options(): slot 0 goes on from a copy of slot 1, once with rows that are taken back and once
// without them. Where two rows or more are taken back, they stand on both sides of kEdge. All steps but the one of the
// drafts have the same rows both times, so where no row is kept every bit must be the same, on every device.
class TakenBackRows {
 public:
  // `tolerance` is on logits, relative: what it may change that the rows that are kept had others behind them.
  TakenBackRows(Session& session, double tolerance) : session_(session), tolerance_(tolerance) {
    for (std::uint32_t i = 0; i < kEdge + kEdgeBatch; ++i) tokens_.push_back(3 + (i * 37 + i * i) % 280);
  }

  void expect_no_trace(std::vector<DraftStep> steps) {
    ASSERT_NO_FATAL_FAILURE(expect_rows_end_at_the_edge(session_));
    std::ranges::stable_sort(steps, {}, first_row);  // slot 1 goes forward only
    for (const DraftStep& drafts : steps) {
      SCOPED_TRACE(fmt::format("{} of {} rows kept", drafts.n_kept, drafts.n_rows));
      std::vector<float> found, expected;
      ASSERT_NO_FATAL_FAILURE(run(drafts, drafts.n_rows, found));
      ASSERT_NO_FATAL_FAILURE(run(drafts, drafts.n_kept, expected));
      EXPECT_LE(relative_error(found, expected), drafts.n_kept == 0 ? 0 : tolerance_);
    }
    EXPECT_EQ(session_.n_allocations_after_open(), 0U);
  }

 private:
  static std::uint32_t first_row(const DraftStep& step) {
    return kEdge - step.n_kept - (step.n_rows - step.n_kept) / 2;
  }
  // The logits of the rows that are kept and of all steps after, where `n_rows` were computed.
  void run(const DraftStep& drafts, std::uint32_t n_rows, std::vector<float>& logits) {
    const std::uint32_t first = first_row(drafts), end = first + drafts.n_kept;
    ASSERT_NO_FATAL_FAILURE(copy_tokens(first));
    if (n_rows > 0) {
      ASSERT_NO_FATAL_FAILURE(step(n_rows, drafts.n_kept, logits));
    }
    ASSERT_EQ(*session_.take_back(0, end), end);
    for (const std::uint32_t n : {1U, 2U}) ASSERT_NO_FATAL_FAILURE(step(n, n, logits));
    if (drafts.n_rows <= kDrafts || drafts.n_kept % 4 != 0) return;
    // So far that the positions of the drafts have left the ring: the quantized cache's own blocks are read there.
    for (std::uint32_t i = 0; i < 4; ++i) ASSERT_NO_FATAL_FAILURE(step(kEdgeBatch, i == 3 ? kEdgeBatch : 0, logits));
  }
  void copy_tokens(std::uint32_t n_tokens) {
    while (session_.cache().tokens(1).size() < n_tokens) {
      const std::size_t first = session_.cache().tokens(1).size();
      const Status done = session_.step(
          {1, std::span(tokens_).subspan(first, std::min<std::size_t>(kEdgeBatch, n_tokens - first)), 0}, {});
      ASSERT_TRUE(done.ok()) << done.error().message.text();
    }
    session_.clear(0);
    const Result<std::uint32_t> n_copied = session_.begin_prompt(0, std::span(tokens_).first(n_tokens + 1));
    ASSERT_TRUE(n_copied.ok()) << n_copied.error().message.text();
    ASSERT_EQ(*n_copied, n_tokens);
  }
  // Adds the logits of the first `n_told` rows. Their tokens follow from their positions; the others have other tokens
  // than will stand there.
  void step(std::uint32_t n_rows, std::uint32_t n_told, std::vector<float>& logits) {
    const auto first = static_cast<std::uint32_t>(session_.cache().tokens(0).size());
    std::vector<TokenId> rows(n_rows);
    for (std::uint32_t i = 0; i < n_rows; ++i) rows[i] = 3 + ((first + i) * 41 + (i < n_told ? 0 : 100)) % 280;
    const Status done = session_.step({0, rows, n_rows}, {});
    ASSERT_TRUE(done.ok()) << done.error().message.text();
    for (std::uint32_t row = 0; row < n_told; ++row) {
      const Result<std::span<const float>> told = session_.logits(row);
      ASSERT_TRUE(told.ok()) << told.error().message.text();
      logits.insert(logits.end(), told->begin(), told->end());
    }
  }

  Session& session_;
  double tolerance_;
  std::vector<TokenId> tokens_;  // of slot 1
};

inline void step_both_slots(Session& session, std::span<const TokenId> rows, TokenId other) {
  const auto n = static_cast<std::uint32_t>(rows.size());
  std::vector<SlotRows> parts;
  if (n > 0) parts.push_back({0, rows, n});
  parts.push_back({1, {&other, 1}, 1});
  const Status done = session.step(parts, {});
  ASSERT_TRUE(done.ok()) << done.error().message.text();
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
    ASSERT_EQ(*drafting.take_back(0, n_held + step.n_kept), n_held + step.n_kept);
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
