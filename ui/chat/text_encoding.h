// Bytes of a file to text, whatever encoding somebody saved them in.
#pragma once

#include <QByteArray>
#include <QString>
#include <optional>

namespace headroom::ui {

// UTF-8, UTF-16 and UTF-32 by their byte order marks; without one UTF-8 where the bytes are valid UTF-8, UTF-16 where
// every second byte is zero in most places, as in texts of European languages, and else Windows-1252, which is what
// older Windows programs write and has ISO 8859-1 in it. Absent: the bytes are no text (zeros or control characters
// other than of white space, form feeds and terminals).
std::optional<QString> decodeText(const QByteArray& bytes);

}  // namespace headroom::ui
