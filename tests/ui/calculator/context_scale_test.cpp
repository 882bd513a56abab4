#include "ui/calculator/context_scale.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

TEST(ContextScale, ascends_and_ends_at_the_trained_context) {
  for (const std::uint32_t longest : {1U, 256U, 2048U, 5000U, 32768U, 131072U, 1048576U}) {
    const ContextScale scale(longest);
    EXPECT_EQ(scale.at(scale.count() - 1), longest);
    for (int i = 1; i < scale.count(); ++i) EXPECT_LT(scale.at(i - 1), scale.at(i)) << longest;
  }
}

TEST(ContextScale, a_short_trained_context_leaves_a_choice) {
  EXPECT_EQ(ContextScale(64).at(0), 16U);
  EXPECT_EQ(ContextScale(64).count(), 5);
  EXPECT_EQ(ContextScale(1000).at(0), 128U);
  EXPECT_EQ(ContextScale(1024).at(0), 256U);
}

TEST(ContextScale, each_position_is_nearest_to_itself) {
  const ContextScale scale(40960);
  for (int i = 0; i < scale.count(); ++i) EXPECT_EQ(scale.nearest(scale.at(i)), i);
  EXPECT_EQ(scale.nearest(5000), scale.nearest(4096));
  EXPECT_EQ(scale.nearest(1), 0);
  EXPECT_EQ(scale.nearest(99'999'999), scale.count() - 1);
}

TEST(ContextScale, whole_kibi_tokens_are_written_short) {
  EXPECT_EQ(ContextScale::shortName(24576), QStringLiteral("24k"));
  EXPECT_EQ(ContextScale::shortName(5000), QStringLiteral("5,000"));
  EXPECT_EQ(ContextScale::shortName(512), QStringLiteral("512"));
}

}  // namespace
}  // namespace headroom::ui
