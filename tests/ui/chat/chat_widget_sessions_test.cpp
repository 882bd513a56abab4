// The chat pane with several conversations that are answered at once.
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QPushButton>

#include "tests/ui/chat/chat_widget_fixture.h"

namespace headroom::ui {
namespace {

// With a model of as many slots as a test asks for.
class ChatWidgetSessionsTest : public ChatWidgetTest {
 protected:
  void loadWith(quint32 nSlots) { m_engine.sendLoaded("Headroom starter", 4096, {}, 0, nSlots); }
  quint64 ask(const QString& question) {
    find<QPushButton>("newConversation")->click();
    type(question);
    return m_engine.lastId;
  }
  // As the engine does when it gives an answer its slot.
  quint64 start(quint64 request) {
    emit m_engine.prefillProgressed(request, 10, 10);
    return request;
  }
  void finish(quint64 request) {
    ChatFigures figures;
    figures.contextUsed = 20;
    figures.contextLength = 4096;
    emit m_engine.generationFinished(request, ChatEnd::EndOfTurn, figures);
  }
  QModelIndex row(const QString& title) {
    const QAbstractItemModel* rows = find<QListView>("conversationList")->model();
    const QModelIndexList found = rows->match(rows->index(0, 0), Qt::DisplayRole, title, 1, Qt::MatchExactly);
    EXPECT_FALSE(found.isEmpty()) << title.toStdString();
    return found.value(0);
  }
  QString spoken(const QString& title) { return row(title).data(Qt::AccessibleTextRole).toString(); }
  void open(const QString& title) { emit find<QListView>("conversationList")->activated(row(title)); }
  QString status() { return find<QLabel>("chatStatus")->text(); }
  QString shownAnswer() {
    const ChatTree& tree = m_widget->session().tree();
    return tree.find(tree.lastId())->text;
  }
  // Opens the menu of a row, chooses an action, and says whether it was there.
  bool chooseInMenu(const QString& title, const QString& action) {
    auto* list = find<QListView>("conversationList");
    list->setCurrentIndex(row(title));
    QTest::keyClick(list, Qt::Key_Menu);
    auto* menu = m_widget->findChild<QMenu*>();
    bool isThere = false;
    for (QAction* each : menu->actions()) {
      if (each->text() != action) continue;
      isThere = true;
      each->trigger();
    }
    menu->close();
    settle();
    return isThere;
  }
};

class AnswersAtOnce : public ChatWidgetSessionsTest, public testing::WithParamInterface<int> {};

TEST_P(AnswersAtOnce, each_conversation_gets_its_own_words_whichever_is_open) {
  const int n = GetParam();
  loadWith(static_cast<quint32>(n));
  std::vector<quint64> requests;
  for (int i = 0; i < n; ++i) requests.push_back(start(ask(QStringLiteral("Question %1").arg(i))));
  for (int word = 0; word < 3; ++word) {
    for (int i = 0; i < n; ++i) {
      open(QStringLiteral("Question %1").arg((word + i) % n));
      emit m_engine.textArrived(requests[static_cast<std::size_t>(i)], QStringLiteral("w%1 of %2. ").arg(word).arg(i),
                                static_cast<quint32>(100 * (i + 1) + word));
    }
  }
  EXPECT_TRUE(m_engine.stops.empty());
  for (int i = 0; i < n; ++i) {
    const QString title = QStringLiteral("Question %1").arg(i);
    EXPECT_EQ(spoken(title), title + ", Answering");
    open(title);
    EXPECT_EQ(shownAnswer(), QStringLiteral("w0 of %1. w1 of %1. w2 of %1. ").arg(i));
    EXPECT_EQ(m_widget->session().context().used, static_cast<quint32>(100 * (i + 1) + 2)) << "of its own answer";
    EXPECT_EQ(find<QPushButton>("sendButton")->text(), "Stop");
  }
  for (const quint64 request : requests) finish(request);
  for (int i = 0; i < n; ++i) {
    const QString title = QStringLiteral("Question %1").arg(i);
    EXPECT_EQ(spoken(title), title + (i == n - 1 ? ", open" : ", Answered; not read yet"));
  }
  for (const Conversation& kept : m_store.conversations) {
    EXPECT_EQ(kept.turns.back().state, TurnState::Done);
    EXPECT_EQ(kept.turns.back().text.count("w"), 3);
  }
  open("Question 0");
  EXPECT_EQ(spoken("Question 0"), "Question 0, open");
  EXPECT_EQ(find<QPushButton>("sendButton")->text(), "Send");
}

INSTANTIATE_TEST_SUITE_P(Two, AnswersAtOnce, testing::Values(2, 4));

TEST_F(ChatWidgetSessionsTest, what_waits_for_a_slot_says_so_in_the_list_and_in_the_status_line) {
  loadWith(1);
  const quint64 first = start(ask("First"));
  ask("Second");
  const quint64 third = ask("Third");
  EXPECT_EQ(status(), "Waiting: 2 before it");
  EXPECT_EQ(spoken("Second"), "Second, Waiting: 1 before it");
  EXPECT_EQ(spoken("Third"), "Third, open, Waiting: 2 before it");
  EXPECT_TRUE(row("Third").data(Qt::ToolTipRole).toString().endsWith("Waiting: 2 before it"));
  finish(first);
  EXPECT_EQ(status(), "Waiting: 1 before it");
  EXPECT_EQ(spoken("Second"), "Second, Answering");
  ASSERT_TRUE(chooseInMenu("Second", "Stop answering"));
  emit m_engine.generationFinished(m_engine.stops.back(), ChatEnd::Stopped, {});
  EXPECT_TRUE(status().startsWith("Reading")) << status().toStdString();
  start(third);
  EXPECT_EQ(spoken("Third"), "Third, open, Answering");
}

TEST_F(ChatWidgetSessionsTest, an_answer_is_stopped_or_taken_out_of_the_queue_from_the_list) {
  loadWith(1);
  const quint64 first = start(ask("First"));
  const quint64 second = ask("Second");
  const quint64 third = ask("Third");
  find<QPushButton>("newConversation")->click();
  EXPECT_FALSE(chooseInMenu("Second", "Stop answering"));
  EXPECT_TRUE(chooseInMenu("Second", "Take out of the queue"));
  EXPECT_EQ(m_engine.stops, std::vector<quint64>{second});
  EXPECT_TRUE(m_widget->session().tree().isEmpty()) << "nothing was opened for it";
  emit m_engine.generationFinished(second, ChatEnd::Stopped, {});
  EXPECT_FALSE(chooseInMenu("Second", "Take out of the queue"));
  EXPECT_TRUE(chooseInMenu("First", "Stop answering"));
  auto* list = find<QListView>("conversationList");
  list->setCurrentIndex(row("Third"));
  list->setFocus();
  QTest::keyClick(list, Qt::Key_Escape);
  EXPECT_EQ(m_engine.stops, (std::vector<quint64>{second, first, third}));
}

TEST_F(ChatWidgetSessionsTest, escape_in_a_list_that_covers_the_chat_goes_back_and_stops_nothing) {
  loadWith(1);
  start(ask("First"));
  m_widget->resize(430, 700);
  auto* list = find<QListView>("conversationList");
  find<QToolButton>("toggleConversations")->click();
  ASSERT_TRUE(list->isVisible());
  list->setFocus();
  QTest::keyClick(list, Qt::Key_Escape);
  EXPECT_FALSE(list->isVisible());
  EXPECT_TRUE(m_engine.stops.empty());
}

TEST_F(ChatWidgetSessionsTest, a_trouble_behind_another_conversation_is_marked_and_shown_when_it_is_opened) {
  loadWith(2);
  const quint64 first = start(ask("First"));
  find<QPushButton>("newConversation")->click();
  emit m_engine.textArrived(first, "Half");
  emit m_engine.failed(first, Error{ErrorCode::kResource, Message::plain("a kernel failed")});
  EXPECT_FALSE(find<QWidget>("troubleBar")->isVisible());
  EXPECT_EQ(spoken("First"), "First, Needs your attention");
  open("First");
  EXPECT_TRUE(find<QWidget>("troubleBar")->isVisible());
  EXPECT_EQ(shownAnswer(), "Half");
}

TEST_F(ChatWidgetSessionsTest, a_conversation_that_is_deleted_while_it_answers_takes_its_mark_and_answer_with_it) {
  loadWith(2);
  const quint64 first = start(ask("First"));
  start(ask("Second"));
  auto* list = find<QListView>("conversationList");
  list->setCurrentIndex(row("First"));
  QTest::keyClick(list, Qt::Key_Delete);
  EXPECT_EQ(m_engine.stops, std::vector<quint64>{first});
  EXPECT_EQ(list->model()->rowCount(), 1);
  emit m_engine.textArrived(first, "late");
  find<QToolButton>("undoDelete")->click();
  EXPECT_EQ(spoken("First"), "First");
  EXPECT_EQ(spoken("Second"), "Second, open, Answering");
}

TEST_F(ChatWidgetSessionsTest, a_draft_and_its_files_stay_with_their_conversation_while_others_answer) {
  loadWith(2);
  start(ask("First"));
  auto* edit = find<QPlainTextEdit>("messageEdit");
  QTest::keyClicks(edit, "next");
  drop({QUrl::fromLocalFile(HEADROOM_SOURCE_DIR "/LICENSE")});
  EXPECT_TRUE(isReading());
  start(ask("Second"));
  settle();
  EXPECT_FALSE(isReading()) << "the file is not of this conversation";
  EXPECT_EQ(edit->toPlainText(), "");
  open("First");
  EXPECT_EQ(edit->toPlainText(), "next");
  settle();
  EXPECT_TRUE(m_widget->session().draft().message().files.isEmpty()) << "who leaves while it is read leaves it out";
  EXPECT_EQ(m_widget->session().activity(), Activity::Reading);
}

TEST_F(ChatWidgetSessionsTest, the_program_ends_while_several_answer_and_keeps_what_was_shown) {
  loadWith(2);
  const quint64 first = start(ask("First")), second = start(ask("Second"));
  emit m_engine.textArrived(first, "one");
  emit m_engine.textArrived(second, "two");
  SetUp();
  QStringList texts;
  for (const Conversation& kept : m_store.conversations) {
    texts.append(kept.turns.back().text);
    EXPECT_EQ(kept.turns.back().state, TurnState::Interrupted);
  }
  texts.sort();
  EXPECT_EQ(texts, (QStringList{"one", "two"}));
}

TEST_F(ChatWidgetSessionsTest, screenshots_of_marks_and_groups_in_both_themes) {
  const auto keep = [&](const char* title, int daysAgo) {
    const qint64 used = QDateTime::currentDateTime().addDays(-daysAgo).toMSecsSinceEpoch();
    m_store.saveHead({title, title, {}, used, used});
    Turn answer;
    answer.modelName = daysAgo < 5 ? "Headroom starter" : "Qwen3 4B Instruct 2507";
    m_store.saveTurn(title, answer);
  };
  keep("Birthday of a friend", 1);
  keep("What a group of layers costs on a card", 4);
  keep("Letters", 40);
  keep("Recipes", 400);
  m_store.setPinned("Recipes", true);
  loadWith(2);
  const quint64 read = start(ask("What is the KV cache, and how large does it become?"));
  const quint64 failed = start(ask("Summarise my notes"));
  find<QPushButton>("newConversation")->click();
  emit m_engine.textArrived(read, "Fine.");
  finish(read);
  emit m_engine.failed(failed, Error{ErrorCode::kResource, Message::plain("a kernel failed")});
  start(ask("A poem about memory"));
  start(ask("Translate a letter"));
  ask("Plan a week of meals");
  ask("Short");
  for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
    m_theme.setChoice(choice);
    grab(QStringLiteral("chat-marks-") + (choice == ThemeChoice::Light ? "light" : "dark"));
  }
}

}  // namespace
}  // namespace headroom::ui
