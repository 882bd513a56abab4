#include "ui/chat/chat_widget.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "ui/chat/chat_view.h"
#include "ui/chat/chat_widget_fixture.h"
#include "ui/chat/context_gauge.h"
#include "ui/chat/conversation_list_model.h"
#include "ui/theme/elided_label.h"

namespace headroom::ui {
namespace {

// As the starter model might answer.
const char* const kAnswer =
    "The **KV cache** keeps the keys and values of every token that the model has read, so that they are never "
    "computed twice.\n\n"
    "For one request it takes:\n\n"
    "1. two tensors, `K` and `V`, per layer\n"
    "2. `n_kv_heads x head_dim` elements per token in each\n"
    "3. two bytes per element as F16, about one as Q8\n\n"
    "| Context | F16 | Q8 |\n|---|--:|--:|\n| 4,096 | 512 MiB | 272 MiB |\n| 32,768 | 4.00 GiB | 2.13 GiB |\n\n"
    "The same as code:\n\n"
    "```cpp\n// Bytes of K (or of V) per position, all KV heads.\nBytes kv_row_bytes(const LayerSpec& layer, DType "
    "dtype) {\n"
    "  const auto blocks = layer.kv_dim() / info(dtype).block_elems;\n  return blocks * info(dtype).block_bytes;  // "
    "never n_heads\n}\n```\n\n"
    "> Windows make it smaller: a layer that sees only the newest 4,096 positions keeps no more than those.\n\n"
    "See [the formula view](https://example.org) in the Memory dock for each number.";

TEST_F(ChatWidgetTest, enter_sends_and_shift_enter_breaks_the_line) {
  auto* edit = find<QPlainTextEdit>("messageEdit");
  QTest::keyClicks(edit, "one");
  QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
  EXPECT_TRUE(m_engine.generates.empty());
  type("two");
  ASSERT_EQ(m_engine.generates.size(), 1U);
  EXPECT_EQ(m_engine.generates[0].request.messages.back().content, "one\ntwo");
  EXPECT_EQ(edit->toPlainText(), "");
}

TEST_F(ChatWidgetTest, escape_stops_and_the_button_says_what_it_does) {
  type("q");
  auto* button = find<QPushButton>("sendButton");
  EXPECT_EQ(button->text(), "Stop");
  QTest::keyClick(find<QPlainTextEdit>("messageEdit"), Qt::Key_Escape);
  EXPECT_EQ(m_engine.stops.size(), 1U);
  emit m_engine.generationFinished(m_engine.lastId, ChatEnd::Stopped, {});
  EXPECT_EQ(button->text(), "Send");
}

TEST_F(ChatWidgetTest, code_and_messages_are_copied_as_they_were_written) {
  type("What is the KV cache?");
  answer(kAnswer);
  find<QToolButton>("copyCode")->click();
  EXPECT_TRUE(QGuiApplication::clipboard()->text().startsWith("// Bytes of K"));
  EXPECT_TRUE(QGuiApplication::clipboard()->text().endsWith("}"));
  QStringList copied;
  for (QToolButton* copy : m_widget->findChildren<QToolButton*>("copyMessage")) {
    copy->click();
    copied.append(QGuiApplication::clipboard()->text());
  }
  EXPECT_TRUE(copied.contains(QString::fromUtf8(kAnswer)));
  EXPECT_TRUE(copied.contains("What is the KV cache?"));
}

TEST_F(ChatWidgetTest, a_message_is_edited_in_the_composer_and_sent_as_a_new_version) {
  type("first");
  answer();
  find<QToolButton>("editMessage")->click();
  auto* edit = find<QPlainTextEdit>("messageEdit");
  EXPECT_EQ(edit->toPlainText(), "first");
  type(" and more");
  EXPECT_EQ(m_engine.generates.back().request.messages.back().content, "first and more");
  answer();
  EXPECT_EQ(m_widget->findChildren<QToolButton*>("versionBefore").size(), 1);
}

TEST_F(ChatWidgetTest, dropped_text_is_attached_and_a_model_goes_to_the_window) {
  QSignalSpy models(m_widget.get(), &ChatWidget::modelDropped), problems(m_widget.get(), &ChatWidget::problemFound);
  drop({QUrl::fromLocalFile(HEADROOM_SOURCE_DIR "/LICENSE"), QUrl::fromLocalFile("/models/x.gguf"),
        QUrl::fromLocalFile("/absent.txt")});
  EXPECT_EQ(models.count(), 1);
  EXPECT_FALSE(find<QPushButton>("sendButton")->isEnabled()) << "both are still being read";
  ASSERT_TRUE(waitFor([&] { return problems.count() == 1 && !isReading(); }));
  EXPECT_EQ(problems[0][0].toString(), "absent.txt is not there: it was moved or deleted.");
  type("Summarise this");
  EXPECT_NE(m_engine.generates.back().request.messages.back().content.find("File LICENSE:"), std::string::npos);
}

TEST_F(ChatWidgetTest, a_dropped_folder_goes_to_the_window_unless_a_model_came_after_it) {
  QTemporaryDir folder;
  QSignalSpy models(m_widget.get(), &ChatWidget::modelDropped);
  drop({QUrl::fromLocalFile(folder.path())});
  ASSERT_TRUE(waitFor([&] { return models.count() == 1; }));
  EXPECT_EQ(models[0][0].toString(), folder.path());
  drop({QUrl::fromLocalFile(folder.path())});
  drop({QUrl::fromLocalFile("/models/x.gguf")});
  ASSERT_TRUE(waitFor([&] { return !isReading(); }));
  EXPECT_EQ(models.last()[0].toString(), "/models/x.gguf") << "the older drop is found out to be a folder too late";
  drop({QUrl::fromLocalFile(folder.path())});
  m_widget->setOpenModel("Opened by the menu", false);
  ASSERT_TRUE(waitFor([&] { return !isReading(); }));
  EXPECT_EQ(models.count(), 2);
}

TEST_F(ChatWidgetTest, a_full_context_offers_three_ways_out) {
  QSignalSpy larger(m_widget.get(), &ChatWidget::largerContextWanted);
  for (int i = 0; i < 3; ++i) {
    type("A question");
    answer();
  }
  type("last");
  emit m_engine.promptTooLong(m_engine.lastId, 5000, 4096);
  EXPECT_TRUE(find<QWidget>("troubleBanner")->isVisible());
  find<QPushButton>("largerContext")->click();
  EXPECT_EQ(larger.count(), 1);
  EXPECT_EQ(larger[0][0].toUInt(), 7500U);
  EXPECT_TRUE(find<QPushButton>("summarise")->isVisible());
  find<QPushButton>("dropOldest")->click();
  EXPECT_FALSE(find<QWidget>("troubleBanner")->isVisible());
  EXPECT_EQ(m_engine.generates.back().request.messages.back().content, "last");
}

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

TEST_F(ChatWidgetTest, a_draft_waits_in_its_conversation) {
  auto* edit = find<QPlainTextEdit>("messageEdit");
  auto* list = find<QListView>("conversationList");
  type("First");
  answer();
  QTest::keyClicks(edit, "half a thought");
  find<QPushButton>("newConversation")->click();
  EXPECT_EQ(edit->toPlainText(), "");
  QTest::keyClicks(edit, "something new");
  emit list->activated(list->model()->index(0, 0));
  EXPECT_EQ(edit->toPlainText(), "half a thought");
  find<QPushButton>("newConversation")->click();
  EXPECT_EQ(edit->toPlainText(), "something new");
  SetUp();  // the program ends, and starts again
  edit = find<QPlainTextEdit>("messageEdit");
  EXPECT_EQ(edit->toPlainText(), "something new");
  list = find<QListView>("conversationList");
  emit list->activated(list->model()->index(0, 0));
  EXPECT_EQ(edit->toPlainText(), "half a thought");
}

TEST_F(ChatWidgetTest, an_edit_whose_message_is_hidden_by_another_version_says_so_and_shows_it_when_it_is_sent) {
  type("one");
  answer();
  const QString firstVersion = m_widget->session().tree().path().first();
  ASSERT_TRUE(waitForRowButton("editMessage"));
  rowButton("editMessage")->click();
  type("!");
  answer();
  type("two");
  answer();
  ASSERT_TRUE(waitForRowButton("editMessage"));
  rowButton("editMessage")->click();  // of the newest message
  auto* edit = find<QPlainTextEdit>("messageEdit");
  ASSERT_EQ(edit->toPlainText(), "two");
  const auto* said = find<QLabel>("editText");
  EXPECT_EQ(said->text(), "Editing your message; the version before stays.");
  m_widget->findChild<ChatView*>()->versionChosen(firstVersion);
  EXPECT_EQ(said->text(), "Editing a message that another version hides; sending shows it again.");
  type(" more");
  EXPECT_EQ(m_engine.generates.back().request.messages.back().content, "two more");
  EXPECT_EQ(m_widget->session().tree().path().size(), 4);
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
  emit m_store.notKept("The disk is a stone. Nothing that you write now is kept.");
  EXPECT_TRUE(notice->isVisible());
  EXPECT_EQ(notice->toolTip(), "The disk is a stone. Nothing that you write now is kept.");
  EXPECT_EQ(find<QLabel>("noConversations")->text(), "") << "it must not say that they are kept";
}

TEST_F(ChatWidgetTest, the_gauge_tells_share_and_numbers) {
  type("q");
  answer();
  EXPECT_EQ(find<ContextGauge>("contextGauge")->text(), "Context 37 % full · 1,516 of 4,096 tokens");
}

TEST_F(ChatWidgetTest, a_narrow_pane_shortens_the_gauge_to_its_numbers) {
  type("q");
  answer();
  const auto* gauge = find<ContextGauge>("contextGauge");
  EXPECT_EQ(gauge->textFor(1000), gauge->text());
  EXPECT_EQ(gauge->textFor(10), "1,516 / 4,096");
  const int middle = gauge->fontMetrics().horizontalAdvance(gauge->text()) - 1;
  EXPECT_EQ(gauge->textFor(middle), "37 % · 1,516 / 4,096");
}

// Counts how often a widget is painted.
class PaintCounter : public QObject {
 public:
  int count = 0;

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Paint) ++count;
    return false;
  }
};

