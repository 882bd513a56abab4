// What goes wrong in a chat, and the ways out.
#include <gtest/gtest.h>

#include "support/plans.h"
#include "ui/chat/chat_session_fixture.h"

namespace headroom::ui {
namespace {

TEST_F(ChatSessionTest, what_was_counted_too_long_is_the_number_of_the_gauge_and_of_the_banner) {
  chat().send(QString(300, 'x'), {});
  emit m_engine.promptTooLong(m_engine.lastId, 1234, 1000);
  EXPECT_EQ(chat().context().used, 1234U) << "and not our estimate";
  EXPECT_FALSE(chat().context().isEstimate);
  EXPECT_TRUE(chat().trouble().sentence.text().contains("1,234")) << chat().trouble().sentence.text().toStdString();
}

TEST_F(ChatSessionTest, a_full_context_holds_as_many_tokens_as_the_banner_says) {
  chat().send("q", {});
  m_engine.sendAnswer("a", ChatEnd::ContextFull, figures(10, 991, 1001, 1000));
  EXPECT_EQ(chat().context().used, 1000U);
  EXPECT_TRUE(chat().trouble().sentence.text().contains("all 1,000 tokens"))
      << chat().trouble().sentence.text().toStdString();
}

TEST_F(ChatSessionTest, a_full_context_is_a_state_and_dropping_goes_on_with_the_answer) {
  for (int i = 0; i < 4; ++i) {
    chat().send(QString(300, 'q'), {});
    m_engine.sendAnswer(QString(300, 'a'), ChatEnd::EndOfTurn, figures(100, 100, 200, 1000));
  }
  chat().send("last", {});
  m_engine.sendAnswer("unfinished", ChatEnd::ContextFull, figures(950, 50, 1000, 1000));
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::ContextFull);
  EXPECT_EQ(chat().trouble().neededTokens, 2000U);
  const std::size_t before = m_engine.generates.size();
  chat().dropOldest();
  ASSERT_EQ(m_engine.generates.size(), before + 1);
  EXPECT_TRUE(lastRequest().continueLast);
  EXPECT_LT(lastRequest().messages.size(), 10U);
  EXPECT_EQ(lastRequest().messages.back().content, "unfinished");
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::None);
}

TEST_F(ChatSessionTest, a_prompt_that_is_too_long_leaves_the_question_and_is_sent_after_dropping) {
  for (int i = 0; i < 3; ++i) {
    chat().send(QString(300, 'q'), {});
    m_engine.sendAnswer(QString(300, 'a'));
  }
  chat().send("next", {});
  emit m_engine.promptTooLong(m_engine.lastId, 1200, 1000);
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::PromptTooLong);
  EXPECT_TRUE(chat().trouble().sentence.text().contains("1,200")) << chat().trouble().sentence.text().toStdString();
  EXPECT_EQ(chat().tree().path().size(), 7);
  chat().dropOldest();
  EXPECT_EQ(lastRequest().messages.back().content, "next");
  EXPECT_LT(lastRequest().messages.size(), 7U);
}

TEST_F(ChatSessionTest, an_answer_that_is_too_long_to_be_written_anew_is_asked_for_after_dropping) {
  for (const char* const question : {"one", "two", "three", "next"}) {
    chat().send(question + QString(300, 'q'), {});
    m_engine.sendAnswer(QString(300, 'a'));
  }
  chat().regenerate(chat().tree().lastId());
  emit m_engine.promptTooLong(m_engine.lastId, 1200, 1000);
  EXPECT_EQ(chat().tree().path().size(), 8) << "the answer before is there again";
  const std::size_t before = m_engine.generates.size();
  chat().dropOldest();
  ASSERT_EQ(m_engine.generates.size(), before + 1);
  EXPECT_TRUE(lastRequest().messages.back().content.starts_with("next"));
  EXPECT_LT(lastRequest().messages.size(), 7U);
}

