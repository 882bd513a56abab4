// What the VRAM dock shows, without its widgets: of each device of the plan its history, the frame of now and the frame
// of the plan.
#pragma once

#include <QObject>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ui/calculator/verdict.h"
#include "ui/chart/time_line.h"
#include "ui/engine_port.h"

namespace headroom::ui {

// GUI thread. The shown devices follow the plan's: those that hold anything of it, the host last; behind them what only
// the loaded model is on. Without a plan it is the first that is present. One of them is selected.
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

  const std::vector<DeviceInfo>& shown() const { return m_shown; }
  std::size_t selected() const;  // stays with its device for as long as that is shown
  void select(std::size_t index);

  // Of a shown device.
  const TimeLine& timeLine(std::size_t index) const;
  std::optional<MemoryFrame> now(std::size_t index) const;
  std::optional<MemoryFrame> planned(std::size_t index) const;
  MemoryAccount account(std::size_t index) const;  // of the last reading
  OthersNow othersNow() const;                     // of the shown devices
  Bytes planTop(std::size_t index) const;          // where our share ends once the plan is loaded; 0: no plan
  // Whose regions a click lists, the loaded plan's, else the candidate's, and the device there; null: it has none.
  struct Listed {
    std::shared_ptr<const MemoryPlan> plan;
    DeviceIndex device = 0;
  };
  Listed listed(std::size_t index) const;

 signals:
  void changed();     // plan, devices or what is selected
  void nowChanged();  // a reading of a shown device came

 private:
  const std::shared_ptr<const MemoryPlan>& plan() const { return m_candidate ? m_candidate : m_loaded; }
  PlannedShare shareNow(const QString& deviceId) const;
  void follow();

  std::vector<DeviceInfo> m_present, m_shown;
  std::shared_ptr<const MemoryPlan> m_candidate, m_loaded, m_arriving;
  double m_arrivedPart = 0;
  QString m_selectedId;
  std::map<QString, TimeLine> m_timeLines;
  std::map<QString, MemoryReading> m_last;
  TimeLine m_none{2};
};

}  // namespace headroom::ui
