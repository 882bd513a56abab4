#include "ui/format/format_bytes.h"

#include <QCoreApplication>
#include <QDateTime>
#include <algorithm>
#include <array>

#include "plan/speed.h"
#include "ui/format/message_words.h"
#include "ui/format/typed_number.h"

namespace headroom::ui {
namespace {

struct Unit {
  const char* name;
  Bytes bytes;
};
constexpr std::array<Unit, 5> kUnits{{{"TiB", kGiB << 10}, {"GiB", kGiB}, {"MiB", kMiB}, {"KiB", kKiB}, {"B", 1}}};

const Unit& unitOf(Bytes bytes) {
  for (const Unit& unit : kUnits) {
    if (bytes >= unit.bytes) return unit;
  }
  return kUnits.back();
}

QString inUnit(Bytes bytes, const Unit& unit) {
  if (unit.bytes == 1) return formatCount(bytes);
  return formatDecimal(static_cast<double>(bytes) / static_cast<double>(unit.bytes), 2);
}

// Of a number that the engine wrote, which groups no digits.
QString inTextForm(const std::string& number) {
  return QString::fromStdString(number).replace(QLatin1Char('.'), textLocale().decimalPoint());
}

}  // namespace

QString formatDecimal(double value, int decimals) { return textLocale().toString(value, 'f', decimals); }

QString formatBytes(Bytes bytes) { return inTextForm(format_bytes(bytes)); }

QString formatGrowth(const MemoryGrowth& grown) {
  const QString bytes =
      QObject::tr("drivers %1, program %2").arg(formatBytes(grown.driver), formatBytes(grown.heap + grown.mapped));
  return grown.n_arenas == 0 ? bytes : QObject::tr("%1, arenas %2").arg(bytes).arg(grown.n_arenas);
}

QString formatBytesLike(Bytes bytes, Bytes scale) { return inUnit(bytes, unitOf(scale)); }

QString formatPart(Bytes part, Bytes whole) {
  const Unit& unit = unitOf(whole);
  //: Two amounts: "3.55 MiB of 2.00 GiB"
  if (part > 0 && part < unit.bytes / 10) return QObject::tr("%1 of %2").arg(formatBytes(part), formatBytes(whole));
  //: Two amounts in one unit: "1.20 of 4.58 GiB"
  return QObject::tr("%1 of %2 %3").arg(inUnit(part, unit), inUnit(whole, unit), QLatin1String(unit.name));
}

QString formatDifference(Bytes planned, Bytes actual) {
  if (planned == actual) return formatBytes(0);
  return actual > planned ? QStringLiteral("+") + formatBytes(actual - planned)
                          : QStringLiteral("\u2212") + formatBytes(planned - actual);
}

QString formatExactBytes(Bytes bytes) { return formatCount(bytes) + QStringLiteral(" B"); }

QString formatCount(quint64 count) { return textLocale().toString(count); }

QString formatSeconds(double seconds) {
  return QCoreApplication::translate("Format", "%1 s").arg(formatDecimal(seconds, seconds < 10 ? 2 : 0));
}

QString formatDuration(qint64 ms) {
  const auto seconds = static_cast<quint64>(std::max<qint64>(ms, 0) / 1000);
  if (seconds < 60) return QCoreApplication::translate("Format", "%1 s").arg(formatCount(seconds));
  return QCoreApplication::translate("Format", "%1 min %2 s").arg(formatCount(seconds / 60), formatCount(seconds % 60));
}

QString formatMoment(qint64 sinceEpochMs) {
  //: Day and time, as QDateTime::toString() has it: "24 Nov 2026, 18:05"
  const QString form = QCoreApplication::translate("Format", "d MMM yyyy, HH:mm");
  return textLocale().toString(QDateTime::fromMSecsSinceEpoch(sinceEpochMs), form);
}

QString formatClock(qint64 sinceEpochMs) {
  return textLocale().toString(QDateTime::fromMSecsSinceEpoch(sinceEpochMs), QStringLiteral("HH:mm"));
}

QString formatDay(qint64 sinceEpochMs, QDate today) {
  const QDate day = QDateTime::fromMSecsSinceEpoch(sinceEpochMs).date();
  if (day == today) return formatClock(sinceEpochMs);
  if (day.addDays(1) == today) return QCoreApplication::translate("Format", "Yesterday");
  //: A day of this year, as QDate::toString() has it: "24 Nov"
  const QString ofThisYear = QCoreApplication::translate("Format", "d MMM");
  //: A day of another year, as QDate::toString() has it: "24 Nov 2025"
  const QString ofAnother = QCoreApplication::translate("Format", "d MMM yyyy");
  return textLocale().toString(day, day.year() == today.year() ? ofThisYear : ofAnother);
}

QString formatSpeed(double tokensPerSecond) {
  return QCoreApplication::translate("Format", "%1 tokens/s")
      .arg(formatDecimal(tokensPerSecond, tokensPerSecond < 99.95 ? 1 : 0));
}

QString formatPredictedRate(double tokensPerSecond) { return wordsOf(predicted_rate_words(tokensPerSecond)); }

QString formatAboutSpeed(double tokensPerSecond) { return wordsOf(about_speed_words(tokensPerSecond)); }

QString formatParameters(quint64 count) {
  const auto scaled = [count](double unit, const char* name) {
    const double value = static_cast<double>(count) / unit;
    return formatDecimal(value, value >= 100 ? 0 : value >= 10 ? 1 : 2) + QLatin1String(name);
  };
  if (count >= 1'000'000'000) return scaled(1e9, " B");
  if (count >= 1'000'000) return scaled(1e6, " M");
  if (count >= 1'000) return scaled(1e3, " k");
  return QString::number(count);
}

}  // namespace headroom::ui
