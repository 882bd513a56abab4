// Paths as the system has them, bytes, and as Qt shows them, text, with a way back: a name that is no UTF-8 can be
// opened too.
#pragma once

#include <QByteArray>
#include <QString>
#include <filesystem>

namespace headroom::app {

// Each byte that is no UTF-8 becomes one half of a surrogate pair, which no real text holds.
QString pathFromBytes(const QByteArray& bytes);
QByteArray bytesOfPath(const QString& path);

std::filesystem::path toNativePath(const QString& path);
QString fromNativePath(const std::filesystem::path& path);

}  // namespace headroom::app
