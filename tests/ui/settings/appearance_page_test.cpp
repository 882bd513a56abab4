#include "ui/settings/appearance_page.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QTest>

#include "ui/settings/settings_model.h"

namespace headroom::ui {
namespace {

TEST(AppearancePageTest, shows_what_is_set_and_sets_what_is_chosen) {
  Settings kept;
  kept.appearance = {ThemeChoice::Dark, 150, true, true};
  SettingsModel settings(kept);
  AppearancePage page(settings);
  auto* theme = page.findChild<QComboBox*>("themeChoice");
  auto* size = page.findChild<QComboBox*>("textSize");
  auto* still = page.findChild<QCheckBox*>("reduceMotion");
  auto* contrast = page.findChild<QCheckBox*>("highContrast");
  EXPECT_EQ(theme->currentText(), "Dark");
  EXPECT_EQ(size->currentText(), "150 %");
  EXPECT_TRUE(contrast->isChecked());
  EXPECT_TRUE(still->isChecked());
  QTest::keyClick(theme, Qt::Key_Up);
  EXPECT_EQ(settings.appearance().theme, ThemeChoice::Light);
  QTest::keyClick(size, Qt::Key_Down);
  EXPECT_EQ(settings.appearance().textPercent, 175);
  contrast->click();
  still->click();
  EXPECT_EQ(settings.appearance(), (AppearanceSettings{ThemeChoice::Light, 175, false, false}));
}

TEST(AppearancePageTest, follows_what_is_changed_elsewhere) {
  SettingsModel settings;
  AppearancePage page(settings);
  settings.setAppearance({ThemeChoice::Light, 80, true, true});
  EXPECT_EQ(page.findChild<QComboBox*>("themeChoice")->currentText(), "Light");
  EXPECT_EQ(page.findChild<QComboBox*>("textSize")->currentText(), "80 %");
  EXPECT_TRUE(page.findChild<QCheckBox*>("highContrast")->isChecked());
  EXPECT_TRUE(page.findChild<QCheckBox*>("reduceMotion")->isChecked());
}

}  // namespace
}  // namespace headroom::ui
