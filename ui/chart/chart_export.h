// The history as files that other programs read.
#pragma once

#include <QByteArray>
#include <QString>
#include <span>

#include "ui/chart/memory_frame.h"

namespace headroom::ui {

// A header row, then one row per frame: time_ms and the bytes of each segment. RFC 4180, LF.
QByteArray framesToCsv(std::span<const MemoryFrame> frames);

// {"device", "unit": "bytes", "planned_bytes", "frames": [{"time_ms", "weights", ...}]}. Figures are numbers, exact to
// 2^53.
QByteArray framesToJson(std::span<const MemoryFrame> frames, const QString& device, Bytes plannedBytes);

}  // namespace headroom::ui
