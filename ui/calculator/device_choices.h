// Which devices a plan is made for, in which order, and what each is to be left with. No Qt object: a value.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "plan/memory_plan.h"

namespace headroom::ui {

struct ChosenDevice {
  // DeviceInfo::id; a second card of one name in the catalogue is "RTX 3060 12GB #2".
  QString id;
  HeadroomRule headroom = KeepFree{};
  bool operator==(const ChosenDevice&) const = default;
};

// Rows are what a user sees: the GPUs in the order in which layers are given to them, and last the host, which has the
// rest. Before a host is known there is no row. Setters return whether anything changed.
class DeviceChoices {
 public:
  explicit DeviceChoices(std::vector<DeviceInfo> catalogue) : m_catalogue(std::move(catalogue)) {}

  const std::vector<DeviceInfo>& present() const { return m_present; }
  const std::vector<DeviceInfo>& catalogue() const { return m_catalogue; }
  const std::vector<ChosenDevice>& rows() const { return m_rows; }
  std::size_t gpuCount() const { return m_rows.empty() ? 0 : m_rows.size() - 1; }

  // With the first host that is seen its GPUs are chosen, as choose_gpus() would. Later, those that went are dropped;
  // returns their names. A look that saw no host at all changes nothing that was chosen.
  QStringList setPresent(std::vector<DeviceInfo> devices);
  // As they were kept: what is not there now is left out, and a host is always there.
  bool choose(const std::vector<ChosenDevice>& wanted);
  // With the headroom that it has, or the one that it starts with.
  ChosenDevice asChosen(const DeviceInfo& device) const;

  // Another device in this row. A GPU in the host's row is one more GPU; a host in the row of a GPU takes that GPU out.
  bool use(std::size_t row, const QString& id);
  bool add(const QString& id);  // as the last of the GPUs
  bool remove(std::size_t row);
  // A GPU that failed, by the first that choose_gpus() would take of those that are here and in no row; where there is
  // none its layers go to the other rows.
  bool replace(const QString& id);
  bool moveUp(std::size_t row);
  bool setHeadroom(std::size_t row, const HeadroomRule& rule);
  // The headroom of options made for devices(), and as further rows the GPUs that have none yet.
  void takeDevices(const PlanOptions& options);

  // The device of an id, a further copy of the catalogue's included.
  std::optional<DeviceInfo> find(const QString& id) const;
  std::optional<DeviceInfo> deviceOf(std::size_t row) const;
  // What can be chosen in a row: not a card of this machine that another row has; beside GPUs the host stays one.
  bool isOffered(const DeviceInfo& device, std::size_t row) const;

  // What plan_memory is given: the devices, each with a name of its own and one host among them, and those chosen.
  std::vector<DeviceInfo> devices() const;
  std::vector<DeviceChoice> choices() const;

 private:
  bool isChosen(const QString& id) const;
  QString freeId(const DeviceInfo& device) const;
  QString firstHost() const;

  std::vector<DeviceInfo> m_present, m_catalogue;
  std::vector<ChosenDevice> m_rows;
};

// A start that leaves the machine usable: 1 GiB, and on small devices an eighth.
HeadroomRule defaultHeadroom(const DeviceInfo& device);

}  // namespace headroom::ui
