#include "ui/chat/chat_draft.h"

#include <gtest/gtest.h>

#include <QTest>

#include "support/fake_conversation_port.h"

namespace headroom::ui {
namespace {

class ChatDraftTest : public testing::Test {
 protected:
  void type(const char* text) { m_draft.handleEvent(draft_event::Typed{text}); }
  const Draft& kept(const char* id) { return m_store.conversations[id].draft; }

  test::FakeConversationPort m_store;
  ChatTree m_tree;
  ChatDraft m_draft{m_store, nullptr, "a"};
};

TEST_F(ChatDraftTest, what_is_typed_is_kept_after_a_while_although_typing_never_pauses) {
  type("first");
  EXPECT_TRUE(kept("a").isEmpty()) << "not on each key";
  int n = 0;
  EXPECT_TRUE(QTest::qWaitFor(
      [&] {
        type(qPrintable(QString::number(++n)));
        return !kept("a").isEmpty();
      },
      60'000));
}

TEST_F(ChatDraftTest, what_the_store_had_is_shown_and_goes_on) {
  m_draft.open({{"of a", {}}, {}, {}}, m_tree);
  EXPECT_EQ(m_draft.message().text, "of a");
  type("of a, more");
  m_draft.keep();
  EXPECT_EQ(kept("a").message.text, "of a, more");
}

TEST_F(ChatDraftTest, the_draft_of_a_new_conversation_goes_with_its_first_message) {
  ChatDraft draft(m_store, nullptr);
  draft.handleEvent(draft_event::Typed{"kept while a suggested question is sent"});
  draft.keep();
  EXPECT_FALSE(m_store.newDraft.isEmpty());
  draft.moveTo("b");
  EXPECT_EQ(kept("b").message.text, "kept while a suggested question is sent");
  EXPECT_TRUE(m_store.newDraft.isEmpty());
}

TEST_F(ChatDraftTest, what_the_last_run_left_stands_before_what_was_typed_until_it_was_read) {
  type("quick");
  m_draft.handleEvent(draft_event::OlderFound{{{"of the last run", {}}, {}, {}}});
  EXPECT_EQ(m_draft.message().text, "of the last run\nquick");
}

TEST_F(ChatDraftTest, a_file_on_its_way_is_not_stored_and_not_sent) {
  type("look");
  EXPECT_TRUE(m_draft.canSend());
  m_draft.handleEvent(draft_event::FileAdded{3, "f.txt"});
  EXPECT_FALSE(m_draft.canSend());
  m_draft.keep();
  EXPECT_TRUE(kept("a").message.files.isEmpty());
  m_draft.handleEvent(draft_event::FileRead{3, {"f.txt", "words"}});
  EXPECT_TRUE(m_draft.canSend());
  m_draft.keep();
  EXPECT_EQ(kept("a").message.files.first().attachment.text, "words");
}

TEST_F(ChatDraftTest, an_edit_comes_back_as_one_with_the_message_that_waits_behind_it) {
  const QString id = m_tree.append({}, Role::User, "old", 0);
  type("new message");
  m_draft.edit(*m_tree.find(id));
  type("old, changed");
  m_draft.keep();
  m_draft.open({}, m_tree);
  m_draft.open(kept("a"), m_tree);
  EXPECT_EQ(m_draft.editedTurn(), id);
  EXPECT_EQ(m_draft.message().text, "old, changed");
  m_draft.handleEvent(draft_event::EscapePressed{});
  EXPECT_TRUE(m_draft.asksToDiscard()) << "what the message was is known again";
  m_draft.handleEvent(draft_event::DiscardAgreed{});
  EXPECT_EQ(m_draft.message().text, "new message");
}

}  // namespace
}  // namespace headroom::ui
