#include "run/engine_thread.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "backend/device_wait.h"
#include "engine/run/fake_engine.h"
#include "engine/run/many_turns.h"
#include "plan/prompt_memory.h"
#include "support/reference_devices.h"

namespace headroom {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): the fixture's names
using namespace std::chrono_literals;

TEST(EngineThread, loads_answers_and_unloads) {
  const OnDisk model;
  Engine engine;
  const auto loaded = engine.wait_for<ModelLoaded>(engine->load(model.request(context_of(64))));
  ASSERT_TRUE(loaded.has_value());
  for (const ArenaReport& arena : loaded->memory.arenas) EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes);
  EXPECT_FALSE(loaded->template_problem.empty());
  const RequestId id = engine->generate(ask("hello", 8));
  const auto finished = engine.wait_for<GenerationFinished>(id);
  ASSERT_TRUE(finished.has_value());
  EXPECT_EQ(finished->stats.seed, 7U);
  const MemoryGrowth& grown = finished->stats.grown;
  EXPECT_EQ(grown.n_arenas + grown.driver + grown.mapped, 0U);
  EXPECT_LT(grown.heap, 256 * kKiB) << "the answer's text";
  EXPECT_TRUE(engine.wait_for<ModelUnloaded>(engine->unload()).has_value());
  EXPECT_TRUE(engine.wait_for<Failed>(engine->generate(ask("hello"))).has_value());
}

TEST(EngineThread, a_load_measures_what_the_model_holds_of_the_heap) {
  const OnDisk model;
  const LoadRequest request = model.request(context_of(64));
  EXPECT_FALSE(request.plan->budgets.back().heap_is_measured);
  Engine engine;
  const auto loaded = engine.wait_for<ModelLoaded>(engine->load(request));
  ASSERT_TRUE(loaded.has_value());
  const Bytes measured = loaded->memory.heap_bytes;
  const Bytes estimated = describe_model(*open_model_file(request.path))->heap_bytes;
  EXPECT_GT(measured, 10 * kKiB);
  EXPECT_LT(measured, 4 * estimated) << "of a model this small the constants are most";
  EXPECT_TRUE(loaded->model->heap_is_measured);
  EXPECT_EQ(loaded->model->heap_bytes, measured);
  EXPECT_TRUE(loaded->plan->budgets.back().heap_is_measured);
  EXPECT_EQ(loaded->plan->budgets.back().heap, measured);
  EXPECT_GT(loaded->model->longest_token_bytes, 0U);
  EXPECT_EQ(loaded->plan->budgets.back().prompts, most_prompt_bytes(*loaded->model, loaded->plan->options));
}

// A template that takes as long as a very long prompt.
RandomModelSpec with_slow_template() {
  RandomModelSpec spec;
  std::string sum = "1";
  for (int i = 0; i < 40; ++i) sum += "+1";
  spec.chat_template = "{% for i in range(15000) %}{% set x = " + sum + " %}{% endfor %}{{ messages[0].content }}";
  return spec;
}

GenerateRequest ask_slowly() {
  GenerateRequest request = ask("", 2);
  request.prompt.messages = {{"user", "hello"}};
  return request;
}

TEST(EngineThread, answers_go_on_while_a_prompt_is_read) {
  const OnDisk model(with_slow_template());
  PlanOptions options = context_of(64);
  options.n_slots = 2;
  Engine engine;
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(options))).has_value());
  const RequestId quick = engine->generate(ask("hello", 4));
  const RequestId slow = engine->generate(ask_slowly());
  ASSERT_TRUE(engine.wait_for<GenerationFinished>(quick).has_value());
  EXPECT_EQ(engine.count<GenerationFinished>(), 1U) << "the other prompt is still read";
  EXPECT_TRUE(engine.wait_for<GenerationFinished>(slow).has_value());
}

TEST(EngineThread, a_stop_ends_a_prompt_that_is_read) {
  const OnDisk model(with_slow_template());
  Engine engine;
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(context_of(64)))).has_value());
  const RequestId first = engine->generate(ask_slowly()), second = engine->generate(ask_slowly());
  for (const RequestId id : {second, first}) {
    engine->stop(id);
    const auto finished = engine.wait_for<GenerationFinished>(id);
    ASSERT_TRUE(finished.has_value());
    EXPECT_EQ(finished->reason, FinishReason::kStopped);
  }
  EXPECT_EQ(engine.count<PrefillProgress>(), 0U) << "neither began";
  ASSERT_TRUE(engine.wait_for<GenerationFinished>(engine->generate(ask("hello", 2))).has_value());
}

