// By keyboard alone through the window's places and every dialog, and what a screen reader is told of each stop.
#include <QAccessible>
#include <QCheckBox>
#include <QDialog>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <algorithm>

#include "tests/ui/main_window/whole_window.h"
#include "ui/chart/region_dialog.h"
#include "ui/chat/attachment_viewer.h"
#include "ui/chat/removal_question.h"
#include "ui/library/library_folders_dialog.h"
#include "ui/main_window/about.h"
#include "ui/main_window/context_question.h"
#include "ui/main_window/shortcuts_dialog.h"
#include "ui/settings/settings_dialog.h"
#include "ui/verify/verify_dialog.h"

namespace headroom::ui {
namespace {

std::string whichOne(const QWidget* widget) {
  if (widget == nullptr) return "nothing";
  return widget->metaObject()->className() + std::string(" ") + widget->objectName().toStdString();
}

// What a screen reader says of a stop: its name, what it is, and what can be done with it.
void expectTold(QWidget& widget) {
  QAccessibleInterface* told = QAccessible::queryAccessibleInterface(&widget);
  ASSERT_NE(told, nullptr) << whichOne(&widget);
  EXPECT_FALSE(told->text(QAccessible::Name).isEmpty()) << whichOne(&widget) << " has no name";
  const QAccessible::Role role = told->role();
  EXPECT_TRUE(role != QAccessible::NoRole && role != QAccessible::Client) << whichOne(&widget) << " has no role";
  EXPECT_TRUE(told->state().focusable) << whichOne(&widget);
  const bool isPressed = widget.inherits("QAbstractButton") || widget.inherits("QComboBox");
  if (isPressed) {
    ASSERT_NE(told->actionInterface(), nullptr) << whichOne(&widget);
    EXPECT_FALSE(told->actionInterface()->actionNames().isEmpty()) << whichOne(&widget);
  }
  if (widget.inherits("QLineEdit") || widget.inherits("QPlainTextEdit")) {
    EXPECT_NE(told->textInterface(), nullptr) << whichOne(&widget);
  }
  if (widget.inherits("QAbstractSpinBox") || widget.inherits("QAbstractSlider")) {
    EXPECT_NE(told->valueInterface(), nullptr) << whichOne(&widget);
  }
}

class KeyboardWalk : public WholeWindow {
 protected:
  void SetUp() override {
    WholeWindow::SetUp();
    addPlaces();
    m_window->resize(1700, 1000);
    dropAndWait(kLarge);
    find<QPushButton>("loadButton")->click();
    m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kLarge]));
    auto* edit = find<QPlainTextEdit>("messageEdit");
    edit->setPlainText(QStringLiteral("a question"));
    QTest::keyClick(edit, Qt::Key_Return);
    m_engine.sendAnswer("an answer");
    m_window->activateWindow();
    ASSERT_TRUE(waitFor([&] { return m_window->isActiveWindow(); }));
    edit->setFocus();
  }
  // What takes Tab and can be used, found by looking at all there is.
  static QList<QWidget*> controls(const QWidget& in) {
    QList<QWidget*> found;
    for (QWidget* widget : in.findChildren<QWidget*>()) {
      const bool takesTab = (widget->focusPolicy() & Qt::TabFocus) != 0 && widget->focusProxy() == nullptr;
      if (takesTab && widget->isVisible() && widget->isEnabled() && widget->window() == &in) found.append(widget);
    }
    return found;
  }
  // The stops of one round from the control that has the keyboard, which comes first.
  static QList<QWidget*> round(const QWidget& in, Qt::KeyboardModifiers modifiers) {
    QList<QWidget*> visited{in.focusWidget()};
    for (int press = 0; press < 300; ++press) {
      QTest::keyClick(in.focusWidget(), Qt::Key_Tab, modifiers);
      QWidget* now = in.focusWidget();
      if (now == visited.first()) break;
      if (now != visited.last()) visited.append(now);  // links of a text are stops within it
    }
    return visited;
  }
  // All controls once, forwards and backwards in opposite orders, each with what a screen reader needs.
  static void expectRound(const QWidget& in, const std::string& where) {
    SCOPED_TRACE(where);
    ASSERT_NE(in.focusWidget(), nullptr) << "nothing has the keyboard";
    const QList<QWidget*> all = controls(in), forward = round(in, Qt::NoModifier);
    // Of the buttons of a group one is the stop, which arrows leave.
    for (QWidget* control : all) EXPECT_EQ(forward.count(control), 1) << whichOne(control);
    EXPECT_EQ(forward.size(), all.size());
    QList<QWidget*> backward = round(in, Qt::ShiftModifier);
    std::reverse(backward.begin() + 1, backward.end());
    EXPECT_EQ(backward, forward);
    for (QWidget* control : all) expectTold(*control);
  }
  static QDialog* activeDialog() {
    (void)waitFor([] { return qobject_cast<QDialog*>(QApplication::activeWindow()) != nullptr; });
    return qobject_cast<QDialog*>(QApplication::activeWindow());
  }
  // As a window manager does when a dialog has closed.
  void backToWindow() {
    m_window->activateWindow();
    ASSERT_TRUE(waitFor([&] { return m_window->isActiveWindow(); }));
  }
  // Opens it, goes around in it, leaves it by Esc: the keyboard is where it was.
  void expectDialog(const std::string& name, const std::function<void()>& open) {
    SCOPED_TRACE(name);
    QWidget* before = find<QPlainTextEdit>("messageEdit");
    before->setFocus();
    open();
    const QPointer<QDialog> dialog = activeDialog();
    ASSERT_NE(dialog, nullptr);
    EXPECT_FALSE(dialog->windowTitle().isEmpty());
    expectRound(*dialog, name);
    QTest::keyClick(dialog->focusWidget(), Qt::Key_Escape);
    EXPECT_TRUE(dialog == nullptr || !dialog->isVisible()) << "Esc closes it";
    delete dialog;
    backToWindow();
    EXPECT_EQ(QApplication::focusWidget(), before) << whichOne(QApplication::focusWidget());
  }
};

