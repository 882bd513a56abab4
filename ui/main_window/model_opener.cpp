#include "ui/main_window/model_opener.h"

#include <QDir>
#include <QFileInfo>
#include <QtConcurrentRun>
#include <utility>

namespace headroom::ui {

namespace {

constexpr int kMostReading = 16;  // on disks that hang, which cost a thread and no processor

}  // namespace

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
  m_pool.setMaxThreadCount(kMostReading);
  connect(&m_watcher, &QFutureWatcherBase::finished, this, &ModelOpener::finish);
}

ModelOpener::~ModelOpener() { m_pool.waitForDone(); }

void ModelOpener::open(const QString& path, AfterOpen then) {
  m_reading = Reading{path, then};
  m_watcher.setFuture(QtConcurrent::run(&m_pool, [inspect = m_inspect, path]() -> Result<ModelInfo> {
    const QString why = whyNotOpenable(path);
    return why.isEmpty() ? inspect(path) : Error{ErrorCode::kUnsupported, why.toStdString()};
  }));
}

void ModelOpener::cancel() { m_reading.reset(); }

void ModelOpener::finish() {
  if (!m_reading) return;
  const Reading reading = *std::exchange(m_reading, std::nullopt);
  const Result<ModelInfo> result = m_watcher.result();
  if (result.ok()) {
    emit opened({reading.path, std::make_shared<const ModelInfo>(*result), reading.then});
  } else {
    emit refused(reading.path, QString::fromStdString(result.error().message));
  }
}

}  // namespace headroom::ui
