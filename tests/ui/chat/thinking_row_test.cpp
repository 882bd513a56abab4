#include "ui/chat/thinking_row.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

namespace headroom::ui {
namespace {

Turn turn(TurnState state, const char* text, qint64 ms) {
  Turn made;
  made.role = Role::Assistant;
  made.state = state;
  made.text = text;
  made.thinking = "hm";
  made.thinkingMs = ms;
  return made;
}

TEST(ThinkingRow, it_says_how_long_a_thought_takes_and_took) {
  const auto textOf = [](TurnState state, const char* text, qint64 ms) { return thinkingText(turn(state, text, ms)); };
  EXPECT_EQ(textOf(TurnState::Writing, "", 300), "Thinking…");
  EXPECT_EQ(textOf(TurnState::Writing, "", 12'900), "Thinking… 12 s");
  EXPECT_EQ(textOf(TurnState::Writing, "Yes", 34'000), "Thought for 34 s") << "what comes now is the answer";
  EXPECT_EQ(textOf(TurnState::Stopped, "", 125'000), "Thought for 2 min 5 s");
  EXPECT_EQ(textOf(TurnState::Done, "Yes", 999), "Thought for less than a second");
  EXPECT_EQ(textOf(TurnState::Done, "Yes", 0), "Thought") << "nobody measured it";
}

TEST(ThinkingRow, its_button_is_known_by_name_and_state_and_pressed_by_the_keyboard) {
  const Theme theme{ThemeChoice::Light};
  ThinkingRow row(theme, nullptr);
  row.show(turn(TurnState::Done, "Yes", 34'000), false);
  QSignalSpy chosen(&row, &ThinkingRow::unfoldChosen);
  auto* button = row.findChild<QToolButton*>("thinkingFold");
  ASSERT_NE(button, nullptr);
  EXPECT_EQ(button->accessibleName(), "Thought for 34 s");
  EXPECT_EQ(button->accessibleDescription(), "Show what the model thought");
  EXPECT_FALSE(button->isChecked());
  EXPECT_EQ(button->focusPolicy(), Qt::StrongFocus);
  QTest::keyClick(button, Qt::Key_Space);
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_TRUE(chosen[0][0].toBool());
  row.show(turn(TurnState::Done, "Yes", 34'000), true);
  EXPECT_TRUE(button->isChecked());
  EXPECT_EQ(button->accessibleDescription(), "Hide what the model thought");
}

}  // namespace
}  // namespace headroom::ui
