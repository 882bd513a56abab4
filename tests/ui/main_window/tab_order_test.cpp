#include "ui/main_window/tab_order.h"

#include <QtTest/qtestspontaneevent.h>
#include <QAbstractScrollArea>
#include <QAbstractSlider>
#include <QComboBox>
#include <QDockWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QToolButton>
#include <algorithm>

#include "tests/ui/main_window/whole_window.h"
#include "ui/chat/chat_view.h"

namespace headroom::ui {
namespace {

using Widgets = std::vector<QWidget*>;

std::string nameOf(const QWidget* widget) {
  if (widget == nullptr) return "nothing";
  return widget->objectName().toStdString() + " (" + widget->metaObject()->className() + ", \"" +
         widget->accessibleName().toStdString() + "\")";
}

class TabOrder : public WholeWindow {
 protected:
  void SetUp() override {
    WindowFixture::SetUp();
    addPlaces();
    m_window->resize(1700, 1000);
    dropAndWait(kLarge);
    find<QPushButton>("loadButton")->click();
    m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kLarge]));
    for (int i = 0; i < 4; ++i) {
      auto* edit = find<QPlainTextEdit>("messageEdit");
      edit->setPlainText(QStringLiteral("Question %1").arg(i));
      QTest::keyClick(edit, Qt::Key_Return);
      m_engine.sendAnswer(
          "See [this](https://example.org) and [that](https://example.org/2).\n\n```cpp\nint x;\n```\n\nThe end.");
    }
    find<QPlainTextEdit>("messageEdit")->setPlainText("a draft");
    m_window->activateWindow();
    ASSERT_TRUE(waitFor([&] { return m_window->isActiveWindow(); }));
    settle();
  }
  void settle() {
    ASSERT_TRUE(waitFor([&] { return find<ChatView>("chatView")->isLaidOut(); }));
    for (int i = 0; i < 20; ++i) QCoreApplication::processEvents();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  }
  // All that Tab should reach, found without the code under test.
  Widgets stops() const {
    Widgets found;
    for (QWidget* widget : m_window->findChildren<QWidget*>()) {
      const bool takesTab = (widget->focusPolicy() & Qt::TabFocus) != 0 && widget->focusProxy() == nullptr;
      if (takesTab && widget->isVisible() && widget->isEnabled() && widget->window() == m_window.get())
        found.push_back(widget);
    }
    return found;
  }
  // One round of Tab (Shift+Tab) from the widget that has the keyboard now, which comes last. Links of a text are
  // stops within it.
  Widgets walk(Qt::KeyboardModifiers modifiers) {
    Widgets visited;
    const QWidget* const start = QApplication::focusWidget();
    for (int press = 0; press < 500; ++press) {
      const QWidget* before = QApplication::focusWidget();
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab, modifiers);
      QWidget* now = QApplication::focusWidget();
      if (now == before) continue;
      visited.push_back(now);
      if (now == start) break;
    }
    return visited;
  }
};

TEST_F(TabOrder, tab_and_shift_tab_visit_every_widget_of_the_window_once_in_opposite_orders) {
  find<QPlainTextEdit>("messageEdit")->setFocus();
  const Widgets expected = stops(), forward = walk(Qt::NoModifier);
  EXPECT_GT(expected.size(), 40U) << "the walk sees them";
  for (QWidget* widget : expected) EXPECT_EQ(std::count(forward.begin(), forward.end(), widget), 1) << nameOf(widget);
  EXPECT_EQ(forward.size(), expected.size());
  Widgets backward = walk(Qt::ShiftModifier);
  std::rotate(backward.begin(), backward.end() - 1, backward.end());
  std::reverse(backward.begin(), backward.end());
  ASSERT_EQ(backward.size(), forward.size());
  for (std::size_t i = 0; i < forward.size(); ++i) EXPECT_EQ(nameOf(backward[i]), nameOf(forward[i])) << "stop " << i;
}

TEST_F(TabOrder, it_is_the_order_in_which_the_window_is_read) {
  const Widgets order = tabOrder(*m_window);
  const auto place = [&](const QWidget* widget) {
    return std::find(order.begin(), order.end(), widget) - order.begin();
  };
  const auto all = [&](const QWidget& part, auto&& check) {
    for (QWidget* widget : order) {
      if (part.isAncestorOf(widget)) check(place(widget));
    }
  };
  const auto firstOf = [&](const QWidget& part) {
    std::ptrdiff_t first = 1000;
    all(part, [&](std::ptrdiff_t at) { first = std::min(first, at); });
    return first;
  };
  const auto lastOf = [&](const QWidget& part) {
    std::ptrdiff_t last = -1;
    all(part, [&](std::ptrdiff_t at) { last = std::max(last, at); });
    return last;
  };
  const QWidget &memory = *find<QDockWidget>("memoryDock"), &vram = *find<QDockWidget>("vramDock"),
                &view = *find<ChatView>("chatView"), &composer = *find<QWidget>("composer"),
                &list = *find<QWidget>("conversationPane");
  EXPECT_LT(lastOf(memory), firstOf(*m_chat));
  EXPECT_LT(lastOf(list), firstOf(view));
  EXPECT_EQ(place(&view), firstOf(view)) << "it scrolls by keys, before its buttons";
  EXPECT_LT(lastOf(view), firstOf(composer));
  EXPECT_LT(lastOf(composer), firstOf(vram));
  EXPECT_GT(lastOf(view) - firstOf(view), 5) << "buttons below answers are among them";
  // Within the conversation nothing stands above what comes before it.
  int bottom = -10'000;
  for (QWidget* widget : order) {
    if (!view.isAncestorOf(widget)) continue;
    const int top = widget->mapTo(m_window.get(), QPoint()).y();
    EXPECT_GE(top, bottom - 2 * widget->height()) << nameOf(widget);
    bottom = std::max(bottom, top);
  }
}

