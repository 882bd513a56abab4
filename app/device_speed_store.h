// How fast the devices of this machine are, kept between starts for the window and the command line.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/speed.h"

namespace headroom {

inline constexpr const char* kDeviceSpeedFile = "device-speeds.json";  // in the data folder

// A value: a copy may be written on another thread. One entry per device, with what computes there: its kernels and
// threads.
class DeviceSpeedStore {
 public:
  // Of a file that is absent or damaged nothing is known: devices are measured anew.
  static DeviceSpeedStore read(std::filesystem::path file);

  // Sets the speed of each present device that has none and is known here.
  void fill(std::span<DeviceInfo> devices) const;
  // Those that are present and have no speed.
  static std::vector<DeviceInfo> unmeasured(std::span<const DeviceInfo> devices);
  void put(const DeviceInfo& device, const DeviceSpeed& speed);

  // By what an answer took on the devices of its plan; false when it tells nothing new.
  bool refine(const ModelInfo& model, const MemoryPlan& plan, const DecodeTimes& times);

  // In one step: whoever reads finds the old file or the new one. Entries of other devices that were written since
  // read() stay. kResource names the file.
  Status write() const;

 private:
  using Speeds = std::map<std::string, DeviceSpeed>;
  static Speeds parse(const std::filesystem::path& file);

  std::filesystem::path file_;
  Speeds speeds_, changed_;
};

}  // namespace headroom
