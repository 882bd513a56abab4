#include "ui/language/empty_dialog.h"

#include <gtest/gtest.h>

#include <QDialog>
#include <QLabel>
#include <QPointer>
#include <QVBoxLayout>

namespace headroom::ui {
namespace {

TEST(EmptyDialog, takes_away_what_is_in_it_and_leaves_the_dialogs_above_it) {
  QDialog dialog;
  QLabel* inside = new QLabel("text");
  (new QVBoxLayout(&dialog))->addWidget(inside);
  const QPointer<QLabel> gone(inside);
  const QPointer<QDialog> above(new QDialog(&dialog));
  emptyDialog(dialog);
  EXPECT_EQ(gone, nullptr);
  EXPECT_NE(above, nullptr);
  EXPECT_EQ(dialog.layout(), nullptr);
  (new QVBoxLayout(&dialog))->addWidget(new QLabel("another"));
  EXPECT_EQ(dialog.findChildren<QLabel*>().size(), 1);
}

}  // namespace
}  // namespace headroom::ui
