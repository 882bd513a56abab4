#include "ui/settings/privacy_page.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>

#include "ui/settings/settings_model.h"

namespace headroom::ui {
namespace {

TEST(PrivacyPageTest, says_where_things_are_and_forgets_what_is_asked_and_nothing_else) {
  Settings kept;
  kept.models.recentFiles = {"/a.gguf", "/b.gguf"};
  kept.models.planned = {{"/a.gguf", {}, {}}};
  kept.models.loadedPath = "/a.gguf";
  SettingsModel settings(kept);
  PrivacyPage page(settings, "/data/headroom");
  EXPECT_TRUE(page.findChild<QLabel*>("dataFolder")->text().contains("/data/headroom"));
  auto* files = page.findChild<QPushButton*>("forgetFiles");
  auto* options = page.findChild<QPushButton*>("forgetOptions");
  files->click();
  EXPECT_TRUE(settings.models().recentFiles.isEmpty());
  EXPECT_EQ(settings.models().planned.size(), 1U);
  EXPECT_FALSE(files->isEnabled());
  options->click();
  EXPECT_TRUE(settings.models().planned.empty());
  EXPECT_FALSE(options->isEnabled());
  EXPECT_EQ(settings.models().loadedPath, "/a.gguf");
}

}  // namespace
}  // namespace headroom::ui
