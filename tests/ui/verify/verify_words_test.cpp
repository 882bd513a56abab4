#include "ui/verify/verify_words.h"

#include <gtest/gtest.h>

#include "support/verified.h"

namespace headroom::ui {
namespace {

TEST(VerifyWords, what_is_as_planned_is_one_sentence) {
  EXPECT_EQ(verifyVerdict(test::verified_as_planned()),
            "As planned: 5.00 GiB planned, 5.00 GiB mapped, nothing allocated since load");
  EXPECT_TRUE(verifyDifferences(test::verified_as_planned()).isEmpty());
}

TEST(VerifyWords, each_difference_is_a_sentence_with_its_figures) {
  Verification found = test::verified_as_planned();
  found.devices[1].mapped_bytes += 4 * kKiB;
  found.grown.n_arenas = 1;
  found.n_full_slots = 1;
  found.refuses_longer_prompt = false;
  found.grown_by_answers = {.driver = 2 * kMiB, .heap = kGiB, .mapped = kGiB};
  EXPECT_EQ(verifyVerdict(found), "Not as planned");
  EXPECT_EQ(verifyDifferences(found),
            (QStringList{"cpu: 1.00 GiB planned, 1.00 GiB mapped (+4.00 KiB).", "Allocations since load: 1.",
                         "Slots filled to their end: 1 of 2.",
                         "A prompt of 4,097 tokens was taken, and the context holds 4,096.",
                         "Drivers took 2.00 MiB more over the answers; up to 1.00 MiB is allowed."}))
      << "heap and mappings are the window's too, and are no difference";
}

TEST(VerifyWords, each_stage_has_its_step) {
  EXPECT_EQ(verifyStep({VerifyStage::kOneSlot, 0, 1}), "Step 1 of 3: filling a slot, and timing");
  EXPECT_EQ(verifyStep({VerifyStage::kAllSlots, 0, 1}), "Step 2 of 3: filling all slots to their end");
  EXPECT_EQ(verifyStep({VerifyStage::kAnswers, 0, 1}), "Step 3 of 3: writing short answers");
}

TEST(VerifyWords, a_stop_is_told_apart_from_what_went_wrong) {
  EXPECT_EQ(verifyEnd({ErrorCode::kCancelled, Message::plain("the verification was stopped")}),
            "Stopped. The model is loaded as before.");
  EXPECT_EQ(verifyEnd({ErrorCode::kDeviceLost, Message::plain("cuda:0: gone")}),
            "It did not come to its end: cuda:0: gone");
}

}  // namespace
}  // namespace headroom::ui
