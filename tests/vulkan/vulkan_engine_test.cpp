// What of the engine over a GPU is Vulkan's own: drivers that lack what is optional.
#include <gtest/gtest.h>

#include "backend/vulkan/vulkan_faults.h"
#include "gpu_contract/gpu_engine.h"

namespace headroom {
namespace {

using VulkanEngine = test::GpuEngine;

TEST_P(VulkanEngine, a_driver_without_any_option_runs_a_whole_model) {
  const test::UseTier tier(2);
  test::Engine engine;
  load(engine, 64);
  vulkan_faults().hides_options = true;
  const LoadRequest bare = request(64);
  EXPECT_EQ(bare.plan->devices[1].kernels, "Vulkan, tier 0 (f32)");
  EXPECT_TRUE(engine.wait_for<ModelLoaded>(engine->load(bare)).has_value());
  EXPECT_FALSE(test::answer_to_hello(engine).empty());
  engine.clear();
  const auto reading = engine.wait_for<MemoryReading>(0);
  vulkan_faults().hides_options = false;
  ASSERT_TRUE(reading.has_value());
  EXPECT_GT(reading->devices.back().second.ours, 0U) << "its memory is counted";
}

INSTANTIATE_TEST_SUITE_P(Memory, VulkanEngine, testing::Bool(), test::memory_name_of);

}  // namespace
}  // namespace headroom
