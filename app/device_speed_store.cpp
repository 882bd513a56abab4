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
constexpr int kVersion = 2;

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

DeviceSpeedStore::Entries DeviceSpeedStore::parse(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const Json json = Json::parse(stream, nullptr, false);
  Entries entries;
  if (!json.is_object() || json.value("version", Json()) != Json(kVersion)) return entries;
  const auto devices = json.find("devices");
  if (devices == json.end() || !devices->is_object()) return entries;
  for (const auto& [key, found] : devices->items()) {
    if (!found.is_object()) continue;
    Entry entry;
    entry.speed = {.read_bytes_per_s = number(found, "read_bytes_per_s"),
                   .copy_bytes_per_s = number(found, "copy_bytes_per_s"),
                   .op_seconds = number(found, "op_seconds"),
                   .products_per_s = number(found, "products_per_s")};
    if (!(entry.speed.read_bytes_per_s > 0)) continue;
    const auto driver = found.find("driver"), driver_bytes = found.find("driver_bytes");
    if (driver != found.end() && driver->is_string()) entry.driver = driver->get<std::string>();
    if (driver_bytes != found.end() && driver_bytes->is_number_unsigned())
      entry.driver_bytes = driver_bytes->get<Bytes>();
    entries[key] = std::move(entry);
  }
  return entries;
}

DeviceSpeedStore DeviceSpeedStore::read(std::filesystem::path file) {
  DeviceSpeedStore store;
  store.file_ = std::move(file);
  store.entries_ = parse(store.file_);
  return store;
}

const DeviceSpeedStore::Entry* DeviceSpeedStore::find(const DeviceInfo& device) const {
  const auto found = entries_.find(key_of(device));
  return found == entries_.end() ? nullptr : &found->second;
}

DeviceSpeedStore::Entry& DeviceSpeedStore::change(const DeviceInfo& device) {
  changed_.insert(key_of(device));
  return entries_[key_of(device)];
}

void DeviceSpeedStore::fill(std::span<DeviceInfo> devices) const {
  for (DeviceInfo& device : devices) {
    const Entry* known = device.is_present ? find(device) : nullptr;
    if (known == nullptr) continue;
    if (!(device.speed.read_bytes_per_s > 0)) device.speed = known->speed;
    const bool is_of_driver = known->driver_bytes && known->driver == device.driver;
    if (device.driver_measured || !is_of_driver || *known->driver_bytes >= device.total_bytes) continue;
    device.driver_bytes = *known->driver_bytes;
    device.driver_measured = true;
  }
}

std::vector<DeviceInfo> DeviceSpeedStore::unmeasured(std::span<const DeviceInfo> devices) const {
  std::vector<DeviceInfo> found;
  for (const DeviceInfo& device : devices) {
    if (!device.is_present) continue;
    const Entry* known = find(device);
    const bool has_new_driver = !device.driver.empty() && (known == nullptr || known->driver != device.driver);
    if (!(device.speed.read_bytes_per_s > 0) || has_new_driver) found.push_back(device);
  }
  return found;
}

void DeviceSpeedStore::put_measured(const DeviceInfo& device, const DeviceMeasurement& measurement) {
  Entry& entry = change(device);
  if (!(entry.speed.read_bytes_per_s > 0)) entry.speed = measurement.speed;
  entry.driver = device.driver;
  entry.driver_bytes = measurement.driver_bytes;
}

void DeviceSpeedStore::put(const DeviceInfo& device, const DeviceSpeed& speed) { change(device).speed = speed; }

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
  Entries all = parse(file_);
  for (const std::string& key : changed_) all[key] = entries_.at(key);
  Json devices = Json::object();
  for (const auto& [key, entry] : all) {
    devices[key] = {{"read_bytes_per_s", entry.speed.read_bytes_per_s},
                    {"copy_bytes_per_s", entry.speed.copy_bytes_per_s},
                    {"op_seconds", entry.speed.op_seconds},
                    {"products_per_s", entry.speed.products_per_s}};
    if (!entry.driver.empty()) devices[key]["driver"] = entry.driver;
    if (entry.driver_bytes) devices[key]["driver_bytes"] = *entry.driver_bytes;
  }
  // Names come from drivers: bytes that are not UTF-8 become the replacement character.
  const Json json{{"version", kVersion}, {"devices", devices}};
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  return replace_file(file_, std::as_bytes(std::span(text)));
}

}  // namespace headroom
