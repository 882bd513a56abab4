// How fast the devices of this machine are and what their drivers take, kept between starts for the window and the
// command line.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/speed.h"

namespace headroom {

inline constexpr const char* kDeviceSpeedFile = "device-speeds.json";  // in the data folder

// A value: a copy may be written on another thread. One entry per device, with what computes there: its kernels and
// threads; what the driver takes is of one version of it.
class DeviceSpeedStore {
 public:
  // Of a file that is absent or damaged nothing is known: devices are measured anew.
  static DeviceSpeedStore read(std::filesystem::path file);

  // Sets what is known here of each present device: the speed of one that has none, the driver's share in place of an
  // assumption.
  void fill(std::span<DeviceInfo> devices) const;
  // Those that are present and have no speed, or a driver whose share nobody has tried to measure yet.
  std::vector<DeviceInfo> unmeasured(std::span<const DeviceInfo> devices) const;
  // A speed that answers have refined stays.
  void put_measured(const DeviceInfo& device, const DeviceMeasurement& measurement);
  void put(const DeviceInfo& device, const DeviceSpeed& speed);

  // By what an answer took on the devices of its plan; false when it tells nothing new.
  bool refine(const ModelInfo& model, const MemoryPlan& plan, const DecodeTimes& times);

  // In one step: whoever reads finds the old file or the new one. Entries of other devices that were written since
  // read() stay. kResource names the file.
  Status write() const;

 private:
  struct Entry {
    DeviceSpeed speed;
    std::string driver;                 // whose share was tried to measure; empty: of none
    std::optional<Bytes> driver_bytes;  // absent: it could not be measured
  };
  using Entries = std::map<std::string, Entry>;
  static Entries parse(const std::filesystem::path& file);
  Entry& change(const DeviceInfo& device);
  const Entry* find(const DeviceInfo& device) const;

  std::filesystem::path file_;
  Entries entries_;
  std::set<std::string> changed_;
};

}  // namespace headroom
