#include "app/card_prover.h"

#include <QtConcurrentRun>
#include <algorithm>
#include <utility>

#include "ui/background/background.h"

namespace headroom::app {

CardProver::CardProver(std::string program, std::filesystem::path verdictFile, QObject* parent)
    : QObject(parent), m_program(std::move(program)), m_verdictFile(std::move(verdictFile)) {
  connect(&m_watcher, &QFutureWatcherBase::finished, this, [this] {
    const DeviceInfo device = m_waiting.front();
    m_waiting.pop_front();
    m_isRunning = false;
    emit proved(device, m_watcher.result());
    if (!m_isRunning) next();
  });
}

// The child is killed within a moment.
CardProver::~CardProver() {
  m_stop.request_stop();
  m_watcher.waitForFinished();
}

void CardProver::prove(const std::vector<DeviceInfo>& devices) {
  if (m_program.empty()) return;
  for (const DeviceInfo& device : devices) {
    if (std::ranges::find(m_waiting, device.id, &DeviceInfo::id) == m_waiting.end()) m_waiting.push_back(device);
  }
  if (!m_isRunning) next();
}

void CardProver::next() {
  if (m_waiting.empty()) return;
  m_isRunning = true;
  const DeviceInfo device = m_waiting.front();
  // On the thread that waits for the child, which ends before this object does.
  const auto tell = [this, device](const ProofProgress& progress) {
    QMetaObject::invokeMethod(
        this, [this, device, progress] { emit progressed(device, progress); }, Qt::QueuedConnection);
  };
  m_watcher.setFuture(QtConcurrent::run(
      &ui::readingThreads(),
      [file = m_verdictFile, device, command = std::vector<std::string>{m_program, "--prove", device.id},
       stop = m_stop.token(), tell] { return prove_and_keep(file, device, command, stop, tell); }));
}

}  // namespace headroom::app
