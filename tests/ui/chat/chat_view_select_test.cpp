#include <QAbstractScrollArea>
#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTextBrowser>

#include "ui/chat/chat_view_fixture.h"

namespace headroom::ui {
namespace {

class ChatViewSelectTest : public ChatViewFixture {
 protected:
  void SetUp() override { QGuiApplication::clipboard()->setText("before"); }

  QString say(Role role, const QString& text) { return m_last = m_tree.append(m_last, role, text, 0); }

  // The view of the text that begins so.
  QAbstractScrollArea* view(const QString& start) {
    for (auto* prose : m_view.findChildren<QTextBrowser*>()) {
      if (prose->isVisible() && prose->toPlainText().startsWith(start)) return prose;
    }
    for (auto* code : m_view.findChildren<QPlainTextEdit*>()) {
      if (code->isVisible() && code->toPlainText().startsWith(start)) return code;
    }
    ADD_FAILURE() << "no text that begins with " << start.toStdString();
    return nullptr;
  }
  static QPoint startOf(QAbstractScrollArea* text) { return {2, text->viewport()->height() > 30 ? 12 : 8}; }
  static QPoint endOf(QAbstractScrollArea* text) {
    return {text->viewport()->width() - 2, text->viewport()->height() - 3};
  }

  void press(QAbstractScrollArea* text, QPoint at, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mousePress(text->viewport(), Qt::LeftButton, modifiers, at);
  }
  // The button stays down: the view that was pressed has the mouse, wherever the pointer is.
  void drag(QAbstractScrollArea* from, const QPoint& global) {
    QWidget* to = from->viewport();
    QMouseEvent move(QEvent::MouseMove, to->mapFromGlobal(global), global, Qt::NoButton, Qt::LeftButton, {});
    QCoreApplication::sendEvent(to, &move);
  }
  void drag(QAbstractScrollArea* from, QAbstractScrollArea* to, QPoint at) {
    drag(from, to->viewport()->mapToGlobal(at));
  }
  void release(QAbstractScrollArea* text) { QTest::mouseRelease(text->viewport(), Qt::LeftButton, {}, {}); }
  // From the beginning of a text to the end of another one.
  void select(QAbstractScrollArea* from, QAbstractScrollArea* to) {
    press(from, startOf(from));
    drag(from, to, endOf(to));
    release(from);
  }
  QString copied(QWidget* view) {
    QTest::keyClick(view, Qt::Key_C, Qt::ControlModifier);
    return QGuiApplication::clipboard()->text();
  }
  static bool isMarked(QAbstractScrollArea* text) {
    if (auto* prose = qobject_cast<QTextBrowser*>(text)) return prose->textCursor().hasSelection();
    return static_cast<QPlainTextEdit*>(text)->textCursor().hasSelection();
  }
};

TEST_F(ChatViewSelectTest, what_is_drawn_over_is_selected_downwards_and_upwards) {
  say(Role::User, "A question.");
  say(Role::Assistant,
      "Some *prose*.\n\nMore.\n\n1. one\n2. two\n\n| a | b |\n| --- | --- |\n| c | d |\n\n```cpp\nint a;\nint "
      "b;\n```\n\nThe end.");
  show();
  auto* question = view("A question");
  auto* end = view("The end");
  const QString all = "A question.\n\nSome prose.\n\nMore.\n1. one\n2. two\n\na\tb\nc\td\n\nint a;\nint b;\n\nThe end.";
  select(question, end);
  EXPECT_EQ(m_view.selectedText().toStdString(), all.toStdString());
  EXPECT_TRUE(isMarked(view("int a")));
  EXPECT_EQ(copied(question), all);
  press(end, endOf(end));
  EXPECT_EQ(m_view.selectedText(), "") << "a press elsewhere ends it";
  EXPECT_FALSE(isMarked(question) || isMarked(view("int a")));
  drag(end, view("int a"), startOf(view("int a")));
  release(end);
  EXPECT_EQ(m_view.selectedText(), "int a;\nint b;\n\nThe end.");
}

// Between the texts of two messages stand buttons and a name; the pressed row must not hear of a pointer there.
TEST_F(ChatViewSelectTest, a_pointer_that_is_drawn_slowly_and_held_still_keeps_what_it_selected) {
  say(Role::User, "A question.");
  say(Role::Assistant, "An answer.");
  show();
  auto* question = view("A question");
  auto* answer = view("An answer");
  press(question, startOf(question));
  const QPoint from = question->viewport()->mapToGlobal(startOf(question));
  const QPoint to = answer->viewport()->mapToGlobal(endOf(answer));
  for (int i = 1; i <= 20; ++i) drag(question, from + (to - from) * i / 20);
  QTest::qWait(300);  // longer than a text that scrolls by itself waits
  EXPECT_EQ(m_view.selectedText(), "A question.\n\nAn answer.");
  release(question);
  EXPECT_EQ(m_view.selectedText(), "A question.\n\nAn answer.");
}

TEST_F(ChatViewSelectTest, what_is_wholly_selected_grows_with_its_text) {
  say(Role::User, "A question.");
  const QString growing = say(Role::Assistant, "Gro");
  m_tree.find(growing)->state = TurnState::Writing;
  show();
  QTest::keyClick(&m_view, Qt::Key_A, Qt::ControlModifier);
  m_tree.find(growing)->text += "wing.";
  m_view.appendText(growing, "wing.");
  settle();
  EXPECT_EQ(m_view.selectedText(), "A question.\n\nGrowing.");
  EXPECT_TRUE(isMarked(view("Growing")));
}

TEST_F(ChatViewSelectTest, back_in_the_first_row_it_selects_by_itself_again) {
  say(Role::User, "A question.");
  say(Role::Assistant, "An answer.");
  show();
  auto* question = view("A question");
  auto* answer = view("An answer");
  press(question, startOf(question));
  drag(question, answer, endOf(answer));
  EXPECT_FALSE(m_view.selectedText().isEmpty());
  drag(question, question, endOf(question));
  EXPECT_EQ(m_view.selectedText(), "");
  EXPECT_FALSE(isMarked(answer));
  release(question);
  EXPECT_EQ(copied(question), "A question.");
}

TEST_F(ChatViewSelectTest, shift_and_a_press_go_on_to_there) {
  say(Role::User, "A question.");
  say(Role::Assistant, "An answer.");
  show();
  auto* question = view("A question");
  auto* answer = view("An answer");
  press(question, startOf(question));
  release(question);
  press(answer, endOf(answer), Qt::ShiftModifier);
  release(answer);
  EXPECT_EQ(m_view.selectedText(), "A question.\n\nAn answer.");
}

TEST_F(ChatViewSelectTest, keys_select_the_text_then_its_message_then_all) {
  say(Role::User, "A question.");
  say(Role::Assistant, "Prose.\n\n```\ncode\n```\n");
  show();
  auto* prose = view("Prose");
  const auto selectMore = [&] { QTest::keyClick(prose, Qt::Key_A, Qt::ControlModifier); };
  prose->setFocus();
  selectMore();
  EXPECT_TRUE(isMarked(prose));
  EXPECT_EQ(m_view.selectedText(), "");
  selectMore();
  EXPECT_EQ(m_view.selectedText(), "Prose.\n\ncode");
  selectMore();
  EXPECT_EQ(copied(prose), "A question.\n\nProse.\n\ncode");
}

TEST_F(ChatViewSelectTest, rows_that_were_never_seen_are_copied_too) {
  QStringList texts;
  for (int i = 0; i < 60; ++i) {
    texts << QStringLiteral("Question %1.").arg(i) << QStringLiteral("Answer %1.").arg(i);
    say(Role::User, texts[texts.size() - 2]);
    say(Role::Assistant, texts.last());
  }
  show();
  QTest::keyClick(&m_view, Qt::Key_A, Qt::ControlModifier);
  EXPECT_EQ(copied(&m_view), texts.join("\n\n"));
  settle();
  m_view.verticalScrollBar()->setValue(0);
  settle();
  EXPECT_TRUE(isMarked(view("Question 0."))) << "a row that is made later has its part";
}

TEST_F(ChatViewSelectTest, the_view_scrolls_while_the_pointer_is_beyond_its_edge) {
  for (int i = 0; i < 40; ++i) {
    say(Role::User, QStringLiteral("Question %1.").arg(i));
    say(Role::Assistant, QStringLiteral("Answer %1.").arg(i));
  }
  show();
  auto* last = view("Answer 39.");
  press(last, endOf(last));
  drag(last, m_view.viewport()->mapToGlobal(QPoint(100, -40)));
  const auto isAtStart = [&] { return m_view.verticalScrollBar()->value() == 0; };
  ASSERT_TRUE(QTest::qWaitFor(isAtStart, 60'000));
  settle();
  drag(last, m_view.viewport()->mapToGlobal(QPoint(0, -40)));
  release(last);
  const QString text = m_view.selectedText();
  EXPECT_TRUE(text.startsWith("Question 0.\n\nAnswer 0.")) << text.left(60).toStdString();
  EXPECT_TRUE(text.endsWith("Question 39.\n\nAnswer 39.")) << text.right(60).toStdString();
}

// Where the mouse was pressed is far out of sight when the text is copied, and its row has no widget any more.
TEST_F(ChatViewSelectTest, a_part_of_a_row_that_was_left_behind_is_the_same_as_before) {
  say(Role::Assistant, "First *words*.\n\nSecond paragraph\n\n- item");
  for (int i = 0; i < 60; ++i) say(Role::User, QStringLiteral("Question %1.").arg(i));
  show();
  m_view.verticalScrollBar()->setValue(0);
  settle();
  auto* first = static_cast<QTextBrowser*>(view("First"));
  QTextCursor second = first->document()->find("paragraph");
  second.setPosition(second.selectionStart());
  press(first, first->cursorRect(second).center());
  drag(first, view("Question 1."), endOf(view("Question 1.")));
  release(first);
  const QString expected = QString::fromUtf8("paragraph\n• item\n\nQuestion 0.\n\nQuestion 1.");
  EXPECT_EQ(m_view.selectedText(), expected);
  m_view.setFocus();
  const QPointer<QTextBrowser> gone(first);
  m_view.verticalScrollBar()->setValue(m_view.verticalScrollBar()->maximum());
  settle();
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  ASSERT_TRUE(gone.isNull());
  EXPECT_EQ(m_view.selectedText(), expected);
}

TEST_F(ChatViewSelectTest, what_is_found_is_marked_beside_what_is_selected) {
  say(Role::User, "A question.");
  say(Role::Assistant, "An answer.");
  show();
  auto* question = static_cast<QTextBrowser*>(view("A question"));
  select(question, view("An answer"));
  m_view.markFound("question", {}, {});
  EXPECT_EQ(question->extraSelections().size(), 1);
  EXPECT_EQ(m_view.selectedText(), "A question.\n\nAn answer.");
}

TEST_F(ChatViewSelectTest, text_that_comes_below_leaves_it_and_text_within_ends_it) {
  say(Role::User, "A question.");
  say(Role::Assistant, "An answer.");
  say(Role::User, "Another.");
  const QString growing = say(Role::Assistant, "Gro");
  m_tree.find(growing)->state = TurnState::Writing;
  show();
  const auto grow = [&](const QString& text) {
    m_tree.find(growing)->text += text;
    m_view.appendText(growing, text);
    settle();
  };
  auto* question = view("A question");
  auto* answer = view("An answer");
  select(question, answer);
  grow("wing.");
  EXPECT_EQ(m_view.selectedText(), "A question.\n\nAn answer.");
  select(question, view("Growing"));
  EXPECT_FALSE(m_view.selectedText().isEmpty());
  grow(" More.");
  EXPECT_EQ(m_view.selectedText(), "");
}

TEST_F(ChatViewSelectTest, another_path_ends_what_was_selected_in_it) {
  const QString question = say(Role::User, "A question.");
  say(Role::Assistant, "An answer.");
  show();
  auto* first = view("A question");
  select(first, view("An answer"));
  m_tree.append(question, Role::Assistant, "Another answer.", 0);
  m_view.showPath();
  settle();
  EXPECT_EQ(m_view.selectedText(), "");
  EXPECT_FALSE(isMarked(view("A question")));
}

TEST_F(ChatViewSelectTest, thoughts_are_copied_only_where_they_are_unfolded) {
  say(Role::User, "A question.");
  const QString answer = say(Role::Assistant, "An answer.");
  m_tree.find(answer)->thinking = "A thought.";
  show();
  QTest::keyClick(&m_view, Qt::Key_A, Qt::ControlModifier);
  EXPECT_EQ(m_view.selectedText(), "A question.\n\nAn answer.");
  ChatView::Place place = m_view.place();
  place.unfolded << answer;
  m_view.takeOver(place);
  settle();
  QTest::keyClick(&m_view, Qt::Key_A, Qt::ControlModifier);
  EXPECT_EQ(m_view.selectedText(), "A question.\n\nA thought.\n\nAn answer.");
}

TEST_F(ChatViewSelectTest, the_menu_of_a_text_copies_all_that_is_selected) {
  say(Role::User, "A question.");
  say(Role::Assistant, "An answer.");
  show();
  auto* question = view("A question");
  select(question, view("An answer"));
  QContextMenuEvent asked(QContextMenuEvent::Mouse, startOf(question),
                          question->viewport()->mapToGlobal(startOf(question)));
  QCoreApplication::sendEvent(question->viewport(), &asked);
  auto* menu = m_view.findChild<QMenu*>("selectionMenu");
  ASSERT_NE(menu, nullptr);
  ASSERT_EQ(menu->actions().size(), 1);
  menu->actions()[0]->trigger();
  EXPECT_EQ(QGuiApplication::clipboard()->text(), "A question.\n\nAn answer.");
}

TEST_F(ChatViewSelectTest, the_parts_of_a_long_text_are_joined_as_they_were_written) {
  QString text;
  for (int i = 0; i < 2000; ++i) text += QStringLiteral("line %1\n").arg(i);
  QString code = "```\n";
  for (int i = 0; i < 300; ++i) code += QStringLiteral("code %1\n").arg(i);
  say(Role::User, text.chopped(1));
  say(Role::Assistant, code + "```\n");
  show();
  QTest::keyClick(&m_view, Qt::Key_A, Qt::ControlModifier);
  EXPECT_EQ(m_view.selectedText(), text + "\n" + code.mid(4).chopped(1));
}

}  // namespace
}  // namespace headroom::ui
