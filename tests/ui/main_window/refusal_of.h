// What the engine tells of a file that is refused, as if it stood at `path`.
#pragma once

#include <QString>

#include "engine/model/read_written.h"
#include "support/refused_models.h"

namespace headroom::test {

inline Error refusalOf(const QString& path, const GgufWriter& writer) {
  const Result<ModelInfo> model = read_written(writer);
  if (model.ok()) return {};
  const std::string file = "m.gguf";
  const std::string message = refusal(model);
  return {model.error().code, Message::plain(path.toStdString() + message.substr(file.size()))};
}

inline Error refusalOf(const QString& path, const RefusedSpec& spec) { return refusalOf(path, refused_gguf(spec)); }

}  // namespace headroom::test
