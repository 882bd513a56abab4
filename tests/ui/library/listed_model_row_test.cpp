#include "ui/library/listed_model_row.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

namespace headroom::ui {
namespace {

TEST(ListedModelRow, its_button_says_of_what_it_is_and_how_that_fits) {
  ListedModelRow row;
  row.setTexts(QStringLiteral("x.gguf"), QStringLiteral("Q4_K_M"));
  row.setFit(QStringLiteral("Fits"), Tone::Good);
  row.setAction(QStringLiteral("Download"), true);
  auto* button = row.findChild<QPushButton*>(QStringLiteral("fetch"));
  EXPECT_EQ(button->accessibleName(), QStringLiteral("Download: x.gguf"));
  EXPECT_EQ(button->accessibleDescription(), QStringLiteral("Q4_K_M. Fits"));
  const QSignalSpy wanted(&row, &ListedModelRow::wanted);
  button->click();
  EXPECT_EQ(wanted.count(), 1);
  row.setAction(QStringLiteral("On disk"), false);
  button->click();
  EXPECT_EQ(wanted.count(), 1);
}

TEST(ListedModelRow, what_is_not_known_takes_no_room) {
  ListedModelRow row;
  row.setFit({}, Tone::Neutral);
  EXPECT_TRUE(row.findChild<QLabel*>(QStringLiteral("fit"))->isHidden());
}

}  // namespace
}  // namespace headroom::ui
