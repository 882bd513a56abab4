#include "run/verify_plan.h"

#include <gtest/gtest.h>

#include <future>
#include <map>

#include "engine/run/engine_fixture.h"
#include "engine/run/fake_engine.h"
#include "engine/run/state_model.h"
#include "support/reference_devices.h"

namespace headroom {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): the fixture's names
using Kind = VerifyDifference::Kind;

std::vector<Kind> kinds_of(const Verification& found, VerifyProcess process = VerifyProcess::kEngineAlone) {
  std::vector<Kind> kinds;
  for (const VerifyDifference& difference : verify_differences(found, process)) kinds.push_back(difference.kind);
  return kinds;
}

// A session on a fake machine, which a test lets misbehave.
struct FakeSession {
  explicit FakeSession(const fake::Setup& setup) : loaded(fake::make_loaded(setup, machine)) {
    session = session_or_die(loaded, fake::make_plan(setup));
  }
  Result<Verification> verify(const StopToken& stop = {}) {
    return verify_plan(*session, stop, [](const VerifyProgress&) {});
  }
  fake::Machine machine;
  std::shared_ptr<const LoadedModel> loaded;
  std::unique_ptr<Session> session;
};

TEST(VerifyPlan, every_slot_is_filled_to_its_last_position_and_all_of_them_in_one_step) {
  FakeSession on({.n_ctx = 64, .n_slots = 3});
  std::map<std::uint32_t, std::uint32_t> last;  // position of each slot
  bool is_shared_at_the_end = false;
  on.machine.saw_rows = [&](std::span<const StepRow> rows) {
    for (const StepRow& row : rows) last[row.slot] = std::max(last[row.slot], row.position);
    is_shared_at_the_end |=
        rows.size() == 3 && std::ranges::all_of(rows, [](const StepRow& row) { return row.position == 63; });
  };
  const Result<Verification> found = on.verify();
  ASSERT_TRUE(found.ok()) << found.error().message.text();
  EXPECT_EQ(last, (std::map<std::uint32_t, std::uint32_t>{{0, 63}, {1, 63}, {2, 63}}));
  EXPECT_TRUE(is_shared_at_the_end);
  EXPECT_EQ(found->n_full_slots, 3U);
  EXPECT_TRUE(found->refuses_longer_prompt);
  EXPECT_EQ(found->n_answers, kVerifyAnswers);
  EXPECT_EQ(kinds_of(*found), std::vector<Kind>{});
  EXPECT_EQ(on.session->cache().n_tokens_in_all(), 0U) << "the slots are empty again";
}

TEST(VerifyPlan, speeds_are_told_of_an_empty_a_half_and_a_full_cache) {
  FakeSession on({.n_ctx = 1000});
  const Result<Verification> found = on.verify();
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->speeds.size(), 3U);
  EXPECT_EQ(found->speeds[0].depth, 0U);
  EXPECT_EQ(found->speeds[1].depth, (1000 - kVerifyLastTokens) / 2);
  EXPECT_EQ(found->speeds[2].depth, 1000 - kVerifyLastTokens - kVerifyTimedTokens);
  for (const DepthSpeed& speed : found->speeds) EXPECT_GT(speed.tokens_per_s, 0);
  ASSERT_TRUE(found->prompt.has_value());
  EXPECT_EQ(found->prompt->n_tokens, found->speeds[1].depth - kVerifyTimedTokens);
}

TEST(VerifyPlan, a_context_of_any_length_is_filled) {
  for (std::uint32_t n_ctx = 1; n_ctx <= 40; ++n_ctx) {
    FakeSession on({.n_ctx = n_ctx, .n_slots = 2});
    const Result<Verification> found = on.verify();
    ASSERT_TRUE(found.ok()) << n_ctx;
    EXPECT_EQ(kinds_of(*found), std::vector<Kind>{}) << n_ctx;
  }
}

