#include "ui/model/model_opener.h"

#include <QDir>
#include <QFileInfo>
#include <utility>

#include "ui/background/background.h"

namespace headroom::ui {

Message whyNotOpenable(const QString& path) {
  const QFileInfo info(path);
  const std::string name = info.fileName().toStdString();
  const Message can =
      Message::say("Headroom opens GGUF files (version 2 or 3, also split ones): drop a file that ends in .gguf.");
  if (info.isDir()) {
    const bool hasSafetensors = !QDir(path).entryList({QStringLiteral("*.safetensors")}, QDir::Files).isEmpty();
    const Message what =
        hasSafetensors
            ? Message::say("The folder \u201c{}\u201d holds safetensors files, which are not yet supported.", name)
            : Message::say("The folder \u201c{}\u201d holds no safetensors files.", name);
    return Message::joined({what, can}, " ");
  }
  if (info.suffix().compare(QLatin1String("safetensors"), Qt::CaseInsensitive) == 0) {
    const Message what = Message::say("\u201c{}\u201d is a safetensors file, which is not yet supported.", name);
    return Message::joined({what, can}, " ");
  }
  return {};
}

ModelOpener::ModelOpener(InspectModel inspect, QObject* parent) : QObject(parent), m_inspect(std::move(inspect)) {}

void ModelOpener::open(const QString& path, AfterOpen then) {
  cancel();
  const auto read = [inspect = m_inspect, path, then]() -> Result<OpenedModel> {
    const Message why = whyNotOpenable(path);
    if (!why.empty()) return Error{ErrorCode::kUnsupported, why};
    const QDateTime changed = QFileInfo(path).lastModified();  // before the file: one that changes meanwhile is newer
    Result<ModelInfo> model = inspect(path);
    if (!model) return model.error();
    return OpenedModel{path, std::make_shared<const ModelInfo>(std::move(*model)), then, changed};
  };
  m_reading = runInBackground(readingThreads(), this, read, [this, path](const Result<OpenedModel>& result) {
    m_reading = nullptr;
    if (result.ok()) {
      emit opened(*result);
    } else {
      emit refused(path, result.error().message);
    }
  });
}

void ModelOpener::cancel() {
  if (m_reading != nullptr) std::exchange(m_reading, nullptr)->cancel();
}

}  // namespace headroom::ui
