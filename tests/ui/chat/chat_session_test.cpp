#include "ui/chat/chat_session.h"

#include <gtest/gtest.h>

#include <QTest>

#include "plan/speed.h"
#include "support/plans.h"
#include "ui/chat/chat_session_fixture.h"

namespace headroom::ui {
namespace {

TEST_F(ChatSessionTest, an_answer_is_appended_counted_and_kept) {
  chat().send("How big is the KV cache?", {});
  EXPECT_EQ(chat().activity(), Activity::Reading);
  m_engine.sendAnswer("Two bytes per element.", ChatEnd::EndOfTurn, figures(10, 20, 30, 1000));
  EXPECT_EQ(chat().activity(), Activity::Idle);
  EXPECT_EQ(turn(1).text, "Two bytes per element.");
  EXPECT_EQ(turn(1).state, TurnState::Done);
  EXPECT_EQ(turn(1).modelName, "tiny");
  EXPECT_EQ(chat().context().used, 30U);
  EXPECT_DOUBLE_EQ(chat().context().tokensPerSecond, 10.0);
  const Conversation& kept = m_store.conversations[chat().head().id];
  EXPECT_EQ(kept.head.title, "How big is the KV cache?");
  ASSERT_EQ(kept.turns.size(), 2U);
  EXPECT_EQ(kept.turns[1].text, "Two bytes per element.");
}

TEST_F(ChatSessionTest, the_speed_of_another_model_is_not_shown_for_this_one) {
  const auto answered = [&] {
    chat().send("q", {});
    m_engine.sendAnswer("a", ChatEnd::EndOfTurn, figures(10, 20, 30, 1000));
    EXPECT_GT(chat().context().tokensPerSecond, 0);
  };
  answered();
  m_engine.sendLoaded("other", 1000);
  EXPECT_EQ(chat().context().tokensPerSecond, 0) << "nothing was answered by it yet";
  answered();
  m_engine.sendUnloaded();
  EXPECT_EQ(chat().context().tokensPerSecond, 0);
}

TEST_F(ChatSessionTest, the_speed_of_an_answer_stands_beside_what_its_plan_predicted_for_its_place) {
  const auto model = std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B));
  DeviceInfo host = test::cpu_with(16 * kGiB);
  host.speed.read_bytes_per_s = 20e9;
  PlanOptions options;
  options.n_ctx = 8192;
  LoadedModel loaded{"/m.gguf", model, test::plan_for(*model, {host}, options), {}, 1, {}};
  emit m_engine.modelLoaded(++m_engine.lastId, loaded);
  chat().send("q", {});
  EXPECT_EQ(chat().context().predictedTokensPerSecond, 0) << "there is no answer yet";
  m_engine.sendAnswer("a", ChatEnd::EndOfTurn, figures(6000, 1000, 7000, 8192));
  EXPECT_EQ(chat().context().tokensPerSecond, 500);
  EXPECT_EQ(chat().context().predictedTokensPerSecond, *estimate_tokens_per_s(*model, *loaded.plan, 6500));
  EXPECT_LT(chat().context().predictedTokensPerSecond, *estimate_tokens_per_s(*model, *loaded.plan, 100))
      << "far into the context it is slower";
  m_sessions.newConversation();
  EXPECT_EQ(chat().context().predictedTokensPerSecond, 0);
}

TEST_F(ChatSessionTest, a_device_that_was_measured_after_the_load_is_predicted_with) {
  const auto model = std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B));
  DeviceInfo host = test::cpu_with(16 * kGiB);
  host.speed = {};
  const LoadedModel loaded{"/m.gguf", model, test::plan_for(*model, {host}), {}, 1, {}};
  emit m_engine.modelLoaded(++m_engine.lastId, loaded);
  chat().send("q", {});
  m_engine.sendAnswer("a", ChatEnd::EndOfTurn, figures(10, 20, 30, 4096));
  EXPECT_EQ(chat().context().predictedTokensPerSecond, 0) << "nobody knows";
  host.speed.read_bytes_per_s = 20e9;
  m_sessions.setDevices({host});
  chat().send("q", {});
  m_engine.sendAnswer("a", ChatEnd::EndOfTurn, figures(40, 20, 60, 4096));
  EXPECT_EQ(chat().context().predictedTokensPerSecond,
            *estimate_tokens_per_s(*model, *test::plan_for(*model, {host}), 50));
}