TEST(VerifyPlan, progress_goes_forward_through_all_stages_to_its_end) {
  FakeSession on({.n_ctx = 64, .n_slots = 2});
  VerifyProgress last;
  std::size_t n_told = 0;
  const auto look = [&](const VerifyProgress& progress) {
    EXPECT_GE(progress.stage, last.stage);
    EXPECT_GE(progress.n_done, last.n_done);
    EXPECT_LE(progress.n_done, progress.n_total);
    last = progress;
    ++n_told;
  };
  ASSERT_TRUE(verify_plan(*on.session, {}, look).ok());
  EXPECT_EQ(last.stage, VerifyStage::kAnswers);
  EXPECT_EQ(last.n_done, last.n_total);
  EXPECT_GE(n_told, on.machine.n_steps);
}

TEST(VerifyPlan, what_is_allocated_after_the_load_is_found) {
  FakeSession on({.n_ctx = 64});
  std::unique_ptr<Arena> taken;
  on.machine.before_step = [&] {
    if (on.machine.n_steps == 5) taken = std::move(*on.loaded->backends[0]->map_arena({.size = 4096, .regions = {}}));
  };
  const Result<Verification> found = on.verify();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(verify_differences(*found, VerifyProcess::kEngineAlone),
            (std::vector<VerifyDifference>{{Kind::kAllocated, {}, 0, 1}}));
}

TEST(VerifyPlan, a_driver_that_grows_with_the_answers_is_found) {
  FakeSession on({.n_ctx = 64});
  on.machine.before_step = [&] { on.machine.held_by_driver += 64 * kKiB; };
  const Result<Verification> found = on.verify();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(kinds_of(*found), std::vector<Kind>{Kind::kDriverGrew});
  EXPECT_EQ(kinds_of(*found, VerifyProcess::kWithWindow), std::vector<Kind>{Kind::kDriverGrew});
}

TEST(VerifyPlan, a_heap_that_grows_with_the_answers_is_found) {
  if (heap_bytes_in_use() == 0) GTEST_SKIP() << "the allocator does not tell";
  FakeSession on({.n_ctx = 64});
  std::vector<std::vector<char>> kept;
  on.machine.before_step = [&] { kept.emplace_back(32 * kKiB, 'x'); };
  const Result<Verification> found = on.verify();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(kinds_of(*found), std::vector<Kind>{Kind::kHeapGrew});
  EXPECT_EQ(kinds_of(*found, VerifyProcess::kWithWindow), std::vector<Kind>{}) << "it may be the window's";
}

TEST(VerifyPlan, peaks_are_those_while_it_ran) {
  FakeSession on({.n_ctx = 64});
  const Bytes mapped = on.machine.mapped_now;
  const Result<Verification> found = on.verify();
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->devices.size(), 1U);
  EXPECT_EQ(found->devices[0].most_ours_bytes, mapped);
  EXPECT_EQ(found->devices[0].least_free_bytes, on.machine.total - mapped);
  EXPECT_EQ(found->devices[0].planned_bytes, mapped);
  EXPECT_EQ(found->devices[0].mapped_bytes, mapped);
}

TEST(VerifyPlan, a_stop_at_any_step_ends_it_within_that_step_and_leaves_the_session_usable) {
  FakeSession on({.n_ctx = 64, .n_slots = 2, .window = 16});
  ASSERT_TRUE(on.verify().ok());
  const std::uint64_t n_all = on.machine.n_steps;
  Random random(7);
  for (int round = 0; round < 40; ++round) {
    StopSource source;
    const std::uint64_t at = random.next_u32() % n_all;
    on.machine.n_steps = 0;
    on.machine.before_step = [&] {
      if (on.machine.n_steps == at) source.request_stop();
    };
    const Result<Verification> stopped = on.verify(source.token());
    ASSERT_FALSE(stopped.ok()) << at;
    EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
    EXPECT_LE(on.machine.n_steps, at + 1) << "no step begins after it";
    EXPECT_EQ(on.session->cache().n_tokens_in_all(), 0U);
  }
  on.machine.before_step = [] {};
  const Result<Verification> again = on.verify();
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(kinds_of(*again), std::vector<Kind>{});
}

TEST(VerifyPlan, a_step_that_fails_ends_it_with_that_error) {
  FakeSession on({.n_ctx = 64, .n_slots = 2});
  for (const std::uint64_t at : {0U, 20U, 60U, 200U}) {
    on.machine.n_steps = 0;
    on.machine.before_step = [&] { on.machine.fails_steps = on.machine.n_steps >= at; };
    const Result<Verification> found = on.verify();
    ASSERT_FALSE(found.ok()) << at;
    EXPECT_EQ(found.error().message.text(), "the fake machine fails");
    EXPECT_EQ(on.session->cache().n_tokens_in_all(), 0U);
  }
  on.machine.before_step = [] {};
  on.machine.fails_steps = false;
  EXPECT_TRUE(on.verify().ok());
}

