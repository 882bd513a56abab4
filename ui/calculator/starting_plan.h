// What a model starts with when it is opened for the first time: devices, options, and the plan that they make. Pure
// arithmetic: any thread.
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "ui/calculator/device_choices.h"

namespace headroom::ui {

struct StartingDevices {
  DeviceChoices choices;
  bool areChosen = false;  // by the user: a model gets these, and none are chosen for it
};

// The devices of `choices` as plan/choose_devices.h chooses them for a model, each with the headroom that it has there.
struct DevicesForModel {
  DeviceChoices choices;
  Message reason;  // a sentence; may be empty
};
DevicesForModel devicesForModel(const ModelInfo& model, const DeviceChoices& choices, const PlanOptions& options);

bool hasKvType(const DeviceInfo& device, DType dtype);  // there is a kernel for such a cache

// With a kernel on every chosen device, and not only for checking.
std::vector<DType> offeredKvTypes(const DeviceChoices& choices);

struct StartingPlan {
  DeviceChoices devices;
  Message whyTheseDevices;         // a sentence; may be empty
  PlanOptions options;             // its list of devices stays empty
  std::optional<DType> lighterKv;  // of the cache, because as F16 the plan would not fit
  std::optional<MemoryPlan> plan;  // absent: `problem` says why
  Message problem;
};
// The cache is F16 where that fits, else the lightest change that does. Without a host nothing is planned.
StartingPlan startingPlan(const std::shared_ptr<const ModelInfo>& model, const StartingDevices& devices);

}  // namespace headroom::ui
