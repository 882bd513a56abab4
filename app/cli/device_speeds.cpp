#include "device_speeds.h"

#include <algorithm>
#include <ctime>

#include "../device_speed_store.h"
#include "../resources.h"
#include "kept_kernels.h"
#include "run/backends.h"

namespace headroom::cli {
namespace {

DeviceSpeedStore readStore() { return DeviceSpeedStore::read(findDataFolder() / kDeviceSpeedFile); }

}  // namespace

void knowSpeeds(std::span<DeviceInfo> devices, std::span<const std::string> named) {
  DeviceSpeedStore store = readStore();
  store.fill(devices);
  const UtcSeconds now = std::time(nullptr);
  std::vector<DeviceInfo> due = store.due(devices, now);
  std::erase_if(due, [&](const DeviceInfo& device) {
    const bool isUsedUnasked = device.is_proved() && !device.is_software;
    return !isUsedUnasked && std::ranges::find(named, device.id) == named.end();
  });
  if (due.empty()) return;
  const BackendFactory makeBackend = backendFactory();
  for (const DeviceInfo& device : due) {
    if (const Result<DeviceMeasurement> found = measure_device(device, makeBackend))
      store.put_measured(device, *found, now);
  }
  for (DeviceInfo& device : devices) {
    if (device.is_present) device.speed = {};
  }
  store.fill(devices);
  (void)store.write();  // without a place to keep them they are measured again next time
}

void learnSpeeds(const ModelLoaded& loaded, const GenerationFinished& finished) {
  DeviceSpeedStore store = readStore();
  if (store.refine(*loaded.model, *loaded.plan, finished.decode_times, prompt_times(finished.stats)))
    (void)store.write();
}

}  // namespace headroom::cli
