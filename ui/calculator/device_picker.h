// Devices to plan for: those of this machine, then the catalogue; type to filter. Beside each stands how fast the model
// would be there, once that is known.
#pragma once

#include <QComboBox>
#include <vector>

#include "devices/device_info.h"
#include "ui/calculator/plan_preview.h"

namespace headroom::ui {

// The catalogue's devices by what drives them, as headings.
struct DeviceGroup {
  DeviceKind kind;
  QString name;
};
std::vector<DeviceGroup> catalogueGroups();

class DevicePicker : public QComboBox {
  Q_OBJECT
 public:
  explicit DevicePicker(QWidget* parent = nullptr);

  // Told again with every plan: a list that is the same stays as it is, open or not.
  void setDevices(const std::vector<DeviceInfo>& present, const std::vector<DeviceInfo>& catalogue);
  void setCurrentDevice(const QString& id);
  void setPlanPreview(const std::vector<DevicePlanPreview>& preview);

  void showPopup() override;

 signals:
  void deviceChosen(const QString& id);
  void listWanted();  // the list comes up, and with it setPlanPreview() is due

 protected:
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void addHeading(const QString& text);
  void addDevice(const DeviceInfo& device, bool hasNamesake);
  int firstDeviceWith(const QString& text) const;
  void choose(int row);
  void showCurrent();

  QString m_currentId;
  QStringList m_ids;  // of the list, as it was told last
};

}  // namespace headroom::ui
