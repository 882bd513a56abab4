// Sessions of a model that stands on the CPU and on a reference device, held against the CPU alone.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "engine/run/loaded_fixture.h"
#include "engine/run/sampled_rows.h"
#include "format/dtype_table.h"
#include "support/decode_step.h"
#include "support/reference_devices.h"
#include "support/relative_error.h"
#include "support/stopping_backend.h"

namespace headroom {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): the fixture's names

constexpr std::uint32_t kContext = 320, kBatch = 24;

RandomModelSpec four_layers() {
  RandomModelSpec spec;
  spec.n_layers = 4;
  spec.n_ctx_trained = 1024;
  return spec;
}

PlanOptions options_of(DType kv, std::int32_t n_gpu_layers) {
  PlanOptions options;
  options.n_ctx = kContext;
  options.n_batch = kBatch;
  options.n_slots = 2;
  options.kv_k = options.kv_v = kv;
  options.n_gpu_layers = n_gpu_layers;
  options.devices = {{n_gpu_layers > 0 ? 1U : 0U}};
  return options;
}

std::vector<TokenId> tokens_of(std::size_t n, std::uint32_t seed) {
  std::vector<TokenId> tokens(n);
  for (std::size_t i = 0; i < n; ++i) tokens[i] = static_cast<TokenId>(3 + (i * 37 + seed * 101 + i * i) % 280);
  return tokens;
}

Result<std::vector<float>> try_read(Session& session, std::uint32_t slot, const std::vector<TokenId>& prompt,
                                    const StopToken& stop = {}) {
  const Result<std::uint32_t> n_reused = session.begin_prompt(slot, prompt);
  if (!n_reused) return n_reused.error();
  std::vector<float> last;
  for (std::size_t first = *n_reused; first < prompt.size(); first += kBatch) {
    const std::size_t n = std::min<std::size_t>(kBatch, prompt.size() - first);
    if (Status done = session.step({slot, {prompt.data() + first, n}, 1}, stop); !done) return done.error();
    const auto logits = session.logits(0);
    if (!logits) return logits.error();
    last.assign(logits->begin(), logits->end());
  }
  return last;
}

std::vector<float> read(Session& session, std::uint32_t slot, const std::vector<TokenId>& prompt) {
  Result<std::vector<float>> logits = try_read(session, slot, prompt);
  CHECK(logits.ok(), logits.error().message.text().c_str());
  return std::move(*logits);
}

class SplitSession : public ::testing::Test {
 protected:
  SplitSession() : opened_(open_or_die(make_random_model(four_layers(), folder_.path()))) {}

  std::unique_ptr<Session> open(const PlanOptions& options) {
    const std::shared_ptr<const MemoryPlan> plan = plan_or_die(*opened_.info, options);
    return session_or_die(load_or_die(opened_, plan), plan);
  }

  ReferenceDevices devices_{"64MiB"};
  TempFolder folder_;
  OpenedFile opened_;
};

// A cache of few bits rounds to another code where an activation differs in its last bits.
double split_tolerance(DType kv) {
  if (kv == DType::kQ4_0 || kv == DType::kF8E4M3) return 8e-2;
  return kv == DType::kQ8_0 ? 3e-2 : 2e-3;
}

TEST_F(SplitSession, two_slots_of_every_cache_type_are_as_on_the_cpu_alone) {
  const std::vector<TokenId> first = tokens_of(290, 1), second = tokens_of(61, 2);
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_kv) continue;
    const auto alone = open(options_of(type.dtype, 0)), split = open(options_of(type.dtype, 2));
    for (Session* session : {alone.get(), split.get()}) read(*session, 0, first);
    EXPECT_LT(relative_error(read(*split, 1, second), read(*alone, 1, second)), split_tolerance(type.dtype))
        << type.label;
    const std::vector<test::SlotToken> next{{0, 17}, {1, 29}};
    ASSERT_TRUE(test::decode(*split, next).ok() && test::decode(*alone, next).ok());
    EXPECT_LT(relative_error(all_logits(*split, 2), all_logits(*alone, 2)), split_tolerance(type.dtype)) << type.label;
    EXPECT_EQ(split->n_allocations_after_open(), 0U);
  }
}

