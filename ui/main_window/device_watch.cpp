#include "ui/main_window/device_watch.h"

#include <QDateTime>
#include <algorithm>

#include "plan/speed_history.h"

namespace headroom::ui {
namespace {

constexpr int kProbeIntervalMs = 1000;
constexpr qint64 kEngineSilentMs = 1500;  // the engine reads 5 times a second while something is loaded

// Smaller changes come and go all the time, and a verdict that trembles is read by nobody.
Bytes noise(const DeviceInfo& device) { return std::max(64 * kMiB, device.total_bytes / 100); }

// What is free on a device once the loaded model is gone: of memory that devices share, what it holds on any of them.
// And what its driver has taken of the share that a plan asks for.
Bytes comesBackOn(const DeviceInfo& device, const std::vector<DeviceInfo>& all, const LoadState& load) {
  const auto shares = [](const DeviceInfo& d) { return d.kind == DeviceKind::kCpu || d.has_unified_memory; };
  Bytes sum = 0;
  for (const DeviceInfo& other : all) {
    if (other.id == device.id || (shares(other) && shares(device))) sum += load.heldOn(other.id);
  }
  return sum + std::min(device.driver_bytes, device.account.driver.value_or(0));
}

}  // namespace

DeviceWatch::DeviceWatch(const WindowServices& services, const LoadState& load, QObject* parent)
    : QObject(parent), m_services(services), m_load(load) {
  connect(services.engine, &EnginePort::memoryRead, this, [this](const MemoryReading& reading) {
    m_sinceEngineRead[reading.device].start();
    emit read(reading);
  });
  connect(&m_timer, &QTimer::timeout, this, &DeviceWatch::probe);
  m_timer.start(kProbeIntervalMs);
}

std::vector<DeviceInfo> DeviceWatch::devicesNow() const { return forPlans(m_services.probeDevices()); }

std::vector<DeviceInfo> DeviceWatch::forPlans(std::vector<DeviceInfo> devices) const {
  for (DeviceInfo& device : devices)
    device.free_bytes = std::min(device.total_bytes, device.free_bytes + comesBackOn(device, devices, m_load));
  return devices;
}

void DeviceWatch::probe() {
  if (!m_load.isSettled()) return;  // half-mapped: neither the old figure nor the new one
  const std::vector<DeviceInfo> found = m_services.probeDevices();
  tellReadings(found);
  const std::vector<DeviceInfo> devices = forPlans(found);
  const bool moved =
      devices.size() != m_told.size() ||
      !std::equal(devices.begin(), devices.end(), m_told.begin(), [](const DeviceInfo& a, const DeviceInfo& b) {
        const Bytes difference =
            a.free_bytes > b.free_bytes ? a.free_bytes - b.free_bytes : b.free_bytes - a.free_bytes;
        return a.id == b.id && difference < noise(a) && is_near(a.speed, b.speed) && a.driver_bytes == b.driver_bytes &&
               a.driver_measured == b.driver_measured && a.account.confidence == b.account.confidence;
      });
  if (!moved) return;
  m_told = devices;
  emit freeBytesChanged(devices);
}

// Of devices that the engine does not read: those that the loaded model is not on.
void DeviceWatch::tellReadings(const std::vector<DeviceInfo>& devices) {
  for (const DeviceInfo& device : devices) {
    const QString id = QString::fromStdString(device.id);
    const auto last = m_sinceEngineRead.find(id);
    if (last != m_sinceEngineRead.end() && last->second.elapsed() < kEngineSilentMs) continue;
    MemoryReading reading;
    reading.timeMs = QDateTime::currentMSecsSinceEpoch();
    reading.device = id;
    reading.total = device.total_bytes;
    reading.free = device.free_bytes;
    reading.ours = m_load.heldOn(device.id) + device.account.driver.value_or(0);
    reading.account = device.account;
    reading.kvTokensUsed = m_load.kvTokensUsed();
    reading.grown = m_load.grown();
    emit read(reading);
  }
}

}  // namespace headroom::ui
