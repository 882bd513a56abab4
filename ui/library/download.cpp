#include "ui/library/download.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <utility>

#include "base/overloaded.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {

namespace {

Bytes bytesOnDisk(const DownloadSpec& spec) {
  Bytes sum = 0;
  for (const DownloadPart& part : spec.parts) {
    const QString path = QDir(spec.folder).filePath(part.file);
    const QFileInfo unfinished(PartFile::pathOf(path)), finished(path);
    if (unfinished.exists()) {
      sum += static_cast<Bytes>(unfinished.size());
    } else if (finished.exists() && static_cast<Bytes>(finished.size()) == part.n_bytes) {
      sum += part.n_bytes;
    }
  }
  return sum;
}

}  // namespace

Download::Download(DownloadSpec spec, DownloadStage stage, FindAccess access, DiskPorts disk, DownloadLimits limits,
                   QObject* parent)
    : QObject(parent),
      m_spec(std::move(spec)),
      m_stage(std::move(stage)),
      m_findAccess(std::move(access)),
      m_disk(std::move(disk)),
      m_limits(limits),
      m_wait(this),
      m_bytesDone(bytesOnDisk(m_spec)),
      m_bytesTotal(m_spec.n_bytes()) {
  m_clock.start();
  m_wait.setSingleShot(true);
  connect(&m_wait, &QTimer::timeout, this, [this] { take(download_event::WaitOver{++m_newestRun}); });
}

Download::~Download() { endThread(); }

void Download::endThread() {
  if (m_transfer == nullptr) return;
  m_transfer->disconnect(this);
  m_transfer->stop();
  m_thread.quit();
  m_thread.wait();
  m_transfer = nullptr;
}

void Download::startTransfer(quint64 run) {
  if (m_transfer == nullptr) {
    m_transfer = new Transfer(m_spec, m_disk, m_limits.http);
    m_transfer->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_transfer, &QObject::deleteLater);
    connect(m_transfer, &Transfer::spaceFound, this, [this](quint64 of) { take(download_event::SpaceFound{of}); });
    connect(m_transfer, &Transfer::progressed, this, [this](quint64 of, quint64 done, quint64 total) {
      if (done > m_bytesDone) take(download_event::BytesCame{of});
      m_bytesDone = done;
      m_bytesTotal = total;
      m_rate.add(nowMs(), done);
      emit changed();
    });
    connect(m_transfer, &Transfer::noticed, this, [this](quint64, const Sentence& sentence) {
      m_notice = sentence;
      emit changed();
    });
    connect(m_transfer, &Transfer::verifying, this, [this](quint64 of) { take(download_event::VerifyBegan{of}); });
    connect(m_transfer, &Transfer::ended, this, [this](quint64 of, const TransferEnd& end) {
      if (end.kind == TransferEnd::Kind::WrongChecksum) m_bytesDone = bytesOnDisk(m_spec);
      take(download_event::Ended{of, end});
    });
    m_thread.setObjectName(QStringLiteral("download"));
    m_thread.start();
  }
  m_rate.reset();
  m_transfer->start(run, m_findAccess());
}

void Download::run() { take(download_event::Turn{++m_newestRun}); }
void Download::pause() { take(download_event::PauseAsked{}); }
void Download::resume() { take(download_event::ResumeAsked{}); }

void Download::take(const DownloadEvent& event) {
  const std::vector<DownloadEffect> effects = react(m_stage, event, m_limits.retry);
  emit changed();
  for (const DownloadEffect& effect : effects) perform(effect);
}

void Download::perform(const DownloadEffect& effect) {
  namespace e = download_effect;
  std::visit(Overloaded{[this](const e::StartTransfer& start) { startTransfer(start.run); },
                        [this](const e::StopTransfer&) { m_transfer->stop(); },
                        [this](const e::StartWaiting& wait) { m_wait.start(wait.ms); },
                        [this](const e::StopWaiting&) { m_wait.stop(); },
                        [this](const e::TellDone&) {
                          endThread();
                          emit finished(m_spec.path());
                        }},
             effect);
}

void Download::removeFiles() {
  endThread();
  m_wait.stop();
  for (const DownloadPart& part : m_spec.parts)
    QFile::remove(PartFile::pathOf(QDir(m_spec.folder).filePath(part.file)));
  QFile::remove(m_spec.recordPath());
}

std::optional<double> Download::bytesPerSecond() const {
  if (!std::holds_alternative<download_stage::Running>(m_stage)) return std::nullopt;
  return m_rate.bytesPerSecond(nowMs());
}

std::optional<qint64> Download::msLeft() const {
  if (!std::holds_alternative<download_stage::Running>(m_stage) || m_bytesTotal == 0) return std::nullopt;
  return m_rate.msLeft(nowMs(), m_bytesTotal - std::min(m_bytesTotal, m_bytesDone));
}

QString Download::stateText() const {
  using namespace download_stage;
  return std::visit(
      Overloaded{[](const Queued&) { return tr("Waits until another download has ended"); },
                 [](const AskingSpace&) { return tr("Asks whether there is room for it"); },
                 [](const Running&) { return tr("Is being fetched"); },
                 [](const Waiting& waiting) {
                   return tr("%1. It is tried again in %2").arg(waiting.sentence.text(), formatDuration(waiting.ms));
                 },
                 [](const Paused& paused) { return paused.sentence.isEmpty() ? tr("Paused") : paused.sentence.text(); },
                 [](const Verifying&) { return tr("Its checksum is compared"); },
                 [](const Done&) { return tr("On disk"); },
                 [](const Failed& failed) { return failed.sentence.text(); }},
      m_stage);
}

}  // namespace headroom::ui
