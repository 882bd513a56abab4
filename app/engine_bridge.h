// The window's engine port over the engine thread: events become signals on the GUI thread.
#pragma once

#include <functional>
#include <memory>

#include "run/engine_thread.h"
#include "ui/engine_port.h"

namespace headroom::app {

// Made, used and destroyed on the GUI thread, which it never blocks before its end. Answers to requests that newer ones
// replaced are dropped here.
class EngineBridge : public ui::EnginePort {
  Q_OBJECT
 public:
  explicit EngineBridge(BackendFactory makeBackend, QObject* parent = nullptr);
  ~EngineBridge() override;  // stops what runs and waits for the engine thread

  quint64 load(const QString& path, std::shared_ptr<const MemoryPlan> plan) override;
  quint64 replan(std::shared_ptr<const MemoryPlan> plan) override;
  quint64 unload() override;
  quint64 generate(const ui::ChatRequest& request) override;
  void stop(quint64 request) override;

 private:
  void receive(const Event& event);
  bool isCurrent(RequestId request) const { return request == m_modelRequest || request == m_chatRequest; }
  void tellLoaded(RequestId request, const ModelLoaded& loaded);
  void tellReading(const headroom::MemoryReading& reading);

  RequestId m_modelRequest = 0;  // the newest load, replan or unload
  RequestId m_chatRequest = 0;   // the newest generate
  QString m_path, m_nextPath;    // of what is loaded; of what is being loaded
  std::unique_ptr<EngineThread> m_engine;
};

}  // namespace headroom::app
