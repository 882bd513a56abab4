#include "ui/model/model_memory.h"

#include <algorithm>
#include <utility>

namespace headroom::ui {

QStringList withRecentFile(QStringList files, const QString& path) {
  files.removeAll(path);
  files.prepend(path);
  while (files.size() > kMaxRecentFiles) files.removeLast();
  return files;
}

const PlannedModel* findPlanned(const ModelMemory& memory, const QString& path) {
  const auto at = std::ranges::find(memory.planned, path, &PlannedModel::path);
  return at == memory.planned.end() ? nullptr : &*at;
}

void rememberPlanned(ModelMemory& memory, PlannedModel model) {
  forgetPlanned(memory, model.path);
  memory.planned.insert(memory.planned.begin(), std::move(model));
  if (memory.planned.size() > kMaxPlannedModels) memory.planned.pop_back();
}

void forgetPlanned(ModelMemory& memory, const QString& path) {
  std::erase_if(memory.planned, [&path](const PlannedModel& model) { return model.path == path; });
}

}  // namespace headroom::ui
