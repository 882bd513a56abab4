#include "app/settings_store.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>

namespace headroom::app {
namespace {

// What is read of a file with this text.
ui::Settings readOf(const QByteArray& text) {
  QTemporaryDir folder;
  QFile file(folder.filePath("settings.ini"));
  EXPECT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(text);
  file.close();
  return SettingsStore(file.fileName()).read();
}

// As another start of the program reads it: QSettings remembers what it wrote to a file.
ui::Settings readFrom(const QTemporaryDir& folder) {
  static int n = 0;
  const QString copy = folder.filePath(QStringLiteral("copy%1.ini").arg(++n));
  EXPECT_TRUE(QFile::copy(folder.filePath("settings.ini"), copy));
  return SettingsStore(copy).read();
}

TEST(SettingsStore, everything_written_is_read_again) {
  QTemporaryDir folder;
  const SettingsStore store(folder.filePath("settings.ini"));
  ui::Settings settings;
  settings.general = {false, false, ui::LanguageChoice::German, true};
  settings.appearance = {ui::ThemeChoice::Dark, 125, true, true};
  settings.window.panes = ui::Panes{false, true};
  settings.window.paneWidths = {411, 322};
  settings.models.recentFiles = {"/a b.gguf", "/c,d.gguf"};
  settings.models.loadedPath = "/a b.gguf";
  settings.models.isLoading = true;
  PlanOptions asked;
  asked.n_ctx = 32'768;
  asked.n_slots = 4;
  asked.n_batch = 512;
  asked.n_checkpoints = 0;
  asked.n_gpu_layers = 12;
  asked.n_cpu_ffn = 3;
  asked.kv_k = DType::kQ8_0;
  asked.kv_v = DType::kF8E4M3;
  settings.models.planned = {{"/c,d.gguf", asked, {{"cuda:1", KeepFree{kGiB}}, {"cpu", AtMost{3 * kGiB}}}},
                             {"/a b.gguf", {}, {}}};
  settings.window.geometry = QByteArray("\x01\x00\xff", 3);
  settings.models.devices = {
      {"cuda:1", AtMost{3'000'000'001}}, {"RTX 3060 12GB #2", KeepFree{0}}, {"cpu", KeepFree{5 * kGiB}}};
  settings.chat.answers.sampler.temperature = 1.3F;
  settings.chat.answers.sampler.seed = 0xffff'ffff'ffffULL;
  settings.chat.answers.maxTokens = 512;
  settings.chat.answers.thinking = ThinkingChoice::kHigh;
  settings.chat.systemPrompt = "Be brief.\n\"Always\"; 100 %";
  settings.chat.presets = {{"Mine, all mine", settings.chat.answers.sampler}, {"Other", {}}};
  settings.chat.answers.whenFull = ui::WhenFull::Summarise;
  settings.chat.prompts = {{"Mine", "Line 1\nLine 2; \"x\""}};
  settings.chat.panelVisible = true;
  settings.chat.listWidth = 233;
  settings.chat.panelWidth = 344;
  settings.library = {{"/models", "/m\u00e4rz 1"},   false, false, false, "/down", "https://mirror.example/x",
                      {"/before", "/long, long ago"}};
  ASSERT_TRUE(store.write(settings));
  EXPECT_EQ(readFrom(folder), settings);
  settings.chat.presets.clear();
  settings.models.devices.pop_back();
  settings.models.planned.erase(settings.models.planned.begin());
  settings.window.panes = ui::Panes{};
  settings.general.language = ui::LanguageChoice::English;
  ASSERT_TRUE(store.write(settings));
  EXPECT_EQ(readFrom(folder), settings);
}

TEST(SettingsStore, without_a_file_the_defaults_are_read) {
  EXPECT_EQ(SettingsStore("/nowhere/settings.ini").read(), ui::Settings());
}

TEST(SettingsStore, values_that_make_no_sense_are_the_default) {
  EXPECT_EQ(readOf("[program]\nlanguage=nl\n[window]\ntheme=purple\npanes=all\nmemory_width=-3\nvram_width=wide\n[chat]"
                   "\nthinking=deeply\n[sampler]"
                   "\ntemperature=nan\ntop_p=7\ntop_k=-4\nmin_p=words\n"
                   "[devices]\nsize=3\n1\\id=\n1\\keep_free=5\n2\\id=cpu\n2\\keep_free=much\n3\\id=cuda:0\n"
                   "[planned]\nsize=2\n1\\path=\n1\\context=4096\n2\\context=4096\n"),
            ui::Settings());
}

TEST(SettingsStore, an_option_of_a_model_that_makes_no_sense_is_the_default_and_the_others_stay) {
  const ui::Settings settings = readOf(
      "[planned]\nsize=1\n1\\path=/a.gguf\n1\\context=8192\n1\\slots=0\n1\\batch=many\n1\\keys=Q4_K\n1\\values=Q8_0\n"
      "1\\gpu_layers=-7\n1\\checkpoints=65\n");
  ASSERT_EQ(settings.models.planned.size(), 1U);
  PlanOptions expected;
  expected.n_ctx = 8192;
  expected.kv_v = DType::kQ8_0;
  EXPECT_EQ(settings.models.planned[0], (ui::PlannedModel{"/a.gguf", expected, {}}));
}

TEST(SettingsStore, settings_of_before_there_were_devices_have_none) {
  const ui::Settings settings = readOf("[window]\ntheme=dark\nlast_folder=/models\n[presets]\nsize=0\n");
  EXPECT_EQ(settings.appearance.theme, ui::ThemeChoice::Dark);
  EXPECT_TRUE(settings.models.devices.empty());
  EXPECT_FALSE(settings.window.panes) << "the user has chosen none";
}

TEST(SettingsStore, a_place_that_cannot_be_written_is_told) {
  EXPECT_FALSE(SettingsStore("/proc/nowhere/settings.ini").write({}));
}

}  // namespace
}  // namespace headroom::app
