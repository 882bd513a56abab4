#include "app/settings_store.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>

namespace headroom::app {
namespace {

TEST(SettingsStore, everything_written_is_read_again) {
  QTemporaryDir folder;
  const SettingsStore store(folder.filePath("settings.ini"));
  Settings settings;
  settings.window.theme = ui::ThemeChoice::Dark;
  settings.window.recentFiles = {"/a b.gguf", "/c,d.gguf"};
  settings.window.geometry = QByteArray("\x01\x00\xff", 3);
  settings.window.devices = {
      {"cuda:1", AtMost{3'000'000'001}}, {"RTX 3060 12GB #2", KeepFree{0}}, {"cpu", KeepFree{5 * kGiB}}};
  settings.chat.sampler.temperature = 1.3F;
  settings.chat.sampler.seed = 0xffff'ffff'ffffULL;
  settings.chat.maxTokens = 512;
  settings.chat.thinking = ThinkingChoice::kHigh;
  settings.chat.systemPrompt = "Be brief.\n\"Always\"; 100 %";
  settings.chat.presets = {{"Mine, all mine", settings.chat.sampler}, {"Other", {}}};
  settings.chat.panelVisible = true;
  ASSERT_TRUE(store.write(settings));
  EXPECT_EQ(store.read(), settings);
  settings.chat.presets.clear();
  settings.window.devices.pop_back();
  ASSERT_TRUE(store.write(settings));
  EXPECT_EQ(store.read(), settings);
}

TEST(SettingsStore, without_a_file_the_defaults_are_read) {
  EXPECT_EQ(SettingsStore("/nowhere/settings.ini").read(), Settings());
}

TEST(SettingsStore, values_that_make_no_sense_are_the_default) {
  QTemporaryDir folder;
  QFile file(folder.filePath("settings.ini"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(
      "[window]\ntheme=purple\n[chat]\nthinking=deeply\n[sampler]\ntemperature=nan\ntop_p=7\ntop_k=-4\nmin_p=words\n"
      "[devices]\nsize=3\n1\\id=\n1\\keep_free=5\n2\\id=cpu\n2\\keep_free=much\n3\\id=cuda:0\n");
  file.close();
  EXPECT_EQ(SettingsStore(file.fileName()).read(), Settings());
}

TEST(SettingsStore, settings_of_before_there_were_devices_have_none) {
  QTemporaryDir folder;
  QFile file(folder.filePath("settings.ini"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("[window]\ntheme=dark\nlast_folder=/models\n[presets]\nsize=0\n");
  file.close();
  const Settings settings = SettingsStore(file.fileName()).read();
  EXPECT_EQ(settings.window.theme, ui::ThemeChoice::Dark);
  EXPECT_TRUE(settings.window.devices.empty());
}

TEST(SettingsStore, a_place_that_cannot_be_written_is_told) {
  EXPECT_FALSE(SettingsStore("/proc/nowhere/settings.ini").write({}));
}

}  // namespace
}  // namespace headroom::app
