#include "ui/library/part_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <QFileInfo>
#include <QStorageInfo>
#include <cerrno>
#include <filesystem>
#include <utility>

namespace headroom::ui {

namespace {

constexpr qint64 kHashPieceBytes = qint64{1} << 20;

std::filesystem::path nativePartPath(const QString& path) { return QFile::encodeName(path).toStdString(); }

}  // namespace

DiskPorts systemDisk() {
  DiskPorts disk;
  disk.freeBytes = [](const QString& folder) {
    return static_cast<Bytes>(std::max<qint64>(QStorageInfo(folder).bytesAvailable(), 0));
  };
  disk.write = [](QFile& file, const char* bytes, qint64 n, bool& isFull) {
    errno = 0;
    const qint64 written = file.write(bytes, n);
    isFull = written < n && (errno == ENOSPC || errno == EDQUOT || file.error() == QFileDevice::ResourceError);
    return written;
  };
  return disk;
}

PartFile::PartFile(QString finalPath, DiskPorts disk)
    : m_finalPath(std::move(finalPath)),
      m_disk(std::move(disk)),
      m_file(pathOf(m_finalPath)),
      m_hash(QCryptographicHash::Sha256) {}

bool PartFile::open() {
  return m_file.isOpen() || m_file.open(QIODevice::ReadWrite | QIODevice::Append | QIODevice::Unbuffered);
}

void PartFile::close() { m_file.close(); }

Bytes PartFile::n_bytes() const { return static_cast<Bytes>(std::max<qint64>(QFileInfo(m_file.fileName()).size(), 0)); }

PartFile::Written PartFile::append(const QByteArray& bytes) {
  const bool isHashed = m_hashedBytes == static_cast<Bytes>(m_file.size());
  qint64 done = 0;
  while (done < bytes.size()) {
    bool isFull = false;
    const qint64 n = m_disk.write(m_file, bytes.constData() + done, bytes.size() - done, isFull);
    if (n > 0 && isHashed) {
      m_hash.addData(QByteArrayView(bytes).sliced(done, n));
      m_hashedBytes += static_cast<Bytes>(n);
    }
    if (n > 0) done += n;
    if (isFull) return Written::DiskFull;
    if (n <= 0) return Written::Failed;
  }
  return Written::All;
}

bool PartFile::startAnew() {
  m_hash.reset();
  m_hashedBytes = 0;
  if (m_file.isOpen()) return m_file.resize(0);
  return !QFile::exists(m_file.fileName()) || QFile::resize(m_file.fileName(), 0);
}

std::optional<QByteArray> PartFile::sha256(const std::function<bool()>& isStopped) {
  if (m_hashedBytes != n_bytes()) {
    m_hash.reset();
    m_hashedBytes = 0;
    QFile file(m_file.fileName());
    if (!file.open(QIODevice::ReadOnly | QIODevice::Unbuffered)) return std::nullopt;
    QByteArray piece(kHashPieceBytes, Qt::Uninitialized);
    while (!file.atEnd()) {
      const qint64 n = isStopped() ? -1 : file.read(piece.data(), piece.size());
      if (n <= 0) {
        m_hash.reset();
        m_hashedBytes = 0;
        return std::nullopt;
      }
      m_hash.addData(QByteArrayView(piece).first(n));
      m_hashedBytes += static_cast<Bytes>(n);
    }
  }
  return m_hash.result().toHex();
}

bool PartFile::sync() {
  if (!open()) return false;
  const bool isSynced = ::fsync(m_file.handle()) == 0;
  m_file.close();
  return isSynced;
}

bool PartFile::giveFinalName() {
  m_file.close();
  std::error_code problem;
  std::filesystem::rename(nativePartPath(m_file.fileName()), nativePartPath(m_finalPath), problem);
  return !problem;
}

bool PartFile::remove() {
  m_hash.reset();
  m_hashedBytes = 0;
  m_file.close();
  return !QFile::exists(m_file.fileName()) || m_file.remove();
}

void syncFolder(const QString& folder) {
  const int descriptor = ::open(QFile::encodeName(folder).constData(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace headroom::ui
