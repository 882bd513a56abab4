// Loads and replans that are stopped, that the machine refuses, or that find no room beside the model that is there.
#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <new>
#include <thread>
#include <utility>

#include "engine/run/fake_engine.h"
#include "support/reference_devices.h"

namespace headroom {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): the fixture's names
using namespace std::chrono_literals;

TEST(EngineThread, a_cancelled_load_ends_with_the_chunk_that_it_is_at) {
  const OnDisk model;
  fake::Machine machine;
  std::latch is_third(1), is_stopped(1);
  int n_chunks = 0;  // of 80: 20 weights of 4
  machine.before_chunk = [&] {
    if (++n_chunks != 3) return;
    is_third.count_down();
    is_stopped.wait();
  };
  FakeEngine fake(machine);
  const RequestId id = fake.engine->load(model.request(context_of(64)));
  is_third.wait();
  fake.engine->stop(id);
  is_stopped.count_down();
  const auto failed = fake.engine.wait_for<Failed>(id);
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->error.code, ErrorCode::kCancelled);
  EXPECT_EQ(n_chunks, 3);
}

// What comes last, mapping the session, looks at no token: the stop used to be lost there.
TEST(EngineThread, a_load_that_is_stopped_at_its_very_end_is_cancelled_too) {
  const OnDisk model;
  fake::Machine machine;
  std::latch is_last(1), is_stopped(1);
  int n_arenas = 0;
  machine.refuse = [&] {
    if (++n_arenas == 2) {
      is_last.count_down();
      is_stopped.wait();
    }
    return false;
  };
  FakeEngine fake(machine);
  const RequestId id = fake.engine->load(model.request(context_of(64)));
  is_last.wait();
  fake.engine->stop(id);
  is_stopped.count_down();
  // Answered after whatever became of the load.
  ASSERT_TRUE(fake.engine.wait_for<ModelUnloaded>(fake.engine->unload()).has_value());
  EXPECT_EQ(fake.engine.count<ModelLoaded>(), 0U);
  ASSERT_EQ(fake.engine.count<Failed>(), 1U);
  const auto failed = fake.engine.wait_for<Failed>(id);
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->error.code, ErrorCode::kCancelled);
}

TEST(EngineThread, a_request_that_the_host_has_no_memory_for_fails_and_the_next_one_works) {
  const OnDisk model;
  fake::Machine machine;
  const auto no_memory = [] { throw std::bad_alloc(); };
  machine.before_chunk = no_memory;
  FakeEngine fake(machine);
  const auto unloaded = fake.engine.wait_for<Failed>(fake.engine->load(model.request(context_of(64))));
  ASSERT_TRUE(unloaded.has_value());
  EXPECT_EQ(unloaded->error.code, ErrorCode::kResource);
  EXPECT_EQ(machine.mapped_now, 0U);
  machine.before_chunk = [] {};
  ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(model.request(context_of(64)))).has_value());
  machine.before_step = no_memory;
  const auto unanswered = fake.engine.wait_for<Failed>(fake.engine->generate(ask("hello", 4)));
  ASSERT_TRUE(unanswered.has_value());
  EXPECT_EQ(unanswered->error.code, ErrorCode::kResource);
  machine.before_step = [] {};
  EXPECT_TRUE(fake.engine.wait_for<GenerationFinished>(fake.engine->generate(ask("hello", 4))).has_value());
}

TEST(EngineThread, a_replan_without_memory_gives_the_model_up_and_the_next_load_works) {
  const OnDisk model;
  fake::Machine machine;
  FakeEngine fake(machine);
  ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(model.request(context_of(64)))).has_value());
  machine.refuse = []() -> bool { throw std::bad_alloc(); };
  const RequestId replan = fake.engine->replan(model.request(context_of(128)).plan);
  ASSERT_TRUE(fake.engine.wait_for<Failed>(replan).has_value());
  EXPECT_TRUE(fake.engine.wait_for<ModelUnloaded>(replan).has_value());
  machine.refuse = [] { return false; };
  fake.engine.clear();
  EXPECT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(model.request(context_of(64)))).has_value());
}

