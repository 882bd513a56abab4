#include "ui/chat/chat_controller.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "plan/speed.h"
#include "support/fake_conversation_port.h"
#include "support/fake_engine_port.h"
#include "support/plans.h"

namespace headroom::ui {
namespace {

class ChatControllerTest : public testing::Test {
 protected:
  void SetUp() override { m_engine.sendLoaded("tiny", 1000); }
  const Turn& turn(qsizetype at) const { return *m_chat.tree().find(m_chat.tree().path()[at]); }
  const ChatRequest& lastRequest() const { return m_engine.generates.back().request; }
  static ChatFigures figures(quint32 prompt, quint32 generated, quint32 used, quint32 length) {
    ChatFigures f;
    f.promptTokens = prompt;
    f.generatedTokens = generated;
    f.contextUsed = used;
    f.contextLength = length;
    f.decodeSeconds = 2;
    return f;
  }

  test::FakeEnginePort m_engine;
  test::FakeConversationPort m_store;
  ChatController m_chat{m_engine, m_store};
};

TEST_F(ChatControllerTest, an_answer_is_appended_counted_and_kept) {
  m_chat.send("How big is the KV cache?", {});
  EXPECT_EQ(m_chat.activity(), Activity::Reading);
  m_engine.sendAnswer("Two bytes per element.", ChatEnd::EndOfTurn, figures(10, 20, 30, 1000));
  EXPECT_EQ(m_chat.activity(), Activity::Idle);
  EXPECT_EQ(turn(1).text, "Two bytes per element.");
  EXPECT_EQ(turn(1).state, TurnState::Done);
  EXPECT_EQ(turn(1).modelName, "tiny");
  EXPECT_EQ(m_chat.context().used, 30U);
  EXPECT_DOUBLE_EQ(m_chat.context().tokensPerSecond, 10.0);
  const Conversation& kept = m_store.conversations[m_chat.head().id];
  EXPECT_EQ(kept.head.title, "How big is the KV cache?");
  ASSERT_EQ(kept.turns.size(), 2U);
  EXPECT_EQ(kept.turns[1].text, "Two bytes per element.");
}

TEST_F(ChatControllerTest, what_was_counted_too_long_is_the_number_of_the_gauge_and_of_the_banner) {
  m_chat.send(QString(300, 'x'), {});
  emit m_engine.promptTooLong(m_engine.lastId, 1234, 1000);
  EXPECT_EQ(m_chat.context().used, 1234U) << "and not our estimate";
  EXPECT_FALSE(m_chat.context().isEstimate);
  EXPECT_TRUE(m_chat.trouble().text.contains("1,234")) << m_chat.trouble().text.toStdString();
}

TEST_F(ChatControllerTest, a_full_context_holds_as_many_tokens_as_the_banner_says) {
  m_chat.send("q", {});
  m_engine.sendAnswer("a", ChatEnd::ContextFull, figures(10, 991, 1001, 1000));
  EXPECT_EQ(m_chat.context().used, 1000U);
  EXPECT_TRUE(m_chat.trouble().text.contains("all 1,000 tokens")) << m_chat.trouble().text.toStdString();
}

TEST_F(ChatControllerTest, the_speed_of_another_model_is_not_shown_for_this_one) {
  const auto answered = [&] {
    m_chat.send("q", {});
    m_engine.sendAnswer("a", ChatEnd::EndOfTurn, figures(10, 20, 30, 1000));
    EXPECT_GT(m_chat.context().tokensPerSecond, 0);
  };
  answered();
  m_engine.sendLoaded("other", 1000);
  EXPECT_EQ(m_chat.context().tokensPerSecond, 0) << "nothing was answered by it yet";
  answered();
  m_engine.sendUnloaded();
  EXPECT_EQ(m_chat.context().tokensPerSecond, 0);
}

TEST_F(ChatControllerTest, the_speed_of_an_answer_stands_beside_what_its_plan_predicted_for_its_place) {
  const auto model = std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B));
  DeviceInfo host = test::cpu_with(16 * kGiB);
  host.speed.read_bytes_per_s = 20e9;
  PlanOptions options;
  options.n_ctx = 8192;
  LoadedModel loaded{"/m.gguf", model, test::plan_for(*model, {host}, options), {}, 1, {}};
  emit m_engine.modelLoaded(++m_engine.lastId, loaded);
  m_chat.send("q", {});
  EXPECT_EQ(m_chat.context().predictedTokensPerSecond, 0) << "there is no answer yet";
  m_engine.sendAnswer("a", ChatEnd::EndOfTurn, figures(6000, 1000, 7000, 8192));
  EXPECT_EQ(m_chat.context().tokensPerSecond, 500);
  EXPECT_EQ(m_chat.context().predictedTokensPerSecond, *estimate_tokens_per_s(*model, *loaded.plan, 6500));
  EXPECT_LT(m_chat.context().predictedTokensPerSecond, *estimate_tokens_per_s(*model, *loaded.plan, 100))
      << "far into the context it is slower";
  m_chat.newConversation();
  EXPECT_EQ(m_chat.context().predictedTokensPerSecond, 0);
}

