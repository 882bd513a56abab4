#include "devices/device_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "devices/built_in_catalogue.h"
#include "format/dtype_table.h"

namespace headroom {
namespace {

using Json = nlohmann::json;

struct KindRule {
  std::string_view name;
  DeviceKind kind;
  DeviceTraits traits;
  Bytes driver_bytes;
  Bytes granularity;  // of an allocation: CUDA maps 2 MiB pages, Vulkan drivers sub-allocate from 64 KiB, Metal pages
                      // are 16 KiB
};
constexpr std::array kKindRules{
    KindRule{"cuda", DeviceKind::kCuda, kCudaTraits, kAssumedCudaDriverBytes, 2 * kMiB},
    KindRule{"vulkan", DeviceKind::kVulkan, kVulkanTraits, kAssumedVulkanDriverBytes, 64 * kKiB},
    KindRule{"metal", DeviceKind::kMetal, kMetalTraits, kAssumedMetalDriverBytes, 16 * kKiB},
};
// The last two are of rows that know them.
constexpr std::array kKeys{"name",       "vendor",        "kind",
                           "memory_mib", "usable_mib",    "bandwidth_gb_per_s",
                           "unified",    "max_arena_mib", "max_binding_mib"};
constexpr std::uint64_t kMaxMib = std::uint64_t{1} << 24;  // 16 TiB
constexpr double kMaxGbPerS = 1e6;

// A value as an error shows it. What has parts is only named: writing it out would follow its nesting, however deep.
std::string shown(const Json& value) { return value.is_structured() ? std::string(value.type_name()) : value.dump(); }

// Reads the fields of one row; the first one that is wrong becomes the error.
class RowReader {
 public:
  RowReader(const Json& row, std::size_t index) : row_(row), where_(fmt::format("device catalogue, row {}", index)) {
    if (!row.is_object()) {
      fail("the row", Message::say("an object"), row.type_name());
      return;
    }
    for (const auto& item : row.items()) {
      if (std::find(kKeys.begin(), kKeys.end(), item.key()) == kKeys.end())
        fail(item.key(), Message::say("a known key"), "one that is not");
    }
  }

  std::string text(const char* key) {
    const Json* value = field(key);
    if (value == nullptr) return {};
    if (!value->is_string() || value->get_ref<const std::string&>().empty()) {
      fail(key, Message::say("a text that is not empty"), shown(*value));
      return {};
    }
    return value->get<std::string>();
  }

  bool flag(const char* key) {
    const Json* value = field(key);
    if (value == nullptr) return false;
    if (!value->is_boolean()) {
      fail(key, Message::say("true or false"), shown(*value));
      return false;
    }
    return value->get<bool>();
  }

  Bytes mib(const char* key) {
    const Json* value = field(key);
    if (value == nullptr) return 0;
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() == 0 || value->get<std::uint64_t>() > kMaxMib) {
      fail(key, Message::say("a whole number from 1 to {}", kMaxMib), shown(*value));
      return 0;
    }
    return value->get<std::uint64_t>() * kMiB;
  }

  // 0 where the row does not say.
  Bytes mib_if_known(const char* key) { return row_.is_object() && row_.contains(key) ? mib(key) : 0; }

  double gb_per_s(const char* key) {
    const Json* value = field(key);
    if (value == nullptr) return 0;
    if (!value->is_number() || !(value->get<double>() > 0) || value->get<double>() > kMaxGbPerS) {
      fail(key, Message::say("a number above 0 and at most {}", decimal(kMaxGbPerS, 0)), shown(*value));
      return 0;
    }
    return value->get<double>();
  }

  void fail(std::string_view key, const Message& expected, std::string_view found) {
    if (!error_)
      error_ = Error{ErrorCode::kBadFile, Message::say("{}: {}: expected {}, found {}", where_, key, expected, found)};
  }
  void name_row(std::string_view name) { where_ += fmt::format(" ({})", name); }
  const std::optional<Error>& error() const { return error_; }

 private:
  const Json* field(const char* key) {
    if (error_) return nullptr;
    const auto found = row_.find(key);
    if (found != row_.end()) return &*found;
    fail(key, Message::say("a value"), "none");
    return nullptr;
  }

  const Json& row_;
  std::string where_;
  std::optional<Error> error_;
};

Result<DeviceInfo> read_row(const Json& json, std::size_t index) {
  RowReader row(json, index);
  DeviceInfo device;
  device.name = row.text("name");
  row.name_row(device.name);
  device.id = device.name;
  device.vendor = row.text("vendor");
  const std::string kind = row.text("kind");
  device.nameplate_bytes = row.mib("memory_mib");
  device.total_bytes = row.mib("usable_mib");
  device.speed.read_bytes_per_s = row.gb_per_s("bandwidth_gb_per_s") * 1e9 * kSustainedReadShare;
  device.has_unified_memory = row.flag("unified");
  device.max_arena_bytes = row.mib_if_known("max_arena_mib");
  device.max_binding_bytes = row.mib_if_known("max_binding_mib");
  if (row.error()) return *row.error();
  const auto rule =
      std::find_if(kKindRules.begin(), kKindRules.end(), [&](const KindRule& r) { return r.name == kind; });
  if (rule == kKindRules.end()) {
    row.fail("kind", Message::say("cuda, vulkan or metal"), kind);
    return *row.error();
  }
  if (device.total_bytes > device.nameplate_bytes) {
    row.fail("usable_mib", Message::say("at most memory_mib ({})", device.nameplate_bytes / kMiB),
             std::to_string(device.total_bytes / kMiB));
    return *row.error();
  }
  device.kind = rule->kind;
  device.traits = rule->traits;
  device.driver_bytes = rule->driver_bytes;
  device.granularity = rule->granularity;
  device.alignment = kGpuAlignment;
  device.free_bytes = device.total_bytes;
  device.is_present = false;
  for (const DTypeRow& dtype : kDTypes) {
    if (dtype.is_kv_offered) device.kv_types.push_back(dtype.dtype);
  }
  return device;
}

}  // namespace

Result<std::vector<DeviceInfo>> parse_device_catalogue(std::string_view json) {
  const Json root = Json::parse(json, nullptr, false);
  if (root.is_discarded())
    return Error{ErrorCode::kBadFile, Message::say("device catalogue: expected JSON, found text that is not")};
  if (!root.is_object() || !root.contains("devices") || !root["devices"].is_array()) {
    return Error{ErrorCode::kBadFile, Message::say("device catalogue: devices: expected an array, found none")};
  }
  std::vector<DeviceInfo> devices;
  std::set<std::string> names;
  for (const Json& row : root["devices"]) {
    Result<DeviceInfo> device = read_row(row, devices.size());
    if (!device) return device.error();
    if (!names.insert(device->name).second) {
      return Error{ErrorCode::kBadFile,
                   Message::say("device catalogue, row {}: name: expected one that no row before has, found {}",
                                devices.size(), device->name)};
    }
    devices.push_back(std::move(*device));
  }
  return devices;
}

Result<std::vector<DeviceInfo>> read_device_catalogue(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return Error{ErrorCode::kBadFile,
                 Message::say("{}: expected a device catalogue, found no readable file", path.string())};
  std::ostringstream text;
  text << in.rdbuf();
  return parse_device_catalogue(text.str());
}

Result<std::vector<DeviceInfo>> built_in_device_catalogue() { return parse_device_catalogue(kBuiltInCatalogue); }

}  // namespace headroom