TEST(EngineThread, a_measurement_beside_a_model_takes_what_the_rules_of_its_plan_leave) {
  const OnDisk model;
  fake::Machine machine;
  FakeEngine fake(machine);
  const LoadRequest request = [&] {
    PlanOptions options = context_of(64);
    options.devices = {{0, KeepFree{100 * kMiB}}};
    return model.request(options);
  }();
  const std::vector<DeviceInfo> devices{request.plan->devices.front()};
  ASSERT_TRUE(fake.engine.wait_for<DevicesMeasured>(fake.engine->measure(devices)).has_value());
  EXPECT_EQ(machine.most_measured, kMostMeasureBytes) << "nothing is loaded";
  ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(request)).has_value());
  machine.held_by_others = machine.total - machine.mapped_now - 140 * kMiB;
  const auto less = fake.engine.wait_for<DevicesMeasured>(fake.engine->measure(devices));
  ASSERT_TRUE(less.has_value());
  EXPECT_EQ(less->devices.size(), 1U);
  EXPECT_EQ(machine.most_measured, 40 * kMiB);
  machine.held_by_others = machine.total - machine.mapped_now - 110 * kMiB;
  const auto none = fake.engine.wait_for<DevicesMeasured>(fake.engine->measure(devices));
  ASSERT_TRUE(none.has_value());
  EXPECT_TRUE(none->devices.empty()) << "too little is left";
}

// Keys of a quantized cache are balanced by what stands in the file, which nobody reads for a cache of F16.
TEST(EngineThread, a_replan_with_another_cache_answers_as_a_load_with_it) {
  const OnDisk model;
  PlanOptions plain = context_of(64), rotated = context_of(64);
  rotated.kv_k = rotated.kv_v = DType::kQ8_0;
  const auto answer = [](Engine& engine, RequestId loads) {
    EXPECT_TRUE(engine.wait_for<ModelLoaded>(loads).has_value());
    const RequestId id = engine->generate(ask("hello", 12));
    EXPECT_TRUE(engine.wait_for<GenerationFinished>(id).has_value());
    return engine.text(id);
  };
  Engine replanned, loaded;
  answer(replanned, replanned->load(model.request(plain)));
  const std::string expected = answer(loaded, loaded->load(model.request(rotated)));
  EXPECT_EQ(answer(replanned, replanned->replan(model.request(rotated).plan)), expected);
}

TEST(EngineThread, a_load_that_waits_can_be_cancelled) {
  const OnDisk model;
  fake::Machine machine;
  machine.before_chunk = [] { std::this_thread::sleep_for(2ms); };
  FakeEngine fake(machine);
  const RequestId first = fake.engine->load(model.request(context_of(64)));
  const RequestId second = fake.engine->load(model.request(context_of(64)));
  fake.engine->stop(second);
  EXPECT_TRUE(fake.engine.wait_for<ModelLoaded>(first).has_value());
  const auto failed = fake.engine.wait_for<Failed>(second);
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->error.code, ErrorCode::kCancelled);
}

TEST(EngineThread, a_cancelled_load_leaves_the_old_model_where_both_fit) {
  const OnDisk model;
  fake::Machine machine;
  FakeEngine fake(machine);
  ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(model.request(context_of(64)))).has_value());
  machine.before_chunk = [] { std::this_thread::sleep_for(10ms); };
  const RequestId second = fake.engine->load(model.request(context_of(64)));
  ASSERT_TRUE(fake.engine.wait_for<LoadProgress>(second).has_value());
  fake.engine->stop(second);
  ASSERT_TRUE(fake.engine.wait_for<Failed>(second).has_value());
  EXPECT_EQ(fake.engine.count<ModelUnloaded>(), 0U);
  EXPECT_TRUE(fake.engine.wait_for<PromptTooLong>(fake.engine->generate(ask(std::string(100, 'x')))).has_value())
      << "still loaded";
}

