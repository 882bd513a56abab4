#include "backend/reference/reference_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "format/dtype_table.h"

namespace headroom {

Status ReferenceDevice::reserve(Bytes bytes) {
  const std::lock_guard lock(mutex_);
  const Bytes free = sample_locked().free;
  if (bytes > free) {
    return Error{ErrorCode::kResource, Message::say("{}: asked for {} ({} bytes), free {} ({} bytes)", id_,
                                                    amount(bytes), bytes, amount(free), free)};
  }
  used_ += bytes;
  return ok_status();
}

void ReferenceDevice::release(Bytes bytes) {
  const std::lock_guard lock(mutex_);
  CHECK(bytes <= used_, "a device gets back more than it gave");
  used_ -= bytes;
}

MemorySample ReferenceDevice::sample() const {
  const std::lock_guard lock(mutex_);
  return sample_locked();
}

MemorySample ReferenceDevice::sample_locked() const {
  const Bytes held = std::min(total_, used_);
  return {.total = total_, .free = total_ - held - std::min<Bytes>(total_ - held, faults_.taken), .ours = used_};
}

void ReferenceDevice::resize(Bytes total) {
  const std::lock_guard lock(mutex_);
  total_ = total;
}

namespace {

// As a GPU reports them: regions at multiples of 256 bytes, memory in pages of 64 KiB.
DeviceInfo reference_info(std::size_t index, Bytes total) {
  DeviceInfo device;
  device.id = fmt::format("reference:{}", index);
  device.name = fmt::format("Reference device {} (for tests)", index);
  device.kind = DeviceKind::kReference;
  device.traits = kReferenceTraits;
  device.total_bytes = device.free_bytes = total;
  device.driver_measured = true;  // there is no driver: 0 bytes is exact
  device.alignment = 256;
  device.granularity = 64 * kKiB;
  for (const DTypeRow& row : kDTypes) {
    if (row.is_kv) device.kv_types.push_back(row.dtype);
  }
  return device;
}

}  // namespace

Result<std::vector<DeviceInfo>> reference_devices(std::string_view setting) {
  std::vector<DeviceInfo> devices;
  for (std::string_view rest = setting;;) {
    const std::size_t comma = rest.find(',');
    const std::optional<Bytes> total = parse_bytes(rest.substr(0, comma));
    if (!total || *total == 0) {
      return Error{ErrorCode::kUsage, Message::say("{}: expected sizes such as 512MiB or 512MiB,256MiB, found \"{}\"",
                                                   std::string_view(kReferenceVariable), setting)};
    }
    devices.push_back(reference_info(devices.size(), *total));
    if (comma == std::string_view::npos) return devices;
    rest.remove_prefix(comma + 1);
  }
}

std::shared_ptr<ReferenceDevice> shared_reference_device(const std::string& id, Bytes total) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<ReferenceDevice>> devices;
  const std::lock_guard lock(mutex);
  std::shared_ptr<ReferenceDevice>& device = devices[id];
  if (device == nullptr) {
    device = std::make_shared<ReferenceDevice>(id, total);
  } else {
    device->resize(total);
  }
  return device;
}

}  // namespace headroom