TEST_F(SplitSession, times_each_device_in_steps_of_one_row) {
  const auto split = open(options_of(DType::kF16, 2));
  read(*split, 0, tokens_of(40, 1));
  read(*split, 1, tokens_of(30, 2));
  EXPECT_EQ(split->take_decode_times().n_steps, 0U) << "a prompt is no decode";
  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(test::decode(*split, {{0, 17}}).ok());
  ASSERT_TRUE(test::decode(*split, {{0, 17}, {1, 29}}).ok());
  const DecodeTimes times = split->take_decode_times();
  EXPECT_EQ(times.n_steps, 3U) << "the step that two slots share is of neither";
  EXPECT_EQ(times.n_positions, 41U + 42 + 43);
  ASSERT_EQ(times.seconds.size(), 2U);
  for (const double seconds : times.seconds) EXPECT_GT(seconds, 0);
  EXPECT_EQ(split->take_decode_times().n_steps, 0U) << "told once";
}

TEST_F(SplitSession, rows_of_one_step_are_sampled_where_they_are_each_as_its_settings_say) {
  for (const std::int32_t n_gpu_layers : {0, 2}) {
    PlanOptions options = options_of(DType::kF16, n_gpu_layers);
    options.n_logit_rows = kSampledRows;
    expect_rows_sampled_as_their_settings_say(*open(options), tokens_of(kBatch, 8));
  }
}

TEST_F(SplitSession, rows_that_are_asked_about_with_a_step_are_sampled_as_behind_it) {
  for (const std::int32_t n_gpu_layers : {0, 2}) {
    PlanOptions options = options_of(DType::kF16, n_gpu_layers);
    options.n_logit_rows = kSampledRows;
    expect_rows_sampled_with_the_step_as_behind_it(*open(options), tokens_of(kBatch, 8));
  }
}

TEST_F(SplitSession, candidates_that_a_device_fails_to_give_are_its_error) {
  const auto session = open(options_of(DType::kF16, 2));
  ASSERT_TRUE(session->step({0, tokens_of(kBatch, 8), 1}, {}).ok());
  const auto device = shared_reference_device("reference:0", 64 * kMiB);
  Sampler sampler({}, 1, session->sampler_scratch());
  SampledRow row{0, &sampler, session->cache().tokens(0)};
  device->faults().read = 1;
  const Status failed = session->sample({&row, 1});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message.text(), "reference:0: finding the likeliest tokens failed");
  EXPECT_TRUE(session->sample({&row, 1}).ok());
}

TEST_F(SplitSession, a_shared_prompt_goes_on_as_where_it_came_from) {
  std::vector<TokenId> prompt = tokens_of(200, 3);
  prompt.push_back(5);
  for (const DType kv : {DType::kF16, DType::kQ4_0}) {
    const auto session = open(options_of(kv, 2));
    read(*session, 0, {prompt.begin(), prompt.end() - 1});
    ASSERT_EQ(*session->begin_prompt(1, prompt), 200U);
    const std::vector<test::SlotToken> next{{0, 5}, {1, 5}};
    ASSERT_TRUE(test::decode(*session, next).ok());
    const std::vector<float> logits = all_logits(*session, 2);
    const auto second = logits.begin() + static_cast<std::ptrdiff_t>(logits.size() / 2);
    EXPECT_EQ(std::vector<float>(logits.begin(), second), std::vector<float>(second, logits.end()));
  }
}

TEST_F(SplitSession, a_copy_that_fails_leaves_nothing_to_reuse) {
  const auto session = open(options_of(DType::kF16, 2));
  const std::vector<TokenId> prompt = tokens_of(40, 3), other = tokens_of(30, 4);
  read(*session, 0, prompt);
  read(*session, 1, other);
  shared_reference_device("reference:0", 64 * kMiB)->lose();
  EXPECT_EQ(session->begin_prompt(1, prompt).error().code, ErrorCode::kDeviceLost);
  EXPECT_TRUE(session->cache().tokens(1).empty());
}

TEST_F(SplitSession, the_end_of_the_context_is_where_the_plan_says) {
  const auto session = open(options_of(DType::kF16, 2));
  const auto too_long = session->begin_prompt(0, tokens_of(kContext + 1, 4));
  ASSERT_FALSE(too_long.ok());
  EXPECT_EQ(too_long.error().code, ErrorCode::kDoesNotFit);
  const auto alone = open(options_of(DType::kF16, 0));
  for (const std::uint32_t n : {kContext - 1, kContext}) {
    const std::vector<TokenId> prompt = tokens_of(n, n);
    EXPECT_LT(relative_error(read(*session, 0, prompt), read(*alone, 0, prompt)), 2e-3) << n;
  }
}

