#include "ui/verify/verify_result.h"

#include <gtest/gtest.h>

#include <QLabel>

#include "support/verified.h"

namespace headroom::ui {
namespace {

QStringList textsOf(const QWidget& widget) {
  QStringList texts;
  for (const QLabel* label : widget.findChildren<QLabel*>()) texts << label->text();
  return texts;
}

TEST(VerifyResult, each_device_has_a_row_with_what_was_planned_and_taken) {
  const VerifyResult result(test::verified_as_planned());
  const QStringList texts = textsOf(result);
  const auto at = texts.indexOf("cuda:0");
  ASSERT_GE(at, 0);
  EXPECT_EQ(texts.mid(at, 6),
            (QStringList{"cuda:0", "4.00 GiB", "4.00 GiB", "280 MiB of 300 MiB planned", "5.00 GiB", "3.00 GiB"}));
  EXPECT_EQ(texts.mid(texts.indexOf("cpu") + 3, 1), QStringList("\u2013")) << "the host has no driver's share";
}

TEST(VerifyResult, each_depth_has_a_row_and_an_unknown_prediction_a_dash) {
  const VerifyResult result(test::verified_as_planned());
  const QStringList texts = textsOf(result);
  const auto at = texts.indexOf("Answer behind 2,044 positions");
  ASSERT_GE(at, 0);
  EXPECT_EQ(texts.mid(at + 1, 2), (QStringList{"40.0 tokens/s", "\u2013"}));
  EXPECT_TRUE(texts.contains("Prompt of 2,012 tokens"));
}

TEST(VerifyResult, of_a_context_that_is_too_short_to_time_no_speed_is_shown) {
  Verification found = test::verified_as_planned();
  found.speeds.clear();
  found.prompt.reset();
  EXPECT_FALSE(textsOf(VerifyResult(found)).contains("Speed"));
}

}  // namespace
}  // namespace headroom::ui
