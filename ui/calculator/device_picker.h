// Devices to plan for: those of this machine, then the catalogue; type to filter.
#pragma once

#include <QComboBox>
#include <vector>

#include "plan/device_info.h"

namespace headroom::ui {

class DevicePicker : public QComboBox {
  Q_OBJECT
 public:
  explicit DevicePicker(QWidget* parent = nullptr);

  void setDevices(const std::vector<DeviceInfo>& present, const std::vector<DeviceInfo>& catalogue);
  void setCurrentDevice(const QString& id);

 signals:
  void deviceChosen(const QString& id);

 protected:
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void addHeading(const QString& text);
  void addDevice(const DeviceInfo& device);
  int firstDeviceWith(const QString& text) const;
  void choose(int row);
  void showCurrent();

  QString m_currentId;
};

}  // namespace headroom::ui
