// Turns that are deleted, and answers that are changed by hand.
#include "chat_session_fixture.h"

namespace headroom::ui {
namespace {

class ChatSessionRemovalTest : public ChatSessionTest {
 protected:
  void SetUp() override {
    ChatSessionTest::SetUp();
    for (const char* text : {"one", "two"}) {
      chat().send(text, {});
      m_engine.sendAnswer(QStringLiteral("answer to %1").arg(text));
    }
  }
  QStringList texts() {
    QStringList all;
    for (const QString& id : chat().tree().path()) all << chat().tree().find(id)->text;
    return all;
  }
  const std::vector<Turn>& kept() { return m_store.conversations[chat().head().id].turns; }
};

TEST_F(ChatSessionRemovalTest, a_turn_goes_alone_or_with_what_follows_and_the_store_agrees) {
  chat().removeTurn(turn(1).id, true);
  EXPECT_EQ(texts(), (QStringList{"one", "two", "answer to two"}));
  EXPECT_EQ(kept().size(), 3U);
  chat().removeTurn(turn(1).id, false);
  EXPECT_EQ(texts(), QStringList{"one"});
  EXPECT_EQ(kept().size(), 1U);
  chat().removeTurn(turn(0).id, false);
  EXPECT_TRUE(chat().tree().isEmpty());
  EXPECT_TRUE(kept().empty());
  EXPECT_TRUE(chat().send("again", {}));
}

TEST_F(ChatSessionRemovalTest, a_version_that_goes_brings_the_other_back_here_and_in_the_store) {
  const QString first = turn(3).id;
  chat().regenerate(first);
  m_engine.sendAnswer("another");
  chat().removeTurn(turn(3).id, false);
  EXPECT_EQ(texts().last(), "answer to two");
  EXPECT_EQ(m_store.chosen, first);
}

TEST_F(ChatSessionRemovalTest, nothing_goes_while_an_answer_is_written) {
  chat().send("three", {});
  chat().removeTurn(turn(0).id, false);
  EXPECT_EQ(chat().tree().path().size(), 6);
}

TEST_F(ChatSessionRemovalTest, what_was_changed_of_a_turn_that_goes_is_a_new_message) {
  chat().draft().handleEvent(draft_event::Typed{"new"});
  chat().editTurn(turn(2).id);
  chat().draft().handleEvent(draft_event::Typed{"two, changed"});
  chat().removeTurn(turn(2).id, false);
  EXPECT_EQ(chat().draft().editedTurn(), QString());
  EXPECT_EQ(chat().draft().message().text, "new\ntwo, changed");
}

TEST_F(ChatSessionRemovalTest, an_answer_that_is_changed_by_hand_is_another_version_and_asks_the_engine_nothing) {
  const std::size_t nAsked = m_engine.generates.size();
  chat().editTurn(turn(3).id);
  EXPECT_EQ(chat().draft().message().text, "answer to two");
  chat().draft().handleEvent(draft_event::Typed{"my answer"});
  EXPECT_TRUE(chat().sendDraft());
  EXPECT_EQ(texts().last(), "my answer");
  EXPECT_EQ(turn(3).role, Role::Assistant);
  EXPECT_EQ(turn(3).state, TurnState::Done);
  EXPECT_EQ(turn(3).modelName, "tiny");
  EXPECT_EQ(turn(3).generatedTokens, 0U) << "the model wrote none of it";
  EXPECT_EQ(chat().tree().versions(turn(3).id).size(), 2);
  EXPECT_EQ(m_engine.generates.size(), nAsked);
  EXPECT_TRUE(chat().draft().message().isEmpty());
  chat().send("go on", {});
  EXPECT_EQ(lastRequest().messages[3].content, "my answer");
}

TEST_F(ChatSessionRemovalTest, an_answer_is_changed_without_a_model_too) {
  emit m_engine.modelUnloaded(++m_engine.lastId);
  ASSERT_EQ(chat().activity(), Activity::NoModel);
  EXPECT_TRUE(chat().edit(turn(1).id, "mine", {}));
  EXPECT_EQ(texts(), (QStringList{"one", "mine"}));
  EXPECT_FALSE(chat().edit(turn(0).id, "question", {})) << "that is answered, which needs one";
}

}  // namespace
}  // namespace headroom::ui
