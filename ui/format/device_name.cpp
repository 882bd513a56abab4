#include "ui/format/device_name.h"

#include <QCoreApplication>

namespace headroom::ui {

QString shortDeviceName(const QString& name) {
  QString shorter = name;
  for (const char* mark : {"(R)", "(TM)", "(C)"}) shorter.remove(QLatin1String(mark), Qt::CaseInsensitive);
  shorter = shorter.simplified();
  return shorter.isEmpty() ? name : shorter;
}

QString deviceLabel(const DeviceInfo& device) {
  if (device.kind == DeviceKind::kCpu) return QCoreApplication::translate("DeviceName", "Host");
  if (device.kind == DeviceKind::kReference) return QString::fromStdString(device.id);
  return shortDeviceName(QString::fromStdString(device.name));
}

QString driverName(const DeviceInfo& device) {
  return device.kind == DeviceKind::kCuda ? QStringLiteral("CUDA") : QStringLiteral("Vulkan");
}

QString nameAndDriver(const DeviceInfo& device) {
  //: A graphics card and the driver that it is used by: "RTX 4070 (Vulkan)"
  return QCoreApplication::translate("DeviceName", "%1 (%2)")
      .arg(shortDeviceName(QString::fromStdString(device.name)), driverName(device));
}

QString failedCheckSentence(const DeviceInfo& device) {
  return QCoreApplication::translate("DeviceName", "%1 failed its check and is used only where you choose it.")
      .arg(nameAndDriver(device));
}

}  // namespace headroom::ui