TEST(TabOrderOfBoxes, a_box_without_a_height_has_its_place_too) {
  QWidget window;
  std::vector<QPushButton*> buttons;
  for (const QRect& place : {QRect(100, 50, 50, 20), QRect(0, 40, 0, 0), QRect(0, 55, 50, 20), QRect(0, 0, 50, 20)}) {
    buttons.push_back(new QPushButton(&window));
    buttons.back()->setGeometry(place);
  }
  EXPECT_EQ(tabOrder(window), (Widgets{buttons[3], buttons[1], buttons[2], buttons[0]}));
}

TEST_F(TabOrder, from_a_text_that_was_clicked_tab_goes_on_where_it_stands) {
  QWidget* code = nullptr;
  for (QPlainTextEdit* edit : find<ChatView>("chatView")->findChildren<QPlainTextEdit*>()) {
    if (edit->isVisible()) code = edit;
  }
  ASSERT_NE(code, nullptr);
  code->setFocus(Qt::MouseFocusReason);
  QTest::keyClick(code, Qt::Key_Tab);
  const auto* reached = qobject_cast<QToolButton*>(QApplication::focusWidget());
  ASSERT_NE(reached, nullptr) << nameOf(QApplication::focusWidget());
  EXPECT_EQ(reached->objectName(), "copyMessage") << "the buttons below that answer";
}

TEST_F(TabOrder, keys_of_the_page_move_the_conversation_wherever_in_it_the_keyboard_is) {
  auto* bar = find<ChatView>("chatView")->verticalScrollBar();
  m_window->resize(1300, 500);
  settle();
  ASSERT_GT(bar->maximum(), bar->pageStep());
  for (const char* kind : {"QPlainTextEdit", "QTextBrowser", "QToolButton"}) {
    QWidget* inside = nullptr;
    for (QWidget* widget : find<ChatView>("chatView")->findChildren<QWidget*>()) {
      if (widget->inherits(kind) && widget->isVisible() && widget->isEnabled()) inside = widget;
    }
    ASSERT_NE(inside, nullptr) << kind;
    inside->setFocus();
    const auto press = [&](Qt::Key key) {
      QTest::keyClick(inside, key);
      return bar->value();
    };
    bar->setValue(bar->maximum());
    EXPECT_LT(press(Qt::Key_PageUp), bar->maximum()) << kind;
    EXPECT_EQ(press(Qt::Key_Home), 0) << kind;
    EXPECT_GT(press(Qt::Key_PageDown), 0) << kind;
    EXPECT_EQ(press(Qt::Key_End), bar->maximum()) << kind;
    settle();
  }
}

TEST_F(TabOrder, the_wheel_changes_no_field_that_has_not_the_keyboard) {
  find<QPlainTextEdit>("messageEdit")->setFocus();
  const auto values = [this] {
    QStringList all;
    for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
      if (const auto* spin = qobject_cast<const QSpinBox*>(widget)) all << QString::number(spin->value());
      if (const auto* combo = qobject_cast<const QComboBox*>(widget)) all << QString::number(combo->currentIndex());
      const auto* slider = qobject_cast<const QAbstractSlider*>(widget);
      if (slider != nullptr && !widget->inherits("QScrollBar")) all << QString::number(slider->value());
    }
    return all;
  };
  const QStringList before = values();
  EXPECT_GT(before.size(), 10);
  for (QWidget* widget : m_window->findChildren<QWidget*>()) {
    if (!widget->isVisible() || widget->inherits("QScrollBar")) continue;
    const QPointF at = QRectF(widget->rect()).center();
    QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QSpontaneKeyEvent::setSpontaneous(&event);  // as from the desktop
    qApp->notify(widget, &event);
  }
  EXPECT_EQ(values(), before);
  for (const QWidget* widget : m_window->findChildren<QWidget*>())
    EXPECT_FALSE(widget->isVisible() && widget->focusPolicy() == Qt::WheelFocus &&
                 (widget->inherits("QAbstractSpinBox") || widget->inherits("QComboBox") || widget->inherits("QSlider")))
        << nameOf(widget) << " takes the keyboard by the wheel";
}

}  // namespace
}  // namespace headroom::ui
