#include "ui/calculator/device_choices.h"

#include <QRegularExpression>
#include <algorithm>
#include <map>
#include <utility>

#include "plan/choose_devices.h"

namespace headroom::ui {
namespace {

QString idOf(const DeviceInfo& device) { return QString::fromStdString(device.id); }
bool isHost(const DeviceInfo& device) { return device.kind == DeviceKind::kCpu; }

const DeviceInfo* findIn(const std::vector<DeviceInfo>& devices, const QString& id) {
  const auto at = std::find_if(devices.begin(), devices.end(), [&](const DeviceInfo& d) { return idOf(d) == id; });
  return at == devices.end() ? nullptr : &*at;
}

// "At most" is a number of the old device's; "keep free" is kept where it leaves anything.
HeadroomRule ruleOn(const DeviceInfo& device, const HeadroomRule& before) {
  const auto* keep = std::get_if<KeepFree>(&before);
  return keep == nullptr || keep->bytes >= device.total_bytes / 2 ? defaultHeadroom(device) : before;
}

// Two cards of one name would be one name twice in every sentence.
void nameApart(std::vector<DeviceInfo>& devices) {
  std::map<std::string, int> nOfName;
  for (const DeviceInfo& device : devices) ++nOfName[device.name];
  for (DeviceInfo& device : devices) {
    if (nOfName[device.name] > 1) device.name += " (" + device.id + ")";
  }
}

}  // namespace

HeadroomRule defaultHeadroom(const DeviceInfo& device) {
  return KeepFree{std::min(kGiB, device.total_bytes / 8 / kMiB * kMiB)};
}

QStringList DeviceChoices::setPresent(std::vector<DeviceInfo> devices) {
  const std::vector<DeviceInfo> before = std::exchange(m_present, std::move(devices));
  const QString host = firstHost();
  if (host.isEmpty()) return {};
  if (m_rows.empty()) {
    for (const DeviceIndex gpu : choose_gpus(m_present))
      m_rows.push_back({idOf(m_present[gpu]), defaultHeadroom(m_present[gpu])});
    m_rows.push_back({host, defaultHeadroom(*find(host))});
    return {};
  }
  QStringList gone;
  for (const ChosenDevice& row : m_rows) {
    const DeviceInfo* was = findIn(before, row.id);
    if (!find(row.id) && was != nullptr) gone << QString::fromStdString(was->name);
  }
  if (!gone.isEmpty()) choose(std::vector<ChosenDevice>(m_rows));
  return gone;
}

bool DeviceChoices::choose(const std::vector<ChosenDevice>& wanted) {
  std::vector<ChosenDevice> rows;
  ChosenDevice host{firstHost(), {}};
  if (host.id.isEmpty()) return false;
  host.headroom = defaultHeadroom(*find(host.id));
  for (const ChosenDevice& choice : wanted) {
    const auto device = find(choice.id);
    const bool isTwice = std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.id == choice.id; });
    if (!device || isTwice) continue;
    if (isHost(*device)) {
      host = choice;
    } else {
      rows.push_back(choice);
    }
  }
  rows.push_back(host);
  if (rows == m_rows) return false;
  m_rows = std::move(rows);
  return true;
}

ChosenDevice DeviceChoices::asChosen(const DeviceInfo& device) const {
  for (const ChosenDevice& row : m_rows) {
    if (row.id == idOf(device)) return row;
  }
  return {idOf(device), defaultHeadroom(device)};
}

bool DeviceChoices::use(std::size_t row, const QString& id) {
  const auto device = find(id);
  if (row >= m_rows.size() || !device || m_rows[row].id == id || !isOffered(*device, row)) return false;
  const bool isHostRow = row + 1 == m_rows.size();
  if (isHost(*device)) {
    ChosenDevice& host = m_rows.back();
    if (host.id != id) host = {id, ruleOn(*device, host.headroom)};
    if (!isHostRow) m_rows.erase(m_rows.begin() + static_cast<std::ptrdiff_t>(row));
    return true;
  }
  if (isHostRow) return add(id);
  const HeadroomRule rule = ruleOn(*device, m_rows[row].headroom);
  m_rows[row] = {freeId(*device), rule};
  return true;
}

bool DeviceChoices::add(const QString& id) {
  const auto device = find(id);
  if (m_rows.empty() || !device || isHost(*device) || !isOffered(*device, m_rows.size())) return false;
  m_rows.insert(m_rows.end() - 1, {freeId(*device), defaultHeadroom(*device)});
  return true;
}

bool DeviceChoices::remove(std::size_t row) {
  if (row >= gpuCount()) return false;
  m_rows.erase(m_rows.begin() + static_cast<std::ptrdiff_t>(row));
  return true;
}

