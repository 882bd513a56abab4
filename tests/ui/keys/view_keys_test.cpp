#include "ui/keys/view_keys.h"

#include <gtest/gtest.h>

#include <QSet>
#include <QShortcut>
#include <QWidget>

namespace headroom::ui {
namespace {

QKeyEvent press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  return {QEvent::KeyPress, key, modifiers};
}

TEST(ViewKeysTest, each_has_one_row_with_keys_and_words) {
  QSet<int> seen;
  QStringList places;
  for (const ViewKeyRow& row : viewKeyRows()) {
    EXPECT_FALSE(seen.contains(static_cast<int>(row.key))) << row.text.toStdString();
    seen.insert(static_cast<int>(row.key));
    EXPECT_FALSE(row.keys.isEmpty() || row.text.isEmpty() || row.place.isEmpty()) << row.text.toStdString();
    EXPECT_EQ(row.keys, keysOf(row.key));
    if (places.isEmpty() || places.last() != row.place) places.append(row.place);
  }
  EXPECT_EQ(seen.size(), static_cast<int>(ViewKey::PreviousControl) + 1) << "the last one";
  EXPECT_EQ(places.removeDuplicates(), 0) << "rows of a place follow each other: " << places.join(", ").toStdString();
}

TEST(ViewKeysTest, a_key_is_known_with_its_modifiers_and_on_the_number_pad) {
  EXPECT_TRUE(isViewKey(press(Qt::Key_Enter, Qt::KeypadModifier), ViewKey::SendByEnter));
  EXPECT_TRUE(isViewKey(press(Qt::Key_Return), ViewKey::SendByEnter));
  EXPECT_FALSE(isViewKey(press(Qt::Key_Return, Qt::ControlModifier), ViewKey::SendByEnter));
  EXPECT_TRUE(isViewKey(press(Qt::Key_Return, Qt::ControlModifier), ViewKey::SendMessage));
  EXPECT_FALSE(isViewKey(press(Qt::Key_PageUp, Qt::ShiftModifier), ViewKey::PageUp)) << "that selects";
  EXPECT_TRUE(isViewKey(press(Qt::Key_Home, Qt::ControlModifier), ViewKey::ToStart));
  EXPECT_FALSE(isViewKey(press(Qt::Key_End), ViewKey::ToStart));
}

TEST(ViewKeysTest, a_button_says_its_key_and_a_shortcut_has_all_of_them) {
  EXPECT_EQ(withKey(QStringLiteral("Next hit"), ViewKey::NextHit), "Next hit (F3)");
  QWidget window;
  EXPECT_EQ(makeShortcut(ViewKey::FindText, &window)->keys(), keysOf(ViewKey::FindText));
}

}  // namespace
}  // namespace headroom::ui
