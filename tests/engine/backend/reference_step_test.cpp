// What a step on reference devices promises beside its numbers: parts of a model, pieces of a prompt, slots, stops,
// faults, no allocation.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "format/dtype_table.h"
#include "plan/kv_regions.h"
#include "program/subgraphs.h"
#include "support/counted_news.h"
#include "support/plans.h"
#include "support/random_model.h"
#include "support/reference_model.h"
#include "support/relative_error.h"
#include "support/temp_folder.h"

namespace headroom {
namespace {

using test::relative_error;

using test::RandomModelSpec;
using test::ReferenceModel;
using Logits = std::vector<float>;

constexpr std::uint32_t kVocab = 67;

RandomModelSpec small_model() {
  RandomModelSpec spec;
  spec.n_layers = 3;
  spec.d_model = 32;
  spec.n_heads = 4;
  spec.n_kv_heads = 2;
  spec.d_ff = 48;
  spec.n_vocab = kVocab;
  spec.n_ctx_trained = 4096;
  return spec;
}

PlanOptions options_for(DType kv, std::uint32_t n_ctx = 64) {
  PlanOptions options;
  options.n_ctx = n_ctx;
  options.n_slots = 2;
  options.n_batch = 32;
  options.n_logit_rows = 32;
  options.kv_k = options.kv_v = kv;
  return options;
}

class ReferenceStepTest : public ::testing::Test {
 protected:
  std::unique_ptr<ReferenceModel> open(const RandomModelSpec& spec, const PlanOptions& options,
                                       std::uint32_t n_last_layers = ReferenceModel::kAllLayers) {
    auto model = ReferenceModel::open(test::make_random_model(spec, folder_.path()), options, n_last_layers);
    if (!model.ok()) {
      ADD_FAILURE() << model.error().message.text();
      std::abort();
    }
    return std::move(model).value();
  }

