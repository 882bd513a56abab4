// What tests of downloads share: files of random bytes on a server that does wrong, limits that take no seconds.
#pragma once

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QTest>
#include <random>

#include "support/fault_server.h"
#include "support/temp_folder.h"
#include "ui/library/downloads.h"

namespace headroom::test {

using Fault = ServerFault::Kind;

inline QByteArray randomBytes(std::uint64_t seed, qsizetype n) {
  std::mt19937_64 random(seed);
  QByteArray bytes(n, Qt::Uninitialized);
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

inline QByteArray sha256Of(const QByteArray& bytes) {
  return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
}

inline QByteArray readAll(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Tests whose server falls silent wait for less.
inline ui::DownloadLimits quickLimits(int silenceMs = 2000) {
  ui::DownloadLimits limits;
  limits.http.silenceMs = silenceMs;
  limits.http.bufferBytes = 64 * 1024;
  limits.retry = {3, 10};
  return limits;
}

inline ui::DiskPorts roomyDisk() {
  ui::DiskPorts disk = ui::systemDisk();
  disk.freeBytes = [](const QString&) { return Bytes{1} << 50; };
  return disk;
}

// A file "/x.gguf" on a server, and a download of it into a folder of the test's own.
class DownloadFixture {
 public:
  explicit DownloadFixture(qsizetype n_bytes = 300'000) : bytes(randomBytes(7, n_bytes)) {
    server.serve(QStringLiteral("/x.gguf"), {bytes, "\"one\""});
  }

  QString folder() const { return QString::fromStdString(temp.path().string()); }
  QString path(const QString& name = QStringLiteral("x.gguf")) const { return QDir(folder()).filePath(name); }
  ui::DownloadSpec spec(bool hasChecksum = true) const {
    ui::DownloadSpec made = ui::downloadOf(folder(), server.url(QStringLiteral("/x.gguf")));
    if (!hasChecksum) return made;
    made.parts.front().n_bytes = static_cast<Bytes>(bytes.size());
    made.parts.front().sha256 = sha256Of(bytes);
    return made;
  }
  std::unique_ptr<ui::Downloads> downloads(ui::DiskPorts disk = roomyDisk()) const {
    return std::make_unique<ui::Downloads>([this] { return access; }, std::move(disk), quickLimits());
  }

  TempFolder temp;
  QByteArray bytes;
  FaultServer server;
  ui::HubAccess access;
};

inline bool isSettled(const ui::Download& download) {
  namespace s = ui::download_stage;
  return std::holds_alternative<s::Done>(download.stage()) || std::holds_alternative<s::Failed>(download.stage()) ||
         std::holds_alternative<s::Paused>(download.stage());
}

inline bool isDone(const ui::Download& download) {
  return std::holds_alternative<ui::download_stage::Done>(download.stage());
}

inline bool waitUntilSettled(const ui::Download& download, int ms = 20'000) {
  return QTest::qWaitFor([&] { return isSettled(download); }, ms);
}

}  // namespace headroom::test