TEST_F(ChatWidgetTest, a_suggested_question_leaves_what_is_being_written) {
  auto* edit = find<QPlainTextEdit>("messageEdit");
  edit->setPlainText("my own draft");
  find<QPushButton>("starterQuestion")->click();
  ASSERT_EQ(m_engine.generates.size(), 1U);
  EXPECT_EQ(m_engine.generates[0].request.messages.back().content, "What is the KV cache?");
  EXPECT_EQ(edit->toPlainText(), "my own draft");
}

TEST_F(ChatWidgetTest, sending_an_edit_brings_the_draft_back) {
  auto* edit = find<QPlainTextEdit>("messageEdit");
  edit->setPlainText("question");
  QTest::keyClick(edit, Qt::Key_Return);
  m_engine.sendAnswer("answer");
  edit->setPlainText("my draft");
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return rowButton("editMessage") && rowButton("editMessage")->isEnabled(); }, 60'000));
  rowButton("editMessage")->click();
  EXPECT_EQ(edit->toPlainText(), "question");
  edit->setPlainText("question, edited");
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_EQ(m_engine.generates.back().request.messages.back().content, "question, edited");
  EXPECT_EQ(edit->toPlainText(), "my draft");
}

TEST_F(ChatWidgetTest, what_was_written_stays_when_it_cannot_be_sent) {
  auto* edit = find<QPlainTextEdit>("messageEdit");
  edit->setPlainText("too early");
  m_engine.sendUnloaded();
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_EQ(edit->toPlainText(), "too early");
  EXPECT_TRUE(m_engine.generates.empty());
}

