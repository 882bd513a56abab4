#include "ui/format/account_text.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

TEST(AccountText, what_is_not_measured_is_said_with_the_figure) {
  MemoryAccount account;
  EXPECT_EQ(othersBytesText(kGiB, account), "1.00 GiB");
  EXPECT_EQ(othersSpokenText(kGiB, account), "1.00 GiB");
  EXPECT_EQ(doubtText(account), "");
  account.confidence = MemoryConfidence::kEstimated;
  account.doubt = Message::plain("The system's figures disagree.");
  EXPECT_EQ(othersBytesText(kGiB, account), QString::fromUtf8("\u2248 1.00 GiB"));
  EXPECT_EQ(othersSpokenText(kGiB, account), "about 1.00 GiB");
  EXPECT_EQ(doubtText(account), "The system's figures disagree.");
  account.confidence = MemoryConfidence::kAssumed;
  EXPECT_EQ(othersBytesText(0, account), "not known");
  EXPECT_EQ(othersSpokenText(0, account), "not known");
}

TEST(AccountText, without_what_others_hold_free_is_at_most_and_in_use_is_not_all) {
  MemoryAccount account;
  for (const MemoryConfidence known : {MemoryConfidence::kMeasured, MemoryConfidence::kEstimated}) {
    account.confidence = known;
    EXPECT_EQ(freeBytesText(kGiB, account), "1.00 GiB");
    EXPECT_EQ(freeSpokenText(kGiB, account), "1.00 GiB");
    EXPECT_EQ(inUseRemark(account), "");
  }
  account.confidence = MemoryConfidence::kAssumed;
  EXPECT_EQ(freeBytesText(kGiB, account), QString::fromUtf8("\u2264 1.00 GiB"));
  EXPECT_EQ(freeSpokenText(kGiB, account), "at most 1.00 GiB");
  EXPECT_TRUE(inUseRemark(account).contains("not known"));
}

TEST(AccountText, a_spill_says_how_much_what_it_means_and_what_to_do) {
  const QString text = spillText(kGiB + kGiB / 4);
  EXPECT_TRUE(text.startsWith("1.25 GiB of the model was pushed out of this device")) << qPrintable(text);
  EXPECT_TRUE(text.contains("more slowly") && text.contains("Close other programs")) << qPrintable(text);
}

}  // namespace
}  // namespace headroom::ui
