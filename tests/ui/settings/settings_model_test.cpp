#include "ui/settings/settings_model.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

namespace headroom::ui {
namespace {

TEST(SettingsModelTest, each_part_tells_of_its_own_change_and_the_whole_behind_it) {
  SettingsModel settings;
  QStringList told;
  const auto tell = [&](const char* what) { return [&told, what] { told << QLatin1String(what); }; };
  QObject::connect(&settings, &SettingsModel::generalChanged, tell("general"));
  QObject::connect(&settings, &SettingsModel::appearanceChanged, tell("appearance"));
  QObject::connect(&settings, &SettingsModel::windowChanged, tell("window"));
  QObject::connect(&settings, &SettingsModel::modelsChanged, tell("models"));
  QObject::connect(&settings, &SettingsModel::chatChanged, tell("chat"));
  QObject::connect(&settings, &SettingsModel::libraryChanged, tell("library"));
  QObject::connect(&settings, &SettingsModel::changed, tell("all"));
  settings.setGeneral({false, true});
  settings.setAppearance({ThemeChoice::Dark, 125, true});
  WindowSettings window;
  window.lastFolder = "/models";
  settings.setWindow(window);
  ModelMemory models;
  models.loadedPath = "/a.gguf";
  settings.setModels(models);
  ChatSettings chat;
  chat.systemPrompt = "Be brief.";
  settings.setChat(chat);
  LibrarySettings library;
  library.folders << "/models";
  settings.setLibrary(library);
  EXPECT_EQ(told, (QStringList{"general", "all", "appearance", "all", "window", "all", "models", "all", "chat", "all",
                               "library", "all"}));
  EXPECT_EQ(settings.appearance().textPercent, 125);
  EXPECT_EQ(settings.window().lastFolder, "/models");
  EXPECT_EQ(settings.models().loadedPath, "/a.gguf");
  EXPECT_EQ(settings.chat().systemPrompt, "Be brief.");
  EXPECT_EQ(settings.library().folders, QStringList{"/models"});
}

TEST(SettingsModelTest, what_stays_the_same_is_not_told) {
  Settings kept;
  kept.chat.answers.maxTokens = 7;
  SettingsModel settings(kept);
  QSignalSpy changed(&settings, &SettingsModel::changed);
  settings.setChat(kept.chat);
  settings.setChat(settings.chat());
  settings.setAppearance({});
  EXPECT_EQ(changed.count(), 0);
}

TEST(SettingsModelTest, a_slot_that_changes_what_it_was_told_of_ends_with_its_own) {
  SettingsModel settings;
  QObject::connect(&settings, &SettingsModel::appearanceChanged, &settings, [&] {
    AppearanceSettings appearance = settings.appearance();
    appearance.textPercent = 150;
    settings.setAppearance(appearance);
  });
  settings.setAppearance({.textPercent = 110});
  EXPECT_EQ(settings.appearance().textPercent, 150);
}

}  // namespace
}  // namespace headroom::ui