// A device whose largest allocation is that of its largest region.
TEST_F(SplitSession, weights_and_caches_in_many_arenas_are_as_in_one) {
  std::vector<DeviceInfo> devices = *probe_devices(2);
  devices[1].granularity = 4 * kKiB;
  const PlanOptions options = options_of(DType::kF16, 3);
  const auto plan_of = [&](const PlanOptions& asked) {
    Result<MemoryPlan> plan = plan_memory(*opened_.info, devices, asked);
    CHECK(plan.ok(), plan.error().message.text().c_str());
    return std::make_shared<const MemoryPlan>(std::move(*plan));
  };
  const auto whole_plan = plan_of(options);
  for (const ArenaPlan& arena : whole_plan->arenas) {
    for (const Region& region : arena.regions) {
      if (arena.device == 1)
        devices[1].max_arena_bytes =
            std::max(devices[1].max_arena_bytes, round_up(region.size, devices[1].granularity));
    }
  }
  const auto plan = plan_of(options);
  const auto n_arenas = [](const MemoryPlan& of, Lifetime lifetime) {
    return std::count_if(of.arenas.begin(), of.arenas.end(),
                         [&](const ArenaPlan& arena) { return arena.device == 1 && arena.lifetime == lifetime; });
  };
  EXPECT_GT(n_arenas(*plan, Lifetime::kModel), 3);
  EXPECT_GT(n_arenas(*plan, Lifetime::kSession), 1);
  const auto loaded = load_or_die(opened_, plan);
  const std::vector<TokenId> prompt = tokens_of(100, 3);
  const auto whole = session_or_die(load_or_die(opened_, whole_plan), whole_plan);
  const std::vector<float> expected = read(*whole, 0, prompt);
  {
    const auto session = session_or_die(loaded, plan);
    EXPECT_EQ(read(*session, 0, prompt), expected);
    EXPECT_EQ(session->memory_report().arenas.size(), plan->arenas.size());
  }
  // Another context has another number of arenas, under the same weights.
  PlanOptions shorter = options;
  shorter.n_ctx = 128;
  const auto short_plan = plan_of(shorter);
  ASSERT_LT(n_arenas(*short_plan, Lifetime::kSession), n_arenas(*plan, Lifetime::kSession));
  const auto session = session_or_die(loaded, short_plan);
  EXPECT_EQ(read(*session, 0, prompt), expected);
  const MemoryReport report = session->memory_report();
  ASSERT_EQ(report.arenas.size(), short_plan->arenas.size());
  for (std::size_t i = 0; i < report.arenas.size(); ++i) {
    EXPECT_EQ(report.arenas[i].planned_bytes, short_plan->arenas[i].size);
    EXPECT_EQ(report.arenas[i].mapped_bytes, short_plan->arenas[i].size);
  }
}

TEST_F(SplitSession, memory_that_another_program_took_on_the_second_device_is_told_before_anything_is_mapped) {
  const std::shared_ptr<const MemoryPlan> plan = plan_or_die(*opened_.info, options_of(DType::kF16, 2));
  const auto device = shared_reference_device("reference:0", 64 * kMiB);
  device->faults().taken = 64 * kMiB - 4 * kKiB;
  const auto loaded = load_model(opened_.file, {opened_.info, plan, make_backend}, {}, [](Bytes) {});
  device->faults().taken = 0;
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::kDoesNotFit);
  EXPECT_NE(loaded.error().message.text().find("reference:0: asked for"), std::string::npos)
      << loaded.error().message.text();
  EXPECT_NE(loaded.error().message.text().find("other programs 64.0 MiB"), std::string::npos)
      << loaded.error().message.text();
  EXPECT_EQ(device->sample().ours, 0U);
}