TEST_F(ChatSessionTest, a_plan_of_devices_that_nobody_measured_predicts_nothing) {
  chat().send("q", {});
  m_engine.sendAnswer("a", ChatEnd::EndOfTurn, figures(10, 20, 30, 1000));
  EXPECT_EQ(chat().context().predictedTokensPerSecond, 0);
}

TEST_F(ChatSessionTest, nothing_is_sent_without_a_model_or_while_busy) {
  chat().send("one", {});
  chat().send("two", {});
  EXPECT_EQ(m_engine.generates.size(), 1U);
  m_engine.sendAnswer("x");
  m_engine.sendUnloaded();
  chat().send("three", {});
  EXPECT_EQ(m_engine.generates.size(), 1U);
}

TEST_F(ChatSessionTest, regenerating_keeps_versions_that_can_be_switched) {
  chat().send("q", {});
  m_engine.sendAnswer("first");
  chat().regenerate(turn(1).id);
  EXPECT_EQ(lastRequest().messages.size(), 1U);
  m_engine.sendAnswer("second");
  EXPECT_EQ(turn(1).text, "second");
  const QStringList versions = chat().tree().versions(turn(1).id);
  ASSERT_EQ(versions.size(), 2);
  chat().chooseVersion(versions[0]);
  EXPECT_EQ(turn(1).text, "first");
  EXPECT_EQ(m_store.chosen, versions[0]);
}

TEST_F(ChatSessionTest, an_edited_message_starts_a_branch_and_the_old_one_stays) {
  chat().send("old", {});
  m_engine.sendAnswer("a");
  const QString old = turn(0).id;
  chat().edit(old, "new", {});
  m_engine.sendAnswer("b");
  EXPECT_EQ(turn(0).text, "new");
  EXPECT_EQ(chat().tree().versions(turn(0).id).size(), 2);
  chat().chooseVersion(old);
  EXPECT_EQ(turn(1).text, "a");
}

TEST_F(ChatSessionTest, a_stopped_answer_can_be_continued_where_it_ended) {
  chat().send("q", {});
  emit m_engine.textArrived(m_engine.lastId, "half");
  chat().stop();
  EXPECT_EQ(m_engine.stops.back(), m_engine.lastId);
  EXPECT_EQ(chat().activity(), Activity::Stopping);
  emit m_engine.generationFinished(m_engine.lastId, ChatEnd::Stopped, {});
  EXPECT_EQ(turn(1).state, TurnState::Stopped);
  chat().continueAnswer(turn(1).id);
  EXPECT_TRUE(lastRequest().continueLast);
  EXPECT_EQ(lastRequest().messages.back(), (ChatMessage{"assistant", "half"}));
  m_engine.sendAnswer(" whole");
  EXPECT_EQ(turn(1).text, "half whole");
  EXPECT_EQ(turn(1).state, TurnState::Done);
}

TEST_F(ChatSessionTest, a_continued_answer_counts_all_of_its_parts) {
  chat().send("q", {});
  m_engine.sendAnswer("half", ChatEnd::MaxTokens, figures(10, 130, 140, 1000));
  chat().continueAnswer(turn(1).id);
  m_engine.sendAnswer(" whole", ChatEnd::EndOfTurn, figures(140, 6, 146, 1000));
  EXPECT_EQ(turn(1).generatedTokens, 136U);
  EXPECT_DOUBLE_EQ(turn(1).decodeSeconds, 4.0);
  EXPECT_EQ(turn(1).seed, 0U) << "no one seed gives this text again";
}

