#include "ui/theme/wrapping_button.h"

#include <gtest/gtest.h>

#include <QImage>

namespace headroom::ui {
namespace {

const QString kSentence = QStringLiteral("KV as FP8: frees 2.57 GiB, quality nearly unchanged, about 11 tokens/s");

TEST(WrappingButtonTest, where_one_line_is_not_enough_it_is_as_tall_as_it_must_be) {
  const WrappingButton button(kSentence);
  const int wide = button.sizeHint().width();
  EXPECT_EQ(button.heightForWidth(wide), button.sizeHint().height());
  EXPECT_GE(button.heightForWidth(wide / 2), button.sizeHint().height() + button.fontMetrics().lineSpacing() - 1);
  EXPECT_GT(button.heightForWidth(wide / 4), button.heightForWidth(wide / 2));
  EXPECT_LT(button.minimumSizeHint().width(), 10) << "it may be as narrow as its column";
}

TEST(WrappingButtonTest, the_end_of_its_text_is_seen_in_the_second_line) {
  WrappingButton button(kSentence);
  const int width = button.sizeHint().width() * 2 / 3;
  button.resize(width, button.heightForWidth(width));
  const QImage whole = button.grab().toImage();
  button.setText(kSentence.chopped(10));
  EXPECT_NE(button.grab().toImage(), whole);
}

}  // namespace
}  // namespace headroom::ui
