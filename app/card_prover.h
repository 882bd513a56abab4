// Checks the GPUs that nobody has looked at yet, one after the other, each in a process of its own.
#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "app/prove/prove_in_child.h"
#include "base/stop.h"

namespace headroom::app {

// GUI thread; waits for the child on another one.
class CardProver : public QObject {
  Q_OBJECT
 public:
  // `program`: this one, started with "--prove DEVICE"; empty: nothing is ever checked.
  CardProver(std::string program, std::filesystem::path verdictFile, QObject* parent = nullptr);
  ~CardProver() override;  // stops the one that runs: it is looked at again at the next start

  // Behind those that wait already; one that waits or runs is not taken twice.
  void prove(const std::vector<DeviceInfo>& devices);

 signals:
  void progressed(const headroom::DeviceInfo& device, const headroom::ProofProgress& progress);
  void proved(const headroom::DeviceInfo& device, const headroom::ProofOfChild& proof);

 private:
  void next();

  std::string m_program;
  std::filesystem::path m_verdictFile;
  std::deque<DeviceInfo> m_waiting;  // the first one runs, where one does
  bool m_isRunning = false;
  QFutureWatcher<ProofOfChild> m_watcher;
  StopSource m_stop;
};

}  // namespace headroom::app
