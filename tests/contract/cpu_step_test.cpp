// What a step promises beside its numbers: the same results for any number of threads, no allocation, a prompt stop,
// states that can be copied.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "contract/loaded_cpu.h"
#include "support/counted_news.h"

namespace headroom {
namespace {

using test::RandomModelSpec;

RandomModelSpec model(DType weight) {
  RandomModelSpec spec;
  spec.weight_type = weight;
  spec.n_layers = 2;
  spec.n_heads = 8;
  spec.n_kv_heads = 2;
  spec.n_ctx_trained = 1024;
  return spec;
}

RandomModelSpec model_of_experts(DType weight) {
  RandomModelSpec spec = model(weight);
  spec.architecture = "qwen3moe";
  spec.d_ff = 256;
  spec.n_experts = 11;
  spec.n_experts_used = 3;
  return spec;
}

PlanOptions step_options() {
  PlanOptions made;
  made.n_ctx = 640;
  made.n_slots = 2;
  made.n_batch = 600;
  made.kv_k = DType::kQ8_0;
  made.kv_v = DType::kF8E4M3;
  return made;
}

TEST(CpuStep, gives_the_same_bits_for_any_number_of_threads) {
  const test::TempFolder folder;
  for (const RandomModelSpec& spec : {model(DType::kQ4_K), model(DType::kF32), model_of_experts(DType::kQ4_K)}) {
    const auto path = test::make_random_model(spec, folder.path());
    std::vector<std::vector<float>> first;
    for (const std::uint32_t n_threads : {1U, 2U, 3U, 5U}) {
      const auto loaded = test::load_cpu(path, detected_isa(), n_threads, step_options());
      std::vector<std::vector<float>> found;
      found.push_back(
          loaded->step(test::rows_of(0, 0, 530, 288), {529}));  // long enough to be read in parts afterwards
      found.push_back(loaded->step(test::rows_of(0, 530, 1, 288), {0}));
      found.push_back(loaded->step(test::rows_of(0, 531, 3, 288), {2}));
      if (first.empty()) first = found;
      EXPECT_EQ(found, first) << n_threads << " threads";
    }
  }
}

void expect_no_allocation(const RandomModelSpec& spec) {
  const test::TempFolder folder;
  const auto loaded = test::load_cpu(test::make_random_model(spec, folder.path()), detected_isa(), 2, step_options());
  const auto prompt = test::rows_of(0, 0, 40, 288), next = test::rows_of(0, 40, 1, 288);
  const std::vector<std::uint32_t> last{39}, only{0};
  std::array<Candidate, 40> best;
  CandidateQuery query{.row = 0, .wants_sum = true, .ids = {}, .best = best, .logits = {}};
  const std::uint64_t mapped = n_allocations(loaded->loaded->backends), news = n_news;
  EXPECT_EQ(mapped, loaded->plan.arenas.size());
  const bool prompt_ok = loaded->executor->step(prompt, last, {}).ok();
  const bool next_ok = loaded->executor->step(next, only, {}).ok();
  const bool found = loaded->executor->top_k({&query, 1}).ok();
  EXPECT_EQ(n_news, news);
  EXPECT_EQ(n_allocations(loaded->loaded->backends), mapped);
  EXPECT_TRUE(prompt_ok && next_ok && found);
}

TEST(CpuStep, allocates_nothing) {
  expect_no_allocation(model(DType::kQ6_K));
  expect_no_allocation(model_of_experts(DType::kQ6_K));
}

TEST(CpuStep, several_slots_in_one_step_are_as_each_alone) {
  const test::TempFolder folder;
  const auto path = test::make_random_model(model(DType::kF32), folder.path());
  const auto together = test::load_cpu(path, detected_isa(), 2, step_options()),
             alone = test::load_cpu(path, detected_isa(), 2, step_options());
  auto rows = test::rows_of(0, 0, 9, 288);
  const auto other = test::rows_of(1, 0, 9, 288);
  const auto first = alone->step(rows, {8}), second = alone->step(other, {8});
  rows.insert(rows.end(), other.begin(), other.end());
  const auto both = together->step(rows, {8, 17});
  // Tiles of other widths sum in another order: the last bits may differ.
  EXPECT_LT(test::relative_error({both.begin(), both.begin() + 288}, first), 1e-5);
  EXPECT_LT(test::relative_error({both.begin() + 288, both.end()}, second), 1e-5);
}

TEST(CpuStep, a_copied_slot_goes_on_as_the_original) {
  const test::TempFolder folder;
  const auto loaded =
      test::load_cpu(test::make_random_model(model(DType::kF32), folder.path()), detected_isa(), 2, step_options());
  loaded->step(test::rows_of(0, 0, 37, 288), {36});
  ASSERT_TRUE(loaded->executor->copy_state(0, 1, 37).ok());
  auto next = test::rows_of(0, 37, 1, 288);
  const auto original = loaded->step(next, {0});
  next[0].slot = 1;
  EXPECT_EQ(loaded->step(next, {0}), original);
}

TEST(CpuStep, a_copy_of_a_slot_is_made_by_all_threads_and_can_be_stopped) {
  const test::TempFolder folder;
  const auto path = test::make_random_model(model(DType::kF32), folder.path());
  PlanOptions options = step_options();
  options.n_ctx = 300;
  options.kv_k = options.kv_v = DType::kQ8_0;
  for (const std::uint32_t n_threads : {1U, 3U, 8U}) {
    const auto loaded = test::load_cpu(path, detected_isa(), n_threads, options);
    for (std::uint32_t first = 0; first < 100; first += 25) loaded->step(test::rows_of(0, first, 25, 288), {24});
    StopSource stop;
    stop.request_stop();
    EXPECT_EQ(loaded->executor->copy_state(0, 1, 100, stop.token()).error().code, ErrorCode::kCancelled);
    ASSERT_TRUE(loaded->executor->copy_state(0, 1, 100).ok());
    auto next = test::rows_of(0, 100, 1, 288);
    const auto original = loaded->step(next, {0});
    next[0].slot = 1;
    EXPECT_EQ(loaded->step(next, {0}), original) << n_threads;
  }
}

TEST(CpuStep, a_window_sees_its_newest_positions_through_a_ring) {
  const test::TempFolder folder;
  RandomModelSpec spec = model(DType::kF32);
  spec.window = 40;
  PlanOptions small = step_options();
  small.n_ctx = 300;
  small.n_batch = 24;
  small.kv_k = small.kv_v = DType::kF16;
  const auto path = test::make_random_model(spec, folder.path());
  const auto loaded = test::load_cpu(path, detected_isa(), 2, small);
  for (LayerSpec& layer : loaded->model.layers) {
    ASSERT_TRUE(layer.attention == AttentionKind::kFull || layer.window == 40);
  }
  const auto reference = test::take(test::ReferenceModel::open(path, loaded->plan.options));
  for (std::uint32_t position = 0; position + 24 < 300; position += 24) {
    const auto rows = test::rows_of(0, position, 24, 288);
    const std::vector<std::uint32_t> last{23};
    EXPECT_LT(test::relative_error(loaded->step(rows, last), test::take(reference->step(rows, last))), 2e-3)
        << "at " << position;
  }
}

TEST(CpuStep, stops_when_asked_and_works_again) {
  const test::TempFolder folder;
  const auto loaded =
      test::load_cpu(test::make_random_model(model(DType::kQ8_0), folder.path()), detected_isa(), 2, step_options());
  const auto prompt = test::rows_of(0, 0, 600, 288);
  const std::vector<std::uint32_t> last{599};
  StopSource source;
  source.request_stop();
  const auto stopped = loaded->executor->step(prompt, last, source.token());
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(loaded->step(prompt, last).size(), 288U);
}

// Wherever in the ops of its experts a step is stopped, the next one is whole.
TEST(CpuStep, with_experts_can_be_stopped_anywhere) {
  const test::TempFolder folder;
  const auto loaded = test::load_cpu(test::make_random_model(model_of_experts(DType::kQ4_0), folder.path()),
                                     detected_isa(), 2, step_options());
  const auto prompt = test::rows_of(0, 0, 300, 288);
  const std::vector<std::uint32_t> last{299};
  const std::vector<float> whole = loaded->step(prompt, last);
  std::uint32_t n_stopped = 0;
  for (std::uint32_t n_yields = 0; n_stopped < 20; n_yields = (n_yields + 7) % 100) {
    StopSource source;
    std::thread other([&] {
      for (std::uint32_t i = 0; i < n_yields; ++i) std::this_thread::yield();
      source.request_stop();
    });
    const auto stopped = loaded->executor->step(prompt, last, source.token());
    other.join();
    if (stopped.ok()) continue;
    EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
    ++n_stopped;
    ASSERT_EQ(loaded->step(prompt, last), whole);
  }
}

TEST(CpuStep, rows_outside_the_plan_are_refused) {
  const test::TempFolder folder;
  const auto loaded =
      test::load_cpu(test::make_random_model(model(DType::kF32), folder.path()), detected_isa(), 1, step_options());
  for (const StepRow& row : {StepRow{288, 0, 0}, StepRow{0, 2, 0}, StepRow{0, 0, 640}}) {
    const std::vector<StepRow> rows{row};
    const auto refused = loaded->executor->step(rows, {}, {});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  }
  EXPECT_FALSE(loaded->executor->step({}, {}, {}).ok());
}

}  // namespace
}  // namespace headroom
