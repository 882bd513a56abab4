#include "ui/chat/conversation_titler.h"

#include <gtest/gtest.h>

#include <QCoreApplication>

#include "ui/chat/chat_session_fixture.h"

namespace headroom::ui {
namespace {

class ConversationTitlerTest : public ChatSessionTest {
 protected:
  void SetUp() override {
    ChatSessionTest::SetUp();
    pause().setInterval(0);
    m_settings.setGeneral({.modelTitles = true});
  }
  QTimer& pause() { return *m_sessions.findChild<ConversationTitler*>()->findChild<QTimer*>(); }
  // As long as nobody answers.
  void wait() {
    while (pause().isActive()) QCoreApplication::processEvents();
  }
  void talk(const char* question, const char* answer) {
    EXPECT_TRUE(chat().send(question, {}));
    m_engine.sendAnswer(answer, ChatEnd::EndOfTurn, figures(10, 20, 30, 1000));
  }
  std::size_t nAsked() const { return m_engine.generates.size(); }
  QString keptTitle() { return m_store.conversations[chat().head().id].head.title; }
};

TEST_F(ConversationTitlerTest, an_answered_conversation_is_named_once_when_nothing_is_to_be_answered) {
  wait();
  EXPECT_EQ(nAsked(), 0U) << "nothing was said";
  talk("What is a cache?", "A store.");
  const quint64 conversation = lastRequest().conversation;
  EXPECT_EQ(nAsked(), 1U) << "not at once";
  wait();
  ASSERT_EQ(nAsked(), 2U);
  const ChatRequest& asked = lastRequest();
  ASSERT_EQ(asked.messages.size(), 3U);
  EXPECT_EQ(asked.messages[1].content, "A store.") << "behind what its cache holds";
  EXPECT_NE(asked.messages[2].content.find("title"), std::string::npos);
  EXPECT_EQ(asked.conversation, conversation);
  EXPECT_EQ(asked.sampler.temperature, 0);
  EXPECT_GT(asked.maxTokens, 0U);
  EXPECT_FALSE(chat().isBusy()) << "the user may ask at any time";
  const qint64 updatedMs = chat().head().updatedMs;
  emit m_engine.textArrived(m_engine.lastId, "Caches ");
  EXPECT_EQ(chat().head().title, "What is a cache?");
  m_engine.sendAnswer("explained.");
  EXPECT_EQ(chat().head().title, "Caches explained");
  EXPECT_EQ(keptTitle(), "Caches explained");
  EXPECT_EQ(chat().head().updatedMs, updatedMs) << "it keeps its place in the list";
  EXPECT_EQ(chat().tree().path().size(), 2) << "it is no turn";
  talk("And a prefix?", "The beginning.");
  wait();
  EXPECT_EQ(nAsked(), 3U);
}

TEST_F(ConversationTitlerTest, only_where_the_user_wants_it_and_has_not_named_it) {
  m_settings.setGeneral({});
  talk("q", "a");
  wait();
  EXPECT_EQ(nAsked(), 1U);
  chat().rename("Mine");
  m_settings.setGeneral({.modelTitles = true});
  wait();
  EXPECT_EQ(nAsked(), 1U);
  m_sessions.newConversation();
  talk("q", "a");
  EXPECT_TRUE(pause().isActive());
  m_settings.setGeneral({});
  EXPECT_FALSE(pause().isActive());
  m_settings.setGeneral({.modelTitles = true});
  wait();
  EXPECT_EQ(nAsked(), 3U);
  m_settings.setGeneral({});
  EXPECT_EQ(m_engine.stops, std::vector<quint64>{m_engine.lastId}) << "it was being written";
}

TEST_F(ConversationTitlerTest, an_answer_goes_before_a_title_which_is_asked_for_again_behind_it) {
  talk("q", "a");
  wait();
  const quint64 title = m_engine.lastId;
  emit m_engine.textArrived(title, "Hal");
  EXPECT_TRUE(chat().send("more", {}));
  EXPECT_EQ(m_engine.stops, std::vector<quint64>{title});
  emit m_engine.generationFinished(title, ChatEnd::Stopped, {});
  EXPECT_EQ(chat().head().title, "q");
  m_engine.sendAnswer("b");
  wait();
  ASSERT_EQ(lastRequest().messages.size(), 5U);
  m_engine.sendAnswer("Whole");
  EXPECT_EQ(chat().head().title, "Whole");
}

TEST_F(ConversationTitlerTest, a_conversation_that_is_left_waits_until_it_is_open_again) {
  talk("first", "a");
  const QString first = chat().head().id;
  m_sessions.newConversation();
  wait();
  EXPECT_EQ(nAsked(), 1U);
  talk("second", "b");
  m_sessions.openConversation(first);
  wait();
  ASSERT_EQ(nAsked(), 3U);
  EXPECT_EQ(lastRequest().messages[0].content, "first");
  // It is deleted while its title comes.
  m_sessions.forgetConversation(first);
  m_engine.sendAnswer("Late");
  EXPECT_EQ(chat().head().title, "");
}

TEST_F(ConversationTitlerTest, what_is_no_title_or_does_not_come_is_asked_for_by_another_model_at_most) {
  talk("q", "a");
  wait();
  m_engine.sendAnswer("\"\"");
  EXPECT_EQ(chat().head().title, "q");
  wait();
  EXPECT_EQ(nAsked(), 2U);
  m_engine.sendLoaded("other", 1000);
  wait();
  ASSERT_EQ(nAsked(), 3U);
  emit m_engine.promptTooLong(m_engine.lastId, 2000, 1000);
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::None) << "the user asked for nothing";
  wait();
  EXPECT_EQ(nAsked(), 3U);
  m_engine.sendLoaded("third", 1000);
  wait();
  emit m_engine.failed(m_engine.lastId, Error{ErrorCode::kResource, Message::plain("no")});
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::None);
  wait();
  EXPECT_EQ(nAsked(), 4U);
}

