// Verifying the loaded plan, and saving reports: between the window and the engine.
#pragma once

#include <QObject>
#include <QPointer>
#include <functional>
#include <optional>
#include <vector>

#include "app/report/report.h"

namespace headroom::ui {
class ChatSessions;
class MainWindow;
class ModelController;
class VerifyDialog;
}  // namespace headroom::ui

namespace headroom::app {

class EngineBridge;

// GUI thread.
class Reporting : public QObject {
  Q_OBJECT
 public:
  // Says of devices what is known of their checks and speeds; called on any thread.
  using Learned = std::function<void(std::vector<DeviceInfo>&)>;
  struct Parts {  // all of them outlive it
    EngineBridge& engine;
    ui::ModelController& models;
    ui::ChatSessions& sessions;
    ui::MainWindow& window;
    QString dataFolder;
    std::function<Learned()> learned;  // what is known now
  };
  explicit Reporting(const Parts& parts, QObject* parent = nullptr);

  // Asks, runs and shows, where a model is loaded and nothing is answered.
  void verify();
  void askForReport();  // for its file
  // A report of now, written by another thread; the window tells of it.
  void saveReport(const QString& path);

  bool canVerify() const;

 private:
  void connectEngine();
  ReportInputs collect() const;

  Parts m_parts;
  QPointer<ui::VerifyDialog> m_dialog;
  quint64 m_request = 0;  // that is verifying; 0: none
  struct Found {
    std::shared_ptr<const MemoryPlan> plan;  // the one that was loaded
    Verification verification;
  };
  std::optional<Found> m_found;
};

}  // namespace headroom::app