TEST_F(ChatSessionTest, an_answer_of_which_a_part_was_not_counted_has_no_count) {
  chat().send("q", {});
  emit m_engine.textArrived(m_engine.lastId, "half");
  chat().stop();
  chat().stop();  // its figures are not waited for
  chat().continueAnswer(turn(1).id);
  m_engine.sendAnswer(" whole", ChatEnd::MaxTokens, figures(140, 6, 146, 1000));
  EXPECT_EQ(turn(1).generatedTokens, 0U) << "six would be told of a text of hundreds";
  chat().regenerate(turn(1).id);
  m_engine.sendAnswer("again", ChatEnd::EndOfTurn, figures(10, 20, 30, 1000));
  EXPECT_EQ(turn(1).generatedTokens, 20U);
}

TEST_F(ChatSessionTest, a_question_sent_while_another_model_is_loaded_is_answered_by_that_one) {
  const quint64 load = ++m_engine.lastId;
  chat().send("q", {});
  m_engine.sendLoaded("other", 2000, {}, load);
  EXPECT_EQ(chat().activity(), Activity::Reading);
  EXPECT_TRUE(m_engine.stops.empty());
  m_engine.sendAnswer("answered");
  EXPECT_EQ(turn(1).text, "answered");
  EXPECT_EQ(turn(1).modelName, "other");
}

TEST_F(ChatSessionTest, a_question_whose_model_is_closed_can_be_sent_again) {
  m_engine.sendUnloaded();
  EXPECT_FALSE(chat().send("no model", {}));
  EXPECT_TRUE(chat().tree().isEmpty());
  m_engine.sendLoaded("tiny", 1000);
  chat().send("q", {});
  emit m_engine.failed(m_engine.lastId, Error{ErrorCode::kUsage, Message::plain("no model is loaded")});
  EXPECT_EQ(chat().tree().path().size(), 1);
  EXPECT_EQ(chat().trouble().sentence.text(), "no model is loaded");
}

TEST_F(ChatSessionTest, a_failure_while_an_answer_goes_on_keeps_its_text_and_says_interrupted) {
  chat().send("q", {});
  emit m_engine.textArrived(m_engine.lastId, "half");
  emit m_engine.failed(m_engine.lastId, Error{ErrorCode::kResource, Message::plain("a kernel failed")});
  EXPECT_EQ(turn(1).text, "half");
  EXPECT_EQ(turn(1).state, TurnState::Interrupted);
}

TEST_F(ChatSessionTest, a_system_prompt_is_kept_when_typing_pauses_and_before_the_conversation_is_left) {
  chat().send("q", {});
  m_engine.sendAnswer("a");
  const QString id = chat().head().id;
  const int nBefore = m_store.nHeadsSaved;
  for (const char* typed : {"B", "Be", "Be k", "Be kind."}) chat().setSystemPrompt(typed);
  EXPECT_EQ(m_store.nHeadsSaved, nBefore) << "not on each key";
  m_sessions.newConversation();
  EXPECT_EQ(m_store.nHeadsSaved, nBefore + 1);
  EXPECT_EQ(m_store.conversations[id].head.systemPrompt, "Be kind.");
  m_sessions.openConversation(id);
  chat().setSystemPrompt("Be short.");
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_store.conversations[id].head.systemPrompt == "Be short."; }, 60'000));
}

