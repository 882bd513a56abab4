// Who holds a device's memory, and how surely that is known, in words.
#pragma once

#include <QString>

#include "devices/device_info.h"

namespace headroom::ui {

// What other programs hold, as surely as it is known: "1.50 GiB", the same behind a sign for "about", or "not known".
QString othersBytesText(Bytes others, const MemoryAccount& account);
// The same for screen readers: "about 1.50 GiB".
QString othersSpokenText(Bytes others, const MemoryAccount& account);

// What is free: "1.50 GiB", or the same behind a sign for "at most" where nobody knows what others hold.
QString freeBytesText(Bytes free, const MemoryAccount& account);
QString freeSpokenText(Bytes free, const MemoryAccount& account);  // "at most 1.50 GiB"
// Behind what is in use: that others' is not in it; empty: it is.
QString inUseRemark(const MemoryAccount& account);

// Why the figures are not sure, for a tool tip; empty: they are. In the engine's words, as plain text.
QString doubtText(const MemoryAccount& account);

// That this much of ours left the device: what it means and what to do.
QString spillText(Bytes spilled);

}  // namespace headroom::ui
