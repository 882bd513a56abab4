#include "ui/chat/chat_controller.h"

#include <gtest/gtest.h>

#include <QTest>

#include "plan/speed.h"
#include "support/plans.h"
#include "ui/chat/chat_controller_fixture.h"

namespace headroom::ui {
namespace {

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
