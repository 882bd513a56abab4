// The list beside the open conversation: what is chosen, deleted and brought back there.
#include <gtest/gtest.h>

#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "ui/chat/chat_widget_fixture.h"
#include "ui/chat/conversation_list_model.h"

namespace headroom::ui {
namespace {

TEST_F(ChatWidgetTest, conversations_are_listed_deleted_and_restored) {
  type("About memory");
  answer();
  auto* list = find<QListView>("conversationList");
  ASSERT_EQ(list->model()->rowCount(), 1);
  EXPECT_EQ(list->model()->index(0, 0).data().toString(), "About memory");
  QTest::keyClick(list, Qt::Key_Delete);
  EXPECT_EQ(list->model()->rowCount(), 0);
  find<QToolButton>("undoDelete")->click();
  EXPECT_EQ(list->model()->rowCount(), 1);
}

TEST_F(ChatWidgetTest, undo_opens_the_conversation_again_that_was_open_when_it_was_deleted) {
  auto* list = find<QListView>("conversationList");
  for (const char* title : {"First", "Second"}) {
    find<QPushButton>("newConversation")->click();
    type(title);
    answer();
  }
  const QString open = m_widget->session().head().id, openTitle = m_widget->session().head().title;
  QTest::keyClick(list, Qt::Key_Delete);
  EXPECT_NE(m_widget->session().head().id, open);
  QTest::keyClicks(find<QPlainTextEdit>("messageEdit"), "meanwhile");
  find<QToolButton>("undoDelete")->click();
  EXPECT_EQ(m_widget->session().head().id, open);
  EXPECT_EQ(m_widget->session().tree().path().size(), 2);
  EXPECT_EQ(list->currentIndex().data().toString(), openTitle);
  find<QPushButton>("newConversation")->click();
  EXPECT_EQ(find<QPlainTextEdit>("messageEdit")->toPlainText(), "meanwhile") << "what was written stays";
}

TEST_F(ChatWidgetTest, undo_leaves_the_open_conversation_where_another_one_was_deleted) {
  auto* list = find<QListView>("conversationList");
  for (const char* title : {"First", "Second"}) {
    find<QPushButton>("newConversation")->click();
    type(title);
    answer();
  }
  const QString open = m_widget->session().head().id;
  list->setCurrentIndex(list->model()->index(list->currentIndex().row() == 0 ? 1 : 0, 0));
  QTest::keyClick(list, Qt::Key_Delete);
  find<QToolButton>("undoDelete")->click();
  EXPECT_EQ(m_widget->session().head().id, open);
  EXPECT_EQ(list->model()->rowCount(), 2);
}

TEST_F(ChatWidgetTest, a_conversation_that_is_continued_moves_to_the_top) {
  auto* list = find<QListView>("conversationList");
  for (const char* title : {"First", "Second", "Third"}) {
    find<QPushButton>("newConversation")->click();
    type(title);
    answer();
    QTest::qWait(2);  // times are kept in milliseconds
  }
  const auto titles = [&] {
    QStringList all;
    for (int row = 0; row < list->model()->rowCount(); ++row)
      all.append(list->model()->index(row, 0).data().toString());
    return all;
  };
  EXPECT_EQ(titles(), (QStringList{"Third", "Second", "First"}));
  emit list->activated(list->model()->index(2, 0));
  EXPECT_EQ(titles(), (QStringList{"Third", "Second", "First"})) << "to look at it is no use";
  type("go on");
  EXPECT_EQ(titles(), (QStringList{"First", "Third", "Second"}));
  EXPECT_EQ(list->currentIndex().data().toString(), "First");
  m_store.list("");
  EXPECT_EQ(titles(), (QStringList{"First", "Third", "Second"})) << "as the store has them";
}

TEST_F(ChatWidgetTest, send_is_alive_after_the_conversation_of_an_edit_was_deleted) {
  type("one");
  answer();
  ASSERT_TRUE(waitForRowButton("editMessage"));
  rowButton("editMessage")->click();
  auto* list = find<QListView>("conversationList");
  QTest::keyClick(list, Qt::Key_Delete);
  EXPECT_EQ(find<QPlainTextEdit>("messageEdit")->toPlainText(), "");
  type("elsewhere");
  EXPECT_EQ(m_engine.generates.back().request.messages.back().content, "elsewhere");
  EXPECT_EQ(m_widget->session().head().title, "elsewhere");
}

TEST_F(ChatWidgetTest, each_of_several_deletions_can_be_undone_newest_first) {
  auto* list = find<QListView>("conversationList");
  for (const char* title : {"First", "Second"}) {
    find<QPushButton>("newConversation")->click();
    type(title);
    answer();
  }
  ASSERT_EQ(list->model()->rowCount(), 2);
  QStringList deleted;
  for (int i = 0; i < 2; ++i) {
    list->setCurrentIndex(list->model()->index(0, 0));
    deleted.append(list->currentIndex().data().toString());
    QTest::keyClick(list, Qt::Key_Delete);
  }
  EXPECT_EQ(list->model()->rowCount(), 0);
  EXPECT_EQ(m_store.conversations.size(), 2) << "nothing is erased while it can be undone";
  auto* undo = find<QToolButton>("undoDelete");
  undo->click();
  ASSERT_EQ(list->model()->rowCount(), 1);
  EXPECT_EQ(list->model()->index(0, 0).data().toString(), deleted[1]);
  ASSERT_TRUE(undo->isVisible());
  undo->click();
  EXPECT_EQ(list->model()->rowCount(), 2);
  EXPECT_FALSE(undo->isVisible());
}

TEST_F(ChatWidgetTest, a_late_answer_to_an_older_search_changes_nothing) {
  type("About memory");
  answer();
  auto* list = find<QListView>("conversationList");
  find<QLineEdit>("conversationSearch")->setText("memory");
  ASSERT_TRUE(QTest::qWaitFor([&] { return list->model()->rowCount() == 1; }, 60'000));
  emit m_store.listed("mem", {{{"x", "Late", "", 1, 1}}, {{"y", "Later", "", 1, 1}}});
  ASSERT_EQ(list->model()->rowCount(), 1);
  EXPECT_EQ(list->model()->index(0, 0).data().toString(), "About memory");
}

TEST_F(ChatWidgetTest, a_run_that_keeps_nothing_says_so_beside_the_conversations) {
  auto* notice = find<QLabel>("notKept");
  EXPECT_FALSE(notice->isVisible());
  emit m_store.notKept(Message::plain("The disk is a stone. Nothing that you write now is kept."));
  EXPECT_TRUE(notice->isVisible());
  EXPECT_EQ(notice->toolTip(), "The disk is a stone. Nothing that you write now is kept.");
  EXPECT_EQ(find<QLabel>("noConversations")->text(), "") << "it must not say that they are kept";
}

TEST_F(ChatWidgetTest, a_new_conversation_is_a_key_away_where_the_list_is_hidden) {
  type("About memory");
  answer();
  m_widget->resize(430, 700);
  settle();
  ASSERT_FALSE(find<QWidget>("conversationPane")->isVisible());
  QTest::keyClick(find<QPlainTextEdit>("messageEdit"), Qt::Key_N, Qt::ControlModifier);
  EXPECT_TRUE(m_widget->session().tree().isEmpty());
}

TEST_F(ChatWidgetTest, a_list_without_rows_says_why) {
  auto* empty = find<QLabel>("noConversations");
  EXPECT_TRUE(empty->isVisible());
  EXPECT_EQ(empty->text(), "What you write is kept here, on this machine.");
  type("About memory");
  answer();
  EXPECT_FALSE(empty->isVisible());
  find<QLineEdit>("conversationSearch")->setText("absent");
  ASSERT_TRUE(QTest::qWaitFor([&] { return empty->isVisible(); }, 60'000));
  EXPECT_EQ(empty->text(), "Nothing found");
}

TEST_F(ChatWidgetTest, a_conversation_is_exported_from_the_list_without_opening_it) {
  type("About memory");
  answer();
  const QString first = m_widget->session().head().id;
  find<QPushButton>("newConversation")->click();
  type("Another one");
  answer();
  auto* list = find<QListView>("conversationList");
  for (const char* suffix : {"md", "json"}) {
    for (int row = 0; row < list->model()->rowCount(); ++row) {
      const QModelIndex at = list->model()->index(row, 0);
      if (at.data(ConversationListModel::IdRole).toString() == first) list->setCurrentIndex(at);
    }
    emit list->customContextMenuRequested({});
    auto* menu = m_widget->findChild<QMenu*>();
    ASSERT_NE(menu, nullptr);
    for (QAction* action : menu->actions()) {
      if (action->text().contains(QLatin1StringView(suffix), Qt::CaseInsensitive) ||
          (action->text().contains("Markdown") && suffix[0] == 'm')) {
        action->trigger();
      }
    }
    menu->close();
    settle();
    auto* dialog = m_widget->findChild<QFileDialog*>();
    ASSERT_NE(dialog, nullptr) << suffix;
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("out.") + QLatin1StringView(suffix));
    emit dialog->fileSelected(path);
    dialog->close();
    settle();
    ASSERT_TRUE(waitFor([&] { return QFile::exists(path); }));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly)) << suffix;
    const QByteArray content = file.readAll();
    EXPECT_TRUE(content.contains("About memory")) << content.toStdString();
    EXPECT_FALSE(content.contains("Another one")) << content.toStdString();
  }
  EXPECT_EQ(m_widget->session().head().title, "Another one") << "the open one stays open";
}

}  // namespace
}  // namespace headroom::ui