TEST_F(ChatWidgetTest, what_starts_an_answer_is_disabled_without_a_model_and_says_why) {
  auto* edit = find<QPlainTextEdit>("messageEdit");
  edit->setPlainText("question");
  QTest::keyClick(edit, Qt::Key_Return);
  m_engine.sendAnswer("half", ChatEnd::Stopped);
  for (const char* name : {"regenerate", "continueAnswer"}) {
    ASSERT_TRUE(waitForRowButton(name)) << name;
    EXPECT_TRUE(rowButton(name)->isEnabled()) << name;
  }
  m_engine.sendUnloaded();
  for (const char* name : {"regenerate", "continueAnswer"}) {
    ASSERT_TRUE(waitForRowButton(name)) << name;
    EXPECT_FALSE(rowButton(name)->isEnabled()) << name;
    EXPECT_EQ(rowButton(name)->toolTip(), "Load a model first") << name;
  }
  EXPECT_TRUE(rowButton("editMessage")->isEnabled()) << "one may write while nothing is loaded";
  m_engine.sendLoaded("Headroom starter", 4096);
  ASSERT_TRUE(waitForRowButton("regenerate"));
  rowButton("regenerate")->click();
  emit m_engine.failed(m_engine.lastId, Error{ErrorCode::kResource, "no"});
  m_engine.sendUnloaded();
  edit->setPlainText("later");
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_EQ(m_engine.generates.size(), 2U);
}

