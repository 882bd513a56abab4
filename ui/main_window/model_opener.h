// Reads a model's header off the GUI thread.
#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <memory>

#include "ui/main_window/window_services.h"

namespace headroom::ui {

struct OpenedModel {
  QString path;
  std::shared_ptr<const ModelInfo> model;
};

// The newest call wins: the result of an older one that is still on its way is dropped.
class ModelOpener : public QObject {
  Q_OBJECT
 public:
  explicit ModelOpener(InspectModel inspect, QObject* parent = nullptr);
  ~ModelOpener() override;

  void open(const QString& path);
  bool isBusy() const { return m_watcher.isRunning(); }

 signals:
  void opened(const headroom::ui::OpenedModel& model);
  void refused(const QString& path, const QString& sentence);

 private:
  void finish();

  InspectModel m_inspect;
  QFutureWatcher<Result<ModelInfo>> m_watcher;
  QString m_path, m_next;  // m_next: asked for while another was being read
};

// Why `path` cannot even be tried (a folder, a foreign kind of file), or empty. Looks at names only.
QString whyNotOpenable(const QString& path);

}  // namespace headroom::ui
