#include "ui/chart/bytes_ticker.h"

#include <cmath>

#include "base/bytes.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {

double BytesTicker::getTickStep(const QCPRange& range) {
  const double wanted = range.size() / (mTickCount + 1e-10);
  // The next power of two: marks of 0.5, 1, 2, 4 GiB are round in the unit that they are written in.
  return std::exp2(std::ceil(std::log2(std::max(wanted, 1.0))));
}

QString BytesTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  if (tick < 0.5) return QStringLiteral("0");
  const auto inUnit = [tick](Bytes unit, const char* name) {
    const double count = tick / static_cast<double>(unit);
    int decimals = 0;  // marks are powers of two: 0.25, 0.5, 1.5
    for (double rest = count; rest != std::floor(rest) && decimals < 2; rest *= 10) ++decimals;
    return formatDecimal(count, decimals) + QLatin1String(name);
  };
  if (tick >= static_cast<double>(kGiB)) return inUnit(kGiB, " GiB");
  if (tick >= static_cast<double>(kMiB)) return inUnit(kMiB, " MiB");
  return inUnit(kKiB, " KiB");
}

int BytesTicker::getSubTickCount(double) { return 1; }

}  // namespace headroom::ui