TEST_F(ChatControllerTest, a_device_that_was_measured_after_the_load_is_predicted_with) {
  const auto model = std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B));
  DeviceInfo host = test::cpu_with(16 * kGiB);
  host.speed = {};
  const LoadedModel loaded{"/m.gguf", model, test::plan_for(*model, {host}), {}, 1, {}};
  emit m_engine.modelLoaded(++m_engine.lastId, loaded);
  m_chat.send("q", {});
  m_engine.sendAnswer("a", ChatEnd::EndOfTurn, figures(10, 20, 30, 4096));
  EXPECT_EQ(m_chat.context().predictedTokensPerSecond, 0) << "nobody knows";
  host.speed.read_bytes_per_s = 20e9;
  m_chat.setDevices({host});
  m_chat.send("q", {});
  m_engine.sendAnswer("a", ChatEnd::EndOfTurn, figures(40, 20, 60, 4096));
  EXPECT_EQ(m_chat.context().predictedTokensPerSecond,
            *estimate_tokens_per_s(*model, *test::plan_for(*model, {host}), 50));
}

TEST_F(ChatControllerTest, a_plan_of_devices_that_nobody_measured_predicts_nothing) {
  m_chat.send("q", {});
  m_engine.sendAnswer("a", ChatEnd::EndOfTurn, figures(10, 20, 30, 1000));
  EXPECT_EQ(m_chat.context().predictedTokensPerSecond, 0);
}

TEST_F(ChatControllerTest, nothing_is_sent_without_a_model_or_while_busy) {
  m_chat.send("one", {});
  m_chat.send("two", {});
  EXPECT_EQ(m_engine.generates.size(), 1U);
  m_engine.sendAnswer("x");
  m_engine.sendUnloaded();
  m_chat.send("three", {});
  EXPECT_EQ(m_engine.generates.size(), 1U);
}

TEST_F(ChatControllerTest, regenerating_keeps_versions_that_can_be_switched) {
  m_chat.send("q", {});
  m_engine.sendAnswer("first");
  m_chat.regenerate(turn(1).id);
  EXPECT_EQ(lastRequest().messages.size(), 1U);
  m_engine.sendAnswer("second");
  EXPECT_EQ(turn(1).text, "second");
  const QStringList versions = m_chat.tree().versions(turn(1).id);
  ASSERT_EQ(versions.size(), 2);
  m_chat.chooseVersion(versions[0]);
  EXPECT_EQ(turn(1).text, "first");
  EXPECT_EQ(m_store.chosen, versions[0]);
}

TEST_F(ChatControllerTest, an_edited_message_starts_a_branch_and_the_old_one_stays) {
  m_chat.send("old", {});
  m_engine.sendAnswer("a");
  const QString old = turn(0).id;
  m_chat.edit(old, "new", {});
  m_engine.sendAnswer("b");
  EXPECT_EQ(turn(0).text, "new");
  EXPECT_EQ(m_chat.tree().versions(turn(0).id).size(), 2);
  m_chat.chooseVersion(old);
  EXPECT_EQ(turn(1).text, "a");
}

TEST_F(ChatControllerTest, a_stopped_answer_can_be_continued_where_it_ended) {
  m_chat.send("q", {});
  emit m_engine.textArrived(m_engine.lastId, "half");
  m_chat.stop();
  EXPECT_EQ(m_engine.stops.back(), m_engine.lastId);
  EXPECT_EQ(m_chat.activity(), Activity::Stopping);
  emit m_engine.generationFinished(m_engine.lastId, ChatEnd::Stopped, {});
  EXPECT_EQ(turn(1).state, TurnState::Stopped);
  m_chat.continueAnswer(turn(1).id);
  EXPECT_TRUE(lastRequest().continueLast);
  EXPECT_EQ(lastRequest().messages.back(), (ChatMessage{"assistant", "half"}));
  m_engine.sendAnswer(" whole");
  EXPECT_EQ(turn(1).text, "half whole");
  EXPECT_EQ(turn(1).state, TurnState::Done);
}

