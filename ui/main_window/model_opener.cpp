#include "ui/main_window/model_opener.h"

#include <QDir>
#include <QFileInfo>
#include <QtConcurrentRun>

namespace headroom::ui {

QString whyNotOpenable(const QString& path) {
  const QFileInfo info(path);
  const QString can =
      QObject::tr("Headroom opens GGUF files (version 2 or 3, also split ones): drop a file that ends in .gguf.");
  if (info.isDir()) {
    const bool hasSafetensors = !QDir(path).entryList({QStringLiteral("*.safetensors")}, QDir::Files).isEmpty();
    const QString what =
        hasSafetensors ? QObject::tr("The folder \u201c%1\u201d holds safetensors files, which are not yet supported.")
                       : QObject::tr("The folder \u201c%1\u201d holds no safetensors files.");
    return what.arg(info.fileName()) + QLatin1Char(' ') + can;
  }
  if (info.suffix().compare(QLatin1String("safetensors"), Qt::CaseInsensitive) == 0) {
    return QObject::tr("\u201c%1\u201d is a safetensors file, which is not yet supported.").arg(info.fileName()) +
           QLatin1Char(' ') + can;
  }
  return {};
}

ModelOpener::ModelOpener(InspectModel inspect, QObject* parent) : QObject(parent), m_inspect(std::move(inspect)) {
  connect(&m_watcher, &QFutureWatcherBase::finished, this, &ModelOpener::finish);
}

ModelOpener::~ModelOpener() { m_watcher.waitForFinished(); }

void ModelOpener::open(const QString& path) {
  if (const QString why = whyNotOpenable(path); !why.isEmpty()) {
    emit refused(path, why);
    return;
  }
  if (m_watcher.isRunning()) {
    m_next = path;
    return;
  }
  m_path = path;
  m_watcher.setFuture(QtConcurrent::run([inspect = m_inspect, path] { return inspect(path); }));
}

void ModelOpener::finish() {
  const Result<ModelInfo> result = m_watcher.result();
  const QString path = m_path;
  if (!m_next.isEmpty()) {
    open(std::exchange(m_next, QString()));
    return;
  }
  if (result.ok()) {
    emit opened({path, std::make_shared<const ModelInfo>(*result)});
  } else {
    emit refused(path, QString::fromStdString(result.error().message));
  }
}

}  // namespace headroom::ui