TEST_F(KeyboardWalk, the_chat_with_its_options_and_the_library_have_a_round_each) {
  expectRound(*m_window, "chat");
  QTest::keyClick(m_window.get(), Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
  find<QPlainTextEdit>("messageEdit")->setFocus();
  expectRound(*m_window, "chat with options");
  m_window->showLibrary(true);
  ASSERT_NE(m_window->focusWidget(), nullptr);
  expectRound(*m_window, "library");
  QTest::keyClick(m_window->focusWidget(), Qt::Key_Escape);
  EXPECT_TRUE(m_chat->isVisible()) << "Esc leads back";
}

TEST_F(KeyboardWalk, every_dialog_has_a_round_closes_by_escape_and_gives_the_keyboard_back) {
  expectDialog("keyboard shortcuts", [&] { QTest::keyClick(m_window.get(), Qt::Key_F1); });
  expectDialog("about", [&] { showAbout(m_window.get()); });
  expectDialog("starter model", [&] { showAboutStarter(m_window.get()); });
  expectDialog("context", [&] { askForContext({9000, 8192, 4096}, m_window.get(), [](quint32) {}); });
  expectDialog("removal", [&] { askForRemoval({3, true}, m_window.get(), [](bool) {}); });
  expectDialog("verify", [&] { (new VerifyDialog({"a model", 4096, 1, 30.0}, m_window.get()))->open(); });
  expectDialog("folders", [&] { (new LibraryFoldersDialog(m_library, m_window.get()))->open(); });
  expectDialog("regions", [&] {
    (new RegionDialog(m_engine.loads[0].plan, Segment::Weights, std::nullopt, m_window.get()))->open();
  });
  expectDialog("attachment", [&] {
    (new AttachmentViewer({QStringLiteral("notes.txt"), QStringLiteral("a line\nof notes")}, m_window.get()))->open();
  });
  expectDialog("preset", [&] { find<QToolButton>("saveNamed")->click(); });
}

TEST_F(KeyboardWalk, each_page_of_the_settings_has_a_round) {
  auto* dialog = new SettingsDialog(*m_settings, *m_controller, "/data/headroom", m_window.get());
  dialog->open();
  ASSERT_TRUE(waitFor([&] { return dialog->isActiveWindow(); }));
  auto* names = dialog->findChild<QListWidget*>("settingsPages");
  for (int row = 0; row < names->count(); ++row) {
    names->setFocus();
    expectRound(*dialog, names->currentItem()->text().toStdString());
    QTest::keyClick(names, Qt::Key_Down);
  }
  delete dialog;
}

TEST_F(KeyboardWalk, enter_presses_the_button_that_loses_nothing) {
  bool isRemoved = false;
  askForRemoval({3, true}, m_window.get(), [&](bool) { isRemoved = true; });
  const auto enter = [&] {
    QDialog* dialog = activeDialog();
    ASSERT_NE(dialog, nullptr);
    QTest::keyClick(dialog, Qt::Key_Return);
    backToWindow();
  };
  enter();
  EXPECT_FALSE(isRemoved);
  quint32 planned = 0;
  askForContext({9000, 8192, 4096}, m_window.get(), [&](quint32 nCtx) { planned = nCtx; });
  enter();
  EXPECT_EQ(planned, 8192U) << "what the model was trained with";
  auto* verify = new VerifyDialog({"a model", 4096, 1, 30.0}, m_window.get());
  QSignalSpy started(verify, &VerifyDialog::startWanted);
  verify->open();
  enter();
  EXPECT_EQ(started.count(), 1);
  delete verify;
}

TEST_F(KeyboardWalk, a_screen_reader_hears_all_that_can_be_pressed_or_filled_in_though_it_takes_no_tab) {
  for (QWidget* widget : m_window->findChildren<QWidget*>()) {
    if (!widget->isVisible() || widget->window() != m_window.get()) continue;
    const bool isControl = widget->inherits("QAbstractButton") || widget->inherits("QLineEdit") ||
                           widget->inherits("QComboBox") || widget->inherits("QAbstractSpinBox");
    // Qt's own parts are told with what they are parts of.
    if (!isControl || widget->objectName().startsWith(QStringLiteral("qt_")) ||
        widget->parentWidget()->inherits("QComboBox"))
      continue;
    const QAccessibleInterface* told = QAccessible::queryAccessibleInterface(widget);
    ASSERT_NE(told, nullptr) << whichOne(widget);
    EXPECT_FALSE(told->text(QAccessible::Name).isEmpty()) << whichOne(widget);
  }
}

}  // namespace
}  // namespace headroom::ui