TEST_F(ChatControllerTest, what_is_thought_stands_apart_with_its_time) {
  qint64 now = 1000;
  m_chat.setClock([&] { return now; });
  m_chat.send("q", {});
  emit m_engine.thinkingArrived(m_engine.lastId, "Is");
  EXPECT_EQ(m_chat.activity(), Activity::Writing);
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
  const Turn& kept = m_store.conversations[m_chat.head().id].turns.back();
  EXPECT_EQ(kept.thinking, "Is it?");
  EXPECT_EQ(kept.thinkingMs, 3500);
  m_chat.send("and?", {});
  EXPECT_EQ(lastRequest().messages[1], (ChatMessage{"assistant", "It is.", "Is it?"})) << "its template decides";
}

TEST_F(ChatControllerTest, the_time_of_a_thought_is_told_while_it_runs) {
  qint64 now = 0;
  m_chat.setClock([&] { return now; });
  m_chat.send("q", {});
  emit m_engine.thinkingArrived(m_engine.lastId, "Is it?");
  now = 5000;
  QSignalSpy timed(&m_chat, &ChatController::thinkingTimed);
  ASSERT_TRUE(timed.wait(60'000));
  EXPECT_EQ(timed[0][0].toString(), turn(1).id);
  EXPECT_EQ(turn(1).thinkingMs, 5000);
}

TEST_F(ChatControllerTest, a_thought_that_was_stopped_is_continued_and_its_time_goes_on) {
  qint64 now = 0;
  m_chat.setClock([&] { return now; });
  m_chat.send("q", {});
  emit m_engine.thinkingArrived(m_engine.lastId, "Is");
  now = 4000;
  m_chat.stop();
  emit m_engine.generationFinished(m_engine.lastId, ChatEnd::Stopped, {});
  ASSERT_EQ(m_chat.tree().path().size(), 2) << "there is something to keep";
  EXPECT_EQ(turn(1).state, TurnState::Stopped);
  EXPECT_EQ(turn(1).thinkingMs, 4000);
  now = 100'000;
  m_chat.continueAnswer(turn(1).id);
  EXPECT_TRUE(lastRequest().continueLast);
  EXPECT_EQ(lastRequest().messages.back(), (ChatMessage{"assistant", "", "Is"}));
  emit m_engine.thinkingArrived(m_engine.lastId, " it?");
  now = 101'000;
  m_engine.sendAnswer("It is.");
  EXPECT_EQ(turn(1).thinking, "Is it?");
  EXPECT_EQ(turn(1).thinkingMs, 5000);
}

TEST_F(ChatControllerTest, a_choice_about_thinking_goes_to_the_engine) {
  ChatSettings settings;
  settings.thinking = ThinkingChoice::kHigh;
  m_chat.setSettings(settings);
  m_chat.send("q", {});
  EXPECT_EQ(lastRequest().thinking, ThinkingChoice::kHigh);
}

TEST_F(ChatControllerTest, a_continued_answer_counts_all_of_its_parts) {
  m_chat.send("q", {});
  m_engine.sendAnswer("half", ChatEnd::MaxTokens, figures(10, 130, 140, 1000));
  m_chat.continueAnswer(turn(1).id);
  m_engine.sendAnswer(" whole", ChatEnd::EndOfTurn, figures(140, 6, 146, 1000));
  EXPECT_EQ(turn(1).generatedTokens, 136U);
  EXPECT_DOUBLE_EQ(turn(1).decodeSeconds, 4.0);
  EXPECT_EQ(turn(1).seed, 0U) << "no one seed gives this text again";
}

TEST_F(ChatControllerTest, an_answer_of_which_a_part_was_not_counted_has_no_count) {
  m_chat.send("q", {});
  emit m_engine.textArrived(m_engine.lastId, "half");
  m_chat.stop();
  m_chat.stop();  // its figures are not waited for
  m_chat.continueAnswer(turn(1).id);
  m_engine.sendAnswer(" whole", ChatEnd::MaxTokens, figures(140, 6, 146, 1000));
  EXPECT_EQ(turn(1).generatedTokens, 0U) << "six would be told of a text of hundreds";
  m_chat.regenerate(turn(1).id);
  m_engine.sendAnswer("again", ChatEnd::EndOfTurn, figures(10, 20, 30, 1000));
  EXPECT_EQ(turn(1).generatedTokens, 20U);
}

TEST_F(ChatControllerTest, late_text_of_a_conversation_that_was_left_is_ignored) {
  m_chat.send("q", {});
  const quint64 request = m_engine.lastId;
  const QString left = m_chat.head().id;
  m_chat.newConversation();
  emit m_engine.textArrived(request, "late");
  emit m_engine.generationFinished(request, ChatEnd::Stopped, {});
  EXPECT_TRUE(m_chat.tree().isEmpty());
  EXPECT_EQ(m_store.conversations[left].turns.back().state, TurnState::Stopped);
  EXPECT_EQ(m_engine.stops.back(), request);
}

TEST_F(ChatControllerTest, a_full_context_is_a_state_and_dropping_goes_on_with_the_answer) {
  for (int i = 0; i < 4; ++i) {
    m_chat.send(QString(300, 'q'), {});
    m_engine.sendAnswer(QString(300, 'a'), ChatEnd::EndOfTurn, figures(100, 100, 200, 1000));
  }
  m_chat.send("last", {});
  m_engine.sendAnswer("unfinished", ChatEnd::ContextFull, figures(950, 50, 1000, 1000));
  EXPECT_EQ(m_chat.trouble().kind, Trouble::Kind::ContextFull);
  EXPECT_EQ(m_chat.trouble().neededTokens, 2000U);
  const std::size_t before = m_engine.generates.size();
  m_chat.dropOldest();
  ASSERT_EQ(m_engine.generates.size(), before + 1);
  EXPECT_TRUE(lastRequest().continueLast);
  EXPECT_LT(lastRequest().messages.size(), 10U);
  EXPECT_EQ(lastRequest().messages.back().content, "unfinished");
  EXPECT_EQ(m_chat.trouble().kind, Trouble::Kind::None);
}

TEST_F(ChatControllerTest, a_prompt_that_is_too_long_leaves_the_question_and_is_sent_after_dropping) {
  for (int i = 0; i < 3; ++i) {
    m_chat.send(QString(300, 'q'), {});
    m_engine.sendAnswer(QString(300, 'a'));
  }
  m_chat.send("next", {});
  emit m_engine.promptTooLong(m_engine.lastId, 1200, 1000);
  EXPECT_EQ(m_chat.trouble().kind, Trouble::Kind::PromptTooLong);
  EXPECT_TRUE(m_chat.trouble().text.contains("1,200")) << m_chat.trouble().text.toStdString();
  EXPECT_EQ(m_chat.tree().path().size(), 7);
  m_chat.dropOldest();
  EXPECT_EQ(lastRequest().messages.back().content, "next");
  EXPECT_LT(lastRequest().messages.size(), 7U);
}

TEST_F(ChatControllerTest, a_prompt_that_was_not_counted_to_its_end_has_at_least_so_many_tokens) {
  m_chat.send("first", {});
  m_engine.sendAnswer("answer");
  m_chat.send(QString(9000, 'q'), {});
  emit m_engine.promptTooLong(m_engine.lastId, 1001, 1000, true);
  EXPECT_TRUE(m_chat.trouble().text.contains("at least 1,001 tokens")) << m_chat.trouble().text.toStdString();
  EXPECT_EQ(m_chat.context().used, 1001U);
  EXPECT_TRUE(m_chat.context().isAtLeast);
  m_chat.newConversation();
  EXPECT_FALSE(m_chat.context().isAtLeast);
}

TEST_F(ChatControllerTest, a_summary_takes_the_place_of_the_oldest_turns) {
  for (int i = 0; i < 4; ++i) {
    m_chat.send(QString(300, 'q'), {});
    m_engine.sendAnswer(QString(300, 'a'));
  }
  m_chat.send("next", {});
  emit m_engine.promptTooLong(m_engine.lastId, 2400, 1000);
  m_chat.summarise();
  EXPECT_EQ(m_chat.activity(), Activity::Summarising);
  EXPECT_NE(lastRequest().messages.back().content.find("Summarise"), std::string::npos);
  m_engine.sendAnswer("They talked about letters.");
  EXPECT_EQ(m_chat.activity(), Activity::Reading);
  EXPECT_EQ(lastRequest().messages.front().role, "system");
  EXPECT_NE(lastRequest().messages.front().content.find("They talked about letters."), std::string::npos);
  EXPECT_EQ(lastRequest().messages.back().content, "next");
}

TEST_F(ChatControllerTest, one_message_longer_than_the_context_says_that_nothing_can_be_dropped) {
  m_chat.send(QString(9000, 'q'), {});
  emit m_engine.promptTooLong(m_engine.lastId, 3000, 1000);
  m_chat.dropOldest();
  EXPECT_EQ(m_chat.trouble().kind, Trouble::Kind::AloneTooLong);
  EXPECT_EQ(m_engine.generates.size(), 1U);
}

TEST_F(ChatControllerTest, a_template_that_cannot_be_used_is_agreed_on_once) {
  m_engine.sendLoaded("odd", 1000, "line 3: unknown filter");
  EXPECT_EQ(m_chat.trouble().kind, Trouble::Kind::Template);
  EXPECT_TRUE(m_chat.trouble().text.contains("line 3: unknown filter"));
  m_chat.agreeToPlainTemplate();
  m_chat.send("q", {});
  EXPECT_TRUE(lastRequest().allowPlainTemplate);
}

TEST_F(ChatControllerTest, who_sends_without_agreeing_is_asked_again_and_then_answered) {
  m_engine.sendLoaded("odd", 1000, "line 3: unknown filter");
  m_chat.send("q", {});
  EXPECT_FALSE(lastRequest().allowPlainTemplate);
  emit m_engine.failed(m_engine.lastId, Error{ErrorCode::kUsage, "line 3: unknown filter"});
  EXPECT_EQ(m_chat.trouble().kind, Trouble::Kind::Template) << "the way on is still offered";
  m_chat.agreeToPlainTemplate();
  ASSERT_EQ(m_engine.generates.size(), 2U);
  EXPECT_TRUE(lastRequest().allowPlainTemplate);
  EXPECT_EQ(lastRequest().messages.back().content, "q");
}

TEST_F(ChatControllerTest, a_failure_is_shown_and_the_question_can_be_sent_again) {
  m_chat.send("q", {});
  emit m_engine.failed(m_engine.lastId, Error{ErrorCode::kResource, "The file has shrunk."});
  EXPECT_EQ(m_chat.trouble().text, "The file has shrunk.");
  EXPECT_EQ(m_chat.tree().path().size(), 1);
  m_chat.answer(turn(0).id);
  EXPECT_EQ(m_engine.generates.size(), 2U);
}

// A conversation whose context is full, with the summary of its oldest turns on the way.
class SummaryTest : public ChatControllerTest {
 protected:
  void SetUp() override {
    ChatControllerTest::SetUp();
    for (int i = 0; i < 4; ++i) {
      m_chat.send(QString(300, 'q'), {});
      m_engine.sendAnswer(QString(300, 'a'));
    }
    m_chat.send("next", {});
    emit m_engine.promptTooLong(m_engine.lastId, 2400, 1000);
    m_chat.summarise();
    m_summary = m_engine.lastId;
  }
  quint64 m_summary = 0;
};

TEST_F(SummaryTest, stopped_it_takes_its_flushed_text_with_it_and_the_choice_is_offered_again) {
  m_chat.stop();
  EXPECT_EQ(m_chat.activity(), Activity::Stopping);
  emit m_engine.textArrived(m_summary, "flushed");
  emit m_engine.generationFinished(m_summary, ChatEnd::Stopped, {});
  EXPECT_EQ(m_chat.activity(), Activity::Idle);
  EXPECT_EQ(m_chat.trouble().kind, Trouble::Kind::PromptTooLong);
  EXPECT_EQ(m_chat.tree().path().size(), 9);
  EXPECT_FALSE(turn(8).cutBefore);
}

TEST_F(SummaryTest, left_behind_it_touches_neither_the_next_answer_nor_another_conversation) {
  m_chat.newConversation();
  m_chat.send("elsewhere", {});
  emit m_engine.textArrived(m_summary, "They talked.");
  emit m_engine.generationFinished(m_summary, ChatEnd::EndOfTurn, {});
  m_engine.sendAnswer("Here.");
  ASSERT_EQ(m_chat.tree().path().size(), 2);
  EXPECT_EQ(turn(1).text, "Here.");
  EXPECT_EQ(turn(1).state, TurnState::Done);
  EXPECT_EQ(m_store.conversations[m_chat.head().id].turns.back().text, "Here.");
}

TEST_F(ChatControllerTest, a_conversation_that_is_being_opened_takes_no_message_and_keeps_the_one_before_whole) {
  m_chat.send("q", {});
  m_engine.sendAnswer("a");
  const QString first = m_chat.head().id;
  m_chat.newConversation();
  m_chat.send("second", {});
  emit m_engine.textArrived(m_engine.lastId, "half");
  m_store.isHolding = true;
  m_chat.openConversation(first);
  EXPECT_EQ(m_chat.activity(), Activity::Opening);
  EXPECT_EQ(m_engine.stops.back(), m_engine.lastId);
  EXPECT_FALSE(m_chat.send("to whom?", {}));
  EXPECT_EQ(m_chat.tree().path().size(), 2) << "the one that is left is still shown";
  m_store.release();
  EXPECT_EQ(m_chat.activity(), Activity::Idle);
  EXPECT_EQ(turn(1).text, "a");
  EXPECT_TRUE(m_chat.send("to the first", {}));
}

TEST_F(ChatControllerTest, a_conversation_that_cannot_be_read_leaves_the_open_one_usable) {
  m_chat.send("q", {});
  m_engine.sendAnswer("a");
  m_chat.openConversation("gone");
  EXPECT_EQ(m_chat.activity(), Activity::Idle);
  EXPECT_EQ(m_chat.tree().path().size(), 2);
  EXPECT_TRUE(m_chat.send("still here", {}));
}

TEST_F(ChatControllerTest, of_two_conversations_that_are_opened_the_later_one_is_shown) {
  m_chat.send("one", {});
  m_engine.sendAnswer("1");
  const QString first = m_chat.head().id;
  m_chat.newConversation();
  m_chat.send("two", {});
  m_engine.sendAnswer("2");
  const QString second = m_chat.head().id;
  m_chat.newConversation();
  m_store.isHolding = true;
  m_chat.openConversation(first);
  m_chat.openConversation(second);
  m_store.release();
  EXPECT_EQ(m_chat.head().id, second);
  m_store.isHolding = true;
  m_chat.openConversation(first);
  m_chat.forgetConversation(first);
  m_store.release();
  EXPECT_EQ(m_chat.head().id, second) << "one that was deleted meanwhile does not appear";
}

TEST_F(ChatControllerTest, a_question_sent_while_another_model_is_loaded_is_answered_by_that_one) {
  const quint64 load = ++m_engine.lastId;
  m_chat.send("q", {});
  m_engine.sendLoaded("other", 2000, {}, load);
  EXPECT_EQ(m_chat.activity(), Activity::Reading);
  EXPECT_TRUE(m_engine.stops.empty());
  m_engine.sendAnswer("answered");
  EXPECT_EQ(turn(1).text, "answered");
  EXPECT_EQ(turn(1).modelName, "other");
}

TEST_F(ChatControllerTest, a_question_whose_model_is_closed_can_be_sent_again) {
  m_engine.sendUnloaded();
  EXPECT_FALSE(m_chat.send("no model", {}));
  EXPECT_TRUE(m_chat.tree().isEmpty());
  m_engine.sendLoaded("tiny", 1000);
  m_chat.send("q", {});
  emit m_engine.failed(m_engine.lastId, Error{ErrorCode::kUsage, "no model is loaded"});
  EXPECT_EQ(m_chat.tree().path().size(), 1);
  EXPECT_EQ(m_chat.trouble().text, "no model is loaded");
}

TEST_F(ChatControllerTest, a_failure_while_an_answer_goes_on_keeps_its_text_and_says_interrupted) {
  m_chat.send("q", {});
  emit m_engine.textArrived(m_engine.lastId, "half");
  emit m_engine.failed(m_engine.lastId, Error{ErrorCode::kResource, "a kernel failed"});
  EXPECT_EQ(turn(1).text, "half");
  EXPECT_EQ(turn(1).state, TurnState::Interrupted);
}

TEST_F(ChatControllerTest, a_lost_device_is_a_trouble_of_its_own_and_the_conversation_is_kept) {
  m_chat.send("q", {});
  emit m_engine.textArrived(m_engine.lastId, "half");
  emit m_engine.failed(m_engine.lastId, Error{ErrorCode::kDeviceLost, "vulkan:0: the device was lost"});
  EXPECT_EQ(m_chat.trouble().kind, Trouble::Kind::DeviceLost);
  EXPECT_TRUE(m_chat.trouble().text.startsWith("vulkan:0: the device was lost. "));
  EXPECT_EQ(turn(1).text, "half");
}

TEST_F(ChatControllerTest, a_lost_device_is_called_by_its_name) {
  const auto model = std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B));
  DeviceInfo gpu = test::gpu_with(8 * kGiB);
  gpu.name = "RX 7600";
  const auto said = [&](const std::string& id,
                        const Error& error = {ErrorCode::kDeviceLost, "vulkan:1: the device was lost"}) {
    gpu.id = id;
    const auto plan = test::plan_for(*model, {test::cpu_with(8 * kGiB), gpu});
    emit m_engine.modelLoaded(++m_engine.lastId, LoadedModel{"/m.gguf", model, plan, {}, 1, {}});
    m_chat.send("q", {});
    emit m_engine.failed(m_engine.lastId, error);
    return m_chat.trouble().text;
  };
  EXPECT_EQ(said("vulkan:1").section('.', 0, 0), "RX 7600 (vulkan:1): the device was lost");
  EXPECT_EQ(m_chat.trouble().deviceId, "vulkan:1");
  EXPECT_EQ(said("vulkan:10").section('.', 0, 0), "vulkan:1: the device was lost") << "another device";
  EXPECT_EQ(m_chat.trouble().deviceId, "");
  EXPECT_EQ(said("vulkan:1", {ErrorCode::kResource, "vulkan:1: submitting work failed"}),
            "RX 7600 (vulkan:1): submitting work failed");
  EXPECT_EQ(m_chat.trouble().kind, Trouble::Kind::Failed);
  EXPECT_EQ(m_chat.trouble().deviceId, "vulkan:1") << "there may be another";
  said("vulkan:1", {ErrorCode::kResource, test::cpu_with(kGiB).id + ": no memory"});
  EXPECT_EQ(m_chat.trouble().deviceId, "") << "the host is never done without";
  gpu.name = "RX 7600 (vulkan:1)";  // one of two of a name
  EXPECT_EQ(said("vulkan:1").section('.', 0, 0), "RX 7600 (vulkan:1): the device was lost") << "not twice";
}