TEST_F(ChatWidgetTest, a_question_that_waits_for_a_load_says_so) {
  m_widget->setOpenModel("Other", true);
  auto* edit = find<QPlainTextEdit>("messageEdit");
  edit->setPlainText("question");
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_TRUE(find<QLabel>("chatStatus")->text().startsWith("Waiting for the model"));
  m_widget->setOpenModel("Other", false);
  EXPECT_TRUE(find<QLabel>("chatStatus")->text().startsWith("Reading"));
}

TEST_F(ChatWidgetTest, the_placeholder_is_painted_anew_when_a_model_comes_or_goes) {
  auto* edit = find<QPlainTextEdit>("messageEdit");
  EXPECT_EQ(edit->placeholderText(), "Write a message");
  PaintCounter counter;
  edit->viewport()->installEventFilter(&counter);
  edit->clearFocus();  // no blinking cursor
  settle();
  counter.count = 0;
  m_engine.sendUnloaded();
  EXPECT_EQ(edit->placeholderText(), "Load a model to chat");
  settle();
  EXPECT_GT(counter.count, 0);
  counter.count = 0;
  m_engine.sendLoaded("Headroom starter", 4096);
  settle();
  EXPECT_GT(counter.count, 0);
}

TEST_F(ChatWidgetTest, a_narrow_pane_shows_a_side_in_the_place_of_the_chat) {
  type("About memory");
  answer();
  auto* list = find<QWidget>("conversationPane");
  auto* panel = find<QWidget>("chatSettingsArea");
  auto* composer = find<QWidget>("composer");
  EXPECT_TRUE(list->isVisible());
  m_widget->resize(430, 700);
  settle();
  EXPECT_FALSE(list->isVisible());
  find<QToolButton>("toggleConversations")->click();
  EXPECT_TRUE(list->isVisible());
  EXPECT_TRUE(list->geometry().contains(composer->geometry().translated(composer->parentWidget()->pos())));
  find<QToolButton>("toggleChatSettings")->click();
  EXPECT_FALSE(list->isVisible());
  EXPECT_TRUE(panel->isVisible());
  QTest::keyClick(panel, Qt::Key_Escape);
  EXPECT_FALSE(panel->isVisible());
  find<QToolButton>("toggleConversations")->click();
  auto* rows = find<QListView>("conversationList");
  emit rows->activated(rows->model()->index(0, 0));
  EXPECT_FALSE(list->isVisible()) << "something was chosen";
  m_widget->resize(900, 700);
  settle();
  EXPECT_TRUE(list->isVisible()) << "what was chosen for a wide pane is kept";
  EXPECT_LE(list->geometry().right(), composer->parentWidget()->geometry().left());
}

