// Keeps the free bytes that plans are made with current, and the chart alive while nothing is loaded.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <map>

#include "ui/calculator/load_state.h"
#include "ui/main_window/window_services.h"

namespace headroom::ui {

// GUI thread. Probes once a second; the engine's own readings (5 Hz, of the devices that the loaded model is on)
// replace the probe's in the chart.
class DeviceWatch : public QObject {
  Q_OBJECT
 public:
  DeviceWatch(const WindowServices& services, const LoadState& load, QObject* parent = nullptr);

  // Devices as a new plan should see them: what our loaded model holds is given back, since a load replaces it, and so
  // is what drivers hold of the share that the plan asks for.
  std::vector<DeviceInfo> devicesNow() const;

 signals:
  // By more than noise; or a speed, a driver's share or what others hold became known or changed.
  void freeBytesChanged(const std::vector<headroom::DeviceInfo>& devices);
  void read(const headroom::ui::MemoryReading& reading);

 private:
  void probe();
  std::vector<DeviceInfo> forPlans(std::vector<DeviceInfo> devices) const;
  void tellReadings(const std::vector<DeviceInfo>& devices);

  const WindowServices& m_services;
  const LoadState& m_load;
  std::vector<DeviceInfo> m_told;
  std::map<QString, QElapsedTimer> m_sinceEngineRead;  // by device
  QTimer m_timer{this};
};

}  // namespace headroom::ui