TEST_F(ChatControllerTest, an_empty_answer_that_was_stopped_and_then_does_not_fit_is_not_left_writing) {
  m_chat.send("q", {});
  m_chat.stop();
  emit m_engine.generationFinished(m_engine.lastId, ChatEnd::Stopped, {});
  m_chat.send("another", {});
  m_engine.sendAnswer("a");
  m_chat.continueAnswer(m_chat.tree().path()[1]);
  emit m_engine.promptTooLong(m_engine.lastId, 1200, 1000);
  EXPECT_EQ(m_chat.tree().path().size(), 4);
  EXPECT_EQ(turn(1).state, TurnState::ContextFull);
}

TEST_F(ChatControllerTest, a_system_prompt_is_kept_when_typing_pauses_and_before_the_conversation_is_left) {
  m_chat.send("q", {});
  m_engine.sendAnswer("a");
  const QString id = m_chat.head().id;
  const int nBefore = m_store.nHeadsSaved;
  for (const char* typed : {"B", "Be", "Be k", "Be kind."}) m_chat.setSystemPrompt(typed);
  EXPECT_EQ(m_store.nHeadsSaved, nBefore) << "not on each key";
  m_chat.newConversation();
  EXPECT_EQ(m_store.nHeadsSaved, nBefore + 1);
  EXPECT_EQ(m_store.conversations[id].head.systemPrompt, "Be kind.");
  m_chat.openConversation(id);
  m_chat.setSystemPrompt("Be short.");
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_store.conversations[id].head.systemPrompt == "Be short."; }, 60'000));
}

