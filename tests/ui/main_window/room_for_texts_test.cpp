// Every text has its room: in each pane and dialog, in both languages, on small screens and in large letters.
#include <QDialog>
#include <QListWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>

#include "support/cut_texts.h"
#include "support/fake_conversation_port.h"
#include "tests/ui/main_window/window_fixture.h"
#include "ui/chat/chat_widget.h"
#include "ui/language/text_language.h"
#include "ui/library/library_page.h"
#include "ui/main_window/about.h"
#include "ui/main_window/pane_layout.h"
#include "ui/settings/settings_dialog.h"
#include "ui/verify/verify_dialog.h"

namespace headroom::ui {
namespace {

struct Screen {
  Language language;
  QSize size;
  int textPercent;
};

std::string nameOf(const Screen& screen) {
  return std::string(screen.language == Language::German ? "German" : "English") + std::to_string(screen.size.width()) +
         "At" + std::to_string(screen.textPercent);
}

class RoomForTexts : public WindowFixture, public testing::WithParamInterface<Screen> {
 protected:
  void SetUp() override {
    m_gpus = {presentGpu("RTX 4070", 12 * kGiB)};
    WindowFixture::SetUp();
    AppearanceSettings appearance;
    appearance.textPercent = GetParam().textPercent;
    m_settings->setAppearance(appearance);
    m_window->setLibraryPage(new LibraryPage(m_theme, m_library));
    m_chat = new ChatWidget(m_sessions, m_store, m_theme);
    m_window->setChatWidget(m_chat);
    m_window->resize(GetParam().size);
    dropAndWait(kLarge);
  }
  void TearDown() override {
    m_window.reset();
    m_theme.setAppearance({});
    WindowFixture::TearDown();
  }
  void expectRoom(const QWidget& window, const std::string& where) {
    QTest::qWait(50);  // for layouts that wait for a pass of the event loop
    for (const QString& text : test::cut_texts(window)) ADD_FAILURE() << where << ": " << text.toStdString();
  }

  const TextLanguage m_language{GetParam().language};
  test::FakeConversationPort m_store;
  SettingsModel m_chatSettings;
  ModelLibrary m_library{{}, libraryPlaces({}), {}};
  ChatSessions m_sessions{m_engine, m_store, m_chatSettings};
  ChatWidget* m_chat = nullptr;
};

TEST_P(RoomForTexts, in_the_window_and_each_of_its_panes) {
  expectRoom(*m_window, "a plan");
  for (const char* pane : {"memoryDock", "vramDock"}) {
    if (!find<QWidget>(pane)->isVisible()) continue;
    find<QWidget>(pane)->raise();
    expectRoom(*m_window, pane);
  }
  auto* tables = find<QTabWidget>("planTabs");
  for (int tab = 0; tab < tables->count(); ++tab) {
    tables->setCurrentIndex(tab);
    expectRoom(*m_window, "tab of the plan");
  }
  for (const char* side : {"toggleConversations", "toggleChatSettings"}) {
    find<QToolButton>(side)->click();
    expectRoom(*m_window, side);
    find<QToolButton>(side)->click();
  }
  find<QPushButton>("loadButton")->click();
  expectRoom(*m_window, "while it loads");
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kLarge]));
  expectRoom(*m_window, "loaded");
  m_window->showMessage(Tone::Bad, Sentence::plain("A sentence."), Sentence::plain("More of it."));
  m_window->showLibrary(true);
  expectRoom(*m_window, "library");
}

TEST_P(RoomForTexts, in_each_dialog) {
  auto* settings = new SettingsDialog(*m_settings, *m_controller, QStringLiteral("/data"), m_window.get());
  settings->show();
  auto* pages = settings->findChild<QListWidget*>("settingsPages");
  for (int page = 0; page < pages->count(); ++page) {
    pages->setCurrentRow(page);
    expectRoom(*settings, "settings, " + pages->item(page)->text().toStdString());
    EXPECT_LE(pages->sizeHintForColumn(0), pages->viewport()->width()) << "names of the pages";
  }
  delete settings;
  auto* verify = new VerifyDialog({QStringLiteral("Llama 3"), 4096, 2, 60.0}, m_window.get());
  verify->open();
  expectRoom(*verify, "verify");
  verify->showProgress({});
  expectRoom(*verify, "verify, running");
  delete verify;
  showAbout(m_window.get());
  showAboutStarter(m_window.get());
  find<QToolButton>("saveNamed")->click();
  m_window->showLibrary(true);
  find<QPushButton>("libraryFolders")->click();
  int nDialogs = 0;
  for (const QDialog* dialog : m_window->findChildren<QDialog*>()) {
    if (!dialog->isVisible()) continue;
    ++nDialogs;
    expectRoom(*dialog, "dialog " + dialog->windowTitle().toStdString());
  }
  EXPECT_EQ(nDialogs, 4) << "about, the starter model, the name of a prompt, folders";
}

INSTANTIATE_TEST_SUITE_P(
    Screens, RoomForTexts,
    testing::Values(Screen{Language::English, {1280, 800}, 100}, Screen{Language::German, {1280, 800}, 100},
                    Screen{Language::English, {1366, 768}, 100}, Screen{Language::German, {1366, 768}, 100},
                    Screen{Language::English, {1366, 768}, 200}, Screen{Language::German, {1366, 768}, 200}),
    [](const auto& tested) { return nameOf(tested.param); });

}  // namespace
}  // namespace headroom::ui
