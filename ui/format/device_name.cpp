#include "ui/format/device_name.h"

namespace headroom::ui {

QString shortDeviceName(const QString& name) {
  QString shorter = name;
  for (const char* mark : {"(R)", "(TM)", "(C)"}) shorter.remove(QLatin1String(mark), Qt::CaseInsensitive);
  shorter = shorter.simplified();
  return shorter.isEmpty() ? name : shorter;
}

}  // namespace headroom::ui
