// The engine with a model on the CPU and a Vulkan device, when what was planned is not there any more.
#include <gtest/gtest.h>

#include "backend/vulkan/vulkan_faults.h"
#include "backend/vulkan/vulkan_memory.h"
#include "engine/run/many_turns.h"
#include "vulkan/vulkan_fixture.h"

namespace headroom {
namespace {

using test::ask;
using test::Engine;
using test::RandomModelSpec;

// The second half of a model of two layers on a device that has memory of its own or shares the host's.
class VulkanEngine : public testing::TestWithParam<bool> {
 protected:
  ~VulkanEngine() override { vulkan_faults().taken = vulkan_faults().refuse_at_map = 0; }
  LoadRequest request(std::uint32_t n_ctx) const {
    PlanOptions options = test::context_of(n_ctx);
    options.devices = {{1, KeepFree{kGiB / 2}}};
    options.n_gpu_layers = 1;
    options.n_cpu_ffn = 0;
    const std::vector<DeviceInfo> devices = test::cpu_and_vulkan(GetParam());
    return {model_.path,
            std::make_shared<const MemoryPlan>(test::take(plan_memory(*model_.opened.info, devices, options)))};
  }
  std::string answer(Engine& engine) {
    const RequestId id = engine->generate(ask("hello", 8));
    EXPECT_TRUE(engine.wait_for<GenerationFinished>(id).has_value());
    return engine.text(id);
  }
  void load(Engine& engine, std::uint32_t n_ctx) {
    ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(request(n_ctx))).has_value());
  }
  test::OnDisk model_;
};

TEST_P(VulkanEngine, memory_that_another_program_took_since_the_plan_is_told_and_the_old_session_answers_on) {
  Engine engine;
  load(engine, 64);
  const std::string before = answer(engine);
  const LoadRequest larger = request(512);
  const VulkanCard card = vulkan_cards().cards.front();
  vulkan_faults().taken = card.heap_bytes - use_of_card(card).device_arena_bytes - 64 * kKiB;
  for (const bool replans : {false, true}) {
    const auto failed = engine.wait_for<Failed>(replans ? engine->replan(larger.plan) : engine->load(larger));
    ASSERT_TRUE(failed.has_value());
    EXPECT_EQ(failed->error.code, ErrorCode::kDoesNotFit);
    const std::string& message = failed->error.message;
    for (const std::string part : {"vulkan:0: asked for ", ", free ", "of which 512 MiB are to stay free",
                                   "Headroom holds ", "other programs "}) {
      EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
    }
  }
  EXPECT_EQ(engine.count<ModelUnloaded>(), 0U);
  EXPECT_EQ(answer(engine), before);
  vulkan_faults().taken = 0;
  EXPECT_TRUE(engine.wait_for<ModelLoaded>(engine->load(larger)).has_value());
}

TEST_P(VulkanEngine, an_arena_that_the_driver_refuses_within_a_load_is_told_and_the_old_session_answers_on) {
  Engine engine;
  load(engine, 64);
  const std::string before = answer(engine);
  const LoadRequest larger = request(512);
  const Bytes ours = test::take(sample_card(vulkan_cards().cards.front())).ours;
  // An upload where one is needed, weights, what a session has.
  const std::uint32_t n_arenas = GetParam() ? 2 : 3;
  for (std::uint32_t refused = 1; refused <= n_arenas; ++refused) {
    engine.clear();
    vulkan_faults().refuse_at_map = refused;
    const auto failed = engine.wait_for<Failed>(engine->load(larger));
    ASSERT_TRUE(failed.has_value()) << refused;
    EXPECT_EQ(vulkan_faults().refuse_at_map, 0U) << "it was reached";
    EXPECT_EQ(failed->error.code, ErrorCode::kResource);
    const std::string& message = failed->error.message;
    for (const std::string part : {"vulkan:0: asked for ", "free ", "VK_ERROR_OUT_OF_DEVICE_MEMORY"})
      EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
    EXPECT_EQ(answer(engine), before);  // when the engine goes on it has left the load
    EXPECT_EQ(test::take(sample_card(vulkan_cards().cards.front())).ours, ours) << "what was mapped is given back";
  }
}

TEST_P(VulkanEngine, a_driver_without_any_option_runs_a_whole_model) {
  const test::UseTier tier(2);
  Engine engine;
  load(engine, 64);
  const std::string before = answer(engine);
  vulkan_faults().hides_options = true;
  const LoadRequest bare = request(64);
  EXPECT_EQ(bare.plan->devices[1].kernels, "Vulkan, tier 0 (f32)");
  EXPECT_TRUE(engine.wait_for<ModelLoaded>(engine->load(bare)).has_value());
  EXPECT_FALSE(answer(engine).empty());
  engine.clear();
  const auto reading = engine.wait_for<MemoryReading>(0);
  vulkan_faults().hides_options = false;
  ASSERT_TRUE(reading.has_value());
  EXPECT_GT(reading->devices.back().second.ours, 0U) << "its memory is counted";
}

INSTANTIATE_TEST_SUITE_P(Memory, VulkanEngine, testing::Bool(),
                         [](const auto& each) { return each.param ? "shared" : "own"; });

// Where the layers of a model are; "0,0" are two devices of one card.
struct Placed {
  const char* name;
  const char* devices;
  std::int32_t n_gpu_layers;
};
class VulkanTurns : public testing::TestWithParam<Placed> {
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
TEST_P(VulkanTurns, of_many_conversations_take_nothing_more) {
  const std::uint32_t n_turns = test::is_full_run() ? 1000 : 30;
  const test::UseDevices use(GetParam().devices);
  ASSERT_FALSE(vulkan_cards().cards.empty()) << "mesa-vulkan-drivers has a device that needs no card";
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

INSTANTIATE_TEST_SUITE_P(Vulkan, VulkanTurns,
                         testing::Values(Placed{"all_layers", "0", 4}, Placed{"half_of_them", "0", 2},
                                         Placed{"two_devices", "0,0", 4}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace headroom
