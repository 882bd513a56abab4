#include "ui/chart/chart_state.h"

#include <algorithm>

namespace headroom::ui {
namespace {

QString idOf(const DeviceInfo& device) { return QString::fromStdString(device.id); }

auto findIn(const std::vector<DeviceInfo>& devices, const QString& id) {
  return std::find_if(devices.begin(), devices.end(), [&](const DeviceInfo& d) { return idOf(d) == id; });
}

std::optional<DeviceIndex> indexIn(const MemoryPlan& plan, const QString& id) {
  const auto at = findIn(plan.devices, id);
  if (at == plan.devices.end()) return std::nullopt;
  return static_cast<DeviceIndex>(at - plan.devices.begin());
}

PlannedShare shareOn(const std::shared_ptr<const MemoryPlan>& plan, const QString& id) {
  const auto device = plan ? indexIn(*plan, id) : std::nullopt;
  return device ? shareOf(*plan, *device) : PlannedShare{};
}

}  // namespace

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
  std::vector<DeviceInfo> shown;
  for (const auto& from : {plan(), m_loaded}) {
    if (!from) continue;
    for (const DeviceBudget& budget : from->budgets) {
      const DeviceInfo& device = from->devices[budget.device];
      if (findIn(shown, idOf(device)) == shown.end()) shown.push_back(device);
    }
  }
  if (shown.empty() && !m_present.empty()) shown.push_back(m_present.front());
  m_shown = std::move(shown);
  emit changed();
}

std::size_t ChartState::selected() const {
  const auto at = findIn(m_shown, m_selectedId);
  return at == m_shown.end() ? 0 : static_cast<std::size_t>(at - m_shown.begin());
}

void ChartState::select(std::size_t index) {
  if (index >= m_shown.size() || idOf(m_shown[index]) == m_selectedId) return;
  m_selectedId = idOf(m_shown[index]);
  emit changed();
}

const TimeLine& ChartState::timeLine(std::size_t index) const {
  const auto at = index < m_shown.size() ? m_timeLines.find(idOf(m_shown[index])) : m_timeLines.end();
  return at == m_timeLines.end() ? m_none : at->second;
}

// What is loaded, and what of the weights being loaded has come.
PlannedShare ChartState::shareNow(const QString& deviceId) const {
  PlannedShare share = shareOn(m_loaded, deviceId);
  const auto device = findIn(m_present, deviceId);
  share.isHost = share.isHost || (device != m_present.end() && device->kind == DeviceKind::kCpu);
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
  if (findIn(m_shown, reading.device) != m_shown.end()) emit nowChanged();
}

std::optional<MemoryFrame> ChartState::now(std::size_t index) const {
  const auto last = index < m_shown.size() ? m_last.find(idOf(m_shown[index])) : m_last.end();
  if (last == m_last.end()) return std::nullopt;
  return measuredFrame(last->second, shareNow(last->first));
}

MemoryAccount ChartState::account(std::size_t index) const {
  const auto last = index < m_shown.size() ? m_last.find(idOf(m_shown[index])) : m_last.end();
  return last == m_last.end() ? MemoryAccount{} : last->second.account;
}

OthersNow ChartState::othersNow() const {
  OthersNow others;
  for (std::size_t i = 0; i < m_shown.size(); ++i) {
    if (const auto frame = now(i)) others[m_shown[i].id] = {frame->of(Segment::Others), account(i)};
  }
  return others;
}

std::optional<MemoryFrame> ChartState::planned(std::size_t index) const {
  if (!plan() || index >= m_shown.size()) return std::nullopt;
  const DeviceInfo& device = m_shown[index];
  Bytes others =
      device.is_present && device.total_bytes > device.free_bytes ? device.total_bytes - device.free_bytes : 0;
  PlannedShare share = shareOn(plan(), idOf(device));
  if (const auto measured = now(index)) {
    others = measured->of(Segment::Others);
    // What its driver and this program hold already they will go on holding; the tables of a model that is loaded go
    // with it.
    share.driver = std::max(share.driver, measured->of(Segment::Driver));
    share.program += saturating_sub(measured->of(Segment::Program), shareNow(idOf(device)).program);
  }
  return plannedFrame(device.total_bytes, others, share);
}

Bytes ChartState::planTop(std::size_t index) const {
  if (!plan() || index >= m_shown.size()) return 0;
  const PlannedShare share = shareOn(plan(), idOf(m_shown[index]));
  return share.ours() + share.driver;
}

ChartState::Listed ChartState::listed(std::size_t index) const {
  const auto& from = m_loaded ? m_loaded : m_candidate;
  const auto device = from && index < m_shown.size() ? indexIn(*from, idOf(m_shown[index])) : std::nullopt;
  return device ? Listed{from, *device} : Listed{};
}

}  // namespace headroom::ui
