// The engine with a model on the CPU and a Vulkan device, when what was planned is not there any more.
#include <gtest/gtest.h>

#include "backend/vulkan/vulkan_faults.h"
#include "backend/vulkan/vulkan_memory.h"
#include "engine/run/engine_fixture.h"
#include "vulkan/vulkan_fixture.h"

namespace headroom {
namespace {

using test::ask;
using test::Engine;

// The second half of a model of two layers on a device that has memory of its own or shares the host's.
class VulkanEngine : public testing::TestWithParam<bool> {
 protected:
  ~VulkanEngine() override { vulkan_faults().taken = 0; }
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

}  // namespace
}  // namespace headroom
