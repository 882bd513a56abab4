// What the VRAM dock shows, without its widgets: histories per device, the frame of now and the frame of the plan.
#pragma once

#include <QObject>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ui/chart/time_line.h"
#include "ui/engine_port.h"

namespace headroom::ui {

// GUI thread. The shown device follows the plan's.
class ChartState : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  void setDevices(std::vector<DeviceInfo> present);
  void setCandidate(std::shared_ptr<const MemoryPlan> plan);  // what Load would map; null: none
  void setLoaded(std::shared_ptr<const MemoryPlan> plan);     // null: nothing is loaded
  // This much (0..1) of the weights of `plan` stand where it wants them; null: nothing is being loaded.
  void setArriving(std::shared_ptr<const MemoryPlan> plan, double part);
  void addReading(const MemoryReading& reading);

  QString deviceId() const { return m_deviceId; }
  QString deviceName() const;
  bool isHost() const;
  bool isPresent() const;  // false: a device of the catalogue, nothing can be measured
  Bytes total() const;     // of the shown device
  const TimeLine& timeLine() const;
  std::optional<MemoryFrame> now() const;
  std::optional<MemoryFrame> planned() const;
  Bytes planTop() const;  // where our share ends once the plan is loaded; 0: no plan
  // Whose regions a click lists: the loaded plan's, else the candidate's.
  std::shared_ptr<const MemoryPlan> listedPlan() const { return m_loaded ? m_loaded : m_candidate; }

 signals:
  void changed();     // plan or device
  void nowChanged();  // a reading came

 private:
  const DeviceInfo* shown() const;
  static PlannedShare shareOn(const std::shared_ptr<const MemoryPlan>& plan, const QString& deviceId);
  PlannedShare shareNow(const QString& deviceId) const;
  void follow();

  std::vector<DeviceInfo> m_present;
  std::shared_ptr<const MemoryPlan> m_candidate, m_loaded, m_arriving;
  double m_arrivedPart = 0;
  QString m_deviceId;
  std::map<QString, TimeLine> m_timeLines;
  std::map<QString, MemoryReading> m_last;
  TimeLine m_none{2};
};

}  // namespace headroom::ui
