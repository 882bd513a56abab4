// Names of devices as the window writes them.
#pragma once

#include <QString>

namespace headroom::ui {

// "Intel Xeon Processor" of "Intel(R) Xeon(R)  Processor": marks of trade tell nobody which device it is.
QString shortDeviceName(const QString& name);

}  // namespace headroom::ui