TEST_F(ChatControllerTest, text_that_was_shown_is_stored_soon_though_nothing_comes_after_it) {
  m_chat.send("q", {});
  emit m_engine.textArrived(m_engine.lastId, "shown");
  EXPECT_TRUE(QTest::qWaitFor(
      [&] {
        const auto& turns = m_store.conversations[m_chat.head().id].turns;
        return turns.size() == 2 && turns[1].text == "shown";
      },
      60'000));
  static_assert(ChatController::kKeepMs <= 250, "half a second may be lost, of which the disk needs its share");
}

TEST_F(ChatControllerTest, an_edit_of_a_turn_that_another_version_hides_shows_it_again_and_the_model_reads_it) {
  m_chat.send("first", {});
  m_engine.sendAnswer("1");
  const QString firstVersion = turn(0).id;
  m_chat.edit(firstVersion, "first, other", {});
  m_engine.sendAnswer("2");
  m_chat.send("second", {});
  m_engine.sendAnswer("3");
  m_chat.editTurn(turn(2).id);
  m_chat.draft().handleEvent(draft_event::Typed{"second, changed"});
  m_chat.chooseVersion(firstVersion);
  ASSERT_EQ(m_chat.tree().path().size(), 2) << "what is edited is hidden now";
  ASSERT_TRUE(m_chat.sendDraft());
  ASSERT_EQ(m_chat.tree().path().size(), 4);
  EXPECT_EQ(turn(0).text, "first, other");
  EXPECT_EQ(turn(2).text, "second, changed");
  EXPECT_EQ(lastRequest().messages.back(), (ChatMessage{"user", "second, changed"}));
  EXPECT_EQ(lastRequest().messages.size(), 3U);
  EXPECT_EQ(m_store.chosen, turn(0).id) << "the store shows it too";
  EXPECT_TRUE(m_chat.draft().message().isEmpty());
}

TEST_F(ChatControllerTest, deleting_the_conversation_of_an_edit_leaves_a_new_one_that_sends) {
  m_chat.send("first", {});
  m_engine.sendAnswer("1");
  const QString deleted = m_chat.head().id;
  m_chat.editTurn(turn(0).id);
  m_chat.draft().handleEvent(draft_event::Typed{"first, changed"});
  m_chat.forgetConversation(deleted);
  EXPECT_EQ(m_chat.draft().editedTurn(), "");
  EXPECT_EQ(m_chat.draft().message().text, "");
  m_chat.draft().handleEvent(draft_event::Typed{"elsewhere"});
  EXPECT_TRUE(m_chat.sendDraft());
  EXPECT_EQ(lastRequest().messages.back(), (ChatMessage{"user", "elsewhere"}));
  m_engine.sendAnswer("2");
  m_chat.openConversation(deleted);  // the deletion was undone
  EXPECT_EQ(m_chat.draft().message().text, "first, changed");
  EXPECT_EQ(m_chat.draft().editedTurn(), turn(0).id);
}

TEST_F(ChatControllerTest, a_message_that_cannot_be_sent_stays_the_draft) {
  m_engine.sendUnloaded();
  m_chat.draft().handleEvent(draft_event::Typed{"too early"});
  EXPECT_FALSE(m_chat.sendDraft());
  EXPECT_EQ(m_chat.draft().message().text, "too early");
}

TEST(ChatControllerEnd, all_that_was_shown_of_an_answer_is_kept_when_the_program_ends) {
  test::FakeEnginePort engine;
  test::FakeConversationPort store;
  QString id;
  {
    ChatController chat(engine, store);
    engine.sendLoaded("tiny", 1000);
    chat.send("q", {});
    id = chat.head().id;
    for (const char* word : {"all ", "of ", "this "}) emit engine.textArrived(engine.lastId, word);
    chat.draft().handleEvent(draft_event::Typed{"next"});
  }
  const Conversation& kept = store.conversations[id];
  ASSERT_EQ(kept.turns.size(), 2U);
  EXPECT_EQ(kept.turns[1].text, "all of this ");
  EXPECT_EQ(kept.turns[1].state, TurnState::Interrupted);
  EXPECT_EQ(kept.draft.message.text, "next");
  EXPECT_EQ(engine.stops.back(), engine.lastId);
}

TEST(ChatControllerEnd, what_was_typed_last_is_kept_when_the_program_ends) {
  test::FakeEnginePort engine;
  test::FakeConversationPort store;
  QString id;
  {
    ChatController chat(engine, store);
    engine.sendLoaded("tiny", 1000);
    chat.send("q", {});
    id = chat.head().id;
    chat.setSystemPrompt("Be kind.");
  }
  EXPECT_EQ(store.conversations[id].head.systemPrompt, "Be kind.");
}

TEST_F(ChatControllerTest, a_reopened_conversation_shows_what_was_kept) {
  m_chat.send("a question", {});
  m_engine.sendAnswer("an answer");
  const QString first = m_chat.head().id;
  m_chat.newConversation();
  EXPECT_TRUE(m_chat.tree().isEmpty());
  m_chat.openConversation(first);
  EXPECT_EQ(m_chat.tree().path().size(), 2);
  EXPECT_TRUE(m_chat.context().isEstimate);
}

}  // namespace
}  // namespace headroom::ui
