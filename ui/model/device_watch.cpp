#include "ui/model/device_watch.h"

#include <QDateTime>
#include <algorithm>

#include "plan/speed_history.h"
#include "ui/background/background.h"

namespace headroom::ui {
namespace {

constexpr int kProbeIntervalMs = 1000;
constexpr qint64 kEngineSilentMs = 2500;  // the engine reads once a second at least while something is loaded

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

// What of it is this program's, as the system counts it; a device that nobody counts on holds what was mapped there.
Bytes oursOf(const DeviceInfo& device, const LoadState& load) {
  if (device.kind == DeviceKind::kCpu && device.account.others)
    return saturating_sub(saturating_sub(device.total_bytes, device.free_bytes), *device.account.others);
  return load.heldOn(device.id) + device.account.driver.value_or(0);
}

}  // namespace

DeviceWatch::DeviceWatch(const ModelServices& services, const LoadState& load, QObject* parent)
    : QObject(parent), m_services(services), m_load(load) {
  connect(services.engine, &EnginePort::memoryRead, this, [this](const MemoryReading& reading) {
    m_sinceEngineRead[reading.device].start();
    emit read(reading);
  });
  connect(&load, &LoadState::changed, this, [this] { ++m_nLoadChanges; });
  connect(&m_timer, &QTimer::timeout, this, &DeviceWatch::probe);
  m_timer.setInterval(kProbeIntervalMs);
  // The window opens with what there is; nothing waits for this thread yet.
  std::vector<DeviceInfo> found = services.probeDevices();
  if (services.addLearned) services.addLearned(found);
  m_now = forPlans(std::move(found));
  m_sinceRead.start();
}

void DeviceWatch::setSeen(bool isSeen) {
  if (isSeen == m_timer.isActive()) return;
  m_services.engine->setWatched(isSeen);
  if (!isSeen) return m_timer.stop();
  m_timer.start();
  if (m_sinceRead.elapsed() > kProbeIntervalMs) probe();
}

std::vector<DeviceInfo> DeviceWatch::forPlans(std::vector<DeviceInfo> devices) const {
  for (DeviceInfo& device : devices)
    device.free_bytes = std::min(device.total_bytes, device.free_bytes + comesBackOn(device, devices, m_load));
  return devices;
}

// A driver that does not answer keeps one thread, and the figures of before.
void DeviceWatch::probe() {
  if (m_isProbing || !m_load.isSettled()) return;
  m_isProbing = true;
  runInBackground(readingThreads(), this, m_services.probeDevices,
                  [this, nLoadChanges = m_nLoadChanges](std::vector<DeviceInfo> found) {
                    m_isProbing = false;
                    // Half-mapped: neither the old figure nor the new one.
                    if (nLoadChanges == m_nLoadChanges && m_load.isSettled()) take(std::move(found));
                  });
}

void DeviceWatch::take(std::vector<DeviceInfo> found) {
  if (m_services.addLearned) m_services.addLearned(found);
  m_sinceRead.start();
  tellReadings(found);
  m_now = forPlans(std::move(found));
  const bool moved =
      m_now.size() != m_told.size() ||
      !std::equal(m_now.begin(), m_now.end(), m_told.begin(), [](const DeviceInfo& a, const DeviceInfo& b) {
        const Bytes difference =
            a.free_bytes > b.free_bytes ? a.free_bytes - b.free_bytes : b.free_bytes - a.free_bytes;
        return a.id == b.id && difference < noise(a) && is_near(a.speed, b.speed) && a.driver_bytes == b.driver_bytes &&
               a.driver_measured == b.driver_measured && a.proof == b.proof &&
               a.account.confidence == b.account.confidence;
      });
  if (!moved) return;
  m_told = m_now;
  emit freeBytesChanged(m_told);
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
    reading.ours = oursOf(device, m_load);
    reading.account = device.account;
    reading.kvTokensUsed = m_load.kvTokensUsed();
    reading.grown = m_load.grown();
    emit read(reading);
  }
}

}  // namespace headroom::ui
