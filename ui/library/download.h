// One download: its stage, its figures, and the thread that fetches it.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QThread>
#include <QTimer>
#include <functional>

#include "ui/library/download_record.h"
#include "ui/library/download_stage.h"
#include "ui/library/transfer.h"
#include "ui/library/transfer_rate.h"

namespace headroom::ui {

struct DownloadLimits {
  HttpLimits http;
  RetryRule retry;
};

// GUI thread.
class Download : public QObject {
  Q_OBJECT
 public:
  using FindAccess = std::function<HubAccess()>;  // asked at the begin of each run: a token may have been given since

  // `bytesDone`: on disk already. Begins queued, or paused.
  Download(DownloadSpec spec, DownloadStage stage, FindAccess access, DiskPorts disk, DownloadLimits limits,
           QObject* parent = nullptr);
  ~Download() override;  // stops it; waits for a write to the disk that is under way

  const DownloadSpec& spec() const { return m_spec; }
  const DownloadStage& stage() const { return m_stage; }
  QString name() const { return m_spec.parts.front().file; }
  Bytes bytesDone() const { return m_bytesDone; }
  Bytes bytesTotal() const { return m_bytesTotal; }  // 0: not known
  std::optional<double> bytesPerSecond() const;      // absent: it does not run, or too short to tell
  std::optional<qint64> msLeft() const;
  QString notice() const { return m_notice.text(); }  // "It has changed on its server"; empty: nothing
  QString stateText() const;                          // a sentence without a full stop

  void run();  // it is its turn
  void pause();
  void resume();  // or try again; it is queued
  // Nothing of an unfinished one stays on disk. Stops it first; may wait for the disk.
  void removeFiles();

 signals:
  void changed();
  void finished(const QString& path);

 private:
  void take(const DownloadEvent& event);
  void perform(const DownloadEffect& effect);
  void startTransfer(quint64 run);
  void endThread();
  qint64 nowMs() const { return m_clock.elapsed(); }

  DownloadSpec m_spec;
  DownloadStage m_stage;
  FindAccess m_findAccess;
  DiskPorts m_disk;
  DownloadLimits m_limits;
  QThread m_thread;
  Transfer* m_transfer = nullptr;  // lives on m_thread, deleted when it ends
  quint64 m_newestRun = 0;
  QTimer m_wait;
  QElapsedTimer m_clock;
  TransferRate m_rate;
  Bytes m_bytesDone = 0, m_bytesTotal = 0;
  Sentence m_notice;
};

}  // namespace headroom::ui
