#include "ui/chart/chart_state.h"

#include <algorithm>

namespace headroom::ui {

void ChartState::setDevices(std::vector<DeviceInfo> present) {
  m_present = std::move(present);
  follow();
}

void ChartState::setCandidate(std::shared_ptr<const MemoryPlan> plan) {
  m_candidate = std::move(plan);
  follow();
}

void ChartState::setLoaded(std::shared_ptr<const MemoryPlan> plan) {
  m_loaded = std::move(plan);
  follow();
}

void ChartState::follow() {
  const auto& plan = m_candidate ? m_candidate : m_loaded;
  if (plan) {
    m_deviceId = QString::fromStdString(plan->devices[plan->options.main_device()].id);
  } else if (!m_present.empty() && shown() == nullptr) {
    m_deviceId = QString::fromStdString(m_present.front().id);
  }
  emit changed();
}

const DeviceInfo* ChartState::shown() const {
  const auto find = [this](const std::vector<DeviceInfo>& devices) -> const DeviceInfo* {
    const auto at = std::find_if(devices.begin(), devices.end(),
                                 [&](const DeviceInfo& d) { return QString::fromStdString(d.id) == m_deviceId; });
    return at == devices.end() ? nullptr : &*at;
  };
  if (const DeviceInfo* present = find(m_present)) return present;
  return m_candidate ? find(m_candidate->devices) : nullptr;
}

QString ChartState::deviceName() const {
  const DeviceInfo* device = shown();
  return device ? QString::fromStdString(device->name) : QString();
}

bool ChartState::isHost() const {
  const DeviceInfo* device = shown();
  return device != nullptr && device->kind == DeviceKind::kCpu;
}

bool ChartState::isPresent() const {
  const DeviceInfo* device = shown();
  return device != nullptr && device->is_present;
}

Bytes ChartState::total() const {
  const DeviceInfo* device = shown();
  return device ? device->total_bytes : 0;
}

const TimeLine& ChartState::timeLine() const {
  const auto at = m_timeLines.find(m_deviceId);
  return at == m_timeLines.end() ? m_none : at->second;
}

PlannedShare ChartState::shareOn(const std::shared_ptr<const MemoryPlan>& plan, const QString& deviceId) {
  if (!plan) return {};
  for (std::size_t i = 0; i < plan->devices.size(); ++i) {
    if (QString::fromStdString(plan->devices[i].id) == deviceId) return shareOf(*plan, static_cast<DeviceIndex>(i));
  }
  return {};
}

// What is loaded, and what of the weights being loaded has come.
PlannedShare ChartState::shareNow(const QString& deviceId) const {
  PlannedShare share = shareOn(m_loaded, deviceId);
  share.weights += static_cast<Bytes>(static_cast<double>(shareOn(m_arriving, deviceId).weights) * m_arrivedPart);
  return share;
}

void ChartState::setArriving(std::shared_ptr<const MemoryPlan> plan, double part) {
  m_arriving = std::move(plan);
  m_arrivedPart = part;
}

void ChartState::addReading(const MemoryReading& reading) {
  m_last[reading.device] = reading;
  m_timeLines[reading.device].append(measuredFrame(reading, shareNow(reading.device)));
  if (reading.device == m_deviceId) emit nowChanged();
}

std::optional<MemoryFrame> ChartState::now() const {
  const auto last = m_last.find(m_deviceId);
  if (last == m_last.end()) return std::nullopt;
  return measuredFrame(last->second, shareNow(m_deviceId));
}

std::optional<MemoryFrame> ChartState::planned() const {
  const auto& plan = m_candidate ? m_candidate : m_loaded;
  const DeviceInfo* device = shown();
  if (!plan || device == nullptr) return std::nullopt;
  Bytes others =
      device->is_present && device->total_bytes > device->free_bytes ? device->total_bytes - device->free_bytes : 0;
  PlannedShare share = shareOn(plan, m_deviceId);
  if (const auto measured = now()) {
    others = measured->of(Segment::Others);
    // What the driver (on the host: this program) holds already it will go on holding.
    share.driver = std::max(share.driver, measured->of(Segment::Driver));
  }
  return plannedFrame(device->total_bytes, others, share);
}

Bytes ChartState::planTop() const {
  const auto& plan = m_candidate ? m_candidate : m_loaded;
  if (!plan) return 0;
  const PlannedShare share = shareOn(plan, m_deviceId);
  return share.ours() + share.driver;
}

}  // namespace headroom::ui
