// The window's engine port over the engine thread: events become signals on the GUI thread.
#pragma once

#include <QHash>
#include <QThreadPool>
#include <functional>
#include <memory>

#include "base/stop.h"
#include "run/engine_thread.h"
#include "ui/engine_port.h"

namespace headroom::app {

// Made, used and destroyed on the GUI thread, which it never blocks before its end.
class EngineBridge : public ui::EnginePort {
  Q_OBJECT
 public:
  explicit EngineBridge(BackendFactory makeBackend, QObject* parent = nullptr);
  ~EngineBridge() override;  // stops what runs and waits for the engine thread: see kEndLimit

  quint64 load(const QString& path, std::shared_ptr<const MemoryPlan> plan) override;
  quint64 replan(std::shared_ptr<const MemoryPlan> plan) override;
  quint64 unload() override;
  quint64 generate(const ui::ChatRequest& request) override;
  void stop(quint64 request) override;
  quint64 count(const ui::CountRequest& request) override;
  void setWatched(bool isWatched) override { m_engine->set_watched(isWatched); }

  quint64 verify();  // ends with planVerified, or failed
  void measure(std::vector<DeviceInfo> devices) { m_engine->measure(std::move(devices)); }

 signals:
  void devicesMeasured(const headroom::DevicesMeasured& measured);
  // Of each answer, before generationFinished.
  void answerTimed(const headroom::DecodeTimes& times, const headroom::PromptTimes& prompt);

  void verifyProgressed(quint64 request, const headroom::VerifyProgress& progress);
  void planVerified(quint64 request, const headroom::Verification& found);

 private:
  void receive(const Event& event);
  void tellLoaded(RequestId request, const ModelLoaded& loaded);
  void stopCounting();
  void tellReading(const headroom::MemoryReading& reading);

  QString m_path;                     // of what is loaded
  QHash<RequestId, QString> m_paths;  // of loads that have not ended
  std::unique_ptr<EngineThread> m_engine;
  quint64 m_lastCount = 0;
  StopSource m_countStop;  // of all counts of the model that is there
  QThreadPool m_counting;  // one thread
};

}  // namespace headroom::app