TEST_F(ChatSessionTest, text_that_was_shown_is_stored_soon_though_nothing_comes_after_it) {
  chat().send("q", {});
  emit m_engine.textArrived(m_engine.lastId, "shown");
  EXPECT_TRUE(QTest::qWaitFor(
      [&] {
        const auto& turns = m_store.conversations[chat().head().id].turns;
        return turns.size() == 2 && turns[1].text == "shown";
      },
      60'000));
  static_assert(ChatSession::kKeepMs <= 250, "half a second may be lost, of which the disk needs its share");
}

TEST_F(ChatSessionTest, an_edit_of_a_turn_that_another_version_hides_shows_it_again_and_the_model_reads_it) {
  chat().send("first", {});
  m_engine.sendAnswer("1");
  const QString firstVersion = turn(0).id;
  chat().edit(firstVersion, "first, other", {});
  m_engine.sendAnswer("2");
  chat().send("second", {});
  m_engine.sendAnswer("3");
  chat().editTurn(turn(2).id);
  chat().draft().handleEvent(draft_event::Typed{"second, changed"});
  chat().chooseVersion(firstVersion);
  ASSERT_EQ(chat().tree().path().size(), 2) << "what is edited is hidden now";
  ASSERT_TRUE(chat().sendDraft());
  ASSERT_EQ(chat().tree().path().size(), 4);
  EXPECT_EQ(turn(0).text, "first, other");
  EXPECT_EQ(turn(2).text, "second, changed");
  EXPECT_EQ(lastRequest().messages.back(), (ChatMessage{"user", "second, changed"}));
  EXPECT_EQ(lastRequest().messages.size(), 3U);
  EXPECT_EQ(m_store.chosen, turn(0).id) << "the store shows it too";
  EXPECT_TRUE(chat().draft().message().isEmpty());
}

TEST_F(ChatSessionTest, a_message_that_cannot_be_sent_stays_the_draft) {
  m_engine.sendUnloaded();
  chat().draft().handleEvent(draft_event::Typed{"too early"});
  EXPECT_FALSE(chat().sendDraft());
  EXPECT_EQ(chat().draft().message().text, "too early");
}

TEST(ChatSessionEnd, all_that_was_shown_of_an_answer_is_kept_when_the_program_ends) {
  test::FakeEnginePort engine;
  test::FakeConversationPort store;
  QString id;
  {
    SettingsModel settings;
    ChatSessions sessions(engine, store, settings);
    ChatSession& chat = sessions.current();
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

TEST(ChatSessionEnd, what_was_typed_last_is_kept_when_the_program_ends) {
  test::FakeEnginePort engine;
  test::FakeConversationPort store;
  QString id;
  {
    SettingsModel settings;
    ChatSessions sessions(engine, store, settings);
    ChatSession& chat = sessions.current();
    engine.sendLoaded("tiny", 1000);
    chat.send("q", {});
    id = chat.head().id;
    chat.setSystemPrompt("Be kind.");
  }
  EXPECT_EQ(store.conversations[id].head.systemPrompt, "Be kind.");
}

TEST_F(ChatSessionTest, an_answer_says_where_its_prompt_left_the_cache) {
  const auto answerTo = [this](quint32 held, quint32 shared) {
    ChatFigures answered = figures(400, 100, 500, 1000);
    answered.heldTokens = held;
    answered.sharedTokens = answered.reusedTokens = shared;
    m_engine.sendAnswer("b", ChatEnd::EndOfTurn, answered);
  };
  ASSERT_TRUE(chat().send("a", {}));
  answerTo(0, 0);
  EXPECT_EQ(turn(1).prefixBreak, PrefixBreak());
  ASSERT_TRUE(chat().send("c", {}));
  answerTo(400, 400);
  EXPECT_EQ(turn(3).prefixBreak, PrefixBreak());
  ASSERT_TRUE(chat().edit(turn(2).id, "d", {}));
  answerTo(500, 300);
  EXPECT_EQ(turn(3).prefixBreak, (PrefixBreak{PrefixBreak::Kind::Message, 3}));
  chat().setSystemPrompt("Be brief.");
  chat().regenerate(turn(3).id);
  answerTo(500, 4);
  EXPECT_EQ(turn(3).prefixBreak.kind, PrefixBreak::Kind::SystemPrompt);
  m_engine.sendLoaded("other", 1000);
  chat().setSystemPrompt("Be long.");
  chat().regenerate(turn(3).id);
  answerTo(500, 4);
  EXPECT_EQ(turn(3).prefixBreak.kind, PrefixBreak::Kind::Unknown) << "this model has not read the one before";
}

}  // namespace
}  // namespace headroom::ui
