// Byte counts, token counts, rates and times as the window writes them, all in one locale (ui/format/typed_number.h);
// the examples are English.
#pragma once

#include <QDate>
#include <QString>

#include "base/bytes.h"
#include "base/memory_growth.h"

namespace headroom::ui {

// "0.80": with this many decimals.
QString formatDecimal(double value, int decimals);

// "6.31 GiB": with the digits that the engine and the command line write.
QString formatBytes(Bytes bytes);

// "1.20 of 4.58 GiB": both in the unit of `whole`; "3.55 MiB of 2.00 GiB" where too little would be left of the part.
QString formatPart(Bytes part, Bytes whole);

// "1.20" in the unit that `scale` is written in; for sentences that name the unit once, at the end.
QString formatBytesLike(Bytes bytes, Bytes scale);

// "+12.0 MiB", "-3.00 KiB", "0 B": what `actual` has more than `planned`.
QString formatDifference(Bytes planned, Bytes actual);

// "6,771,697,152 B": for tool tips and lists where every byte counts.
QString formatExactBytes(Bytes bytes);

// "drivers 0 B, program 1.20 MiB": what was taken since a load; arenas too, where any was mapped.
QString formatGrowth(const MemoryGrowth& grown);

// "32,768".
QString formatCount(quint64 count);

// "1.25 s", "12 s".
QString formatSeconds(double seconds);

// "34 s", "2 min 5 s": whole seconds.
QString formatDuration(qint64 ms);

// "24 Nov 2026, 18:05" and "18:05", of milliseconds since the epoch.
QString formatMoment(qint64 sinceEpochMs);
QString formatClock(qint64 sinceEpochMs);

// "18:05" where it was `today`, "Yesterday", "24 Nov" in the same year, "24 Nov 2025".
QString formatDay(qint64 sinceEpochMs, QDate today);

// "42.1 tokens/s", "5,625 tokens/s": three or four digits, of which no reader needs more.
QString formatSpeed(double tokensPerSecond);

// "about 42 tokens/s": a speed that was estimated, with the digits that the engine and the command line write.
QString formatAboutSpeed(double tokensPerSecond);

// "42": the same behind a word that says what it is.
QString formatPredictedRate(double tokensPerSecond);

// "7.62 B", "494 M": parameters of a model.
QString formatParameters(quint64 count);

}  // namespace headroom::ui
