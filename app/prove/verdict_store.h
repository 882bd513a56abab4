// What was found when GPUs were checked (engine/prove), kept between starts for the window and the command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "devices/device_info.h"

namespace headroom {

inline constexpr const char* kVerdictFile = "device-verdicts.json";  // in the data folder

struct Verdict {
  enum class Kind : std::uint8_t { kRunning, kPassed, kFailed };
  Kind kind = Kind::kRunning;
  std::string device;       // its name, for people who read the file
  std::string what_failed;  // a sentence
  std::int64_t at = 0;      // seconds since 1970, in UTC
  double seconds = 0;       // that it took
  std::string process;      // of kRunning: whose it is (process_mark())
  // Of kRunning: what was known before and counts again if there is no judgement; null: nothing.
  std::shared_ptr<const Verdict> before{};
};

// A value: a copy may be written on another thread. A verdict is of one card with one driver and our kernels of now
// (DeviceInfo::proof_key), and of what a check looks at now (kProofNumber): another driver, other kernels and a check
// that looks at more have to be looked at anew.
class VerdictStore {
 public:
  // Of a file that is absent or damaged nothing is known.
  static VerdictStore read(std::filesystem::path file);

  // Says of each GPU that needs a proof what is known of it here. A check that began and did not end, because its
  // program or the machine stopped, leaves what was known before; where that is nothing, it counts as failed.
  void fill(std::span<DeviceInfo> devices) const;
  std::optional<Verdict> find(const DeviceInfo& device) const;

  // Those of these devices whose first check did not end. From now on that is a failure like others, so it can be told
  // once.
  std::vector<DeviceInfo> end_interrupted(std::span<const DeviceInfo> devices);

  // This process begins to look at it, and comes to no judgement: what was known before is known again.
  void put_running(const DeviceInfo& device);
  void take_back_running(const DeviceInfo& device);
  void put(const DeviceInfo& device, Verdict verdict);
  void forget(const DeviceInfo& device);

  // In one step: whoever reads finds the old file or the new one. Entries of other cards that were written since read()
  // stay. kResource names the file.
  Status write() const;

 private:
  using Entries = std::map<std::string, Verdict>;
  static Entries parse(const std::filesystem::path& file);

  std::filesystem::path file_;
  Entries entries_;
  std::set<std::string> changed_;  // keys that were put or forgotten
};

// A process with its start, "4711 of 903554", since its id may be given to another one later; empty: there is none with
// this id.
std::string process_mark(std::int64_t pid);

// What is said of a device, without its id at the beginning, which errors have: whoever shows it names the device.
std::string without_id(const DeviceInfo& device, std::string what);

// Of these devices those that somebody could use unasked if they were proved, and that nobody has looked at.
std::vector<DeviceInfo> devices_to_prove(std::span<const DeviceInfo> devices);

}  // namespace headroom
