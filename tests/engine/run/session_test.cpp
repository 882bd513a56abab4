#include "run/session.h"

#include <gtest/gtest.h>

#include "run/load_model.h"
#include "support/all_logits.h"
#include "support/decode_step.h"
#include "support/fake_backend.h"

namespace headroom {
namespace {

using fake::Machine;
using fake::Setup;

std::unique_ptr<Session> open_session(const Setup& setup, Machine& machine) {
  Result<std::unique_ptr<Session>> session = Session::open(fake::make_loaded(setup, machine), fake::make_plan(setup));
  CHECK(session.ok(), session.error().message.text().c_str());
  return std::move(*session);
}

std::vector<TokenId> tokens_of(const std::string& text) { return fake::CharTokenizer().encode(text, false, false); }

TEST(Session, reports_planned_and_mapped_of_every_arena_and_no_later_allocation) {
  Machine machine;
  const std::unique_ptr<Session> session = open_session({}, machine);
  const MemoryReport report = session->memory_report();
  ASSERT_EQ(report.arenas.size(), 2U);
  for (const ArenaReport& arena : report.arenas) EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes);
  EXPECT_EQ(report.arenas[0].lifetime, Lifetime::kModel);
  EXPECT_EQ(report.grown.n_arenas, 0U);
}

// As a backend or a driver that takes memory in its first step.
TEST(Session, what_is_taken_secretly_after_the_load_is_seen) {
  Machine machine;
  const std::unique_ptr<Session> session = open_session({}, machine);
  const auto step = [&](const char* token) { ASSERT_TRUE(session->step({0, tokens_of(token), 1}, {}).ok()); };
  step("a");
  const MemoryGrowth before = session->growth();
  EXPECT_EQ(before.n_arenas + before.driver + before.mapped, 0U);
  EXPECT_LT(before.heap, 64 * kKiB);
  std::vector<std::byte> heap;
  machine.before_step = [&] {
    heap.resize(kMiB);
    machine.held_by_driver = 3 * kMiB;
  };
  step("b");
  const MemoryGrowth after = session->growth();
  EXPECT_EQ(after.driver, 3 * kMiB);
  EXPECT_GE(after.heap, kMiB);
  EXPECT_TRUE(after.engine_took_something());
  EXPECT_EQ(session->memory_report().grown.driver, 3 * kMiB) << "and told";
}

// Weights that go through page-locked memory need it while they are loaded: it is asked for before anything is mapped.
TEST(Session, a_load_is_refused_where_what_it_holds_for_itself_does_not_fit) {
  Machine machine;
  auto model = std::make_shared<LoadedModel>(*fake::make_loaded({}, machine));
  auto plan = std::make_shared<MemoryPlan>(*model->plan);
  plan->arenas.push_back({.lifetime = Lifetime::kLoad, .size = kMiB, .regions = {}});
  model->plan = plan;
  model->arenas.push_back(nullptr);
  machine.total = machine.mapped_now + plan->planned_bytes(0) + kMiB / 2;
  std::uint32_t n_maps = 0;
  machine.refuse = [&] { return ++n_maps == 0; };
  const ModelFile none({}, {}, {});
  const Status filled = fill_model(*model, none, {}, [](Bytes) {});
  ASSERT_FALSE(filled.ok());
  EXPECT_EQ(filled.error().code, ErrorCode::kDoesNotFit) << filled.error().message.text();
  EXPECT_EQ(n_maps, 0U);
  machine.total += kMiB;
  EXPECT_TRUE(fill_model(*model, none, {}, [](Bytes) {}).ok());
}

TEST(Session, a_copy_of_a_prompt_can_be_stopped_and_leaves_the_slot_empty) {
  Machine machine;
  const std::unique_ptr<Session> session = open_session({.n_slots = 2, .n_batch = 64}, machine);
  const std::vector<TokenId> prompt = tokens_of(std::string(40, 'a'));
  ASSERT_TRUE(session->step({0, prompt, 1}, {}).ok());
  StopSource stop;
  stop.request_stop();
  EXPECT_EQ(session->begin_prompt(1, prompt, stop.token()).error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(session->cache().tokens(1).empty());
  EXPECT_EQ(*session->begin_prompt(1, prompt), 39U);
}

TEST(Session, unmaps_everything_when_it_ends) {
  Machine machine;
  open_session({}, machine);
  EXPECT_EQ(machine.mapped_now, 0U);
}

TEST(Session, a_prompt_is_reused_up_to_its_last_token) {
  Machine machine;
  const std::unique_ptr<Session> session = open_session({}, machine);
  const std::vector<TokenId> prompt = tokens_of("abcd");
  ASSERT_EQ(*session->begin_prompt(0, prompt), 0U);
  ASSERT_TRUE(session->step({0, prompt, 1}, {}).ok());
  EXPECT_EQ(*session->begin_prompt(0, prompt), 3U) << "the last token is computed again for its logits";
  EXPECT_EQ(session->cache().tokens(0).size(), 3U);
}

TEST(Session, a_prompt_that_cannot_be_taken_leaves_the_cache_as_it_was) {
  Machine machine;
  const std::unique_ptr<Session> session = open_session({.n_ctx = 8}, machine);
  ASSERT_TRUE(session->step({0, tokens_of("abc"), 1}, {}).ok());
  EXPECT_EQ(session->begin_prompt(0, tokens_of("123456789")).error().code, ErrorCode::kDoesNotFit);
  EXPECT_EQ(session->begin_prompt(0, std::vector<TokenId>{fake::kVocab}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(session->begin_prompt(0, {}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(session->begin_prompt(1, tokens_of("a")).error().code, ErrorCode::kUsage);
  EXPECT_EQ(session->cache().tokens(0).size(), 3U);
  EXPECT_EQ(*session->begin_prompt(0, tokens_of("12345678")), 0U) << "n_ctx tokens can be held";
}

TEST(Session, a_step_that_is_sampled_knows_its_own_tokens) {
  Machine machine;
  const std::unique_ptr<Session> session = open_session({.n_slots = 2}, machine);
  machine.next = [](const std::vector<TokenId>&) { return static_cast<TokenId>('b'); };
  const std::vector<TokenId> first = tokens_of("ab"), second = tokens_of("cd");
  const std::vector<SlotRows> parts{{0, first, 1}, {1, second, 1}};
  Sampler forbids({.temperature = 0, .presence_penalty = 100}, 1, session->sampler_scratch());
  std::vector<SampledRow> rows{{.row = 0, .sampler = &forbids}, {.row = 1, .sampler = &forbids}};
  ASSERT_TRUE(session->step_and_sample(parts, rows, {}).ok());
  EXPECT_NE(rows[0].token, 'b') << "it is penalised in the slot that has it";
  EXPECT_EQ(rows[1].token, 'b');
  EXPECT_EQ(session->cache().tokens(0).size(), 2U);
  StopSource source;
  source.request_stop();
  EXPECT_EQ(session->step_and_sample(parts, rows, source.token()).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(session->cache().tokens(0).size(), 2U) << "what was staged is not held";
}

TEST(Session, a_stopped_step_leaves_the_slot_as_it_was) {
  Machine machine;
  const std::unique_ptr<Session> session = open_session({}, machine);
  ASSERT_TRUE(session->step({0, tokens_of("abc"), 1}, {}).ok());
  StopSource source;
  source.request_stop();
  EXPECT_EQ(session->step({0, tokens_of("de"), 1}, source.token()).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(session->cache().tokens(0).size(), 3U);
}

TEST(Session, what_another_slot_computed_of_a_prompt_is_not_computed_again) {
  Machine machine;
  const std::unique_ptr<Session> session = open_session({.n_slots = 2, .n_batch = 64}, machine);
  const std::string text(40, 'x');
  ASSERT_TRUE(session->step({0, tokens_of(text), 1}, {}).ok());
  EXPECT_EQ(*session->begin_prompt(1, tokens_of(text.substr(0, 31) + "other")), 0U) << "too little to copy";
  ASSERT_EQ(*session->begin_prompt(1, tokens_of(text + "d")), 40U);
  EXPECT_EQ(*session->begin_prompt(1, tokens_of(text + "d")), 40U) << "its own by now";
  const std::vector<test::SlotToken> next{{0, 'd'}, {1, 'd'}};
  ASSERT_TRUE(test::decode(*session, next).ok());
  const std::vector<float> logits = test::all_logits(*session, 2);
  for (std::uint32_t id = 0; id < fake::kVocab; ++id) ASSERT_EQ(logits[id], logits[fake::kVocab + id]);
}

TEST(Session, memory_taken_since_the_plan_is_a_typed_error_with_the_figures) {
  Machine machine;
  const std::shared_ptr<const LoadedModel> loaded = fake::make_loaded({}, machine);
  machine.held_by_others = machine.total - machine.mapped_now - 100;
  const Result<std::unique_ptr<Session>> session = Session::open(loaded, fake::make_plan({}));
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().code, ErrorCode::kDoesNotFit);
  for (const char* part :
       {"asked for 13.2 KiB (13568 bytes)", "free 100 B", "Headroom holds 4.00 KiB", "other programs"}) {
    EXPECT_NE(session.error().message.text().find(part), std::string::npos)
        << part << " in: " << session.error().message.text();
  }
}

TEST(Session, a_plan_that_moves_the_weights_is_refused) {
  Machine machine;
  MemoryPlan other = *fake::make_plan({});
  other.arenas[0].size += 4096;
  const Result<std::unique_ptr<Session>> session =
      Session::open(fake::make_loaded({}, machine), std::make_shared<const MemoryPlan>(other));
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().code, ErrorCode::kUsage);
}

TEST(CheckFitsNow, counts_the_headroom_rule_and_what_is_held) {
  DeviceInfo device;
  device.id = "cpu";
  const MemorySample now{1000, 600, 100};
  EXPECT_TRUE(check_fits_now(device, KeepFree{}, 600, 0, now).ok());
  EXPECT_FALSE(check_fits_now(device, KeepFree{}, 601, 0, now).ok());
  EXPECT_TRUE(check_fits_now(device, KeepFree{100}, 500, 0, now).ok());
  EXPECT_FALSE(check_fits_now(device, KeepFree{100}, 501, 0, now).ok());
  EXPECT_FALSE(check_fits_now(device, KeepFree{5000}, 1, 0, now).ok());
  EXPECT_TRUE(check_fits_now(device, AtMost{300}, 200, 100, now).ok());
  EXPECT_FALSE(check_fits_now(device, AtMost{300}, 201, 100, now).ok());
  EXPECT_FALSE(check_fits_now(device, AtMost{5000}, 601, 0, now).ok()) << "a cap does not make memory";
}

TEST(MeasureDevice, tells_speed_and_what_the_driver_takes_or_why_not) {
  Machine machine;
  machine.driver_bytes = 150 * kMiB;
  const BackendFactory make = [&](const DeviceInfo& device) -> Result<std::unique_ptr<Backend>> {
    return std::unique_ptr<Backend>(std::make_unique<fake::FakeBackend>(device, machine));
  };
  const auto measured = measure_device({}, make);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->speed.read_bytes_per_s, 7e9);
  EXPECT_EQ(measured->driver_bytes, 150 * kMiB);
  machine.refuse = [] { return true; };
  EXPECT_EQ(measure_device({}, make).error().message.text(), "the fake machine refuses");
  const auto no_backend = [](const DeviceInfo&) -> Result<std::unique_ptr<Backend>> {
    return Error{ErrorCode::kUnsupported, Message::plain("none")};
  };
  EXPECT_EQ(measure_device({}, no_backend).error().message.text(), "none");
}

TEST(FreeWords, tell_who_holds_the_rest_and_how_surely_that_is_known) {
  MemorySample now{1000, 600, 100};
  EXPECT_EQ(free_words(KeepFree{}, 0, now),
            ", free 600 B (600 bytes); of 1000 B Headroom holds 100 B, other programs 300 B");
  now.account.others = 250;
  now.account.confidence = MemoryConfidence::kEstimated;
  EXPECT_EQ(
      free_words(KeepFree{}, 0, now),
      ", free 600 B (600 bytes); of 1000 B Headroom holds 100 B, other programs 250 B (estimated), its driver keeps "
      "50 B");
  now = {1000, 900, 100};
  now.account.confidence = MemoryConfidence::kAssumed;
  EXPECT_EQ(free_words(KeepFree{}, 0, now),
            ", free 900 B (900 bytes); of 1000 B Headroom holds 100 B, what other programs hold is not known");
}

}  // namespace
}  // namespace headroom
