#include "ui/chat/draft_tokens.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "support/fake_conversation_port.h"
#include "support/fake_engine_port.h"
#include "ui/chat/chat_sessions.h"

namespace headroom::ui {
namespace {

class DraftTokensTest : public testing::Test {
 protected:
  void SetUp() override {
    m_engine.sendLoaded("model", 4096);
    m_tokens.watch(session());
  }
  ChatSession& session() { return m_sessions.current(); }
  void type(const char* text) { session().draft().handleEvent(draft_event::Typed{text}); }
  void attach(const char* name, const char* text) {
    session().draft().handleEvent(draft_event::FileAdded{++m_lastRead, name});
    session().draft().handleEvent(draft_event::FileRead{m_lastRead, {name, text}});
  }
  bool waitForCounts(std::size_t n) {
    return QTest::qWaitFor([&] { return m_engine.counts.size() >= n; }, 60'000);
  }

  test::FakeEnginePort m_engine;
  test::FakeConversationPort m_store;
  SettingsModel m_settings;
  ChatSessions m_sessions{m_engine, m_store, m_settings};
  DraftTokens m_tokens{m_engine};
  quint64 m_lastRead = 0;
};

TEST_F(DraftTokensTest, the_prompt_and_each_file_are_counted_once_typing_pauses) {
  attach("a.txt", "words");
  type("Look");
  EXPECT_TRUE(m_engine.counts.empty()) << "not on each key";
  ASSERT_TRUE(waitForCounts(1));
  ASSERT_EQ(m_engine.counts[0].texts.size(), 1U);
  EXPECT_EQ(m_engine.counts[0].texts[0], "File a.txt:\n```\nwords\n```") << "as the model reads it";
  ASSERT_EQ(m_engine.counts[0].prompt.messages.size(), 1U);
  EXPECT_EQ(m_engine.counts[0].prompt.messages[0].content, "Look\n\nFile a.txt:\n```\nwords\n```");
  m_engine.sendCounts(120, 4096, {100});
  EXPECT_EQ(m_tokens.figures(), (DraftFigures{{100}, 120, 4096, false, false}));
  type("Look!");
  ASSERT_TRUE(waitForCounts(2));
  EXPECT_TRUE(m_engine.counts[1].texts.empty()) << "the file is known";
  EXPECT_EQ(m_tokens.figures().files, std::vector<quint32>{100});
}

TEST_F(DraftTokensTest, another_model_counts_anew_and_late_figures_are_dropped) {
  attach("a.txt", "words");
  ASSERT_TRUE(waitForCounts(1));
  m_engine.sendLoaded("other", 128);
  m_tokens.recount();
  ASSERT_EQ(m_engine.counts.size(), 2U);
  EXPECT_EQ(m_engine.counts[1].texts.size(), 1U);
  emit m_engine.tokensCounted(1, {7, 4096, false, {5}});
  EXPECT_EQ(m_tokens.figures().promptTokens, 0U);
  m_engine.sendCounts(200, 128, {150});
  EXPECT_TRUE(m_tokens.figures().isTooLong());
  m_engine.sendUnloaded();
  m_tokens.recount();
  EXPECT_EQ(m_tokens.figures().promptTokens, 0U);
}

TEST_F(DraftTokensTest, an_empty_message_has_no_figures) {
  type("x");
  ASSERT_TRUE(waitForCounts(1));
  m_engine.sendCounts(9, 4096);
  EXPECT_EQ(m_tokens.figures().promptTokens, 9U);
  type("");
  EXPECT_EQ(m_tokens.figures(), DraftFigures());
}

TEST_F(DraftTokensTest, while_an_answer_comes_only_files_are_counted) {
  type("ask");
  ASSERT_TRUE(session().sendDraft());
  const std::size_t before = m_engine.counts.size();
  attach("a.txt", "words");
  ASSERT_TRUE(waitForCounts(before + 1));
  EXPECT_TRUE(m_engine.counts.back().prompt.messages.empty());
  EXPECT_EQ(m_engine.counts.back().texts.size(), 1U);
  m_engine.sendCounts(0, 4096, {3});
  EXPECT_EQ(m_tokens.figures().files, std::vector<quint32>{3});
  m_engine.sendAnswer("Fine.");
  ASSERT_TRUE(waitForCounts(before + 2));
  EXPECT_EQ(m_engine.counts.back().prompt.messages.size(), 3U) << "question, answer, and what is written";
  m_engine.sendCounts(50, 4096);
  EXPECT_TRUE(m_tokens.figures().hasOlderTurns);
}

TEST_F(DraftTokensTest, an_edit_is_counted_in_the_place_of_what_it_changes) {
  type("first");
  ASSERT_TRUE(session().sendDraft());
  m_engine.sendAnswer("Fine.");
  const QString first = session().tree().path().first();
  session().editTurn(first);
  type("changed");
  const ChatRequest request = session().draftRequest();
  ASSERT_EQ(request.messages.size(), 1U);
  EXPECT_EQ(request.messages[0].content, "changed");
  EXPECT_EQ(session().tree().path().size(), 2) << "nothing is sent";
  session().draft().handleEvent(draft_event::EscapePressed{});
  session().draft().handleEvent(draft_event::DiscardAgreed{});
  session().editTurn(session().tree().lastId());
  type("changed by hand");
  EXPECT_TRUE(session().draftRequest().messages.empty()) << "an answer that is changed is read by nobody yet";
}

TEST_F(DraftTokensTest, a_file_may_have_as_much_text_as_the_context_can_take) {
  EXPECT_EQ(m_sessions.attachmentLimit().nCtx, 0U) << "nobody knows how long this model's tokens are";
  LoadedModel loaded;
  auto model = std::make_shared<ModelInfo>();
  model->longest_token_bytes = 128;
  auto plan = std::make_shared<MemoryPlan>();
  plan->options.n_ctx = 16'384;
  loaded.model = model;
  loaded.plan = plan;
  emit m_engine.modelLoaded(++m_engine.lastId, loaded);
  EXPECT_EQ(m_sessions.attachmentLimit().nCtx, 16'384U);
  EXPECT_EQ(m_sessions.attachmentLimit().textBytes, 2 * kMiB);
  m_engine.sendUnloaded();
  EXPECT_EQ(m_sessions.attachmentLimit().textBytes, kMostAttachmentBytes);
}

TEST_F(DraftTokensTest, a_file_that_was_sent_is_counted_when_asked) {
  QSignalSpy counted(&m_tokens, &DraftTokens::fileCounted);
  const quint64 id = m_tokens.countFile({"a.txt", "words"});
  m_engine.sendCounts(0, 4096, {17});
  m_engine.sendCounts(0, 4096, {17});
  ASSERT_EQ(counted.count(), 1);
  EXPECT_EQ(counted[0], (QList<QVariant>{id, 17U}));
}

}  // namespace
}  // namespace headroom::ui
