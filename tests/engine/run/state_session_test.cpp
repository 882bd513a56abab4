// State sessions on the CPU, on a reference device, and split between them.
#include "engine/run/state_session.h"

#include <gtest/gtest.h>

#include "base/cpu_features.h"
#include "support/reference_devices.h"
#include "support/use_variable.h"

namespace headroom {
namespace {

// NOLINTBEGIN(google-build-using-namespace): the fixture's names
using namespace test;
using namespace test::states;
// NOLINTEND(google-build-using-namespace)

class StateSession : public StateSessions {
 private:
  ReferenceDevices devices_{"64MiB"};
};

TEST_P(StateSession, a_prompt_in_pieces_of_any_size_gives_the_same_text) {
  expect_a_prompt_in_pieces_gives_the_same_text({1, 2, 3, 5, 8, 9, 17, 23});
}
TEST_P(StateSession, slots_that_share_steps_say_what_each_says_alone) {
  expect_slots_that_share_steps_say_what_each_says_alone();
}
TEST_P(StateSession, a_prefix_is_copied_with_its_state) { expect_a_prefix_is_copied_with_its_state(); }
TEST_P(StateSession, a_conversation_goes_on_where_it_stands_and_begins_again_where_it_was_changed) {
  expect_a_conversation_goes_on_where_it_stands_and_begins_again_where_it_was_changed();
}
TEST_P(StateSession, a_step_that_was_stopped_leaves_its_slots_empty_and_the_others_alone) {
  expect_a_step_that_was_stopped_leaves_its_slots_empty_and_the_others_alone();
}
TEST_P(StateSession, planned_is_mapped_with_every_cache_type) { expect_planned_is_mapped_with_every_cache_type(); }

INSTANTIATE_TEST_SUITE_P(LayersOnAReferenceDevice, StateSession, ::testing::Values(0, 1, 2, 3, 4));

// Every instruction set, in one piece and row by row.
TEST(StateSessionIsa, says_the_same_under_every_instruction_set) {
  RandomModelSpec spec;
  spec.architecture = "qwen35";
  spec.has_tied_head = true;
  const TempFolder folder;
  const Tokens prompt = tokens_of(77, 5);
  PlanOptions options;
  options.n_ctx = kStateContext;
  options.n_batch = 96;
  std::optional<Answer> expected;
  for (const Isa isa : kIsas) {
    if (!can_run(isa)) continue;
    SCOPED_TRACE(isa_name(isa));
    const UseVariable use("HEADROOM_ISA", std::string(isa_name(isa)).c_str());
    const std::unique_ptr<Session> session = open_random(spec, folder, options);
    for (const std::size_t n_step : {96U, 1U}) {
      session->clear(0);
      const Answer said = answer(*session, 0, prompt, 0, n_step);
      if (!expected) expected = said;
      EXPECT_EQ(said.text, expected->text);
      EXPECT_LT(relative_error(said.first_logits, expected->first_logits), 1e-3);
    }
  }
}

}  // namespace
}  // namespace headroom
