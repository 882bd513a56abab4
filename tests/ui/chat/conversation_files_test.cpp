#include "ui/chat/conversation_files.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "support/fake_conversation_port.h"
#include "support/fake_engine_port.h"
#include "ui/chat/chat_export.h"
#include "ui/chat/chat_sessions.h"
#include "ui/language/text_language.h"

namespace headroom::ui {
namespace {

class ConversationFilesTest : public testing::Test {
 protected:
  QString at(const char* name) const { return m_folder.filePath(QLatin1StringView(name)); }
  bool waitFor(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 60'000); }
  QString problem(qsizetype i) const { return m_problems[i][0].value<Sentence>().text(); }

  QTemporaryDir m_folder;
  TextLanguage m_language;
  test::FakeEnginePort m_engine;
  test::FakeConversationPort m_store;
  SettingsModel m_settings;
  ChatSessions m_sessions{m_engine, m_store, m_settings};
  ConversationFiles m_files{m_sessions, m_store};
  QSignalSpy m_problems{&m_files, &ConversationFiles::problemFound}, m_imported{&m_files, &ConversationFiles::imported};
};

TEST_F(ConversationFilesTest, what_cannot_be_read_or_written_is_told_in_the_language_of_then) {
  m_files.saveText(at("absent/notes.txt"), "x");
  ASSERT_TRUE(waitFor([&] { return m_problems.count() == 1; }));
  m_files.exportTo({"a", "Whales", at("a.md"), false});
  ASSERT_TRUE(waitFor([&] { return m_problems.count() == 2; }));
  m_files.import(m_folder.path());
  ASSERT_TRUE(waitFor([&] { return m_problems.count() == 3; }));
  EXPECT_TRUE(problem(0).endsWith("there is no folder " + at("absent") + '.')) << problem(0).toStdString();
  EXPECT_TRUE(problem(1).contains("Whales") && problem(1).contains("was not exported")) << problem(1).toStdString();
  EXPECT_TRUE(problem(2).endsWith("A file of at most 256 MiB was expected.")) << problem(2).toStdString();
  const QStringList english{problem(0), problem(1), problem(2)};
  m_language.set(Language::German);
  for (qsizetype i = 0; i < 3; ++i) EXPECT_NE(problem(i), english[i]) << "translated";
  EXPECT_TRUE(problem(2).contains("256 MiB")) << problem(2).toStdString();
  EXPECT_EQ(m_imported.count(), 0);
}

TEST_F(ConversationFilesTest, a_text_is_saved_and_a_conversation_comes_back_and_is_opened) {
  m_files.saveText(at("notes.txt"), QString::fromUtf8("\u00e9"));
  ChatTree tree;
  tree.append({}, Role::User, "whales", 5);
  QFile exported(at("a.json"));
  ASSERT_TRUE(exported.open(QIODevice::WriteOnly));
  exported.write(conversationAsJson({"a", "Whales", {}, 0, 0}, tree));
  exported.close();
  m_files.import(exported.fileName());
  ASSERT_TRUE(waitFor([&] { return m_imported.count() == 1; }));
  EXPECT_EQ(m_sessions.current().head().title, "Whales");
  QFile saved(at("notes.txt"));
  ASSERT_TRUE(waitFor([&] { return saved.exists(); }));
  ASSERT_TRUE(saved.open(QIODevice::ReadOnly));
  EXPECT_EQ(saved.readAll(), "\u00e9");
  EXPECT_EQ(m_problems.count(), 0);
}

}  // namespace
}  // namespace headroom::ui