TEST(EngineThread, the_old_model_goes_first_where_both_do_not_fit) {
  const OnDisk model;
  fake::Machine machine;
  FakeEngine fake(machine);
  const LoadRequest request = model.request(context_of(64));
  machine.total = request.plan->planned_bytes(0) * 3 / 2;
  ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(request)).has_value());
  const RequestId second = fake.engine->load(request);
  EXPECT_TRUE(fake.engine.wait_for<ModelLoaded>(second).has_value());
  EXPECT_TRUE(fake.engine.wait_for<ModelUnloaded>(second).has_value());
}

// A plan for the host and a device that shares its memory, a layer on each.
LoadRequest on_shared_memory(const OnDisk& model, std::uint32_t n_ctx) {
  std::vector<DeviceInfo> devices{make_cpu_device("the host", kGiB, kGiB, 2), reference_devices("1GiB")->front()};
  devices[1].has_unified_memory = true;
  PlanOptions options = context_of(n_ctx);
  options.n_gpu_layers = 1;
  options.devices = {{1}};
  Result<MemoryPlan> plan = plan_memory(*model.opened.info, devices, options);
  CHECK(plan.ok(), plan.error().message.text().c_str());
  return {model.path, std::make_shared<const MemoryPlan>(std::move(*plan))};
}

Bytes asked_in_all(const LoadRequest& request) {
  return request.plan->planned_bytes(0) + request.plan->planned_bytes(1);
}

TEST(EngineThread, of_shared_memory_the_old_tokenizer_is_given_back) {
  constexpr Bytes kLess = 4 * kKiB;  // than any tokenizer takes
  const OnDisk model;
  const LoadRequest request = on_shared_memory(model, 64), longer = on_shared_memory(model, 512);
  fake::Machine machine;
  FakeEngine fake(machine);
  machine.held_by_others = machine.total - (asked_in_all(longer) - kLess);
  fake.engine.before_event = [&](const Event& event) {
    if (std::holds_alternative<ModelUnloaded>(event.body)) machine.held_by_others -= kLess;
  };
  ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(request)).has_value());
  EXPECT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(longer)).has_value());
  EXPECT_EQ(fake.engine.count<ModelUnloaded>(), 1U);
}

// A driver's compiler keeps what it took while the old model was opened.
TEST(EngineThread, of_shared_memory_what_drivers_keep_on_the_heap_is_nothing_that_the_old_model_gives_back) {
  constexpr Bytes kKept = 2 * kMiB;
  const OnDisk model;
  const LoadRequest request = on_shared_memory(model, 64), longer = on_shared_memory(model, 2048);
  std::vector<std::vector<char>> kept;
  fake::Machine machine;
  FakeEngine fake(machine);
  machine.held_by_others = machine.total - (asked_in_all(longer) - kKept / 2);
  ASSERT_LE(asked_in_all(request), machine.total - machine.held_by_others);
  ASSERT_GE(request.plan->planned_bytes(1), kKept) << "less is not counted as given back";
  machine.refuse = [&] {
    kept.emplace_back(kKept, 'x');
    return false;
  };
  const auto loaded = fake.engine.wait_for<ModelLoaded>(fake.engine->load(request));
  ASSERT_TRUE(loaded.has_value());
  ASSERT_GE(loaded->memory.heap_bytes, kKept);
  const auto failed = fake.engine.wait_for<Failed>(fake.engine->load(longer));
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->error.code, ErrorCode::kDoesNotFit);
  EXPECT_EQ(fake.engine.count<ModelUnloaded>(), 0U);
  EXPECT_TRUE(fake.engine.wait_for<PromptTooLong>(fake.engine->generate(ask(std::string(100, 'x')))).has_value())
      << "still open as it was";
}

// What all of it gives back is free for all of it, and no device is asked alone whether both models fit.
TEST(EngineThread, of_shared_memory_the_old_model_goes_first_where_both_do_not_fit_together) {
  const OnDisk model;
  const LoadRequest request = on_shared_memory(model, 64);
  const Bytes host = request.plan->planned_bytes(0), device = request.plan->planned_bytes(1);
  for (const Bytes more : {Bytes{0}, std::max(host, device)}) {
    fake::Machine machine;
    FakeEngine fake(machine);
    machine.total = host + device + more;
    ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(request)).has_value());
    const RequestId second = fake.engine->load(request);
    EXPECT_TRUE(fake.engine.wait_for<ModelLoaded>(second).has_value()) << more;
    EXPECT_TRUE(fake.engine.wait_for<ModelUnloaded>(second).has_value()) << more;
  }
}

