// Options of one conversation, and what is done by itself at the end of the context.
#include "chat_session_fixture.h"

namespace headroom::ui {
namespace {

class ChatSessionOptionsTest : public ChatSessionTest {
 protected:
  void choose(WhenFull whenFull) {
    AnswerOptions options = chat().options();
    options.whenFull = whenFull;
    chat().setOptions(options);
  }
  void fill() {
    for (int i = 0; i < 4; ++i) {
      chat().send(QString(300, 'q'), {});
      m_engine.sendAnswer(QString(300, 'a'));
    }
    chat().send("next", {});
    emit m_engine.promptTooLong(m_engine.lastId, 2400, 1000);
  }
};

TEST_F(ChatSessionOptionsTest, a_conversation_has_the_options_of_all_until_it_has_its_own) {
  ChatSettings settings;
  settings.answers.maxTokens = 33;
  m_settings.setChat(settings);
  chat().send("q", {});
  EXPECT_EQ(lastRequest().maxTokens, 33U);
  m_engine.sendAnswer("a");
  AnswerOptions own = chat().options();
  own.maxTokens = 77;
  own.sampler.temperature = 0;
  chat().setOptions(own);
  const QString first = chat().head().id;
  chat().send("q", {});
  EXPECT_EQ(lastRequest().maxTokens, 77U);
  EXPECT_EQ(lastRequest().sampler.temperature, 0.0F);
  m_engine.sendAnswer("a");
  m_sessions.newConversation();
  chat().send("q", {});
  EXPECT_EQ(lastRequest().maxTokens, 33U) << "another conversation";
  m_engine.sendAnswer("a");
  settings.answers.maxTokens = 44;
  m_settings.setChat(settings);
  EXPECT_EQ(chat().options().maxTokens, 44U) << "it follows those of all";
  m_sessions.openConversation(first);
  EXPECT_EQ(chat().head().id, first);
  EXPECT_EQ(chat().options().maxTokens, 77U) << "as it was kept";
}

TEST_F(ChatSessionOptionsTest, what_was_chosen_for_a_new_conversation_waits_while_another_is_read) {
  chat().send("q", {});
  m_engine.sendAnswer("a");
  const QString first = chat().head().id;
  m_sessions.newConversation();
  AnswerOptions own;
  own.maxTokens = 5;
  chat().setOptions(own);
  chat().setSystemPrompt("Be brief.");
  m_sessions.openConversation(first);
  m_sessions.newConversation();
  EXPECT_EQ(chat().options().maxTokens, 5U);
  EXPECT_EQ(chat().head().systemPrompt, "Be brief.");
  m_sessions.newConversation();
  EXPECT_EQ(chat().head().systemPrompt, "") << "another new one";
}

TEST_F(ChatSessionOptionsTest, options_that_are_those_of_all_again_are_none_of_its_own) {
  AnswerOptions own;
  own.maxTokens = 5;
  chat().setOptions(own);
  EXPECT_TRUE(chat().head().options);
  chat().setOptions(AnswerOptions());
  EXPECT_FALSE(chat().head().options);
}

TEST_F(ChatSessionOptionsTest, the_oldest_turns_are_dropped_without_a_question_where_that_was_chosen) {
  choose(WhenFull::DropOldest);
  fill();
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::None);
  EXPECT_EQ(chat().activity(), Activity::Reading);
  EXPECT_EQ(lastRequest().messages.back().content, "next");
  EXPECT_LT(lastRequest().messages.size(), 9U);
  m_engine.sendAnswer("a");
  EXPECT_EQ(turn(9).text, "a");
}

TEST_F(ChatSessionOptionsTest, the_oldest_turns_are_summarised_without_a_question_where_that_was_chosen) {
  choose(WhenFull::Summarise);
  fill();
  EXPECT_EQ(chat().activity(), Activity::Summarising);
  m_engine.sendAnswer("They talked about letters.");
  EXPECT_EQ(chat().activity(), Activity::Reading);
  EXPECT_NE(lastRequest().messages.front().content.find("They talked about letters."), std::string::npos);
}

TEST_F(ChatSessionOptionsTest, a_summary_that_does_not_fit_either_is_asked_about_and_not_tried_again) {
  choose(WhenFull::Summarise);
  fill();
  const std::size_t before = m_engine.generates.size();
  emit m_engine.promptTooLong(m_engine.lastId, 1500, 1000);
  EXPECT_EQ(chat().activity(), Activity::Idle);
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::PromptTooLong);
  EXPECT_EQ(m_engine.generates.size(), before);
}

TEST_F(ChatSessionOptionsTest, an_answer_that_fills_the_context_goes_on_behind_fewer_turns_until_it_stands_alone) {
  choose(WhenFull::DropOldest);
  for (int i = 0; i < 3; ++i) {
    chat().send(QString(300, 'q'), {});
    m_engine.sendAnswer(QString(300, 'a'));
  }
  chat().send("tell me all", {});
  std::size_t rounds = 0;
  while (chat().activity() != Activity::Idle) {
    ASSERT_LT(++rounds, 20U) << "it ends";
    const quint64 id = m_engine.lastId;
    emit m_engine.textArrived(id, QString(400, 'x'));
    ChatFigures full = figures(500, 500, 1000, 1000);
    emit m_engine.generationFinished(id, ChatEnd::ContextFull, full);
  }
  EXPECT_GT(rounds, 1U) << "it went on";
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::AloneTooLong);
  EXPECT_EQ(turn(7).state, TurnState::ContextFull);
}

}  // namespace
}  // namespace headroom::ui
