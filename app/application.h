// The composition root of the window's program: makes everything, passes it in, wires the ends together.
#pragma once

#include <QFuture>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <memory>

#include "app/card_prover.h"
#include "app/device_speed_store.h"
#include "app/prove/verdict_store.h"
#include "app/settings_store.h"
#include "app/single_instance.h"
#include "base/result.h"
#include "run/event.h"
#include "run/load_model.h"
#include "ui/language/text_language.h"
#include "ui/settings/settings_model.h"

namespace headroom::ui {
class ChatSessions;
class ChatWidget;
class DownloadPanel;
class LibraryPage;
class MainWindow;
class ModelController;
class ModelLibrary;
class SettingsDialog;
class Theme;
}  // namespace headroom::ui

namespace headroom::app {

class ConversationStore;
class EngineBridge;
class ModelDownloads;
class Reporting;

struct ApplicationPaths {
  QString dataFolder;       // conversations and settings; made when absent
  QString starterModel;     // empty: this copy came without one
  QString deviceCatalogue;  // empty: none
  QString modelsToStart;    // the short list of models to fetch; empty: none
  std::string program;      // this one, which checks a GPU when it is started with "--prove", and reads a PDF with
                            // "--read-pdf"; empty: neither
};

// HEADROOM_DATA_DIR, else the desktop's place for application data; resources as app/resources finds them.
ApplicationPaths findPaths();

class Application : public QObject {
  Q_OBJECT
 public:
  explicit Application(ApplicationPaths paths, QObject* parent = nullptr);
  ~Application() override;  // saves the settings; waits for the conversations, and for the engine up to kEndLimit

  // Shows the window; opens the first of `modelPaths`. When there is none, what was loaded at the end of the last run
  // is loaded again, with its options; at the first start the starter model.
  void start(const QStringList& modelPaths);
  // What another start of the program asks of this one: to open these and to come to the front.
  void takeOver(const HandOver& handOver);

  ui::MainWindow& window() { return *m_window; }
  ui::ChatWidget& chat() { return *m_chat; }
  ui::ChatSessions& sessions() { return *m_sessions; }
  ui::ModelController& models() { return *m_models; }
  ui::SettingsModel& settings() { return m_settings; }
  ui::ModelLibrary& library() { return *m_library; }
  EngineBridge& engine() { return *m_engine; }
  ModelDownloads& downloads() { return *m_downloads; }
  Reporting& reporting() { return *m_reporting; }

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;  // the desktop asks to open a file

 private:
  void makeModels();
  void makeDownloads();
  void makeWindow();
  void showSettings();
  void makeSessions();
  void showChat();
  void makeReporting();
  void keepSettings();
  void makeLibrary();
  void showLibraryPage();
  void followLanguage();
  void openModels(const QStringList& paths);
  void describeModel(const QString& path);
  void saveSettings();
  void tellUnsavedSettings();
  void learnSpeeds();
  void keepMeasured(const DevicesMeasured& measured, const std::vector<DeviceInfo>& devices);
  void measureDue(std::vector<DeviceInfo> devices);
  void saveSpeeds();
  void proveCards();
  void proveAgain();
  void takeProof(const DeviceInfo& device, const ProofOfChild& proof);
  void tellFailed(const DeviceInfo& device, const ProofOfChild& proof);
  void tellPassed(const std::vector<DeviceInfo>& devices);
  void revokeProof(const Error& error);
  void learnAll(std::vector<DeviceInfo>& devices) const;

  ApplicationPaths m_paths;
  SettingsStore m_settingsStore;
  ui::SettingsModel m_settings;
  ui::TextLanguage m_language;
  bool m_wasLoading = false;  // as the settings said before they were changed last
  QTimer m_saveTimer;         // many changes in a row are written once
  QFuture<bool> m_saving;
  bool m_isUnsavedTold = false;
  DeviceSpeedStore m_speeds;
  QTimer m_idleTimer;  // since the engine last told of work
  QFuture<void> m_savingSpeeds;
  Message m_problem;  // with the devices, told once there is a window
  std::filesystem::path m_verdictFile;
  VerdictStore m_verdicts;
  std::unique_ptr<CardProver> m_prover;
  std::vector<DeviceInfo> m_justPassed;  // told about once they are measured
  std::unique_ptr<ui::Theme> m_theme;
  std::unique_ptr<EngineBridge> m_engine;
  std::unique_ptr<ConversationStore> m_conversations;
  std::unique_ptr<ui::ChatSessions> m_sessions;
  std::unique_ptr<ui::ModelController> m_models;
  std::unique_ptr<ui::ModelLibrary> m_library;
  std::unique_ptr<ModelDownloads> m_downloads;
  std::unique_ptr<ui::MainWindow> m_window;
  ui::ChatWidget* m_chat = nullptr;  // of the window, as the two below
  ui::LibraryPage* m_libraryPage = nullptr;
  ui::DownloadPanel* m_downloadPanel = nullptr;
  QPointer<ui::SettingsDialog> m_settingsDialog;
  std::unique_ptr<Reporting> m_reporting;
};

}  // namespace headroom::app
