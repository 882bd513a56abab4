// Checkpoints on the CPU, on a reference device, and split between them; and what a long chat computes.
#include "engine/run/checkpoint_session.h"

#include "support/reference_devices.h"

namespace headroom {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): the fixture's names

class Checkpointed : public test::checkpoints::CheckpointSessions {
 private:
  ReferenceDevices devices_{"64MiB"};
};

TEST_P(Checkpointed, an_answer_that_is_generated_again_computes_its_header_alone) {
  expect_an_answer_that_is_generated_again_computes_its_header_alone();
}
TEST_P(Checkpointed, a_changed_message_goes_on_from_before_it) { expect_a_changed_message_goes_on_from_before_it(); }
TEST_P(Checkpointed, each_border_can_be_gone_back_to) { expect_each_border_can_be_gone_back_to(8); }
TEST_P(Checkpointed, a_stopped_prompt_goes_on_from_its_last_checkpoint) {
  expect_a_stopped_prompt_goes_on_from_its_last_checkpoint();
}
TEST_P(Checkpointed, another_conversation_begins_from_a_checkpoint_of_a_slot_that_is_further) {
  expect_another_conversation_begins_from_a_checkpoint_of_a_slot_that_is_further();
}
TEST_P(Checkpointed, planned_is_mapped_with_every_number_of_them_and_cache_type) {
  expect_planned_is_mapped({DType::kF32, DType::kF16, DType::kF8E4M3, DType::kQ8_0, DType::kQ4_0}, {0, 1, 2, 5});
}

// A conversation of thirty turns in which every fourth question is changed and every fifth answer is generated again.
// What a cache that can go back to any token would compute is what was new.
class CheckpointedChat : public Checkpointed {};

TEST_P(CheckpointedChat, a_chat_of_thirty_turns_computes_hardly_more_than_is_new) {
  PlanOptions options;
  options.n_ctx = 8192;
  options.n_batch = kBatch;
  options.n_checkpoints = 3;
  const std::shared_ptr<const MemoryPlan> plan = plan_or_die(*opened_.info, options);
  const std::unique_ptr<Session> session = session_or_die(load_or_die(opened_, plan), plan);
  Tokens said = message(150, 999), held;
  std::uint64_t n_computed = 0, n_new = 0;
  const auto ask = [&](const Tokens& prompt) {
    const auto n_common = static_cast<std::size_t>(std::ranges::mismatch(held, prompt).in1 - held.begin());
    const Answer found = answer(*session, 0, prompt);
    n_computed += found.n_computed;
    n_new += prompt.size() - std::min(n_common, prompt.size() - 1) + kAnswer - 1;
    held = joined({prompt, Tokens(found.text.begin(), found.text.end() - 1)});
    return joined({prompt, found.text});
  };
  for (std::uint32_t turn = 0; turn < 30; ++turn) {
    Tokens prompt = joined({said, message(120 + turn, turn), header()});
    Tokens answered = ask(prompt);
    if (turn % 4 == 3) answered = ask(prompt = joined({said, message(130, 100 + turn), header()}));
    if (turn % 5 == 4) answered = ask(prompt);
    said = joined({answered, {control()}});
  }
  std::printf("%s: %llu tokens computed, %llu new\n", std::get<0>(GetParam()).c_str(),
              static_cast<unsigned long long>(n_computed), static_cast<unsigned long long>(n_new));
  EXPECT_LE(static_cast<double>(n_computed), 1.05 * static_cast<double>(n_new));
}

INSTANTIATE_TEST_SUITE_P(LayersOnAReferenceDevice, Checkpointed,
                         ::testing::Combine(::testing::Values("states", "windows", "convolutions"),
                                            ::testing::Values(0, 2)),
                         [](const auto& of) {
                           return std::get<0>(of.param) + "_" + std::to_string(std::get<1>(of.param));
                         });

// The same decisions wherever the layers stand.
INSTANTIATE_TEST_SUITE_P(OnTheCpu, CheckpointedChat,
                         ::testing::Combine(::testing::Values("states", "windows", "convolutions", "shared_caches",
                                                              "sinks"),
                                            ::testing::Values(0)),
                         [](const auto& of) { return std::get<0>(of.param); });

}  // namespace
}  // namespace headroom