TEST_F(ConversationTitlerTest, one_that_thinks_is_asked_not_to_or_has_room_for_it) {
  const auto load = [this](ThinkingChoices choices) {
    emit m_engine.failed(m_engine.lastId, Error{ErrorCode::kCancelled, Message::plain("unloaded")});
    LoadedModel loaded;
    loaded.model = std::make_shared<ModelInfo>();
    loaded.plan = std::make_shared<MemoryPlan>();
    loaded.thinkingChoices = choices;
    emit m_engine.modelLoaded(++m_engine.lastId, loaded);
  };
  EXPECT_TRUE(chat().send("q", {}));
  emit m_engine.thinkingArrived(m_engine.lastId, "hm");
  m_engine.sendAnswer("a");
  wait();
  const quint32 thinking = lastRequest().maxTokens;
  EXPECT_EQ(lastRequest().thinking, ThinkingChoice::kDefault);
  load(kThinkingSwitch);
  wait();
  EXPECT_EQ(lastRequest().thinking, ThinkingChoice::kOff);
  EXPECT_LT(lastRequest().maxTokens, thinking);
  load(kThinkingEfforts);
  wait();
  EXPECT_EQ(lastRequest().thinking, ThinkingChoice::kLow);
  EXPECT_EQ(lastRequest().maxTokens, thinking);
}

// What the cache holds of it is no part of the conversation: nothing was lost when the next prompt leaves it.
TEST_F(ConversationTitlerTest, the_next_prompt_loses_nothing_by_it) {
  talk("q", "a");
  wait();
  m_engine.sendAnswer("Name", ChatEnd::EndOfTurn, figures(70, 20, 130, 1000));
  EXPECT_TRUE(chat().send("more", {}));
  ChatFigures next = figures(60, 10, 70, 1000);
  next.heldTokens = 130;
  next.sharedTokens = next.reusedTokens = 30;
  m_engine.sendAnswer("b", ChatEnd::EndOfTurn, next);
  EXPECT_EQ(turn(3).prefixBreak, PrefixBreak());
}

}  // namespace
}  // namespace headroom::ui
