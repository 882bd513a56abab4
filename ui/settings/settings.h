// Everything that the program remembers between starts, beside conversations.
#pragma once

#include "ui/chat/chat_settings.h"
#include "ui/library/library_settings.h"
#include "ui/main_window/window_settings.h"
#include "ui/model/model_memory.h"
#include "ui/settings/general_settings.h"
#include "ui/theme/appearance.h"

namespace headroom::ui {

struct Settings {
  GeneralSettings general;
  AppearanceSettings appearance;
  WindowSettings window;
  ModelMemory models;
  ChatSettings chat;
  LibrarySettings library;
  bool operator==(const Settings&) const = default;
};

}  // namespace headroom::ui