TEST(EngineThread, a_stop_of_one_that_waits_is_told_while_another_is_answered) {
  const OnDisk model;
  fake::Machine machine;
  machine.before_step = [] { std::this_thread::sleep_for(5ms); };
  FakeEngine fake(machine);
  ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(model.request(context_of(512)))).has_value());
  const RequestId answered = fake.engine->generate(ask("hello")), waiting = fake.engine->generate(ask("other"));
  ASSERT_TRUE(fake.engine.wait_for<PrefillProgress>(answered).has_value());
  fake.engine->stop(waiting);
  const auto stopped = fake.engine.wait_for<GenerationFinished>(waiting);
  ASSERT_TRUE(stopped.has_value());
  EXPECT_EQ(stopped->reason, FinishReason::kStopped);
  EXPECT_EQ(fake.engine.count<GenerationFinished>(), 1U);
}

TEST(EngineThread, a_text_that_cannot_fit_is_refused_at_once) {
  const OnDisk model;
  Engine engine;
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(context_of(64)))).has_value());
  const auto too_long = engine.wait_for<PromptTooLong>(engine->generate(ask(std::string(16 << 20, 'x'))));
  ASSERT_TRUE(too_long.has_value());
  EXPECT_EQ(too_long->text_bytes, Bytes{16} << 20U);
  EXPECT_GE(too_long->prompt_tokens, 64U);
}

TEST(EngineThread, same_seed_same_text_for_any_number_of_threads) {
  RandomModelSpec spec;
  spec.weight_type = DType::kQ8_0;
  const OnDisk model(spec);
  std::vector<std::string> texts;
  for (const std::uint32_t n_threads : {1U, 2U, 3U}) {
    Engine engine;
    engine->load(model.request(context_of(128), n_threads));
    GenerateRequest request = ask("Once upon a time", 40);
    request.sampler.temperature = 1.0F;
    const RequestId id = engine->generate(std::move(request));
    ASSERT_TRUE(engine.wait_for<GenerationFinished>(id).has_value());
    texts.push_back(engine.text(id));
  }
  EXPECT_FALSE(texts[0].empty());
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[0], texts[2]);
}

TEST(EngineThread, a_bad_file_fails_and_what_was_loaded_stays) {
  const OnDisk model;
  Engine engine;
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(context_of(64)))).has_value());
  LoadRequest bad = model.request(context_of(64));
  bad.path = model.folder.path() / "absent.gguf";
  const auto failed = engine.wait_for<Failed>(engine->load(bad));
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->error.code, ErrorCode::kBadFile);
  EXPECT_TRUE(engine.wait_for<GenerationFinished>(engine->generate(ask("hello", 2))).has_value());
}

TEST(EngineThread, a_file_whose_caches_changed_since_the_plan_is_refused) {
  RandomModelSpec spec;
  const OnDisk planned(spec);
  spec.window = 32;
  const OnDisk changed(spec);
  Engine engine;
  LoadRequest request = planned.request(context_of(512));
  request.path = changed.path;
  const auto failed = engine.wait_for<Failed>(engine->load(request));
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->error.code, ErrorCode::kUsage);
  EXPECT_NE(failed->error.message.text().find("the plan was made for another model"), std::string::npos)
      << failed->error.message.text();
}

TEST(EngineThread, a_replan_of_other_caches_is_refused_and_the_model_answers_on) {
  RandomModelSpec spec;
  const OnDisk loaded(spec);
  spec.window = 32;
  const OnDisk changed(spec);
  Engine engine;
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(loaded.request(context_of(512)))).has_value());
  const auto failed = engine.wait_for<Failed>(engine->replan(changed.request(context_of(512)).plan));
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->error.code, ErrorCode::kUsage);
  EXPECT_TRUE(engine.wait_for<GenerationFinished>(engine->generate(ask("hello", 2))).has_value());
}

TEST(EngineThread, replan_maps_a_new_context_under_the_same_weights) {
  const OnDisk model;
  Engine engine;
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(context_of(64)))).has_value());
  const auto again = engine.wait_for<ModelLoaded>(engine->replan(model.request(context_of(128)).plan));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->plan->options.n_ctx, 128U);
  const auto finished = engine.wait_for<GenerationFinished>(engine->generate(ask(std::string(70, 'x'), 2)));
  ASSERT_TRUE(finished.has_value());
  EXPECT_EQ(finished->stats.n_ctx, 128U);
}

TEST(EngineThread, memory_is_read_while_a_model_is_loaded) {
  const OnDisk model;
  Engine engine;
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(context_of(64)))).has_value());
  const auto reading = engine.wait_for<MemoryReading>(0);
  ASSERT_TRUE(reading.has_value());
  ASSERT_EQ(reading->devices.size(), 1U);
  EXPECT_EQ(reading->devices[0].first, "cpu");
  EXPECT_GT(reading->devices[0].second.total, reading->devices[0].second.free);
}