// A template that may make no more text, and messages that memory is not planned for, come as errors.
TEST_F(ChatSessionTest, a_conversation_that_is_too_long_to_be_rendered_can_be_shortened) {
  for (int i = 0; i < 3; ++i) {
    chat().send(QString(300, 'q'), {});
    m_engine.sendAnswer(QString(300, 'a'));
  }
  chat().send("next", {});
  const Error tooMuch{ErrorCode::kDoesNotFit, Message::plain("too long for the template")};
  emit m_engine.failed(m_engine.lastId, tooMuch);
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::PromptTooLong);
  EXPECT_EQ(chat().trouble().sentence.text(), "too long for the template");
  EXPECT_EQ(chat().trouble().neededTokens, 2 * chat().context().length);
  EXPECT_EQ(chat().tree().path().size(), 7) << "the question stays";
  chat().summarise();
  EXPECT_EQ(chat().activity(), Activity::Summarising);
  emit m_engine.failed(m_engine.lastId, tooMuch);
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::PromptTooLong) << "the oldest turns are too long to be summarised";
  chat().dropOldest();
  EXPECT_EQ(lastRequest().messages.back().content, "next");
  EXPECT_LT(lastRequest().messages.size(), 7U);
}

TEST_F(ChatSessionTest, a_prompt_that_was_not_counted_to_its_end_has_at_least_so_many_tokens) {
  chat().send("first", {});
  m_engine.sendAnswer("answer");
  chat().send(QString(9000, 'q'), {});
  emit m_engine.promptTooLong(m_engine.lastId, 1001, 1000, true);
  EXPECT_TRUE(chat().trouble().sentence.text().contains("at least 1,001 tokens"))
      << chat().trouble().sentence.text().toStdString();
  EXPECT_EQ(chat().context().used, 1001U);
  EXPECT_TRUE(chat().context().isAtLeast);
  m_sessions.newConversation();
  EXPECT_FALSE(chat().context().isAtLeast);
}

TEST_F(ChatSessionTest, a_summary_takes_the_place_of_the_oldest_turns) {
  for (int i = 0; i < 4; ++i) {
    chat().send(QString(300, 'q'), {});
    m_engine.sendAnswer(QString(300, 'a'));
  }
  chat().send("next", {});
  emit m_engine.promptTooLong(m_engine.lastId, 2400, 1000);
  chat().summarise();
  EXPECT_EQ(chat().activity(), Activity::Summarising);
  EXPECT_NE(lastRequest().messages.back().content.find("Summarise"), std::string::npos);
  m_engine.sendAnswer("They talked about letters.");
  EXPECT_EQ(chat().activity(), Activity::Reading);
  EXPECT_EQ(lastRequest().messages.front().role, "system");
  EXPECT_NE(lastRequest().messages.front().content.find("They talked about letters."), std::string::npos);
  EXPECT_EQ(lastRequest().messages.back().content, "next");
}

TEST_F(ChatSessionTest, one_message_longer_than_the_context_says_that_nothing_can_be_dropped) {
  chat().send(QString(9000, 'q'), {});
  emit m_engine.promptTooLong(m_engine.lastId, 3000, 1000);
  chat().dropOldest();
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::AloneTooLong);
  EXPECT_EQ(m_engine.generates.size(), 1U);
}

TEST_F(ChatSessionTest, a_template_that_cannot_be_used_is_agreed_on_once) {
  m_engine.sendLoaded("odd", 1000, "line 3: unknown filter");
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::Template);
  EXPECT_TRUE(chat().trouble().sentence.text().contains("line 3: unknown filter"));
  chat().agreeToPlainTemplate();
  chat().send("q", {});
  EXPECT_TRUE(lastRequest().allowPlainTemplate);
}

TEST_F(ChatSessionTest, who_sends_without_agreeing_is_asked_again_and_then_answered) {
  m_engine.sendLoaded("odd", 1000, "line 3: unknown filter");
  chat().send("q", {});
  EXPECT_FALSE(lastRequest().allowPlainTemplate);
  emit m_engine.failed(m_engine.lastId, Error{ErrorCode::kUsage, Message::plain("line 3: unknown filter")});
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::Template) << "the way on is still offered";
  chat().agreeToPlainTemplate();
  ASSERT_EQ(m_engine.generates.size(), 2U);
  EXPECT_TRUE(lastRequest().allowPlainTemplate);
  EXPECT_EQ(lastRequest().messages.back().content, "q");
}

TEST_F(ChatSessionTest, a_failure_is_shown_and_the_question_can_be_sent_again) {
  chat().send("q", {});
  emit m_engine.failed(m_engine.lastId, Error{ErrorCode::kResource, Message::plain("The file has shrunk.")});
  EXPECT_EQ(chat().trouble().sentence.text(), "The file has shrunk.");
  EXPECT_EQ(chat().tree().path().size(), 1);
  chat().answer(turn(0).id);
  EXPECT_EQ(m_engine.generates.size(), 2U);
}

