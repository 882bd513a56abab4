#include "ui/chat/chat_sessions.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "ui/chat/chat_session_fixture.h"

namespace headroom::ui {
namespace {

// With a model of two slots.
class ChatSessionsTest : public ChatSessionTest {
 protected:
  using Kind = ConversationMark::Kind;

  void SetUp() override { m_engine.sendLoaded("tiny", 1000, {}, 0, 2); }
  // A new conversation with a question, and the request that it waits for.
  quint64 ask(const char* question) {
    m_sessions.newConversation();
    EXPECT_TRUE(chat().send(question, {}));
    m_ids.append(chat().head().id);
    return m_engine.lastId;
  }
  void finish(quint64 request, ChatEnd end = ChatEnd::EndOfTurn) {
    emit m_engine.generationFinished(request, end, figures(10, 20, 30, 1000));
  }
  ConversationMark mark(const QString& id) {
    EXPECT_TRUE(m_sessions.marks().contains(id));
    return m_sessions.marks().value(id);
  }
  const Turn& kept(const QString& id) { return m_store.conversations[id].turns.back(); }

  QStringList m_ids;  // of the conversations that ask() began
};

TEST_F(ChatSessionsTest, an_answer_goes_on_in_a_conversation_that_is_not_open_and_is_stored) {
  const quint64 request = ask("q");
  emit m_engine.textArrived(request, "half");
  m_sessions.newConversation();
  EXPECT_TRUE(m_engine.stops.empty());
  EXPECT_TRUE(chat().tree().isEmpty());
  EXPECT_EQ(mark(m_ids[0]).kind, Kind::Writing);
  emit m_engine.textArrived(request, " whole");
  finish(request);
  EXPECT_EQ(kept(m_ids[0]).text, "half whole");
  EXPECT_EQ(kept(m_ids[0]).state, TurnState::Done);
  EXPECT_EQ(kept(m_ids[0]).generatedTokens, 20U);
  EXPECT_EQ(m_sessions.find(m_ids[0]), nullptr) << "nobody waits for it any more";
  EXPECT_EQ(mark(m_ids[0]).kind, Kind::Unread);
  EXPECT_TRUE(chat().tree().isEmpty());
  m_sessions.openConversation(m_ids[0]);
  EXPECT_EQ(turn(1).text, "half whole");
  EXPECT_TRUE(m_sessions.marks().isEmpty()) << "it is read now";
}

TEST_F(ChatSessionsTest, answers_that_run_at_once_reach_their_own_conversations) {
  const quint64 first = ask("one"), second = ask("two");
  emit m_engine.textArrived(first, "1", 11);
  emit m_engine.textArrived(second, "2", 500);
  emit m_engine.thinkingArrived(first, "late", 12);
  EXPECT_EQ(turn(1).text, "2");
  EXPECT_EQ(chat().context().used, 500U);
  m_sessions.openConversation(m_ids[0]);
  EXPECT_EQ(turn(1).text, "1");
  EXPECT_EQ(chat().context().used, 12U) << "of this answer, not of both";
  EXPECT_FALSE(chat().context().isEstimate);
  finish(second);
  EXPECT_TRUE(chat().isBusy());
  finish(first);
  EXPECT_FALSE(chat().isBusy());
}

TEST_F(ChatSessionsTest, a_conversation_whose_answer_runs_is_opened_without_the_store) {
  const quint64 request = ask("q");
  emit m_engine.textArrived(request, "shown");
  m_sessions.newConversation();
  m_store.isHolding = true;
  QSignalSpy changed(&m_sessions, &ChatSessions::currentChanged);
  m_sessions.openConversation(m_ids[0]);
  EXPECT_EQ(changed.count(), 1);
  EXPECT_FALSE(m_sessions.isOpening());
  EXPECT_EQ(turn(1).text, "shown");
  EXPECT_EQ(chat().activity(), Activity::Writing);
}

TEST_F(ChatSessionsTest, an_answer_starts_beside_one_that_runs_but_not_in_the_same_conversation) {
  ask("one");
  EXPECT_FALSE(chat().canStart());
  m_sessions.newConversation();
  EXPECT_TRUE(chat().canStart());
}

TEST_F(ChatSessionsTest, the_engine_is_told_which_conversation_asks) {
  ask("one");
  const quint64 first = lastRequest().conversation;
  const quint64 request = ask("two");
  EXPECT_NE(lastRequest().conversation, first);
  EXPECT_NE(lastRequest().conversation, 0U);
  emit m_engine.textArrived(request, "a");
  finish(request);
  const quint64 second = lastRequest().conversation;
  m_sessions.newConversation();
  m_sessions.openConversation(m_ids[1]);
  chat().send("again", {});
  EXPECT_EQ(lastRequest().conversation, second) << "it finds its cache again";
}

TEST_F(ChatSessionsTest, what_has_no_slot_waits_and_says_behind_how_many) {
  const quint64 first = ask("1"), second = ask("2"), third = ask("3");
  ask("4");
  const auto before = [&](qsizetype i) { return m_sessions.answersBefore(*m_sessions.find(m_ids[i])); };
  EXPECT_EQ(before(0), 0);
  EXPECT_EQ(before(1), 0);
  EXPECT_EQ(before(2), 1);
  EXPECT_EQ(before(3), 2);
  EXPECT_EQ(mark(m_ids[3]), (ConversationMark{Kind::Waiting, 2}));
  emit m_engine.prefillProgressed(first, 1, 10);
  emit m_engine.prefillProgressed(second, 1, 10);
  EXPECT_EQ(before(3), 2);
  emit m_engine.textArrived(second, "x");
  finish(second);
  EXPECT_EQ(before(2), 0) << "its turn has come";
  EXPECT_EQ(before(3), 1);
  emit m_engine.prefillProgressed(third, 1, 10);
  EXPECT_EQ(mark(m_ids[2]).kind, Kind::Writing);
}

TEST_F(ChatSessionsTest, what_waits_is_taken_out_of_the_queue_without_being_opened) {
  ask("1");
  ask("2");
  const quint64 third = ask("3");
  m_sessions.openConversation(m_ids[0]);
  m_sessions.stop(m_ids[2]);
  EXPECT_EQ(m_engine.stops, std::vector<quint64>{third});
  EXPECT_EQ(chat().head().id, m_ids[0]);
  emit m_engine.generationFinished(third, ChatEnd::Stopped, {});
  EXPECT_EQ(m_sessions.find(m_ids[2]), nullptr);
  EXPECT_FALSE(m_sessions.marks().contains(m_ids[2])) << "there is nothing to read";
  EXPECT_EQ(kept(m_ids[2]).state, TurnState::Stopped) << "and can be asked for again";
}

TEST_F(ChatSessionsTest, an_answer_that_is_stopped_in_the_list_keeps_what_it_said) {
  const quint64 request = ask("q");
  emit m_engine.textArrived(request, "half");
  m_sessions.newConversation();
  m_sessions.stop(m_ids[0]);
  finish(request, ChatEnd::Stopped);
  EXPECT_EQ(kept(m_ids[0]).text, "half");
  EXPECT_EQ(kept(m_ids[0]).state, TurnState::Stopped);
  EXPECT_TRUE(m_sessions.marks().isEmpty());
  m_sessions.stop("nobody");
}

TEST_F(ChatSessionsTest, a_trouble_of_a_conversation_that_is_not_open_stays_until_it_is) {
  const quint64 full = ask("q"), failed = ask("other");
  m_sessions.newConversation();
  emit m_engine.textArrived(full, "unfinished");
  finish(full, ChatEnd::ContextFull);
  emit m_engine.failed(failed, Error{ErrorCode::kResource, Message::plain("a kernel failed")});
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::None);
  EXPECT_EQ(mark(m_ids[0]).kind, Kind::Trouble);
  EXPECT_EQ(mark(m_ids[1]).kind, Kind::Trouble);
  m_sessions.openConversation(m_ids[0]);
  EXPECT_EQ(chat().trouble().kind, Trouble::Kind::ContextFull);
  m_sessions.openConversation(m_ids[1]);
  EXPECT_EQ(chat().trouble().sentence.text(), "a kernel failed");
  EXPECT_EQ(m_sessions.find(m_ids[0]), nullptr) << "its trouble was seen";
}

TEST_F(ChatSessionsTest, a_summary_goes_on_behind_another_conversation_and_its_answer_follows) {
  m_engine.sendLoaded("tiny", 1000, {}, 0, 2);
  for (int i = 0; i < 4; ++i) {
    chat().send(QString(300, 'q'), {});
    m_engine.sendAnswer(QString(300, 'a'));
  }
  chat().send("next", {});
  emit m_engine.promptTooLong(m_engine.lastId, 2400, 1000);
  chat().summarise();
  const QString id = chat().head().id;
  const quint64 summary = m_engine.lastId;
  m_sessions.newConversation();
  chat().send("elsewhere", {});
  emit m_engine.textArrived(summary, "They talked.");
  finish(summary);
  m_engine.sendAnswer("Here.");
  EXPECT_EQ(kept(id).text, "Here.");
  EXPECT_EQ(chat().tree().path().size(), 2);
  EXPECT_EQ(turn(1).text, "") << "this one is still waited for";
}

TEST_F(ChatSessionsTest, deleting_a_conversation_ends_its_answer_and_undoing_it_finds_what_was_said) {
  const quint64 open = ask("one"), left = ask("two");
  emit m_engine.textArrived(open, "1");
  emit m_engine.textArrived(left, "2");
  m_sessions.openConversation(m_ids[0]);
  m_sessions.forgetConversation(m_ids[1]);
  EXPECT_EQ(m_engine.stops, std::vector<quint64>{left});
  m_sessions.forgetConversation(m_ids[0]);
  EXPECT_EQ(m_engine.stops.back(), open);
  EXPECT_TRUE(chat().tree().isEmpty());
  EXPECT_EQ(m_sessions.sessions().size(), 1);
  EXPECT_TRUE(m_sessions.marks().isEmpty());
  emit m_engine.textArrived(left, "late");
  finish(left, ChatEnd::Stopped);
  EXPECT_EQ(kept(m_ids[0]).text, "1");
  EXPECT_EQ(kept(m_ids[1]).text, "2");
  EXPECT_EQ(kept(m_ids[1]).state, TurnState::Stopped);
}

TEST_F(ChatSessionsTest, a_conversation_that_is_being_opened_leaves_the_one_before_whole) {
  const quint64 done = ask("q");
  emit m_engine.textArrived(done, "a");
  finish(done);
  const quint64 running = ask("second");
  emit m_engine.textArrived(running, "half");
  m_store.isHolding = true;
  m_sessions.openConversation(m_ids[0]);
  EXPECT_TRUE(m_sessions.isOpening());
  EXPECT_EQ(chat().head().id, m_ids[1]) << "the one that is left is still shown";
  emit m_engine.textArrived(running, " whole");
  m_store.release();
  EXPECT_FALSE(m_sessions.isOpening());
  EXPECT_EQ(turn(1).text, "a");
  EXPECT_EQ(m_sessions.find(m_ids[1])->tree().turns().back().text, "half whole") << "and goes on";
  EXPECT_TRUE(m_engine.stops.empty());
}

TEST_F(ChatSessionsTest, who_comes_back_while_another_conversation_is_opened_stays) {
  const quint64 done = ask("q");
  finish(done);
  ask("second");
  m_store.isHolding = true;
  m_sessions.openConversation(m_ids[0]);
  m_sessions.openConversation(m_ids[1]);
  EXPECT_FALSE(m_sessions.isOpening());
  m_store.release();
  EXPECT_EQ(chat().head().id, m_ids[1]);
}

TEST_F(ChatSessionsTest, a_conversation_is_renamed_whether_it_is_alive_or_not) {
  const quint64 request = ask("q");
  m_sessions.newConversation();
  m_sessions.renameConversation(m_ids[0], " Alive ");
  EXPECT_EQ(m_store.conversations[m_ids[0]].head.title, "Alive");
  finish(request);
  m_sessions.renameConversation(m_ids[0], "Stored");
  EXPECT_EQ(m_store.conversations[m_ids[0]].head.title, "Stored");
}

TEST_F(ChatSessionsTest, another_model_ends_all_answers_and_answers_what_was_asked_later) {
  const quint64 before = ask("before");
  emit m_engine.textArrived(before, "half");
  const quint64 load = ++m_engine.lastId;
  ask("after");
  m_sessions.newConversation();
  m_engine.sendLoaded("other", 2000, {}, load);
  EXPECT_EQ(kept(m_ids[0]).state, TurnState::Interrupted);
  EXPECT_EQ(mark(m_ids[0]).kind, Kind::Unread);
  ASSERT_NE(m_sessions.find(m_ids[1]), nullptr);
  EXPECT_TRUE(m_sessions.find(m_ids[1])->isBusy());
  EXPECT_EQ(m_sessions.modelName(), "other");
  m_engine.sendUnloaded();
  EXPECT_EQ(m_sessions.sessions().size(), 1);
}

TEST_F(ChatSessionsTest, the_plain_template_is_agreed_to_for_all_conversations) {
  m_engine.sendLoaded("odd", 1000, "line 3: unknown filter");
  const quint64 left = ask("q");
  m_sessions.newConversation();
  emit m_engine.failed(left, Error{ErrorCode::kUsage, Message::plain("line 3: unknown filter")});
  EXPECT_EQ(mark(m_ids[0]).kind, Kind::Trouble);
  chat().agreeToPlainTemplate();
  EXPECT_FALSE(m_sessions.marks().contains(m_ids[0]));
}

TEST_F(ChatSessionsTest, what_is_written_without_a_message_waits_while_others_are_open) {
  ask("q");
  m_sessions.newConversation();
  chat().draft().handleEvent(draft_event::Typed{"for a new one"});
  m_sessions.openConversation(m_ids[0]);
  EXPECT_EQ(chat().draft().message().text, "");
  EXPECT_EQ(m_store.newDraft.message.text, "for a new one") << "it outlives the program too";
  m_sessions.newConversation();
  EXPECT_EQ(chat().draft().message().text, "for a new one");
  EXPECT_EQ(m_sessions.sessions().size(), 2) << "there is one without a message";
}

TEST_F(ChatSessionsTest, what_the_last_run_left_waits_for_a_new_conversation) {
  ask("quick");
  emit m_store.newDraftOpened({{"of the last run", {}}, {}, {}});
  EXPECT_EQ(chat().draft().message().text, "");
  m_sessions.newConversation();
  EXPECT_EQ(chat().draft().message().text, "of the last run");
}

TEST(ChatSessionsEnd, all_that_was_shown_of_every_answer_is_kept_when_the_program_ends) {
  test::FakeEnginePort engine;
  test::FakeConversationPort store;
  QStringList ids;
  std::vector<quint64> requests;
  {
    SettingsModel settings;
    ChatSessions sessions(engine, store, settings);
    engine.sendLoaded("tiny", 1000, {}, 0, 2);
    for (const char* question : {"one", "two", "three"}) {
      sessions.newConversation();
      sessions.current().send(question, {});
      ids.append(sessions.current().head().id);
      requests.push_back(engine.lastId);
    }
    emit engine.textArrived(requests[0], "first");
    emit engine.textArrived(requests[1], "second");
  }
  EXPECT_EQ(store.conversations[ids[0]].turns.back().text, "first");
  EXPECT_EQ(store.conversations[ids[1]].turns.back().text, "second");
  for (const QString& id : ids) EXPECT_EQ(store.conversations[id].turns.back().state, TurnState::Interrupted);
  EXPECT_EQ(engine.stops.size(), 3U);
}

TEST_F(ChatSessionsTest, a_conversation_that_cannot_be_read_leaves_the_open_one_usable) {
  chat().send("q", {});
  m_engine.sendAnswer("a");
  m_sessions.openConversation("gone");
  EXPECT_EQ(chat().activity(), Activity::Idle);
  EXPECT_EQ(chat().tree().path().size(), 2);
  EXPECT_TRUE(chat().send("still here", {}));
}

TEST_F(ChatSessionsTest, of_two_conversations_that_are_opened_the_later_one_is_shown) {
  chat().send("one", {});
  m_engine.sendAnswer("1");
  const QString first = chat().head().id;
  m_sessions.newConversation();
  chat().send("two", {});
  m_engine.sendAnswer("2");
  const QString second = chat().head().id;
  m_sessions.newConversation();
  m_store.isHolding = true;
  m_sessions.openConversation(first);
  m_sessions.openConversation(second);
  m_store.release();
  EXPECT_EQ(chat().head().id, second);
  m_store.isHolding = true;
  m_sessions.openConversation(first);
  m_sessions.forgetConversation(first);
  m_store.release();
  EXPECT_EQ(chat().head().id, second) << "one that was deleted meanwhile does not appear";
}

TEST_F(ChatSessionsTest, deleting_the_conversation_of_an_edit_leaves_a_new_one_that_sends) {
  chat().send("first", {});
  m_engine.sendAnswer("1");
  const QString deleted = chat().head().id;
  chat().editTurn(turn(0).id);
  chat().draft().handleEvent(draft_event::Typed{"first, changed"});
  m_sessions.forgetConversation(deleted);
  EXPECT_EQ(chat().draft().editedTurn(), "");
  EXPECT_EQ(chat().draft().message().text, "");
  chat().draft().handleEvent(draft_event::Typed{"elsewhere"});
  EXPECT_TRUE(chat().sendDraft());
  EXPECT_EQ(lastRequest().messages.back(), (ChatMessage{"user", "elsewhere"}));
  m_engine.sendAnswer("2");
  m_sessions.openConversation(deleted);  // the deletion was undone
  EXPECT_EQ(chat().draft().message().text, "first, changed");
  EXPECT_EQ(chat().draft().editedTurn(), turn(0).id);
}

TEST_F(ChatSessionsTest, a_reopened_conversation_shows_what_was_kept) {
  chat().send("a question", {});
  m_engine.sendAnswer("an answer");
  const QString first = chat().head().id;
  m_sessions.newConversation();
  EXPECT_TRUE(chat().tree().isEmpty());
  m_sessions.openConversation(first);
  EXPECT_EQ(chat().tree().path().size(), 2);
  EXPECT_TRUE(chat().context().isEstimate);
}

}  // namespace
}  // namespace headroom::ui
