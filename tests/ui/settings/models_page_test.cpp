#include "ui/settings/models_page.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "ui/settings/settings_model.h"

namespace headroom::ui {
namespace {

class ModelsPageTest : public testing::Test {
 protected:
  void type(const QString& text) {
    m_mirror->selectAll();
    QTest::keyClicks(m_mirror, text);
    QTest::keyClick(m_mirror, Qt::Key_Return);
  }
  SettingsModel m_settings;
  ModelsPage m_page{m_settings};
  QLineEdit* m_mirror = m_page.findChild<QLineEdit*>("hubAddress");
  QLabel* m_note = m_page.findChild<QLabel*>("hubNote");
};

TEST_F(ModelsPageTest, a_mirror_is_kept_once_it_is_an_address) {
  type("mirror");
  EXPECT_EQ(m_settings.library().hubAddress, "");
  EXPECT_TRUE(m_note->text().contains("no address of a server")) << m_note->text().toStdString();
  type("https://mirror.example/hub ");
  EXPECT_EQ(m_settings.library().hubAddress, "https://mirror.example/hub");
  EXPECT_FALSE(m_note->text().contains("no address of a server"));
  m_mirror->clear();
  QTest::keyClick(m_mirror, Qt::Key_Return);
  EXPECT_EQ(m_settings.library().hubAddress, "");
}

TEST_F(ModelsPageTest, what_is_set_elsewhere_is_shown_and_folders_are_asked_for) {
  LibrarySettings library;
  library.hubAddress = "https://other.example";
  m_settings.setLibrary(library);
  EXPECT_EQ(m_mirror->text(), "https://other.example");
  QSignalSpy wanted(&m_page, &ModelsPage::foldersWanted);
  m_page.findChild<QPushButton*>("modelFolders")->click();
  EXPECT_EQ(wanted.count(), 1);
}

}  // namespace
}  // namespace headroom::ui