TEST_F(ChatWidgetTest, where_one_side_has_room_the_one_called_last_has_it) {
  m_widget->resize(700, 700);
  settle();
  auto* list = find<QWidget>("conversationPane");
  auto* panel = find<QWidget>("chatSettingsArea");
  auto* composer = find<QWidget>("composer");
  EXPECT_TRUE(list->isVisible());
  find<QToolButton>("toggleChatSettings")->click();
  EXPECT_TRUE(panel->isVisible() && !list->isVisible());
  find<QToolButton>("toggleConversations")->click();
  EXPECT_TRUE(list->isVisible() && !panel->isVisible());
  EXPECT_LE(list->geometry().right(), composer->parentWidget()->geometry().left()) << "beside the chat, not over it";
  // The list alone would fit here: under the settings, which do not, it is not seen.
  m_widget->resize(600, 700);
  settle();
  find<QToolButton>("toggleChatSettings")->click();
  EXPECT_TRUE(panel->isVisible() && !list->isVisible());
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

TEST_F(ChatWidgetTest, figures_under_an_answer_end_in_dots_where_there_is_no_room) {
  type("q");
  answer();
  auto* note = find<ElidedLabel>("turnNote");
  EXPECT_EQ(note->shownText(), note->text());
  m_widget->resize(m_widget->minimumSizeHint());
  note->resize(60, note->height());
  EXPECT_TRUE(note->shownText().endsWith(QChar(0x2026))) << note->shownText().toStdString();
  EXPECT_TRUE(note->toolTip().startsWith(note->text()));
}

TEST_F(ChatWidgetTest, an_empty_conversation_says_what_is_open_while_nothing_is_loaded) {
  m_engine.sendUnloaded();
  EXPECT_TRUE(find<QLabel>("modelNote")->text().startsWith("Drop a .gguf file"));
  m_widget->setOpenModel("Llama 3 8B", false);
  EXPECT_TRUE(find<QLabel>("modelNote")->text().startsWith("Open, and not loaded yet"))
      << find<QLabel>("modelNote")->text().toStdString();
  m_widget->setOpenModel("Llama 3 8B", true);
  EXPECT_EQ(find<QLabel>("modelNote")->text(), QString::fromUtf8("Loading\u2026"));
  m_engine.sendLoaded("Headroom starter", 4096);
  EXPECT_TRUE(find<QLabel>("modelNote")->text().startsWith("A guide to memory"));
}

TEST_F(ChatWidgetTest, screenshots_in_both_themes) {
  for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
    m_theme.setChoice(choice);
    const QString suffix = choice == ThemeChoice::Light ? "light" : "dark";
    if (choice == ThemeChoice::Light) {
      grab("chat-welcome-" + suffix);
      type("Hello! What can you help me with?");
      answer(
          "I am a guide to memory and to this app. Ask me what a number in the Memory dock means, or which setting "
          "makes a model fit.");
      type("What is the KV cache, and how do I work out its size by hand?");
      answer(kAnswer);
    }
    grab("chat-" + suffix);
    find<QToolButton>("toggleChatSettings")->click();
    grab("chat-settings-" + suffix);
    find<QToolButton>("toggleChatSettings")->click();
    ASSERT_TRUE(waitForRowButton("editMessage"));
    rowButton("editMessage")->click();
    grab("chat-editing-" + suffix);
    QTest::keyClicks(find<QPlainTextEdit>("messageEdit"), " In GiB, please.");
    QTest::keyClick(find<QPlainTextEdit>("messageEdit"), Qt::Key_Escape);
    grab("chat-asking-" + suffix);
    find<QToolButton>("discardEdit")->click();
  }
  QString table = "| Context | F16 | Q8 |\n|---|--:|--:|\n";
  for (int i = 1; i <= 300; ++i)
    table += QStringLiteral("| %1 | %2 MiB | %3 MiB |\n").arg(i * 512).arg(i * 64).arg(i * 34);
  type("As a table, up to a large one?");
  answer(qPrintable(table + "\nThat is all of it."));
  auto* bar = find<QAbstractScrollArea>("chatView")->verticalScrollBar();
  for (int i = 0; i < 3; ++i) {  // to where the table goes on in its next segment, once all heights are known
    bar->setValue(bar->maximum() - 2700);
    settle();
  }
  grab("chat-table-dark");
  type("And for eight requests at once?");
  emit m_engine.promptTooLong(m_engine.lastId, 5000, 4096);
  drop({QUrl::fromLocalFile(HEADROOM_SOURCE_DIR "/LICENSE")});
  ASSERT_TRUE(waitFor([&] { return !isReading(); }));
  grab("chat-full-dark");
  m_widget->resize(430, 700);
  grab("chat-narrow-dark");
}

}  // namespace
}  // namespace headroom::ui
