// What the composition root gives the window; nothing here is reached for.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <vector>

#include "base/result.h"
#include "model/model_info.h"
#include "plan/device_info.h"
#include "ui/engine_port.h"
#include "ui/theme/theme.h"

namespace headroom::ui {

// Reads a header; called on a worker thread. Errors are whole sentences.
using InspectModel = std::function<Result<ModelInfo>(const QString& path)>;

// The devices of this machine with their free bytes of now; called on the GUI thread, so it has to be quick.
using ProbeDevices = std::function<std::vector<DeviceInfo>()>;

struct WindowServices {
  EnginePort* engine = nullptr;  // both outlive the window
  Theme* theme = nullptr;
  InspectModel inspectModel;
  ProbeDevices probeDevices;
  std::vector<DeviceInfo> catalogue;  // devices that are not here
  // What was looked for in this machine and cannot be used, a sentence each, without its full stop.
  QStringList refusedDevices;
  QString starterModelPath;  // empty: none
};

}  // namespace headroom::ui
