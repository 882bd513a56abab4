#include "ui/settings/general_page.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QTest>

#include "ui/settings/settings_model.h"

namespace headroom::ui {
namespace {

TEST(GeneralPageTest, shows_what_is_set_sets_what_is_chosen_and_follows_others) {
  SettingsModel settings;
  GeneralPage page(settings);
  auto* last = page.findChild<QCheckBox*>("loadsLast");
  auto* language = page.findChild<QComboBox*>("languageChoice");
  auto* titles = page.findChild<QCheckBox*>("modelTitles");
  auto* keys = page.findChild<QComboBox*>("enterSends");
  EXPECT_TRUE(last->isChecked());
  EXPECT_TRUE(keys->currentText().startsWith("Enter sends"));
  EXPECT_FALSE(titles->isChecked());
  last->click();
  titles->click();
  QTest::keyClick(keys, Qt::Key_Down);
  EXPECT_EQ(language->currentText(), "As the system");
  QTest::keyClick(language, Qt::Key_Down);
  QTest::keyClick(language, Qt::Key_Down);
  EXPECT_EQ(settings.general(), (GeneralSettings{false, false, LanguageChoice::German, true}));
  EXPECT_EQ(language->currentText(), "Deutsch") << "whoever reads no other language finds his own";
  EXPECT_TRUE(keys->currentText().startsWith("Ctrl+Enter sends"));
  settings.setGeneral({});
  EXPECT_FALSE(titles->isChecked());
  EXPECT_TRUE(last->isChecked());
  EXPECT_TRUE(keys->currentText().startsWith("Enter sends"));
  EXPECT_EQ(language->currentText(), "As the system");
}

}  // namespace
}  // namespace headroom::ui
