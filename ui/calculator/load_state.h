// What is being loaded and what is loaded, as the engine tells it.
#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "ui/engine_port.h"

namespace headroom::ui {

enum class LoadPhase { Nothing, Loading, Loaded };

// GUI thread. Loading over a loaded model: what was loaded stays until the new one is (or is what remains when the new
// one fails).
class LoadState : public QObject {
  Q_OBJECT
 public:
  explicit LoadState(EnginePort& engine, QObject* parent = nullptr);

  // Maps only the session's arenas again when the weights of this plan already stand where they should.
  void load(const QString& path, std::shared_ptr<const MemoryPlan> plan);
  void cancel();
  void unload();

  LoadPhase phase() const {
    return m_request != 0 ? LoadPhase::Loading : m_loaded ? LoadPhase::Loaded : LoadPhase::Nothing;
  }
  Bytes bytesDone() const { return m_bytesDone; }
  Bytes bytesTotal() const { return m_bytesTotal; }
  // Whose weights are being read; null: none are.
  const std::shared_ptr<const MemoryPlan>& arriving() const { return m_arriving; }
  bool isCancelling() const { return m_cancelling; }
  const LoadedModel* loaded() const { return m_loaded ? &*m_loaded : nullptr; }
  quint64 allocationsSinceLoad() const { return m_allocationsSinceLoad; }
  quint32 kvTokensUsed() const { return m_kvTokensUsed; }
  Bytes mappedOn(const std::string& deviceId) const;  // by the loaded model

  // Would `plan` only need new session arenas?
  bool keepsWeights(const QString& path, const MemoryPlan& plan) const;

 signals:
  void changed();
  void countersChanged();
  void loadFailed(const headroom::Error& error);  // never for kCancelled
  void loadCancelled();

 private:
  void finishLoad(const LoadedModel& loaded);

  EnginePort& m_engine;
  quint64 m_request = 0;
  Bytes m_bytesDone = 0, m_bytesTotal = 0;
  bool m_cancelling = false;
  std::shared_ptr<const MemoryPlan> m_arriving;
  std::optional<LoadedModel> m_loaded;
  quint64 m_allocationsSinceLoad = 0;
  quint32 m_kvTokensUsed = 0;
};

}  // namespace headroom::ui
