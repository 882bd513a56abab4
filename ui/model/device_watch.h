// Keeps the free bytes that plans are made with current, and the chart alive while nothing is loaded.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <map>

#include "ui/calculator/load_state.h"
#include "ui/model/model_services.h"

namespace headroom::ui {

// GUI thread; devices are probed on another one, once a second while the window is seen; while it is not, an idle
// engine reads none either, and the chart has a gap. The engine's own readings (of the devices that the loaded model is
// on) replace the probe's in the chart.
class DeviceWatch : public QObject {
  Q_OBJECT
 public:
  DeviceWatch(const ModelServices& services, const LoadState& load, QObject* parent = nullptr);

  // Devices as a new plan should see them, as they were read last: what our loaded model holds is given back, since a
  // load replaces it, and so is what drivers hold of the share that the plan asks for.
  const std::vector<DeviceInfo>& devicesNow() const { return m_now; }

  void setSeen(bool isSeen);  // the window is on the screen; reads at once where the last reading is old

 signals:
  // By more than noise; or a speed, a driver's share or what others hold became known or changed.
  void freeBytesChanged(const std::vector<headroom::DeviceInfo>& devices);
  void read(const headroom::ui::MemoryReading& reading);

 private:
  void probe();
  void take(std::vector<DeviceInfo> found);
  std::vector<DeviceInfo> forPlans(std::vector<DeviceInfo> devices) const;
  void tellReadings(const std::vector<DeviceInfo>& devices);

  const ModelServices& m_services;
  const LoadState& m_load;
  std::vector<DeviceInfo> m_now, m_told;
  std::map<QString, QElapsedTimer> m_sinceEngineRead;  // by device
  QElapsedTimer m_sinceRead;
  quint64 m_nLoadChanges = 0;
  bool m_isProbing = false;
  QTimer m_timer{this};
};

}  // namespace headroom::ui
