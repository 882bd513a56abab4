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
#include "plan/prompt_speed.h"
#include "plan/speed_history.h"

namespace headroom {

inline constexpr const char* kDeviceSpeedFile = "device-speeds.json";  // in the data folder

// A value: a copy may be written on another thread. One entry per device, with what computes there: its kernels and
// threads. What the driver takes is of one version of it; a new version starts from the speeds of the old one.
class DeviceSpeedStore {
 public:
  // Of a file that is absent or damaged nothing is known: devices are measured anew. What the program kept before
  // figures had ages is taken over as a start.
  static DeviceSpeedStore read(std::filesystem::path file);

  // Sets what is known here of each present device: the speed of one that has none, the driver's share in place of an
  // assumption.
  void fill(std::span<DeviceInfo> devices) const;
  // Those to measure when they are next idle: present, and with no speed, one that is due (SpeedHistory::is_due()), or
  // a driver whose share nobody has tried to measure yet.
  std::vector<DeviceInfo> due(std::span<const DeviceInfo> devices, UtcSeconds now) const;
  void put_measured(const DeviceInfo& device, const DeviceMeasurement& measurement, UtcSeconds now);

  // By what an answer took on the devices of its plan, and whether to doubt what is known of them by what its prompt
  // took; false when it tells nothing new.
  bool refine(const ModelInfo& model, const MemoryPlan& plan, const DecodeTimes& times, const PromptTimes& prompt = {});

  // In one step: whoever reads finds the old file or the new one. Entries of other devices that were written since
  // read() stay. kResource names the file.
  Status write() const;

 private:
  struct Entry {
    SpeedHistory history;
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
