// The engine with a model on the CPU and a GPU: memory that is refused within a load, and many turns of conversations.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "backend/registry.h"
#include "engine/run/many_turns.h"
#include "gpu_contract/gpu_fixture.h"

namespace headroom {
namespace {

using test::ask;
using test::Engine;
using test::RandomModelSpec;

class GpuEngine : public testing::TestWithParam<bool> {
 protected:
  ~GpuEngine() override { test::refuse_gpu_memory_at(0); }
  // The second half of a model of two layers on a device that has memory of its own or shares the host's.
  LoadRequest request(std::uint32_t n_ctx) const {
    PlanOptions options = test::context_of(n_ctx);
    options.devices = {{1}};
    options.n_gpu_layers = 1;
    options.n_cpu_ffn = 0;
    const std::vector<DeviceInfo> devices = test::cpu_and_gpu(GetParam());
    return {model_.path,
            std::make_shared<const MemoryPlan>(test::take(plan_memory(*model_.opened.info, devices, options)))};
  }
  static std::string answer(Engine& engine) {
    const RequestId id = engine->generate(ask("hello", 8));
    EXPECT_TRUE(engine.wait_for<GenerationFinished>(id).has_value());
    return engine.text(id);
  }
  test::OnDisk model_;
};

TEST_P(GpuEngine, memory_that_is_refused_within_a_load_is_told_and_the_old_session_answers_on) {
  Engine engine;
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(request(64))).has_value());
  const std::string before = answer(engine);
  const LoadRequest larger = request(512);
  const Bytes ours = test::bytes_on_gpu();
  // Weights and what a session has at least, and an upload where one is needed: each once, until none is refused.
  std::uint32_t n_refused = 0;
  for (;; ++n_refused) {
    engine.clear();
    test::refuse_gpu_memory_at(n_refused + 1);
    const RequestId id = engine->load(larger);
    for (int i = 0; i < 6000 && engine.count<Failed>() + engine.count<ModelLoaded>() == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    test::refuse_gpu_memory_at(0);
    if (engine.count<ModelLoaded>() > 0) break;
    const auto failed = engine.wait_for<Failed>(id);
    ASSERT_TRUE(failed.has_value()) << n_refused;
    EXPECT_EQ(failed->error.code, ErrorCode::kResource);
    const std::string& message = failed->error.message;
    for (const std::string& part :
         {std::string(test::kGpuId) + ": asked for ", std::string("free "), std::string(test::kMemoryRefusal)})
      EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
    EXPECT_EQ(answer(engine), before);  // when the engine goes on it has left the load
    EXPECT_EQ(test::bytes_on_gpu(), ours) << "what was mapped is given back";
    ASSERT_LT(n_refused, 20U);
  }
  EXPECT_GE(n_refused, 2U);
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
  static RandomModelSpec four_small_layers() {
    RandomModelSpec spec;
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
  for (DeviceIndex device = 1; device < loaded.plan->devices.size(); ++device)
    EXPECT_GT(loaded.plan->bytes_of(RegionKind::kWeights, device), 0U) << device;
  Engine engine;
  test::ManyTurns turns(engine);
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(loaded)).has_value());
  const RequestId first = engine->generate(ask("hello", 20));
  ASSERT_TRUE(engine.wait_for<GenerationFinished>(first).has_value());
  const std::string told = engine.text(first);
  turns.take(n_turns);
  EXPECT_GT(turns.n_full, n_turns / 10);
  EXPECT_GT(turns.n_too_long, n_turns / 10);
  EXPECT_GT(turns.n_stopped, n_turns / 10);
  EXPECT_EQ(turns.n_allocations, 0U);
  EXPECT_LT(turns.growth, 4 * kMiB) << "of the driver's heap, too";
  const RequestId last = engine->generate(ask("hello", 20));
  ASSERT_TRUE(engine.wait_for<GenerationFinished>(last).has_value());
  EXPECT_EQ(engine.text(last), told);
}

INSTANTIATE_TEST_SUITE_P(Gpu, GpuTurns,
                         testing::Values(Placed{"all_layers", "0", 4}, Placed{"half_of_them", "0", 2},
                                         Placed{"two_devices", "0,0", 4}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace headroom