// A conversation whose context is full, with the summary of its oldest turns on the way.
class SummaryTest : public ChatSessionTest {
 protected:
  void SetUp() override {
    ChatSessionTest::SetUp();
    for (int i = 0; i < 4; ++i) {
      chat().send(QString(300, 'q'), {});
      m_engine.sendAnswer(QString(300, 'a'));
    }
    chat().send("next", {});
    emit m_engine.promptTooLong(m_engine.lastId, 2400, 1000);
    chat().summarise();
    m_summary = m_engine.lastId;
  }
  quint64 m_summary = 0;
};

TEST_F(SummaryTest, stopped_it_takes_its_flushed_text_with_it_and_the_choice_is_offered_again) {
  chat().stop();
  EXPECT_EQ(chat().activity(), Activity::Stopping);
  emit m_engine.textArrived(m_summary, "flushed");
  emit m_engine.generationFinished(m_summary, ChatEnd::Stopped, {});
  EXPECT_EQ(chat().activity(), Activity::Idle);
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::PromptTooLong);
  EXPECT_EQ(chat().tree().path().size(), 9);
  EXPECT_FALSE(turn(8).cutBefore);
}

TEST_F(ChatSessionTest, a_lost_device_is_a_trouble_of_its_own_and_the_conversation_is_kept) {
  chat().send("q", {});
  emit m_engine.textArrived(m_engine.lastId, "half");
  emit m_engine.failed(m_engine.lastId, Error{ErrorCode::kDeviceLost, Message::plain("vulkan:0: the device was lost")});
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::DeviceLost);
  EXPECT_TRUE(chat().trouble().sentence.text().startsWith("vulkan:0: the device was lost. "));
  EXPECT_EQ(turn(1).text, "half");
}

TEST_F(ChatSessionTest, a_lost_device_is_called_by_its_name) {
  const auto model = std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B));
  DeviceInfo gpu = test::gpu_with(8 * kGiB);
  gpu.name = "RX 7600";
  const auto said = [&](const std::string& id, const Error& error = {ErrorCode::kDeviceLost,
                                                                     Message::plain("vulkan:1: the device was lost")}) {
    gpu.id = id;
    const auto plan = test::plan_for(*model, {test::cpu_with(8 * kGiB), gpu});
    emit m_engine.modelLoaded(++m_engine.lastId, LoadedModel{"/m.gguf", model, plan, {}, 1, {}});
    chat().send("q", {});
    emit m_engine.failed(m_engine.lastId, error);
    return chat().trouble().sentence.text();
  };
  EXPECT_EQ(said("vulkan:1").section('.', 0, 0), "RX 7600 (vulkan:1): the device was lost");
  EXPECT_EQ(chat().trouble().deviceId, "vulkan:1");
  EXPECT_EQ(said("vulkan:10").section('.', 0, 0), "vulkan:1: the device was lost") << "another device";
  EXPECT_EQ(chat().trouble().deviceId, "");
  EXPECT_EQ(said("vulkan:1", {ErrorCode::kResource, Message::plain("vulkan:1: submitting work failed")}),
            "RX 7600 (vulkan:1): submitting work failed");
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::Failed);
  EXPECT_EQ(chat().trouble().deviceId, "vulkan:1") << "there may be another";
  said("vulkan:1", {ErrorCode::kResource, Message::plain(test::cpu_with(kGiB).id + ": no memory")});
  EXPECT_EQ(chat().trouble().deviceId, "") << "the host is never done without";
  gpu.name = "RX 7600 (vulkan:1)";  // one of two of a name
  EXPECT_EQ(said("vulkan:1").section('.', 0, 0), "RX 7600 (vulkan:1): the device was lost") << "not twice";
}

TEST_F(ChatSessionTest, an_empty_answer_that_was_stopped_and_then_does_not_fit_is_not_left_writing) {
  chat().send("q", {});
  chat().stop();
  emit m_engine.generationFinished(m_engine.lastId, ChatEnd::Stopped, {});
  chat().send("another", {});
  m_engine.sendAnswer("a");
  chat().continueAnswer(chat().tree().path()[1]);
  emit m_engine.promptTooLong(m_engine.lastId, 1200, 1000);
  EXPECT_EQ(chat().tree().path().size(), 4);
  EXPECT_EQ(turn(1).state, TurnState::ContextFull);
}

}  // namespace
}  // namespace headroom::ui
