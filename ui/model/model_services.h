// What the composition root gives whoever opens and loads models; nothing here is reached for.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <vector>

#include "base/result.h"
#include "devices/device_info.h"
#include "model/model_info.h"
#include "ui/engine_port.h"

namespace headroom::ui {

// Reads a header; called on a worker thread. Errors are whole sentences.
using InspectModel = std::function<Result<ModelInfo>(const QString& path)>;

// The devices of this machine with their free bytes of now. A driver may take its time: called on a worker thread, and
// once on the GUI thread before there is a window. Owns all that it uses.
using ProbeDevices = std::function<std::vector<DeviceInfo>()>;

// Adds what was learned of these devices: speeds, what their drivers take. Called on the GUI thread.
using AddLearned = std::function<void(std::vector<DeviceInfo>& devices)>;

struct ModelServices {
  EnginePort* engine = nullptr;  // outlives whoever is given it
  InspectModel inspectModel;
  ProbeDevices probeDevices;
  AddLearned addLearned;              // may be empty
  std::vector<DeviceInfo> catalogue;  // devices that are not here
  // What was looked for in this machine and cannot be used, a sentence each, without its full stop.
  std::vector<Message> refusedDevices;
  QString starterModelPath;  // empty: none
};

}  // namespace headroom::ui
