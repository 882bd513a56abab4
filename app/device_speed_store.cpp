#include "device_speed_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "file/replace_file.h"
#include "plan/placement.h"

namespace headroom {
namespace {

using Json = nlohmann::json;

// Of a newer program, or of one that meant something else by a speed: not read. Version 2 had four figures of a device
// and no ages.
constexpr int kVersion = 3, kVersionWithoutAges = 2;

std::string key_of(const DeviceInfo& device) {
  return fmt::format("{}|{}|{}|{}", device_kind_name(device.kind), device.name, device.kernels, device.n_threads);
}

// A number that may be multiplied and divided with, whoever wrote it; else 0.
double number(const Json& entry, const char* name) {
  const auto found = entry.find(name);
  const double value = found != entry.end() && found->is_number() ? found->get<double>() : 0;
  return std::isfinite(value) && value > 0 ? value : 0;
}

std::uint32_t count(const Json& entry, const char* name) {
  return static_cast<std::uint32_t>(std::min(number(entry, name), 1e9));
}

Json figures_json(const SpeedHistory& history) {
  Json figures = Json::object();
  for_each_figure(history.speed, [&](std::size_t index, const std::string& name, double value, bool) {
    if (!(value > 0)) return;
    const FigureAge& age = history.ages[index];
    figures[name] = {{"value", value}, {"measured_at", age.measured_at}, {"measurements", age.n_measurements}};
    if (age.n_slower > 0) figures[name].update({{"slower", age.n_slower}, {"best_slower", age.best_slower}});
  });
  return figures;
}

SpeedHistory read_figures(const Json& figures) {
  SpeedHistory history;
  for_each_figure(history.speed, [&](std::size_t index, const std::string& name, double& value, bool) {
    const auto found = figures.find(name);
    if (found == figures.end() || !found->is_object()) return;
    value = number(*found, "value");
    const auto at = static_cast<UtcSeconds>(std::min(number(*found, "measured_at"), 1e15));
    const double best_slower = number(*found, "best_slower");
    history.ages[index] = {at, count(*found, "measurements"), best_slower > 0 ? count(*found, "slower") : 0,
                           best_slower};
  });
  return history;
}

SpeedHistory read_history(const Json& entry, bool has_ages) {
  if (has_ages) {
    const auto figures = entry.find("figures");
    if (figures == entry.end() || !figures->is_object()) return {};
    SpeedHistory history = read_figures(*figures);
    history.is_doubted = entry.value("doubted", Json()) == Json(true);
    return history;
  }
  SpeedHistory history;
  for_each_figure(history.speed, [&](std::size_t, const std::string& name, double& value, bool) {
    value = number(entry, name.c_str());
  });
  return history;
}

}  // namespace

DeviceSpeedStore::Entries DeviceSpeedStore::parse(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const Json json = Json::parse(stream, nullptr, false);
  Entries entries;
  if (!json.is_object()) return entries;
  const Json version = json.value("version", Json());
  const bool has_ages = version == Json(kVersion);
  if (!has_ages && version != Json(kVersionWithoutAges)) return entries;
  const auto devices = json.find("devices");
  if (devices == json.end() || !devices->is_object()) return entries;
  for (const auto& [key, found] : devices->items()) {
    if (!found.is_object()) continue;
    Entry entry;
    entry.history = read_history(found, has_ages);
    if (!(entry.history.speed.read_bytes_per_s > 0)) continue;
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
    if (!(device.speed.read_bytes_per_s > 0)) device.speed = known->history.speed;
    const bool is_of_driver = known->driver_bytes && known->driver == device.driver;
    if (device.driver_measured || !is_of_driver || *known->driver_bytes >= device.total_bytes) continue;
    device.driver_bytes = *known->driver_bytes;
    device.driver_measured = true;
  }
}

std::vector<DeviceInfo> DeviceSpeedStore::due(std::span<const DeviceInfo> devices, UtcSeconds now) const {
  std::vector<DeviceInfo> found;
  for (const DeviceInfo& device : devices) {
    if (!device.is_present) continue;
    const Entry* known = find(device);
    const bool has_new_driver = !device.driver.empty() && (known == nullptr || known->driver != device.driver);
    const bool is_due = known == nullptr ? !(device.speed.read_bytes_per_s > 0) : known->history.is_due(now);
    if (is_due || has_new_driver) found.push_back(device);
  }
  return found;
}

void DeviceSpeedStore::put_measured(const DeviceInfo& device, const DeviceMeasurement& measurement, UtcSeconds now) {
  Entry& entry = change(device);
  if (entry.driver != device.driver) entry.history.forget_ages();
  entry.history.take_measurement(measurement.speed, now);
  entry.driver = device.driver;
  entry.driver_bytes = measurement.driver_bytes;
}

bool DeviceSpeedStore::refine(const ModelInfo& model, const MemoryPlan& plan, const DecodeTimes& times,
                              const PromptTimes& prompt) {
  // The plan has the speeds of when it was made, and answers came since.
  MemoryPlan now = plan;
  for (DeviceInfo& device : now.devices) device.speed = {};
  fill(now.devices);
  bool is_new = false;
  if (const std::optional<double> slowdown = prompt_slowdown(model, now, prompt); slowdown && is_far_off(*slowdown)) {
    for (const DeviceIndex device : devices_in_use(plan.placement)) {
      if (find(now.devices[device]) != nullptr) change(now.devices[device]).history.is_doubted = is_new = true;
    }
  }
  std::vector<DeviceSpeed> known;
  for (const DeviceInfo& device : now.devices) known.push_back(device.speed);
  const std::vector<std::optional<SeenSpeed>> seen = refine_speeds(model, plan, known, times);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) continue;
    change(now.devices[i]).history.take_answer(*seen[i]);
    is_new = true;
  }
  return is_new;
}

Status DeviceSpeedStore::write() const {
  Entries all = parse(file_);
  for (const std::string& key : changed_) all[key] = entries_.at(key);
  Json devices = Json::object();
  for (const auto& [key, entry] : all) {
    devices[key] = {{"figures", figures_json(entry.history)}};
    if (entry.history.is_doubted) devices[key]["doubted"] = true;
    if (!entry.driver.empty()) devices[key]["driver"] = entry.driver;
    if (entry.driver_bytes) devices[key]["driver_bytes"] = *entry.driver_bytes;
  }
  // Names come from drivers: bytes that are not UTF-8 become the replacement character.
  const Json json{{"version", kVersion}, {"devices", devices}};
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  return replace_file(file_, std::as_bytes(std::span(text)));
}

}  // namespace headroom
