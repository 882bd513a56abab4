#include "device_speed_store.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "file/replace_file.h"

namespace headroom {
namespace {

using Json = nlohmann::json;

// Of a newer program, or of one that meant something else by a speed: not read.
constexpr int kVersion = 1;

std::string key_of(const DeviceInfo& device) {
  return fmt::format("{}|{}|{}|{}", device_kind_name(device.kind), device.name, device.kernels, device.n_threads);
}

// A number that may be multiplied and divided with, whoever wrote it.
double number(const Json& entry, const char* name) {
  const auto found = entry.find(name);
  const double value = found != entry.end() && found->is_number() ? found->get<double>() : 0;
  return std::isfinite(value) && value > 0 ? value : 0;
}

}  // namespace

DeviceSpeedStore::Speeds DeviceSpeedStore::parse(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const Json json = Json::parse(stream, nullptr, false);
  Speeds speeds;
  if (!json.is_object() || json.value("version", Json()) != Json(kVersion)) return speeds;
  const auto devices = json.find("devices");
  if (devices == json.end() || !devices->is_object()) return speeds;
  for (const auto& [key, entry] : devices->items()) {
    if (!entry.is_object()) continue;
    const DeviceSpeed speed{.read_bytes_per_s = number(entry, "read_bytes_per_s"),
                            .copy_bytes_per_s = number(entry, "copy_bytes_per_s"),
                            .op_seconds = number(entry, "op_seconds")};
    if (speed.read_bytes_per_s > 0) speeds[key] = speed;
  }
  return speeds;
}

DeviceSpeedStore DeviceSpeedStore::read(std::filesystem::path file) {
  DeviceSpeedStore store;
  store.file_ = std::move(file);
  store.speeds_ = parse(store.file_);
  return store;
}

void DeviceSpeedStore::fill(std::span<DeviceInfo> devices) const {
  for (DeviceInfo& device : devices) {
    if (!device.is_present || device.speed.read_bytes_per_s > 0) continue;
    if (const auto found = speeds_.find(key_of(device)); found != speeds_.end()) device.speed = found->second;
  }
}

std::vector<DeviceInfo> DeviceSpeedStore::unmeasured(std::span<const DeviceInfo> devices) {
  std::vector<DeviceInfo> found;
  for (const DeviceInfo& device : devices) {
    if (device.is_present && !(device.speed.read_bytes_per_s > 0)) found.push_back(device);
  }
  return found;
}

void DeviceSpeedStore::put(const DeviceInfo& device, const DeviceSpeed& speed) {
  speeds_[key_of(device)] = speed;
  changed_[key_of(device)] = speed;
}

bool DeviceSpeedStore::refine(const ModelInfo& model, const MemoryPlan& plan, const DecodeTimes& times) {
  // The plan has the speeds of when it was made, and answers came since.
  std::vector<DeviceInfo> devices = plan.devices;
  for (DeviceInfo& device : devices) device.speed = {};
  fill(devices);
  std::vector<DeviceSpeed> known;
  for (const DeviceInfo& device : devices) known.push_back(device.speed);
  const std::vector<std::optional<DeviceSpeed>> seen = refine_speeds(model, plan, known, times);
  bool is_new = false;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) continue;
    put(devices[i], *seen[i]);
    is_new = true;
  }
  return is_new;
}

Status DeviceSpeedStore::write() const {
  Speeds all = parse(file_);
  for (const auto& [key, speed] : changed_) all[key] = speed;
  Json devices = Json::object();
  for (const auto& [key, speed] : all) {
    devices[key] = {{"read_bytes_per_s", speed.read_bytes_per_s},
                    {"copy_bytes_per_s", speed.copy_bytes_per_s},
                    {"op_seconds", speed.op_seconds}};
  }
  // Names come from drivers: bytes that are not UTF-8 become the replacement character.
  const Json json{{"version", kVersion}, {"devices", devices}};
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  return replace_file(file_, std::as_bytes(std::span(text)));
}

}  // namespace headroom