 private:
  test::TempFolder folder_;
};

std::vector<StepRow> rows_of(std::uint32_t slot, std::uint32_t first, std::uint32_t n) {
  std::vector<StepRow> rows;
  for (std::uint32_t position = first; position < first + n; ++position)
    rows.push_back({(position * 37 + slot * 11 + 5) % kVocab, slot, position});
  return rows;
}

Logits step(ReferenceModel& model, const std::vector<StepRow>& rows, const std::vector<std::uint32_t>& logit_rows) {
  auto logits = model.step(rows, logit_rows);
  EXPECT_TRUE(logits.ok()) << (logits.ok() ? "" : logits.error().message.text());
  return logits.ok() ? std::move(logits).value() : Logits();
}

// Logits of the last of `n` positions that are read in steps of n_batch.
Logits read_prompt(ReferenceModel& model, std::uint32_t slot, std::uint32_t n, std::uint32_t n_batch) {
  Logits last;
  for (std::uint32_t at = 0; at < n; at += n_batch) {
    const std::uint32_t n_rows = std::min(n_batch, n - at);
    last = step(model, rows_of(slot, at, n_rows), {n_rows - 1});
  }
  return last;
}

TEST_F(ReferenceStepTest, a_model_that_is_split_anywhere_gives_the_bits_of_the_whole_and_counts_what_crosses) {
  const RandomModelSpec spec = small_model();
  for (const bool is_tied : {false, true}) {
    RandomModelSpec each = spec;
    each.has_tied_head = is_tied;
    const auto whole = open(each, options_for(DType::kQ8_0));
    const auto rows = rows_of(0, 0, 9);
    const Logits expected = step(*whole, rows, {3, 8});
    EXPECT_EQ(expected.size(), 2 * kVocab);
    EXPECT_EQ(whole->crossed_bytes(), 0U);
    for (std::uint32_t n_last = 0; n_last <= each.n_layers; ++n_last) {
      SCOPED_TRACE(n_last);
      const auto split = open(each, options_for(DType::kQ8_0), n_last);
      EXPECT_EQ(step(*split, rows, {3, 8}), expected);
      EXPECT_EQ(split->crossed_bytes(), transfer_bytes(split->plan().program, 9));
      EXPECT_EQ(split->crossed_bytes(), n_last == 0 ? 0U : 9U * each.d_model * 4U);
    }
  }
}

TEST_F(ReferenceStepTest, a_prompt_in_pieces_gives_the_bits_of_one_step) {
  for (const DTypeRow& kv : kDTypes) {
    if (!kv.is_kv) continue;
    SCOPED_TRACE(kv.name);
    const auto model = open(small_model(), options_for(kv.dtype));
    const Logits at_once = read_prompt(*model, 0, 32, 32);
    EXPECT_EQ(read_prompt(*model, 1, 32, 32).size(), at_once.size());
    const auto pieces = open(small_model(), options_for(kv.dtype));
    EXPECT_EQ(read_prompt(*pieces, 0, 32, 7), at_once);
    EXPECT_EQ(read_prompt(*pieces, 0, 32, 1), at_once);  // over what stood there
  }
}

TEST_F(ReferenceStepTest, a_window_gives_the_same_bits_for_any_ring_that_holds_it) {
  RandomModelSpec spec = small_model();
  spec.window = 40;
  spec.architecture = "llama";
  PlanOptions options = options_for(DType::kF16, 400);
  const auto wide = open(spec, options);
  ASSERT_EQ(wide->info().layers.front().attention, AttentionKind::kWindow);
  const Logits expected = read_prompt(*wide, 0, 300, 32);
  options.n_batch = 5;
  options.n_logit_rows = 5;
  const auto narrow = open(spec, options);
  ASSERT_LT(narrow->info().layers.front().kv_rows(400, 5), wide->info().layers.front().kv_rows(400, 32));
  EXPECT_EQ(read_prompt(*narrow, 0, 300, 5), expected);
  spec.window = 0;
  EXPECT_GT(relative_error(read_prompt(*open(spec, options), 0, 300, 5), expected), 1e-3);
}

TEST_F(ReferenceStepTest, exact_ends_are_f16_and_what_lies_between_is_not) {
  const PlanOptions coarse = options_for(DType::kQ4_0, 2048), fine = options_for(DType::kF16, 2048);
  const auto quantized = open(small_model(), coarse), halves = open(small_model(), fine);
  const KvF16Rows ends = kv_f16_rows_of(quantized->info().layers.front(), DType::kQ4_0, quantized->plan().options);
  ASSERT_GT(ends.n_sinks, 0U);
  const auto n_exact = static_cast<std::uint32_t>(ends.n_sinks + ends.n_ring);
  // As long as every position is a sink or in the ring, only the rounding of rotated halves is left.
  EXPECT_LT(relative_error(read_prompt(*quantized, 0, n_exact, 32), read_prompt(*halves, 0, n_exact, 32)), 2e-3);
  EXPECT_GT(relative_error(read_prompt(*quantized, 1, 2 * n_exact, 32), read_prompt(*halves, 1, 2 * n_exact, 32)),
            4e-3);
}

TEST_F(ReferenceStepTest, channels_of_k_that_stand_out_are_balanced) {
  const auto error_with = [&](float key_outlier) {
    RandomModelSpec spec = small_model();
    spec.key_outlier = key_outlier;
    PlanOptions coarse = options_for(DType::kQ4_0);
    coarse.kv_v = DType::kF16;
    const Logits found = read_prompt(*open(spec, coarse), 0, 40, 32);
    return relative_error(found, read_prompt(*open(spec, options_for(DType::kF16)), 0, 40, 32));
  };
  EXPECT_LT(error_with(64.0F), 2 * error_with(1.0F));
}

TEST_F(ReferenceStepTest, slots_in_one_step_are_as_each_alone) {
  for (const DType kv : {DType::kF16, DType::kQ4_0}) {
    const auto together = open(small_model(), options_for(kv)), alone = open(small_model(), options_for(kv));
    auto rows = rows_of(0, 0, 9);
    const auto other = rows_of(1, 0, 5);
    const Logits first = step(*alone, rows, {8}), second = step(*alone, other, {4});
    rows.insert(rows.end(), other.begin(), other.end());
    Logits both = first;
    both.insert(both.end(), second.begin(), second.end());
    EXPECT_EQ(step(*together, rows, {8, 13}), both);
  }
}

TEST_F(ReferenceStepTest, a_copied_slot_goes_on_as_the_original) {
  for (const DType kv : {DType::kF16, DType::kQ4_0}) {
    const auto model = open(small_model(), options_for(kv, 1024), 2);
    read_prompt(*model, 0, 300, 32);
    ASSERT_TRUE(model->copy_state(0, 1, 300).ok());
    auto next = rows_of(0, 300, 3);
    const Logits original = step(*model, next, {0, 1, 2});
    for (StepRow& row : next) row.slot = 1;
    EXPECT_EQ(step(*model, next, {0, 1, 2}), original);
  }
}

TEST_F(ReferenceStepTest, allocates_nothing) {
  const auto model = open(small_model(), options_for(DType::kQ4_0, 1024));
  Backend& backend = model->backend(1);
  const auto rows = rows_of(0, 0, 20);
  const std::vector<std::uint32_t> last{19};
  KvRings rings(model->info(), model->plan().options);
  rings.advance(rows);
  const std::vector<DeviceSubgraph> subgraphs = cut_subgraphs(model->plan().program);
  ASSERT_EQ(subgraphs.size(), 1U);
  Logits logits(kVocab);
  std::array<Candidate, 5> best;
  CandidateQuery query{.row = 0, .wants_sum = true, .ids = {}, .best = best, .logits = {}};
  const std::uint64_t mapped = backend.n_allocations(), news = n_news;
  const bool submitted = backend.submit(subgraphs.front(), {rows, last, rings.exact_from()}, StopToken()).ok();
  const bool done = backend.wait(StopToken()).ok();
  const bool read = backend.read(model->plan().program.logits, 0, std::as_writable_bytes(std::span(logits))).ok();
  const bool found = backend.top_k({&query, 1}).ok();
  const bool copied = backend.copy_state(0, 1, 20, {}).ok();
  EXPECT_EQ(n_news, news);
  EXPECT_EQ(backend.n_allocations(), mapped);
  EXPECT_TRUE(submitted && done && read && found && copied);
}

TEST_F(ReferenceStepTest, stops_when_asked_and_works_again) {
  const auto model = open(small_model(), options_for(DType::kF16), 1);
  const auto rows = rows_of(0, 0, 9);
  const std::vector<std::uint32_t> last{8};
  StopSource source;
  source.request_stop();
  const auto stopped = model->step(rows, last, source.token());
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(stopped.error().message.text(), "the step was stopped");
  const Logits after = step(*model, rows, {8});
  EXPECT_EQ(after, step(*open(small_model(), options_for(DType::kF16), 1), rows, {8}));
}

TEST_F(ReferenceStepTest, copies_outside_a_buffer_are_refused) {
  const auto model = open(small_model(), options_for(DType::kF16), 1);
  const Op& last = model->plan().program.ops.back();
  std::vector<std::byte> bytes(32UL * kVocab * 4 + 1);
  const auto too_long = model->backend(1).read(last.outputs[0], 0, bytes);
  ASSERT_FALSE(too_long.ok());
  EXPECT_EQ(too_long.error().message.text(), "reference:1: expected at most 8576 bytes of buffer " +
                                                 std::to_string(last.outputs[0]) + " (logits), found 8577");
  EXPECT_EQ(model->backend(1).write(last.outputs[0], bytes).error().code, ErrorCode::kUsage);
  bytes.resize(4);
  EXPECT_TRUE(model->backend(1).read(last.outputs[0], 31, bytes).ok());
  EXPECT_EQ(model->backend(1).read(last.outputs[0], 32, bytes).error().code, ErrorCode::kUsage);
  Candidate best;
  CandidateQuery query{.row = 32, .ids = {}, .best = {&best, 1}, .logits = {}};
  EXPECT_EQ(model->backend(1).top_k({&query, 1}).error().code, ErrorCode::kUsage);
  query.row = 31;
  EXPECT_TRUE(model->backend(1).top_k({&query, 1}).ok());
  EXPECT_EQ(model->backend(0).top_k({&query, 1}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(model->backend(0).read(last.outputs[0], 0, bytes).error().code, ErrorCode::kUsage);  // of the other device
  EXPECT_EQ(model->backend(1).read(1000, 0, bytes).error().code, ErrorCode::kUsage);
}

TEST_F(ReferenceStepTest, a_failed_call_is_an_error_of_its_device_and_the_next_works) {
  const auto model = open(small_model(), options_for(DType::kF16), 1);
  const auto rows = rows_of(0, 0, 3);
  const std::vector<std::uint32_t> last{2};
  const Logits expected = step(*model, rows, {2});
  const auto expect_failure = [&](std::atomic<std::uint32_t>& fault, const std::string& message) {
    fault = 1;
    const auto failed = model->step(rows, last);
    ASSERT_FALSE(failed.ok()) << message;
    EXPECT_EQ(failed.error().code, ErrorCode::kResource);
    EXPECT_EQ(failed.error().message.text(), message);
    EXPECT_EQ(step(*model, rows, {2}), expected);
  };
  expect_failure(model->device(0).faults().submit, "reference:0: starting a subgraph failed");
  expect_failure(model->device(1).faults().submit, "reference:1: starting a subgraph failed");
  expect_failure(model->device(0).faults().read, "reference:0: copying residual to the host failed");
  expect_failure(model->device(1).faults().write, "reference:1: copying residual from the host failed");
  expect_failure(model->device(1).faults().read, "reference:1: copying logits to the host failed");
  model->device(1).faults().read = 1;
  Candidate best;
  CandidateQuery query{.row = 0, .ids = {}, .best = {&best, 1}, .logits = {}};
  const Status failed = model->backend(1).top_k({&query, 1});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message.text(), "reference:1: finding the likeliest tokens failed");
  ASSERT_TRUE(model->backend(1).top_k({&query, 1}).ok());
  EXPECT_EQ(best.id, static_cast<std::uint32_t>(std::ranges::max_element(expected) - expected.begin()));
}

TEST_F(ReferenceStepTest, a_lost_device_fails_every_call_until_it_is_opened_anew) {
  const auto model = open(small_model(), options_for(DType::kF16), 1);
  const auto rows = rows_of(0, 0, 3);
  const std::vector<std::uint32_t> last{2};
  model->device(1).faults().lose_at_submit = 2;
  EXPECT_TRUE(model->step(rows, last).ok());
  const auto is_lost = [](const auto& result) {
    return !result.ok() && result.error().code == ErrorCode::kDeviceLost &&
           result.error().message.text() == "reference:1: the device was lost";
  };
  EXPECT_TRUE(is_lost(model->step(rows, last)));
  Backend& lost = model->backend(1);
  std::vector<std::byte> bytes(4);
  EXPECT_TRUE(is_lost(lost.wait({})));
  EXPECT_TRUE(is_lost(lost.read(model->plan().program.logits, 0, bytes)));
  EXPECT_TRUE(is_lost(lost.top_k({})));
  EXPECT_TRUE(is_lost(lost.write(model->plan().program.logits, bytes)));
  EXPECT_TRUE(is_lost(lost.copy_state(0, 1, 1, {})));
  EXPECT_TRUE(is_lost(lost.map_arena(test::arena_of(64 * kKiB))));
  EXPECT_TRUE(is_lost(lost.sample_memory()));
  EXPECT_TRUE(is_lost(lost.bind({})));
  EXPECT_TRUE(model->backend(0).sample_memory().ok());
  const auto shared = std::make_shared<ReferenceDevice>("reference:1", kMiB);
  shared->lose();
  EXPECT_TRUE((*make_reference_backend(lost.device_info(), shared))->map_arena(test::arena_of(64 * kKiB)).ok());
}

}  // namespace
}  // namespace headroom
