#include "ui/chart/chart_export.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace headroom::ui {

QByteArray framesToCsv(std::span<const MemoryFrame> frames) {
  QByteArray csv = "time_ms";
  for (const Segment segment : kSegments) csv.append(',').append(segmentKey(segment));
  csv.append(",spilled\n");
  for (const MemoryFrame& frame : frames) {
    csv.append(QByteArray::number(frame.timeMs));
    for (const Segment segment : kSegments)
      csv.append(',').append(QByteArray::number(static_cast<qulonglong>(frame.of(segment))));
    csv.append(',').append(QByteArray::number(static_cast<qulonglong>(frame.spilled))).append('\n');
  }
  return csv;
}

QByteArray framesToJson(std::span<const MemoryFrame> frames, const QString& device, Bytes plannedBytes) {
  QJsonArray rows;
  for (const MemoryFrame& frame : frames) {
    QJsonObject row{{QStringLiteral("time_ms"), frame.timeMs}};
    for (const Segment segment : kSegments)
      row.insert(QLatin1String(segmentKey(segment)), static_cast<qint64>(frame.of(segment)));
    row.insert(QStringLiteral("spilled"), static_cast<qint64>(frame.spilled));
    if (frame.isContradictory) row.insert(QStringLiteral("contradictory"), true);
    rows.append(row);
  }
  const QJsonObject root{{QStringLiteral("device"), device},
                         {QStringLiteral("unit"), QStringLiteral("bytes")},
                         {QStringLiteral("planned_bytes"), static_cast<qint64>(plannedBytes)},
                         {QStringLiteral("frames"), rows}};
  return QJsonDocument(root).toJson(QJsonDocument::Indented);
}

}  // namespace headroom::ui
