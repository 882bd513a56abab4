// What the program remembers of models between starts: a plain struct with defaults; the application stores it.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "plan/memory_plan.h"
#include "ui/calculator/device_choices.h"

namespace headroom::ui {

// A model whose options the user changed. All others are planned anew each time, for the memory that there is then.
struct PlannedModel {
  QString path;
  PlanOptions asked;                  // its own list of devices stays empty
  std::vector<ChosenDevice> devices;  // empty: none were chosen
  bool operator==(const PlannedModel&) const = default;
};

struct ModelMemory {
  QStringList recentFiles;            // newest first, each once, at most kMaxRecentFiles
  std::vector<PlannedModel> planned;  // newest first, each path once, at most kMaxPlannedModels
  // GPUs in their order, and the host, for models without a choice of their own; empty: chosen for each model.
  std::vector<ChosenDevice> devices;
  QString loadedPath;      // what comes back at the next start; empty: the starter model
  bool isLoading = false;  // it is not loaded yet: after a crash it is only opened
  bool operator==(const ModelMemory&) const = default;
};

inline constexpr int kMaxRecentFiles = 10;
inline constexpr std::size_t kMaxPlannedModels = 200;

// Newest first, each once, at most kMaxRecentFiles.
QStringList withRecentFile(QStringList files, const QString& path);

const PlannedModel* findPlanned(const ModelMemory& memory, const QString& path);  // null: planned by us
void rememberPlanned(ModelMemory& memory, PlannedModel model);
void forgetPlanned(ModelMemory& memory, const QString& path);

}  // namespace headroom::ui
