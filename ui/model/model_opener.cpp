#include "ui/model/model_opener.h"

#include <QDir>
#include <QFileInfo>
#include <utility>

#include "ui/background/background.h"
#include "ui/format/message_words.h"

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

ModelOpener::ModelOpener(InspectModel inspect, QObject* parent) : QObject(parent), m_inspect(std::move(inspect)) {}

void ModelOpener::open(const QString& path, AfterOpen then) {
  cancel();
  const auto read = [inspect = m_inspect, path]() -> Result<ModelInfo> {
    const QString why = whyNotOpenable(path);
    return why.isEmpty() ? inspect(path) : Error{ErrorCode::kUnsupported, Message::plain(why.toStdString())};
  };
  m_reading = runInBackground(readingThreads(), this, read, [this, path, then](const Result<ModelInfo>& result) {
    m_reading = nullptr;
    if (result.ok()) {
      emit opened({path, std::make_shared<const ModelInfo>(*result), then});
    } else {
      const MessageInParts parts = partsOf(result.error().message);
      emit refused(path, parts.sentence, parts.details);
    }
  });
}

void ModelOpener::cancel() {
  if (m_reading != nullptr) std::exchange(m_reading, nullptr)->cancel();
}

}  // namespace headroom::ui
