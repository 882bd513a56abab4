// Names of devices as the window writes them.
#pragma once

#include <QString>

#include "devices/device_info.h"

namespace headroom::ui {

// "Intel Xeon Processor" of "Intel(R) Xeon(R)  Processor": marks of trade tell nobody which device it is.
QString shortDeviceName(const QString& name);

// The same where it stands beside other devices of one plan, with little room: the host has a long name that nobody
// looks for, and of reference devices only the number differs.
QString deviceLabel(const DeviceInfo& device);

// Of a graphics card: "CUDA" or "Vulkan"; and its name with it, "RTX 4070 (Vulkan)", since two drivers may show one
// card.
QString driverName(const DeviceInfo& device);
QString nameAndDriver(const DeviceInfo& device);
// Of one whose check failed: "RTX 4070 (Vulkan) failed its check and is used only where you choose it."
QString failedCheckSentence(const DeviceInfo& device);

}  // namespace headroom::ui
