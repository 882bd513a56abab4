// The real window over an engine that answers in its own time and a real store, wired as the program wires them.
#pragma once

#include <QTemporaryDir>
#include <memory>
#include <random>

#include "app/conversation_store.h"
#include "support/async_engine_port.h"
#include "tests/app/monkey/kept_texts.h"
#include "ui/chat/chat_widget.h"
#include "ui/language/text_language.h"
#include "ui/library/model_library.h"
#include "ui/main_window/main_window.h"
#include "ui/theme/theme.h"

namespace headroom::ui {
class LibraryPage;
}

namespace headroom::test {

class MonkeyWorld {
 public:
  // `folder` outlives it and holds the conversations; "models" in it is the one folder of the library.
  MonkeyWorld(const QString& folder, std::mt19937& random, KeptTexts& kept, const ui::Settings& settings);
  ~MonkeyWorld();  // as the program ends: what was typed is on disk

  ui::MainWindow& window() { return *m_window; }
  ui::ChatWidget& chat() { return *m_chat; }
  ui::ChatSessions& sessions() { return *m_sessions; }
  ui::ModelController& models() { return *m_models; }
  ui::SettingsModel& settings() { return m_settings; }
  AsyncEnginePort& engine() { return m_engine; }
  ui::ConversationPort& store() { return m_store; }

  void showSettings();
  // A step of the engine, its events and those of the window. False: there was nothing to do.
  bool step();
  // Until engine, store and background threads have nothing to do any more. False: they never came to an end.
  bool settle();
  // Files that can be opened as models, of which the last cannot.
  static QStringList modelPaths();

 private:
  void showChat();
  void followLanguage();

  std::mt19937& m_random;
  ui::SettingsModel m_settings;
  ui::TextLanguage m_language;
  ui::Theme m_theme;
  AsyncEnginePort m_engine{m_random};
  app::ConversationStore m_keeper;
  WatchedStore m_store{m_keeper};
  std::unique_ptr<ui::ModelController> m_models;
  std::unique_ptr<ui::ModelLibrary> m_library;
  std::unique_ptr<ui::ChatSessions> m_sessions;
  std::unique_ptr<ui::MainWindow> m_window;
  ui::ChatWidget* m_chat = nullptr;          // of the window
  ui::LibraryPage* m_libraryPage = nullptr;  // likewise
  QString m_folder;
};

}  // namespace headroom::test
