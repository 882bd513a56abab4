// A file that is being fetched: "NAME.gguf.part", which only grows, until all of it is there and it gets its own name.
#pragma once

#include <QByteArray>
#include <QCryptographicHash>
#include <QFile>
#include <QString>
#include <atomic>
#include <functional>
#include <optional>

#include "base/bytes.h"

namespace headroom::ui {

// What is asked of a disk; tests give a full one.
struct DiskPorts {
  std::function<Bytes(const QString& folder)> freeBytes;
  // Bytes that were written, fewer than `n` where the disk is full; -1: none, `isFull` says whether for that reason.
  std::function<qint64(QFile& file, const char* bytes, qint64 n, bool& isFull)> write;
};
DiskPorts systemDisk();

// The file is the only truth about how much has come. One thread, which may wait for the disk.
class PartFile {
 public:
  enum class Written { All, DiskFull, Failed };

  PartFile(QString finalPath, DiskPorts disk);

  static QString pathOf(const QString& finalPath) { return finalPath + QStringLiteral(".part"); }

  bool open();   // makes it when it is not there
  void close();  // what was hashed of it is kept for the next open()
  Bytes n_bytes() const;
  QString problem() const { return m_file.errorString(); }

  Written append(const QByteArray& bytes);
  bool startAnew();
  // In hexadecimal digits. Bytes are hashed as they are written; those of an earlier run of the program are read from
  // the disk now. Absent: `isStopped`, or it cannot be read.
  std::optional<QByteArray> sha256(const std::function<bool()>& isStopped);
  // All of it is on the disk when this returns true.
  bool sync();
  // Takes its own name, in the place of a file that has it; closed before.
  bool giveFinalName();
  bool remove();

 private:
  QString m_finalPath;
  DiskPorts m_disk;
  QFile m_file;
  QCryptographicHash m_hash;
  Bytes m_hashedBytes = 0;  // of the beginning
};

// Names that were given in a folder are on the disk when this returns.
void syncFolder(const QString& folder);

}  // namespace headroom::ui