bool DeviceChoices::replace(const QString& id) {
  const auto at = std::find_if(m_rows.begin(), m_rows.end(), [&](const ChosenDevice& row) { return row.id == id; });
  const auto row = static_cast<std::size_t>(at - m_rows.begin());
  if (row >= gpuCount()) return false;
  std::vector<DeviceInfo> others;
  for (const DeviceInfo& device : m_present) {
    if (!isChosen(idOf(device))) others.push_back(device);
  }
  const std::vector<DeviceIndex> gpus = choose_gpus(others);
  return gpus.empty() ? remove(row) : use(row, idOf(others[gpus.front()]));
}

bool DeviceChoices::moveUp(std::size_t row) {
  if (row == 0 || row >= gpuCount()) return false;
  std::swap(m_rows[row - 1], m_rows[row]);
  return true;
}

bool DeviceChoices::setHeadroom(std::size_t row, const HeadroomRule& rule) {
  if (row >= m_rows.size() || m_rows[row].headroom == rule) return false;
  m_rows[row].headroom = rule;
  return true;
}

void DeviceChoices::takeDevices(const PlanOptions& options) {
  const std::vector<DeviceInfo> planned = devices();
  const std::vector<DeviceChoice> now = choices();
  for (std::size_t row = 0; row < now.size(); ++row) m_rows[row].headroom = options.headroom_of(now[row].device);
  for (const DeviceChoice& choice : options.devices) {
    if (choice.device >= planned.size() || isChosen(idOf(planned[choice.device]))) continue;
    if (add(idOf(planned[choice.device]))) m_rows[gpuCount() - 1].headroom = choice.headroom;
  }
}

std::optional<DeviceInfo> DeviceChoices::find(const QString& id) const {
  if (const DeviceInfo* present = findIn(m_present, id)) return *present;
  if (const DeviceInfo* listed = findIn(m_catalogue, id)) return *listed;
  // Never deleted: a thread that nobody waits for may still plan at the end of the program.
  static const auto& copyName = *new QRegularExpression(QStringLiteral("^(.*) #[2-9][0-9]?$"));
  const QRegularExpressionMatch match = copyName.match(id);
  const DeviceInfo* original = match.hasMatch() ? findIn(m_catalogue, match.captured(1)) : nullptr;
  if (original == nullptr) return std::nullopt;
  DeviceInfo copy = *original;
  copy.id = copy.name = id.toStdString();
  return copy;
}

std::optional<DeviceInfo> DeviceChoices::deviceOf(std::size_t row) const {
  return row < m_rows.size() ? find(m_rows[row].id) : std::nullopt;
}

bool DeviceChoices::isOffered(const DeviceInfo& device, std::size_t row) const {
  if (isHost(device)) return row < m_rows.size();
  if (row + 1 == m_rows.size() && gpuCount() > 0) return false;
  return !device.is_present || !isChosen(idOf(device)) || (row < m_rows.size() && m_rows[row].id == idOf(device));
}

bool DeviceChoices::isChosen(const QString& id) const {
  return std::any_of(m_rows.begin(), m_rows.end(), [&](const ChosenDevice& row) { return row.id == id; });
}

// Of a card that the catalogue has once and that is planned for several times, each has an id of its own.
QString DeviceChoices::freeId(const DeviceInfo& device) const {
  QString id = idOf(device);
  for (int n = 2; isChosen(id) && n < 100; ++n) id = QStringLiteral("%1 #%2").arg(idOf(device)).arg(n);
  return id;
}

QString DeviceChoices::firstHost() const {
  const auto at = std::find_if(m_present.begin(), m_present.end(), isHost);
  return at == m_present.end() ? QString() : idOf(*at);
}

std::vector<DeviceInfo> DeviceChoices::devices() const {
  std::vector<DeviceInfo> devices;
  const QString host = m_rows.empty() ? QString() : m_rows.back().id;
  for (const DeviceInfo& device : m_present) {
    if (!isHost(device) || idOf(device) == host) devices.push_back(device);
  }
  for (const ChosenDevice& row : m_rows) {
    if (findIn(m_present, row.id) != nullptr) continue;
    if (const auto device = find(row.id)) devices.push_back(*device);
  }
  nameApart(devices);
  return devices;
}

std::vector<DeviceChoice> DeviceChoices::choices() const {
  const std::vector<DeviceInfo> planned = devices();
  std::vector<DeviceChoice> choices;
  for (const ChosenDevice& row : m_rows) {
    if (const DeviceInfo* device = findIn(planned, row.id))
      choices.push_back({static_cast<DeviceIndex>(device - planned.data()), row.headroom});
  }
  return choices;
}

}  // namespace headroom::ui
