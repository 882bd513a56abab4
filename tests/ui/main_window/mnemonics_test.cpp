// Alt and a letter lead to one place: in the window, in each of its menus and in each dialog, in every language.
#include <QDialog>
#include <QGroupBox>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>

#include "tests/ui/main_window/whole_window.h"
#include "ui/chart/region_dialog.h"
#include "ui/chart/segment_bar.h"
#include "ui/chat/chat_widget.h"
#include "ui/language/text_language.h"
#include "ui/library/library_page.h"
#include "ui/main_window/about.h"
#include "ui/settings/settings_dialog.h"
#include "ui/verify/verify_dialog.h"

namespace headroom::ui {
namespace {

// Who answers to which letter, as "object: text".
using Takers = std::map<QString, QStringList>;

void add(Takers& takers, const QObject& object, const QString& text) {
  const QString letter = QKeySequence::mnemonic(text).toString();
  if (!letter.isEmpty()) takers[letter].append(object.objectName() + QStringLiteral(": ") + text);
}

void addActions(Takers& takers, const QWidget& menu) {
  for (const QAction* action : menu.actions()) add(takers, *action, action->text());
}

// Hidden ones too: what loads hides and shows may be on screen together with anything else.
Takers takersIn(const QWidget& part) {
  Takers takers;
  for (const QWidget* widget : part.findChildren<QWidget*>()) {
    if (widget->window() != part.window()) continue;
    if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) add(takers, *button, button->text());
    if (const auto* label = qobject_cast<const QLabel*>(widget); label != nullptr && label->buddy() != nullptr)
      add(takers, *label, label->text());
    if (const auto* box = qobject_cast<const QGroupBox*>(widget)) add(takers, *box, box->title());
    if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) {
      for (int i = 0; i < tabs->count(); ++i) add(takers, *tabs, tabs->tabText(i));
    }
    if (qobject_cast<const QMenuBar*>(widget) != nullptr) addActions(takers, *widget);
  }
  return takers;
}

void expectUnique(const Takers& takers, const QString& where) {
  for (const auto& [letter, names] : takers)
    EXPECT_EQ(names.size(), 1) << where.toStdString() << ", " << letter.toStdString() << ": "
                               << names.join(" | ").toStdString();
}

class Mnemonics : public WholeWindow {
 protected:
  void fill() {
    ModelMemory memory;
    m_gpus = {presentGpu("R&D:0", 3 * kGiB), presentGpu("R&D:1", 2 * kGiB), presentGpu("R&D:2", 2 * kGiB)};
    memory.devices = {{QStringLiteral("R&D:0"), {}}, {QStringLiteral("R&D:1"), {}}};
    for (int i = 0; i < kMaxRecentFiles; ++i) memory.recentFiles.append(QStringLiteral("/m/R&D %1.gguf").arg(i));
    makeWindow({}, memory);
    addPlaces();
    m_chat->setModelNote({}, {QStringLiteral("What is R&D?"), QStringLiteral("Q&A?")});
    dropAndWait(kModel);
  }
  const QString kModel = QStringLiteral("/models/llama-3-8b.gguf");
};

class MnemonicsIn : public Mnemonics, public testing::WithParamInterface<Language> {
 protected:
  const TextLanguage m_language{GetParam()};
};

TEST_P(MnemonicsIn, are_unique_in_the_window_and_in_each_menu) {
  fill();
  const Takers takers = takersIn(*m_window);
  EXPECT_GT(takers.size(), 12U) << "the walk sees them";
  expectUnique(takers, QStringLiteral("window"));
  // Filled when it comes up.
  emit inRow<QToolButton>("hostRow", "addDevice")->menu()->aboutToShow();
  int nMenus = 0;
  for (const QMenu* menu : m_window->findChildren<QMenu*>()) {
    Takers inMenu;
    addActions(inMenu, *menu);
    expectUnique(inMenu, QStringLiteral("menu ") + menu->title());
    ++nMenus;
  }
  EXPECT_GE(nMenus, 8) << "File, Recent, View, Theme, Help, Export, devices to add and their groups";
}

TEST_P(MnemonicsIn, are_unique_in_each_dialog) {
  fill();
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kModel]));
  emit m_engine.memoryRead(readingWith(*m_engine.loads[0].plan, 2048, 1'700'000'000'000));
  emit find<SegmentBar>("nowBar")->segmentClicked(Segment::Weights);
  showAbout(m_window.get());
  showAboutStarter(m_window.get());
  find<QToolButton>("saveNamed")->click();
  find<QPushButton>("libraryFolders")->click();
  (new VerifyDialog({"a model", 4096, 1, std::nullopt}, m_window.get()))->open();
  (new SettingsDialog(*m_settings, *m_controller, QStringLiteral("/data"), m_window.get()))->show();
  int nDialogs = 0;
  for (const QDialog* dialog : m_window->findChildren<QDialog*>()) {
    ++nDialogs;
    const auto* settings = qobject_cast<const SettingsDialog*>(dialog);
    if (settings == nullptr) {
      expectUnique(takersIn(*dialog), dialog->windowTitle());
      continue;
    }
    // Its pages are never seen together.
    const auto* pages = settings->findChild<QStackedWidget*>();
    for (int page = 0; page < pages->count(); ++page)
      expectUnique(takersIn(*pages->widget(page)), QStringLiteral("settings, page %1").arg(page));
  }
  EXPECT_EQ(nDialogs, 7);
}

INSTANTIATE_TEST_SUITE_P(Languages, MnemonicsIn, testing::Values(Language::English, Language::German),
                         [](const auto& tested) { return tested.param == Language::German ? "German" : "English"; });

TEST_F(Mnemonics, alt_v_opens_the_view_menu) {
  fill();
  m_window->activateWindow();
  ASSERT_TRUE(waitFor([&] { return m_window->isActiveWindow(); }));
  find<QSpinBox>("batchSpin")->setFocus();
  QMenu* view = nullptr;
  for (QAction* action : m_window->menuBar()->actions()) {
    if (action->text() == QStringLiteral("&View")) view = action->menu();
  }
  ASSERT_NE(view, nullptr);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_V, Qt::AltModifier);
  EXPECT_TRUE(waitFor([&] { return view->isVisible(); }));
  view->close();
}

TEST_F(Mnemonics, names_from_outside_bring_none) {
  fill();
  for (const QPushButton* question : m_window->findChildren<QPushButton*>(QStringLiteral("starterQuestion")))
    EXPECT_TRUE(QKeySequence::mnemonic(question->text()).isEmpty()) << question->text().toStdString();
}

}  // namespace
}  // namespace headroom::ui
