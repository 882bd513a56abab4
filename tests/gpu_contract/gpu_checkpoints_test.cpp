// Checkpoints on a GPU: whole, and with half of the layers on the CPU.
#include <gtest/gtest.h>

#include "engine/run/checkpoint_session.h"
#include "gpu_contract/gpu_fixture.h"
#include "support/combinations.h"

namespace headroom {
namespace {

class GpuCheckpoints : public test::checkpoints::CheckpointSessions {
 private:
  std::shared_ptr<const MemoryPlan> plan(const ModelInfo& info, const PlanOptions& options) override {
    return std::make_shared<const MemoryPlan>(test::take(plan_memory(info, test::cpu_and_gpu(false), options)));
  }
};

TEST_P(GpuCheckpoints, an_answer_that_is_generated_again_computes_its_header_alone) {
  expect_an_answer_that_is_generated_again_computes_its_header_alone();
}
TEST_P(GpuCheckpoints, a_changed_message_goes_on_from_before_it) { expect_a_changed_message_goes_on_from_before_it(); }
TEST_P(GpuCheckpoints, each_border_can_be_gone_back_to) { expect_each_border_can_be_gone_back_to(4); }
TEST_P(GpuCheckpoints, a_stopped_prompt_goes_on_from_its_last_checkpoint) {
  expect_a_stopped_prompt_goes_on_from_its_last_checkpoint();
}
TEST_P(GpuCheckpoints, another_conversation_begins_from_a_checkpoint_of_a_slot_that_is_further) {
  expect_another_conversation_begins_from_a_checkpoint_of_a_slot_that_is_further();
}
TEST_P(GpuCheckpoints, planned_is_mapped) { expect_planned_is_mapped({DType::kF16}, {0, 3}); }

// A kind of layers that cannot go back to any place, and how many of its four stand on the GPU.
std::vector<std::tuple<std::string, std::int32_t>> checked_layers() {
  std::vector<std::tuple<std::string, std::int32_t>> checked;
  for (const bool are_all : {false, true}) {
    for (const bool have_states : {false, true}) {
      if (!test::is_checked({are_all ? 1U : 0U, have_states ? 1U : 0U})) continue;
      checked.emplace_back(have_states ? "states" : "windows", are_all ? 4 : 2);
    }
  }
  return checked;
}

INSTANTIATE_TEST_SUITE_P(LayersOnTheGpu, GpuCheckpoints, ::testing::ValuesIn(checked_layers()), [](const auto& of) {
  return std::get<0>(of.param) + "_" + std::to_string(std::get<1>(of.param));
});

}  // namespace
}  // namespace headroom
