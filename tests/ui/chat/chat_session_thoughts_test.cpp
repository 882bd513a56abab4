// What an answer's model thinks, and its time.
#include <gtest/gtest.h>

#include <QSignalSpy>

#include "ui/chat/chat_session_fixture.h"

namespace headroom::ui {
namespace {

TEST_F(ChatSessionTest, what_is_thought_stands_apart_with_its_time) {
  qint64 now = 1000;
  chat().thinkingClock().setNow([&] { return now; });
  chat().send("q", {});
  emit m_engine.thinkingArrived(m_engine.lastId, "Is");
  EXPECT_EQ(chat().activity(), Activity::Writing);
  now += 2000;
  emit m_engine.thinkingArrived(m_engine.lastId, " it?");
  EXPECT_TRUE(isThinking(turn(1)));
  EXPECT_EQ(turn(1).thinkingMs, 2000);
  now += 1500;
  emit m_engine.textArrived(m_engine.lastId, "It");
  EXPECT_FALSE(isThinking(turn(1)));
  now += 60'000;
  m_engine.sendAnswer(" is.", ChatEnd::EndOfTurn, figures(10, 20, 30, 1000));
  EXPECT_EQ(turn(1).thinking, "Is it?");
  EXPECT_EQ(turn(1).text, "It is.");
  EXPECT_EQ(turn(1).thinkingMs, 3500) << "the answer's own time is none of it";
  EXPECT_EQ(turn(1).generatedTokens, 20U);
  const Turn& kept = m_store.conversations[chat().head().id].turns.back();
  EXPECT_EQ(kept.thinking, "Is it?");
  EXPECT_EQ(kept.thinkingMs, 3500);
  chat().send("and?", {});
  EXPECT_EQ(lastRequest().messages[1], (ChatMessage{"assistant", "It is.", "Is it?"})) << "its template decides";
}

TEST_F(ChatSessionTest, the_time_of_a_thought_is_told_while_it_runs) {
  qint64 now = 0;
  chat().thinkingClock().setNow([&] { return now; });
  chat().send("q", {});
  emit m_engine.thinkingArrived(m_engine.lastId, "Is it?");
  now = 5000;
  QSignalSpy timed(&chat(), &ChatSession::thinkingTimed);
  ASSERT_TRUE(timed.wait(60'000));
  EXPECT_EQ(timed[0][0].toString(), turn(1).id);
  EXPECT_EQ(turn(1).thinkingMs, 5000);
}

TEST_F(ChatSessionTest, a_thought_that_was_stopped_is_continued_and_its_time_goes_on) {
  qint64 now = 0;
  chat().thinkingClock().setNow([&] { return now; });
  chat().send("q", {});
  emit m_engine.thinkingArrived(m_engine.lastId, "Is");
  now = 4000;
  chat().stop();
  emit m_engine.generationFinished(m_engine.lastId, ChatEnd::Stopped, {});
  ASSERT_EQ(chat().tree().path().size(), 2) << "there is something to keep";
  EXPECT_EQ(turn(1).state, TurnState::Stopped);
  EXPECT_EQ(turn(1).thinkingMs, 4000);
  now = 100'000;
  chat().continueAnswer(turn(1).id);
  EXPECT_TRUE(lastRequest().continueLast);
  EXPECT_EQ(lastRequest().messages.back(), (ChatMessage{"assistant", "", "Is"}));
  emit m_engine.thinkingArrived(m_engine.lastId, " it?");
  now = 101'000;
  m_engine.sendAnswer("It is.");
  EXPECT_EQ(turn(1).thinking, "Is it?");
  EXPECT_EQ(turn(1).thinkingMs, 5000);
}

TEST_F(ChatSessionTest, a_choice_about_thinking_goes_to_the_engine) {
  ChatSettings settings;
  settings.answers.thinking = ThinkingChoice::kHigh;
  m_settings.setChat(settings);
  chat().send("q", {});
  EXPECT_EQ(lastRequest().thinking, ThinkingChoice::kHigh);
}

}  // namespace
}  // namespace headroom::ui
