// State sessions on a GPU: whole, and with half of the layers on the CPU.
#include <gtest/gtest.h>

#include "engine/run/state_session.h"
#include "gpu_contract/gpu_fixture.h"

namespace headroom {
namespace {

class GpuState : public test::states::StateSessions {
 private:
  std::shared_ptr<const MemoryPlan> plan(const ModelInfo& info, const PlanOptions& options) override {
    return std::make_shared<const MemoryPlan>(test::take(plan_memory(info, test::cpu_and_gpu(false), options)));
  }
};

TEST_P(GpuState, a_prompt_in_pieces_of_any_size_gives_the_same_text) {
  expect_a_prompt_in_pieces_gives_the_same_text({1, 9});
}
TEST_P(GpuState, slots_that_share_steps_say_what_each_says_alone) {
  expect_slots_that_share_steps_say_what_each_says_alone();
}
TEST_P(GpuState, a_prefix_is_copied_with_its_state) { expect_a_prefix_is_copied_with_its_state(); }
TEST_P(GpuState, a_conversation_goes_on_where_it_stands_and_begins_again_where_it_was_changed) {
  expect_a_conversation_goes_on_where_it_stands_and_begins_again_where_it_was_changed();
}
TEST_P(GpuState, a_step_that_was_stopped_leaves_its_slots_empty_and_the_others_alone) {
  expect_a_step_that_was_stopped_leaves_its_slots_empty_and_the_others_alone();
}
TEST_P(GpuState, planned_is_mapped_with_every_cache_type) { expect_planned_is_mapped_with_every_cache_type(); }

INSTANTIATE_TEST_SUITE_P(LayersOnTheGpu, GpuState, ::testing::Values(2, 4));

}  // namespace
}  // namespace headroom
