// The window is written anew in another language while it stands: nothing doubles, and what it showed is shown.
#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QPushButton>
#include <QSpinBox>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>

#include "tests/ui/main_window/window_fixture.h"
#include "ui/language/text_language.h"
#include "ui/main_window/window_menus.h"
#include "ui/message/message_bar.h"

namespace headroom::ui {
namespace {

class WriteAnew : public WindowFixture {
 protected:
  void speak(Language language) {
    m_language.set(language);
    m_window->writeAnew();
  }
  TextLanguage m_language;
};

TEST_F(WriteAnew, has_one_of_each_and_its_words_are_german) {
  dropAndWait(kLarge);
  for (int i = 0; i < 20; ++i) speak(i % 2 == 0 ? Language::English : Language::German);
  EXPECT_EQ(m_window->findChildren<QMenuBar*>().size(), 1);
  EXPECT_EQ(m_window->findChildren<QStatusBar*>().size(), 1);
  EXPECT_EQ(m_window->findChildren<QToolBar*>().size(), 1);
  EXPECT_EQ(m_window->findChildren<QDockWidget*>().size(), 2);
  EXPECT_EQ(m_window->findChildren<QAction*>("actionLibrary").size(), 1);
  EXPECT_EQ(find<QAction>("actionClose")->text(), WindowMenus::tr("&Close model"));
  EXPECT_NE(find<QAction>("actionClose")->text(), "&Close model");
  EXPECT_TRUE(find<QAction>("actionClose")->isEnabled()) << "a model is open";
  EXPECT_EQ(find<QLabel>("modelName")->text(), QString::fromStdString(m_models[kLarge].name));
  EXPECT_EQ(find<QSpinBox>("contextSpin")->text(), m_window->locale().toString(find<QSpinBox>("contextSpin")->value()));
  EXPECT_EQ(m_window->locale().language(), QLocale::German);
  const std::size_t nLoads = m_engine.loads.size();
  find<QPushButton>("loadButton")->click();
  EXPECT_EQ(m_engine.loads.size(), nLoads + 1) << "a press is heard once";
}

TEST_F(WriteAnew, what_was_measured_stays_in_the_chart_and_in_the_status_line) {
  dropAndWait(kLarge);
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kLarge]));
  MemoryReading reading = readingWith(*m_engine.loads.back().plan, 2048, 1'700'000'000'000);
  reading.grown = {.n_arenas = 1, .driver = 12'345, .heap = 12'345'678};
  emit m_engine.memoryRead(reading);
  const QByteArray before = m_window->chartBytes(QStringLiteral("csv"))();
  ASSERT_GT(before.count('\n'), 1);
  speak(Language::German);
  EXPECT_EQ(m_window->chartBytes(QStringLiteral("csv"))().count('\n'), before.count('\n')) << "its history is kept";
  bool isToldInGerman = false;
  for (const QLabel* label : m_window->findChildren<QLabel*>())
    isToldInGerman = isToldInGerman || label->text().contains("11,8 MiB");
  EXPECT_TRUE(isToldInGerman);
}

TEST_F(WriteAnew, goes_on_with_a_load_and_keeps_messages) {
  dropAndWait(kLarge);
  find<QPushButton>("loadButton")->click();
  m_window->showMessage(Tone::Warning, Sentence::plain("First."), Sentence::plain("Why."));
  m_window->showMessage(Tone::Bad, Sentence::plain("Second."));
  speak(Language::German);
  EXPECT_TRUE(find<QPushButton>("cancelButton")->isVisible());
  EXPECT_EQ(find<MessageBar>("messageBar")->count(), 2);
  EXPECT_EQ(find<QLabel>("messageText")->text(), "Second.");
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kLarge]));
  EXPECT_FALSE(find<QPushButton>("cancelButton")->isVisible());
}

TEST_F(WriteAnew, keeps_panes_as_they_were_folded_and_dragged) {
  m_window->resize(1600, 900);
  for (const bool isShown : {true, false}) {
    auto* vram = find<QDockWidget>("vramDock");
    if (vram->isVisible() != isShown) find<QToolButton>("vramButton")->click();
    m_window->resizeDocks({find<QDockWidget>("memoryDock")}, {420}, Qt::Horizontal);
    QCoreApplication::processEvents();
    const int width = find<QDockWidget>("memoryDock")->width();
    const std::optional<Panes> choice = m_settings->window().panes;
    speak(isShown ? Language::German : Language::English);
    QCoreApplication::processEvents();
    EXPECT_EQ(find<QDockWidget>("vramDock")->isVisible(), isShown);
    EXPECT_EQ(find<QDockWidget>("memoryDock")->width(), width);
    EXPECT_EQ(m_settings->window().panes, choice) << "it is no choice of the user's";
  }
}

}  // namespace
}  // namespace headroom::ui