TEST(EngineThread, an_idle_engine_reads_no_memory_while_nobody_looks_at_it) {
  const OnDisk model;
  Engine engine;
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(context_of(64)))).has_value());
  engine->set_watched(false);
  ASSERT_TRUE(engine.wait_for<GenerationFinished>(engine->generate(ask("hello", 2))).has_value()) << "it has seen that";
  engine.clear();
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_LE(engine.count<MemoryReading>(), 1U) << "one at the end of the answer, and none a second";
  engine.clear();
  engine->set_watched(true);
  EXPECT_TRUE(engine.wait_for<MemoryReading>(0).has_value());
}

// The second of two devices goes away in the middle of an answer.
TEST(EngineThread, a_lost_device_ends_the_answer_by_its_name_and_the_next_load_works) {
  const ReferenceDevices devices("64MiB");
  const OnDisk model;
  PlanOptions split = context_of(64);
  split.devices = {{1}};
  split.n_gpu_layers = 1;
  Engine engine;
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(split))).has_value());
  const RequestId whole = engine->generate(ask("hello", 12));
  ASSERT_TRUE(engine.wait_for<GenerationFinished>(whole).has_value());
  const auto device = shared_reference_device("reference:0", 64 * kMiB);
  device->faults().lose_at_submit = 6;
  const auto lost = engine.wait_for<Failed>(engine->generate(ask("other", 12)));
  ASSERT_TRUE(lost.has_value());
  EXPECT_EQ(lost->error.code, ErrorCode::kDeviceLost);
  EXPECT_NE(lost->error.message.text().find("reference:0"), std::string::npos) << lost->error.message.text();
  EXPECT_TRUE(engine.wait_for<Failed>(engine->generate(ask("again", 2))).has_value()) << "until it is loaded anew";
  const RequestId reload = engine->load(model.request(split));
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(reload).has_value());
  const RequestId again = engine->generate(ask("hello", 12));
  ASSERT_TRUE(engine.wait_for<GenerationFinished>(again).has_value());
  EXPECT_EQ(engine.text(again), engine.text(whole));
}

TEST(EngineThread, readings_tell_of_every_device_of_the_plan) {
  const ReferenceDevices devices("64MiB");
  const OnDisk model;
  PlanOptions split = context_of(64);
  split.devices = {{1}};
  Engine engine;
  const auto loaded = engine.wait_for<ModelLoaded>(engine->load(model.request(split)));
  ASSERT_TRUE(loaded.has_value());
  engine.clear();
  const auto reading = engine.wait_for<MemoryReading>(0);
  ASSERT_TRUE(reading.has_value());
  ASSERT_EQ(reading->devices.size(), 2U);
  EXPECT_EQ(reading->devices[1].first, "reference:0");
  EXPECT_EQ(reading->devices[1].second.ours, loaded->plan->planned_bytes(1));
}

TEST(EngineThread, measures_the_devices_that_it_can) {
  const ReferenceDevices reference("3MiB");
  std::vector<DeviceInfo> devices = *probe_devices(2);
  devices.push_back(devices.front());
  devices.back().id = "cuda:9";
  devices.back().kind = DeviceKind::kCuda;
  Engine engine;
  const auto measured = engine.wait_for<DevicesMeasured>(engine->measure(devices));
  ASSERT_TRUE(measured);
  ASSERT_EQ(measured->devices.size(), 2U) << "there is no backend for the third";
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(measured->devices[i].first, devices[i].id);
    EXPECT_GT(measured->devices[i].second.speed.read_bytes_per_s, 1e6);
    EXPECT_LT(measured->devices[i].second.speed.read_bytes_per_s, 1e13);
    EXPECT_FALSE(measured->devices[i].second.driver_bytes) << "there is no driver";
  }
  EXPECT_GT(measured->devices[0].second.speed.op_seconds, 0) << "a barrier of two threads takes its time";
  EXPECT_GT(measured->devices[1].second.speed.copy_bytes_per_s, 1e6);
}

TEST(EngineThread, a_new_load_ends_the_running_answer) {
  const OnDisk model;
  fake::Machine machine;
  machine.before_step = [] { std::this_thread::sleep_for(5ms); };
  FakeEngine fake(machine);
  ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(model.request(context_of(512)))).has_value());
  const RequestId answer = fake.engine->generate(ask("hello"));
  ASSERT_TRUE(fake.engine.wait_for<PrefillProgress>(answer).has_value());
  const RequestId second = fake.engine->load(model.request(context_of(64)));
  const auto finished = fake.engine.wait_for<GenerationFinished>(answer);
  ASSERT_TRUE(finished.has_value());
  EXPECT_EQ(finished->reason, FinishReason::kStopped);
  EXPECT_TRUE(fake.engine.wait_for<ModelLoaded>(second).has_value());
}