TEST(VerifyPlan, a_model_without_a_tokenizer_is_refused) {
  const fake::Setup setup{.n_ctx = 64};
  fake::Machine machine;
  auto loaded = std::make_shared<LoadedModel>(*fake::make_loaded(setup, machine));
  loaded->tokenizer = nullptr;
  const std::unique_ptr<Session> session = session_or_die(loaded, fake::make_plan(setup));
  const Result<Verification> found = verify_plan(*session, {}, [](const VerifyProgress&) {});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kUnsupported);
}

struct RealCase {
  const char* name;
  RandomModelSpec spec;
  PlanOptions options;
};

RandomModelSpec with_windows() {
  RandomModelSpec spec;
  spec.architecture = "gemma3";
  spec.n_layers = 7;
  spec.d_model = 64;
  spec.d_ff = 96;
  spec.n_heads = 2;
  spec.n_kv_heads = 1;
  spec.window = 24;
  return spec;
}

RandomModelSpec plain() {
  RandomModelSpec spec;
  spec.d_model = 128;
  spec.d_ff = 192;
  spec.n_heads = 2;
  spec.n_kv_heads = 1;
  return spec;
}

std::vector<RealCase> real_cases() {
  const auto options = [](std::uint32_t n_slots, DType kv, std::uint32_t n_draft) {
    PlanOptions wanted = context_of(200);
    wanted.n_slots = n_slots;
    wanted.kv_k = wanted.kv_v = kv;
    wanted.n_draft = n_draft;
    return wanted;
  };
  return {{"plain", plain(), options(1, DType::kF16, 0)},
          {"slots_and_drafts", plain(), options(3, DType::kQ8_0, 2)},
          {"q4_0", plain(), options(2, DType::kQ4_0, 0)},
          {"windows", with_windows(), options(2, DType::kF16, 0)},
          {"windows_q8_0", with_windows(), options(2, DType::kQ8_0, 1)},
          {"states", model_with_states(), options(2, DType::kF16, 0)},
          {"states_q8_0", model_with_states(), options(3, DType::kQ8_0, 0)}};
}

TEST(VerifyPlan, plans_of_every_kind_of_layer_and_cache_are_held) {
  for (const RealCase& each : real_cases()) {
    SCOPED_TRACE(each.name);
    const TempFolder folder;
    const std::unique_ptr<Session> session = open_random(each.spec, folder, each.options);
    const Result<Verification> found = verify_plan(*session, {}, [](const VerifyProgress&) {});
    ASSERT_TRUE(found.ok()) << found.error().message.text();
    EXPECT_EQ(kinds_of(*found), std::vector<Kind>{});
    EXPECT_EQ(found->speeds.size(), 3U);
    EXPECT_EQ(planned_bytes(*found), mapped_bytes(*found));
    EXPECT_EQ(session->cache().n_tokens_in_all(), 0U);
  }
}

TEST(VerifyPlan, a_stop_in_a_model_with_states_leaves_it_as_it_was) {
  const TempFolder folder;
  PlanOptions options = context_of(100);
  options.n_slots = 2;
  const std::unique_ptr<Session> session = open_random(model_with_states(), folder, options);
  Random random(3);
  for (int round = 0; round < 6; ++round) {
    StopSource source;
    std::uint32_t left = 1 + random.next_u32() % 120;
    const Result<Verification> found = verify_plan(*session, source.token(), [&](const VerifyProgress&) {
      if (--left == 0) source.request_stop();
    });
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().code, ErrorCode::kCancelled);
  }
  EXPECT_TRUE(verify_plan(*session, {}, [](const VerifyProgress&) {}).ok());
}

