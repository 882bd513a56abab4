#include "ui/settings/settings_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QStackedWidget>

#include "ui/language/text_language.h"
#include "ui/main_window/window_fixture.h"

namespace headroom::ui {
namespace {

class SettingsDialogTest : public WindowFixture {
 protected:
  void SetUp() override {
    WindowFixture::SetUp();
    m_dialog = new SettingsDialog(*m_settings, *m_controller, "/data/headroom", m_window.get());
    m_dialog->show();
    m_dialog->activateWindow();
    m_names = m_dialog->findChild<QListWidget*>("settingsPages");
  }
  SettingsDialog* m_dialog = nullptr;
  QListWidget* m_names = nullptr;
};

TEST_F(SettingsDialogTest, by_keyboard_alone_each_page_is_reached_and_its_first_control) {
  m_names->setFocus();
  auto* pages = m_dialog->findChild<QStackedWidget*>();
  ASSERT_EQ(pages->count(), m_names->count());
  for (int row = 0; row < m_names->count(); ++row) {
    EXPECT_EQ(pages->currentIndex(), row);
    m_names->setFocus();
    QTest::keyClick(m_names, Qt::Key_Tab);
    EXPECT_TRUE(pages->currentWidget()->isAncestorOf(m_dialog->focusWidget()))
        << row << ' ' << m_dialog->focusWidget()->metaObject()->className();
    m_names->setFocus();
    QTest::keyClick(m_names, Qt::Key_Down);
  }
}

TEST_F(SettingsDialogTest, what_is_changed_holds_at_once_and_escape_only_closes) {
  m_dialog->findChild<QCheckBox*>("loadsLast")->click();
  m_dialog->findChild<QCheckBox*>("highContrast")->click();
  EXPECT_FALSE(m_settings->general().loadsLast);
  EXPECT_TRUE(m_theme.appearance().highContrast);
  QTest::keyClick(m_dialog, Qt::Key_Escape);
  EXPECT_FALSE(m_dialog->isVisible());
  EXPECT_FALSE(m_settings->general().loadsLast);
}

TEST_F(SettingsDialogTest, in_another_language_its_page_stays_and_what_has_the_keyboard) {
  m_names->setCurrentRow(1);
  m_dialog->findChild<QComboBox*>("textSize")->setFocus();
  TextLanguage german(Language::German);
  m_dialog->writeAnew();
  EXPECT_EQ(m_dialog->windowTitle(), "Einstellungen");
  m_names = m_dialog->findChild<QListWidget*>("settingsPages");
  EXPECT_EQ(m_names->currentRow(), 1);
  EXPECT_EQ(m_dialog->findChild<QStackedWidget*>()->currentIndex(), 1);
  EXPECT_EQ(m_dialog->focusWidget(), m_dialog->findChild<QComboBox*>("textSize"));
  m_dialog->findChild<QCheckBox*>("highContrast")->click();
  EXPECT_TRUE(m_settings->appearance().highContrast) << "what is built anew works";
  QSignalSpy wanted(m_dialog, &SettingsDialog::gpuCheckWanted);
  m_dialog->findChild<QPushButton*>("checkCards")->click();
  EXPECT_EQ(wanted.count(), 1);
}

TEST_F(SettingsDialogTest, a_check_of_the_cards_is_passed_on) {
  QSignalSpy wanted(m_dialog, &SettingsDialog::gpuCheckWanted);
  m_dialog->findChild<QPushButton*>("checkCards")->click();
  EXPECT_EQ(wanted.count(), 1);
}

TEST_F(SettingsDialogTest, screenshots) {
  const QDir folder(QCoreApplication::applicationDirPath() + "/../screenshots");
  ASSERT_TRUE(QDir().mkpath(folder.path()));
  for (const bool isDark : {false, true}) {
    m_theme.setChoice(isDark ? ThemeChoice::Dark : ThemeChoice::Light);
    for (int row = 0; row < m_names->count(); ++row) {
      m_names->setCurrentRow(row);
      QCoreApplication::processEvents();
      const QString path =
          folder.filePath(QStringLiteral("13-settings-%1-%2.png").arg(row).arg(isDark ? "dark" : "light"));
      ASSERT_TRUE(m_dialog->grab().save(path));
      std::printf("screenshot: %s\n", qPrintable(path));
    }
  }
}

}  // namespace
}  // namespace headroom::ui
