// Where the window's program keeps its data in a bench: in a folder of the bench's own, and without a check of cards
// beside what is timed.
#pragma once

#include <QTemporaryDir>

#include "app/application.h"

namespace headroom::bench {

inline app::ApplicationPaths benchPaths(const QTemporaryDir& data) {
  app::ApplicationPaths paths = app::findPaths();
  paths.program.clear();
  paths.dataFolder = data.path();
  return paths;
}

}  // namespace headroom::bench