TEST(VerifyPlan, a_plan_that_is_split_is_held_on_each_device) {
  const ReferenceDevices devices("64MiB");
  const TempFolder folder;
  const OpenedFile opened = open_or_die(make_random_model(plain(), folder.path()));
  PlanOptions options = context_of(100);
  options.devices = {{.device = 1, .n_layers = 1}};
  options.n_gpu_layers = 1;
  const std::shared_ptr<const MemoryPlan> plan = plan_or_die(*opened.info, options);
  const std::unique_ptr<Session> session = session_or_die(load_or_die(opened, plan), plan);
  const Result<Verification> found = verify_plan(*session, {}, [](const VerifyProgress&) {});
  ASSERT_TRUE(found.ok()) << found.error().message.text();
  ASSERT_EQ(found->devices.size(), 2U);
  for (const VerifiedDevice& device : found->devices) {
    EXPECT_GT(device.planned_bytes, 0U) << device.device;
    EXPECT_EQ(device.planned_bytes, device.mapped_bytes) << device.device;
  }
  EXPECT_EQ(kinds_of(*found), std::vector<Kind>{});
}

GenerateRequest ask_in(ConversationId conversation, const std::string& prompt) {
  GenerateRequest request = ask(prompt, 6);
  request.conversation = conversation;
  request.sampler.temperature = 0;
  return request;
}

TEST(VerifyPlan, a_conversation_goes_on_behind_it_with_its_prompt_read_again) {
  const OnDisk model(plain());
  PlanOptions options = context_of(96);
  options.n_slots = 2;
  std::vector<std::string> texts;
  for (const bool verifies : {false, true}) {
    Engine engine;
    ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(options))).has_value());
    ASSERT_TRUE(engine.wait_for<GenerationFinished>(engine->generate(ask_in(1, "hello there"))).has_value());
    if (verifies) {
      const auto verified = engine.wait_for<Verified>(engine->verify());
      ASSERT_TRUE(verified.has_value());
      EXPECT_EQ(kinds_of(verified->found, VerifyProcess::kWithWindow), std::vector<Kind>{});
    }
    const RequestId id = engine->generate(ask_in(1, "hello there, again"));
    const auto finished = engine.wait_for<GenerationFinished>(id);
    ASSERT_TRUE(finished.has_value());
    if (verifies) {
      EXPECT_EQ(finished->stats.reused_tokens, 0U);
    }
    EXPECT_LE(finished->decode_times.n_steps, 6U) << "those of the verification are of no answer";
    texts.push_back(engine.text(id));
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(VerifyPlan, readings_of_memory_go_on_and_a_stop_is_heard) {
  const OnDisk model(plain());
  Engine engine;
  EXPECT_TRUE(engine.wait_for<Failed>(engine->verify()).has_value()) << "nothing is loaded";
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(context_of(512)))).has_value());
  std::atomic<bool> stops = false;
  engine.before_event = [&](const Event& event) {
    if (stops && std::holds_alternative<VerifyProgress>(event.body)) engine->stop(event.request);
  };
  const RequestId whole = engine->verify();
  ASSERT_TRUE(engine.wait_for<Verified>(whole).has_value());
  EXPECT_GE(engine.count<MemoryReading>(), 1U);
  EXPECT_GE(engine.count<VerifyProgress>(), 1U);
  stops = true;
  const auto stopped = engine.wait_for<Failed>(engine->verify());
  ASSERT_TRUE(stopped.has_value());
  EXPECT_EQ(stopped->error.code, ErrorCode::kCancelled);
  EXPECT_TRUE(engine.wait_for<GenerationFinished>(engine->generate(ask("hello", 4))).has_value());
}

TEST(VerifyPlan, while_an_answer_is_written_it_is_refused) {
  const OnDisk model(plain());
  fake::Machine machine;
  std::promise<void> asked;
  machine.before_step = [is_asked = asked.get_future().share()] { is_asked.wait(); };
  FakeEngine fake(machine);
  Engine& engine = fake.engine;
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(context_of(64)))).has_value());
  const RequestId answer = engine->generate(ask("hello", 8));
  ASSERT_TRUE(engine.wait_for<PrefillProgress>(answer).has_value());
  const RequestId verification = engine->verify();
  asked.set_value();  // the first step of the answer goes on
  const auto refused = engine.wait_for<Failed>(verification);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->error.code, ErrorCode::kUsage);
  EXPECT_TRUE(engine.wait_for<GenerationFinished>(answer).has_value());
}

}  // namespace
}  // namespace headroom