TEST(EngineThread, destruction_in_the_middle_of_an_answer_ends_it) {
  const OnDisk model;
  fake::Machine machine;
  machine.before_step = [] { std::this_thread::sleep_for(20ms); };
  {
    FakeEngine fake(machine);
    const RequestId id = fake.engine->load(model.request(context_of(512)));
    ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(id).has_value());
    ASSERT_TRUE(fake.engine.wait_for<PrefillProgress>(fake.engine->generate(ask("hello"))).has_value());
  }
  EXPECT_EQ(machine.mapped_now, 0U);
  EXPECT_LT(machine.n_steps, 500U) << "the answer went on until the context of 512 was full";
}

// The first wait ends by itself; what comes later does not wait at all.
TEST(EngineThread, a_device_that_never_answers_fails_the_answer_in_time_and_the_cpu_goes_on_without_it) {
  const ReferenceDevices devices("64MiB");
  const OnDisk model;
  PlanOptions split = context_of(64), whole = context_of(64);
  split.devices = {{1}};
  split.n_gpu_layers = 1;
  const auto device = shared_reference_device("reference:0", 64 * kMiB);
  Engine engine;
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(split))).has_value());
  device_wait_limit() = 100ms;
  device->faults().hang_at_submit = 4;
  const auto hung = engine.wait_for<Failed>(engine->generate(ask("hello", 12)));
  device_wait_limit() = kDeviceWaitLimit;
  ASSERT_TRUE(hung.has_value());
  EXPECT_EQ(hung->error.code, ErrorCode::kDeviceLost);
  EXPECT_NE(hung->error.message.text().find("reference:0: no answer within 0.1 s while computing a step"),
            std::string::npos)
      << hung->error.message.text();
  for (const RequestId id : {engine->generate(ask("again", 2)), engine->load(model.request(split))}) {
    const auto later = engine.wait_for<Failed>(id);
    ASSERT_TRUE(later.has_value());
    EXPECT_NE(later->error.message.text().find("reference:0: the device was given up"), std::string::npos);
  }
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(whole))).has_value()) << "on the CPU alone";
  EXPECT_TRUE(engine.wait_for<GenerationFinished>(engine->generate(ask("hello", 12))).has_value());
  device->faults().hangs = false;
}

// As with a driver that does not come back from a call.
TEST(EngineThread, its_end_does_not_wait_for_a_call_that_does_not_come_back) {
  const OnDisk model;
  fake::Machine machine;
  std::mutex mutex;
  std::condition_variable changed;
  bool is_stuck = false, may_go_on = false;
  machine.before_step = [&] {
    std::unique_lock lock(mutex);
    is_stuck = true;
    changed.notify_all();
    changed.wait(lock, [&] { return may_go_on; });
  };
  {
    const BackendFactory factory = [&](const DeviceInfo& device) -> Result<std::unique_ptr<Backend>> {
      return std::unique_ptr<Backend>(std::make_unique<fake::FakeBackend>(device, machine));
    };
    Engine engine(factory, 100ms);
    ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(context_of(512)))).has_value());
    engine->generate(ask("hello"));
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return is_stuck; });
  }
  EXPECT_EQ(EngineThread::n_left_behind(), 1U);
  {
    const std::lock_guard lock(mutex);
    may_go_on = true;
    changed.notify_all();
  }
  while (EngineThread::n_left_behind() > 0) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(machine.mapped_now, 0U) << "it came back after all, and left nothing";
}

// What the issue asks: 1,000 turns that fill and overflow the context, on the real backend.
TEST(EngineThread, a_thousand_turns_that_overflow_the_context_grow_memory_by_less_than_a_mebibyte) {
  RandomModelSpec spec;
  spec.n_layers = 1;
  spec.d_model = 64;
  spec.d_ff = 64;
  const OnDisk model(spec);
  Engine engine;
  ManyTurns turns(engine);
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(model.request(context_of(kContextOfTurns)))).has_value());
  turns.take(1000);
  EXPECT_GT(turns.n_full, 100U);
  EXPECT_GT(turns.n_too_long, 100U);
  EXPECT_GT(turns.n_stopped, 100U);
  EXPECT_EQ(turns.n_allocations, 0U);
  EXPECT_LT(turns.growth, kMiB);
}

}  // namespace
}  // namespace headroom
