// Reads a model's header off the GUI thread.
#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <QThreadPool>
#include <memory>
#include <optional>

#include "ui/main_window/window_services.h"

namespace headroom::ui {

enum class AfterOpen { ShowPlan, Load };  // what the user wants once a header is read

struct OpenedModel {
  QString path;
  std::shared_ptr<const ModelInfo> model;
  AfterOpen then = AfterOpen::ShowPlan;
};

// The newest call wins and does not wait for an older one, whose file may be on a disk that hangs; what comes of that
// one is dropped.
class ModelOpener : public QObject {
  Q_OBJECT
 public:
  explicit ModelOpener(InspectModel inspect, QObject* parent = nullptr);
  ~ModelOpener() override;  // waits for what is being read

  void open(const QString& path, AfterOpen then);
  void cancel();
  bool isBusy() const { return m_reading.has_value(); }

 signals:
  void opened(const headroom::ui::OpenedModel& model);
  void refused(const QString& path, const QString& sentence);

 private:
  struct Reading {
    QString path;
    AfterOpen then = AfterOpen::ShowPlan;
  };
  void finish();

  InspectModel m_inspect;
  QThreadPool m_pool;
  QFutureWatcher<Result<ModelInfo>> m_watcher;
  std::optional<Reading> m_reading;  // what is waited for
};

// Why `path` cannot even be tried (a folder, a foreign kind of file), or empty. Reads a folder's names: not for the GUI
// thread.
QString whyNotOpenable(const QString& path);

}  // namespace headroom::ui