TEST(EngineThread, of_shared_memory_a_replan_is_asked_of_all_together) {
  const OnDisk model;
  const LoadRequest request = on_shared_memory(model, 64), longer = on_shared_memory(model, 512);
  fake::Machine machine;
  FakeEngine fake(machine);
  machine.total = asked_in_all(longer);
  ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(request)).has_value());
  EXPECT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->replan(longer.plan)).has_value());
  EXPECT_EQ(machine.mapped_now, machine.total);
  ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->replan(request.plan)).has_value());
  machine.held_by_others = 1;
  const auto failed = fake.engine.wait_for<Failed>(fake.engine->replan(longer.plan));
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->error.code, ErrorCode::kDoesNotFit);
  EXPECT_NE(failed->error.message.text().find("with the same memory"), std::string::npos)
      << failed->error.message.text();
  EXPECT_TRUE(fake.engine.wait_for<PromptTooLong>(fake.engine->generate(ask(std::string(100, 'x')))).has_value())
      << "still open as it was";
}

TEST(EngineThread, a_model_that_no_longer_fits_fails_with_the_figures_and_the_old_one_stays) {
  const OnDisk model;
  fake::Machine machine;
  FakeEngine fake(machine);
  ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(model.request(context_of(64)))).has_value());
  machine.held_by_others = machine.total - machine.mapped_now;
  const auto failed = fake.engine.wait_for<Failed>(fake.engine->load(model.request(context_of(512))));
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->error.code, ErrorCode::kDoesNotFit);
  EXPECT_EQ(fake.engine.count<ModelUnloaded>(), 0U);
}

TEST(EngineThread, a_replan_that_is_refused_by_the_machine_restores_the_old_one) {
  const OnDisk model;
  fake::Machine machine;
  FakeEngine fake(machine);
  ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(model.request(context_of(64)))).has_value());
  int n_refusals = 1;
  machine.refuse = [&n_refusals] { return n_refusals-- > 0; };
  ASSERT_TRUE(fake.engine.wait_for<Failed>(fake.engine->replan(model.request(context_of(128)).plan)).has_value());
  const auto tooLong = fake.engine.wait_for<PromptTooLong>(fake.engine->generate(ask(std::string(100, 'x'))));
  ASSERT_TRUE(tooLong.has_value());
  EXPECT_EQ(tooLong->n_ctx, 64U);
}

// The stop comes while an arena is mapped. Some backends look at it when they are bound, others have nothing to cut
// short.
TEST(EngineThread, a_replan_that_is_stopped_restores_the_old_one) {
  const OnDisk model;
  for (const bool looks : {true, false}) {
    fake::Machine machine;
    machine.binds_until_stopped = looks;
    FakeEngine fake(machine);
    ASSERT_TRUE(fake.engine.wait_for<ModelLoaded>(fake.engine->load(model.request(context_of(64)))).has_value());
    std::latch is_mapping(1), is_stopped(1);
    bool is_first = true;
    machine.refuse = [&] {
      if (std::exchange(is_first, false)) {
        is_mapping.count_down();
        is_stopped.wait();
      }
      return false;
    };
    const RequestId replan = fake.engine->replan(model.request(context_of(128)).plan);
    is_mapping.wait();
    fake.engine->stop(replan);
    is_stopped.count_down();
    const auto failed = fake.engine.wait_for<Failed>(replan);
    ASSERT_TRUE(failed.has_value());
    EXPECT_EQ(failed->error.code, ErrorCode::kCancelled);
    EXPECT_EQ(failed->error.message.text(), looks ? "bound no longer" : "planning anew was cancelled");
    const auto too_long = fake.engine.wait_for<PromptTooLong>(fake.engine->generate(ask(std::string(100, 'x'))));
    ASSERT_TRUE(too_long.has_value());
    EXPECT_EQ(too_long->n_ctx, 64U);
  }
}

}  // namespace
}  // namespace headroom
