// The engine with a model on the CPU and a GPU: when what was planned is not there any more, and over many turns.
#include <gtest/gtest.h>

#include "engine/run/many_turns.h"
#include "gpu_contract/gpu_engine.h"

namespace headroom {
namespace {

using test::answer_to_hello;
using test::ask;
using test::Engine;

using GpuEngine = test::GpuEngine;

void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
}

TEST_P(GpuEngine, memory_that_another_program_took_since_the_plan_is_told_and_the_old_session_answers_on) {
  Engine engine;
  load(engine, 64);
  const std::string before = answer_to_hello(engine);
  const LoadRequest larger = request(8192);
  test::take_gpu_memory_but(64 * kKiB);
  for (const bool replans : {false, true}) {
    const auto failed = engine.wait_for<Failed>(replans ? engine->replan(larger.plan) : engine->load(larger));
    ASSERT_TRUE(failed.has_value());
    EXPECT_EQ(failed->error.code, test::kTellsOthers ? ErrorCode::kDoesNotFit : ErrorCode::kResource);
    const std::string& message = failed->error.message.text();
    expect_parts(message, {std::string(test::kGpuId) + ": asked for ", ", free "});
    if (test::kTellsOthers) {
      expect_parts(message, {"of which 512 MiB are to stay free", "Headroom holds ", "other programs "});
    } else {
      expect_parts(message, {test::kRefusal});
    }
  }
  EXPECT_EQ(engine.count<ModelUnloaded>(), 0U);
  EXPECT_EQ(answer_to_hello(engine), before);
  test::give_gpu_memory_back();
  EXPECT_TRUE(engine.wait_for<ModelLoaded>(engine->load(larger)).has_value());
}

TEST_P(GpuEngine, an_arena_that_the_driver_refuses_within_a_load_is_told_and_the_old_session_answers_on) {
  Engine engine;
  load(engine, 64);
  const std::string before = answer_to_hello(engine);
  const LoadRequest larger = request(512);
  const Bytes ours = test::sample_gpu().ours;
  const auto n_arenas = static_cast<std::size_t>(std::ranges::count(larger.plan->arenas, 1U, &ArenaPlan::mapped_by));
  ASSERT_GE(n_arenas, GetParam() ? 2U : 4U) << "weights and a session's, each with what the host shares";
  for (std::uint32_t refused = 1; refused <= n_arenas; ++refused) {
    engine.clear();
    test::refuse_gpu_arena(refused);
    const auto failed = engine.wait_for<Failed>(engine->load(larger));
    ASSERT_TRUE(failed.has_value()) << refused;
    EXPECT_EQ(failed->error.code, ErrorCode::kResource);
    expect_parts(failed->error.message.text(), {std::string(test::kGpuId) + ": asked for ", "free ", test::kRefusal});
    EXPECT_EQ(answer_to_hello(engine), before);  // when the engine goes on it has left the load
    EXPECT_EQ(test::sample_gpu().ours, ours) << "what was mapped is given back";
  }
}

// As after a machine slept, or a driver was reset.
TEST_P(GpuEngine, a_device_that_is_lost_in_an_answer_is_named_and_a_new_load_answers_as_before) {
  Engine engine;
  load(engine, 64);
  const std::string before = answer_to_hello(engine);
  test::lose_gpu_at(8);
  const auto lost = engine.wait_for<Failed>(engine->generate(ask("other", 12)));
  ASSERT_TRUE(lost.has_value());
  EXPECT_EQ(lost->error.code, ErrorCode::kDeviceLost);
  expect_parts(lost->error.message.text(), {std::string(test::kGpuId) + ": the device was lost"});
  EXPECT_TRUE(engine.wait_for<Failed>(engine->generate(ask("again", 2))).has_value()) << "until it is loaded anew";
  load(engine, 64);
  EXPECT_EQ(answer_to_hello(engine), before);
}

// Neither the next answer, nor the next load, nor the end of the engine waits for it again. What answers after all is
// used again.
TEST_P(GpuEngine, a_device_that_never_answers_is_named_and_given_up_and_nothing_waits_for_it_again) {
  std::string before;
  std::chrono::steady_clock::time_point given_up;
  {
    Engine engine;
    load(engine, 64);
    before = answer_to_hello(engine);
    device_wait_limit() = std::chrono::milliseconds(300);
    test::hang_gpu_at(1);
    const auto hung = engine.wait_for<Failed>(engine->generate(ask("other", 12)));
    ASSERT_TRUE(hung.has_value());
    EXPECT_EQ(hung->error.code, ErrorCode::kDeviceLost);
    expect_parts(hung->error.message.text(), {std::string(test::kGpuId) + ": no answer within 0.3 s while "});
    device_wait_limit() = kDeviceWaitLimit;
    given_up = std::chrono::steady_clock::now();
    for (const RequestId later : {engine->generate(ask("again", 2)), engine->load(request(64))}) {
      const auto failed = engine.wait_for<Failed>(later);
      ASSERT_TRUE(failed.has_value());
      EXPECT_EQ(failed->error.code, ErrorCode::kDeviceLost);
      expect_parts(failed->error.message.text(), {std::string(test::kGpuId) + ": the device was given up"});
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - given_up, kDeviceWaitLimit / 2);
  test::end_gpu_hangs(true);
  Engine engine;
  load(engine, 64);
  EXPECT_EQ(answer_to_hello(engine), before);
}

INSTANTIATE_TEST_SUITE_P(Memory, GpuEngine, testing::ValuesIn(test::ways_to_have_memory()), test::memory_name_of);

// Where the layers of a model are; "0,0" are two devices of one card.
struct Placed {
  const char* name;
  const char* devices;
  std::int32_t n_gpu_layers;
};
class GpuTurns : public testing::TestWithParam<Placed> {
 protected:
  static test::RandomModelSpec four_small_layers() {
    test::RandomModelSpec spec;
    spec.n_layers = 4;
    spec.d_model = spec.d_ff = 64;
    return spec;
  }
  std::shared_ptr<const MemoryPlan> plan(const std::vector<DeviceInfo>& devices, const PlanOptions& options) const {
    return std::make_shared<const MemoryPlan>(test::take(plan_memory(*model_.opened.info, devices, options)));
  }
  // With two devices each has some of the layers, as if the card had too little for all.
  LoadRequest request() const {
    std::vector<DeviceInfo> devices = test::take(probe_devices(2));
    PlanOptions options = test::context_of(test::kContextOfTurns);
    options.n_gpu_layers = GetParam().n_gpu_layers;
    options.n_cpu_ffn = 0;
    options.devices = {{1}};
    if (devices.size() == 3) {
      for (DeviceInfo& device : devices) {
        device.has_unified_memory = false;
        device.driver_bytes = 0;
        device.granularity = std::min(device.granularity, 64 * kKiB);
      }
      options.n_gpu_layers = 1;
      const Bytes of_one = plan(devices, options)->budgets.front().peak();
      options.n_gpu_layers = GetParam().n_gpu_layers;
      options.devices = {{1, AtMost{of_one}}, {2}};
    }
    return {model_.path, plan(devices, options)};
  }
  test::OnDisk model_{four_small_layers()};
};

// tests/gpu/full.sh takes a thousand of them, the gate as many as meet every end.
TEST_P(GpuTurns, of_many_conversations_take_nothing_more) {
  const std::uint32_t n_turns = test::is_full_run() ? 1000 : 30;
  const test::UseDevices use(GetParam().devices);
  const LoadRequest loaded = request();
  ASSERT_GT(loaded.plan->devices.size(), 1U) << "mesa-vulkan-drivers has a device that needs no card";
  for (DeviceIndex device = 1; device < loaded.plan->devices.size(); ++device)
    EXPECT_GT(loaded.plan->bytes_of(RegionGroup::kWeights, device), 0U) << device;
  Engine engine;
  test::ManyTurns turns(engine);
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(loaded)).has_value());
  const std::string told = answer_to_hello(engine);
  turns.take(n_turns);
  EXPECT_GT(turns.n_full, n_turns / 10);
  EXPECT_GT(turns.n_too_long, n_turns / 10);
  EXPECT_GT(turns.n_stopped, n_turns / 10);
  EXPECT_EQ(turns.n_allocations, 0U);
  EXPECT_LT(turns.growth, 4 * kMiB) << "of the driver's heap, too";
  EXPECT_EQ(answer_to_hello(engine), told);
}

INSTANTIATE_TEST_SUITE_P(Layers, GpuTurns,
                         testing::Values(Placed{"all_layers", "0", 4}, Placed{"half_of_them", "0", 2},
                                         Placed{"two_devices", "0,0", 4}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace headroom
