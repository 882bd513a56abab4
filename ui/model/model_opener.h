// Reads a model's header off the GUI thread.
#pragma once

#include <QDateTime>
#include <QObject>
#include <memory>

#include "ui/model/model_services.h"

class QFutureWatcherBase;

namespace headroom::ui {

// What is wanted once a header is read. `Restore`: what was loaded when the program ended is to come back.
enum class AfterOpen { ShowPlan, Load, Restore };

struct OpenedModel {
  QString path;
  std::shared_ptr<const ModelInfo> model;
  AfterOpen then = AfterOpen::ShowPlan;
  QDateTime changed{};  // when the file was written last, the first one of several
};

// The newest call wins and does not wait for an older one, whose file may be on a disk that hangs; what comes of that
// one is dropped. `inspect` may still run when this object is gone.
class ModelOpener : public QObject {
  Q_OBJECT
 public:
  explicit ModelOpener(InspectModel inspect, QObject* parent = nullptr);

  void open(const QString& path, AfterOpen then);
  void cancel();
  bool isBusy() const { return m_reading != nullptr; }

 signals:
  void opened(const headroom::ui::OpenedModel& model);
  void refused(const QString& path, const headroom::Message& why);  // perhaps with details: partsOf()

 private:
  InspectModel m_inspect;
  QFutureWatcherBase* m_reading = nullptr;  // what is waited for; deletes itself
};

// Why `path` cannot even be tried (a folder, a foreign kind of file), or no words. Reads a folder's names: not for the
// GUI thread.
Message whyNotOpenable(const QString& path);

}  // namespace headroom::ui