TEST_F(SplitSession, a_copy_that_fails_ends_the_step_and_the_next_one_works) {
  const auto session = open(options_of(DType::kF16, 2)), whole = open(options_of(DType::kF16, 0));
  const auto device = shared_reference_device("reference:0", 64 * kMiB);
  const std::vector<TokenId> prompt = tokens_of(50, 5);
  for (std::atomic<std::uint32_t>* fault :
       {&device->faults().write, &device->faults().read, &device->faults().submit}) {
    *fault = 2;
    const auto failed = try_read(*session, 0, prompt);
    *fault = 0;
    ASSERT_FALSE(failed.ok());
    EXPECT_NE(failed.error().message.text().find("reference:0"), std::string::npos) << failed.error().message.text();
    session->clear(0);
    EXPECT_LT(relative_error(read(*session, 0, prompt), read(*whole, 0, prompt)), 2e-3);
    session->clear(0);
  }
}

TEST_F(SplitSession, a_thousand_turns_take_nothing_more) {
  const auto session = open(options_of(DType::kQ8_0, 2));
  const auto device = shared_reference_device("reference:0", 64 * kMiB);
  const Bytes ours = device->sample().ours;
  for (std::uint32_t turn = 0; turn < 1000; ++turn) {
    const std::vector<TokenId> prompt = tokens_of(2 + turn % 5, turn);
    ASSERT_TRUE(try_read(*session, turn % 2, prompt).ok()) << turn;
    const std::vector<test::SlotToken> next{{turn % 2, 9}};
    ASSERT_TRUE(test::decode(*session, next).ok()) << turn;
  }
  EXPECT_EQ(session->n_allocations_after_open(), 0U);
  EXPECT_EQ(device->sample().ours, ours);
  for (const ArenaReport& arena : session->memory_report().arenas) EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes);
}

// --- steps that are stopped in the middle ---

class StoppedStep : public SplitSession {
 protected:
  std::unique_ptr<Session> open_stoppable(const OpenedFile& opened, const PlanOptions& options) {
    const std::shared_ptr<const MemoryPlan> plan = plan_or_die(*opened.info, options);
    const auto make = [this](const DeviceInfo& device) -> Result<std::unique_ptr<Backend>> {
      Result<std::unique_ptr<Backend>> inner = make_backend(device);
      if (!inner) return inner.error();
      return std::unique_ptr<Backend>(std::make_unique<StoppingBackend>(std::move(*inner), stop_));
    };
    auto loaded = load_model(opened.file, {opened.info, plan, make}, {}, [](Bytes) {});
    CHECK(loaded.ok(), loaded.error().message.text().c_str());
    return session_or_die(*loaded, plan);
  }

  StopBehind stop_;
};

TEST_F(StoppedStep, a_prompt_goes_on_after_a_stop_behind_any_segment) {
  const std::vector<TokenId> prompt = tokens_of(120, 6);
  const auto whole = open(options_of(DType::kQ4_0, 2));
  const std::vector<float> expected = read(*whole, 0, prompt);
  for (const std::uint32_t behind : {1U, 2U, 3U, 4U, 9U}) {  // two segments a step
    stop_.source = {};
    stop_.submit = behind;
    const auto session = open_stoppable(opened_, options_of(DType::kQ4_0, 2));
    const auto stopped = try_read(*session, 0, prompt, stop_.source.token());
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
    EXPECT_EQ(session->cache().tokens(0).size(), (behind - 1) / 2 * kBatch);
    EXPECT_EQ(read(*session, 0, prompt), expected) << "stopped behind segment " << behind;
  }
}

// A window keeps a ring of its newest rows. A step that is stopped has replaced the oldest of them, although none of
// its tokens is held.
TEST_F(StoppedStep, rows_of_a_window_that_a_stopped_step_replaced_are_not_reused) {
  RandomModelSpec spec = four_layers();
  spec.window = 40;
  const OpenedFile opened = open_or_die(make_random_model(spec, folder_.path(), "window"));
  PlanOptions options = options_of(DType::kF32, 0);
  const std::vector<TokenId> held = tokens_of(100, 7);
  std::vector<TokenId> longer = held, other(held.begin(), held.begin() + 90);
  for (const TokenId token : tokens_of(kBatch, 8)) longer.push_back(token);
  for (const TokenId token : tokens_of(5, 9)) other.push_back(token);
  const auto session = open_stoppable(opened, options);
  read(*session, 0, held);
  stop_.submit = 1;
  ASSERT_FALSE(try_read(*session, 0, longer, stop_.source.token()).ok());
  const auto fresh = open_stoppable(opened, options);
  EXPECT_LT(relative_error(read(*session, 0, other), read(*fresh, 0, other)), 1e-5);
}

}  // namespace
}  // namespace headroom
