// Fetches the files of one download on a thread of its own, where waiting for the disk keeps nobody waiting.
#pragma once

#include <QElapsedTimer>
#include <QLockFile>
#include <QNetworkAccessManager>
#include <QObject>
#include <QTimer>
#include <atomic>
#include <memory>
#include <vector>

#include "ui/library/download_record.h"
#include "ui/library/http_get.h"
#include "ui/library/part_file.h"

namespace headroom::ui {

// How a run ended; whether and when there is another one decides download_stage.
struct TransferEnd {
  enum class Kind {
    Done,
    Stopped,      // as asked
    Cut,          // worth another try
    AskedToWait,  // 429: after waitMs
    NeedsToken,
    NoSpace,        // before a byte was asked for, or in the middle
    Refused,        // the same would happen again
    WrongChecksum,  // what came was deleted
  };
  Kind kind = Kind::Done;
  Sentence sentence;  // without a full stop
  int waitMs = 0;
};

inline constexpr Bytes kSpareDiskBytes = 256 * kMiB;  // left free beside what is fetched

// Lives on a worker thread. Bounded: what the disk has not taken is not read from the connection. Two runs of one
// download, also of two starts of the program, exclude each other by a lock file.
class Transfer : public QObject {
  Q_OBJECT
 public:
  Transfer(DownloadSpec spec, DiskPorts disk, HttpLimits limits);
  ~Transfer() override;

  // From any thread. Ids of runs grow; a run that was stopped before it began ends without a word.
  void start(quint64 run, const HubAccess& access);
  void stop();

 signals:
  void spaceFound(quint64 run);
  void progressed(quint64 run, quint64 bytesDone, quint64 bytesTotal);  // ten times a second; total 0: not known
  void noticed(quint64 run, const headroom::ui::Sentence& sentence);    // something happened that the user should know
  void verifying(quint64 run);
  void ended(quint64 run, const headroom::ui::TransferEnd& end);

 private:
  void begin(quint64 run, const HubAccess& access);
  bool isStopped() const { return m_wanted != m_run; }
  static bool canTellApart(const DownloadPart& part);
  bool prepare();
  bool lock();
  bool hasSpace();
  bool isFinal(std::size_t part) const;
  Bytes bytesDone() const;
  void next();
  void request();
  void takeHead(const HttpHead& head);
  void takeBytes(const QByteArray& bytes);
  void takeEnd(const HttpEnd& end);
  bool takeStatus(const HttpHead& head);
  bool takeWhole(const HttpHead& head);
  bool takeStretch(const HttpHead& head);
  bool isOtherFile(const HttpHead& head) const;
  void adopt(const HttpHead& head);
  Sentence cannotBeWritten();  // the part of now
  bool startAnew(const Sentence& why);
  bool leavesSpace();
  bool writeRecord();
  void verify();
  void finish();
  void tellProgress(bool now);
  void tell(TransferEnd::Kind kind, const Sentence& sentence = {}, int waitMs = 0);
  void dropGet();
  DownloadPart& part() { return m_spec.parts[m_part]; }
  const DownloadPart& part() const { return m_spec.parts[m_part]; }
  PartFile& file() { return *m_files[m_part]; }
  QString pathOf(std::size_t part) const;

  std::atomic<quint64> m_wanted = 0;  // the run that nobody has stopped
  quint64 m_run = 0;
  DownloadSpec m_spec;
  const DiskPorts m_disk;
  const HttpLimits m_limits;
  std::vector<std::unique_ptr<PartFile>> m_files;  // one a part
  std::unique_ptr<QLockFile> m_lock;
  QNetworkAccessManager* m_network = nullptr;  // made on the worker thread
  HttpGet* m_get = nullptr;
  HubAccess m_access;
  std::size_t m_part = 0;  // that is being fetched
  Bytes m_partBytes = 0;   // of it on disk
  Bytes m_otherBytes = 0;  // of all other parts on disk
  Bytes m_skipBytes = 0;   // of the answer, which are on disk already
  int m_nStartedAnew = 0;  // in this run
  QElapsedTimer m_sinceTold, m_sinceSpace;
  QTimer m_tellLater;          // what came since then, where nothing follows it
  bool m_wasPrepared = false;  // in this run of the program
};

}  // namespace headroom::ui
