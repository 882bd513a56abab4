// What is being loaded and what is loaded, as the engine tells it.
#pragma once

#include <QDateTime>
#include <QObject>
#include <map>
#include <memory>

#include "plan/reload_need.h"
#include "ui/calculator/load_cycle.h"
#include "ui/engine_port.h"

namespace headroom::ui {

enum class LoadPhase { Nothing, Loading, Loaded };

// GUI thread. Carries a LoadCycle to the engine and to whoever shows it. Loading over a loaded model: what was loaded
// stays until the new one is (or is what remains when the new one fails).
class LoadState : public QObject {
  Q_OBJECT
 public:
  explicit LoadState(EnginePort& engine, QObject* parent = nullptr);

  // Maps only the session's arenas again when the weights of this plan already stand where they should. A load that is
  // on its way is given up for this one.
  void load(const QString& path, std::shared_ptr<const MemoryPlan> plan);
  void cancel();
  void unload();  // gives up what is on its way, too; released() tells when the memory is given back

  LoadPhase phase() const { return loading() ? LoadPhase::Loading : held() ? LoadPhase::Loaded : LoadPhase::Nothing; }
  // Nothing is on its way to or from memory.
  bool isSettled() const { return std::holds_alternative<load_stage::Settled>(m_cycle.stage); }
  Bytes bytesDone() const { return loading() ? loading()->bytesDone : 0; }
  Bytes bytesTotal() const { return loading() ? loading()->bytesTotal : 0; }
  // Whose weights are being read; null: none are.
  std::shared_ptr<const MemoryPlan> arriving() const { return loading() ? loading()->arriving : nullptr; }
  bool isCancelling() const { return loading() && loading()->isCancelling; }
  const LoadedModel* loaded() const { return held() ? &held()->model : nullptr; }
  // A device of it went away (a driver was reset, the machine slept): it has to be loaded again.
  bool isLost() const { return held() && held()->isLost; }
  MemoryGrowth grown() const { return held() ? held()->grown : MemoryGrowth(); }
  quint32 kvTokensUsed() const { return held() ? held()->kvTokensUsed : 0; }
  Bytes heldOn(const std::string& deviceId) const;  // by the loaded model: its arenas, and its share of the heap

  // The file that is open, and when it was written last.
  void setOpened(const QString& path, const QDateTime& changed);
  // Whether another file stands in the place of the one whose weights are loaded.
  bool isReplaced(const QString& path) const;

  // What `plan` of this file would load again: all of it where nothing of the file is loaded, its device was lost, or
  // another file stands in its place by now.
  ReloadNeed needs(const QString& path, const MemoryPlan& plan) const;

 signals:
  void changed();
  void countersChanged();
  void loadFailed(const headroom::Error& error);  // never for kCancelled
  void loadCancelled();
  void released();  // what unload() was called for

 private:
  void handleEvent(const LoadEvent& event);
  const load_stage::Loading* loading() const { return std::get_if<load_stage::Loading>(&m_cycle.stage); }
  const HeldModel* held() const { return m_cycle.held ? &*m_cycle.held : nullptr; }

  struct OpenedFile {
    QString path;
    QDateTime changed;
  };
  // Of a load that fails or is cancelled the weights of before stay, and what they were read of.
  void noteRead(quint64 request);

  EnginePort& m_engine;
  LoadCycle m_cycle;
  OpenedFile m_opened, m_read;              // what is open, and what the weights that are loaded were read of
  std::map<quint64, OpenedFile> m_reading;  // by the requests that read weights and have not ended
};

}  // namespace headroom::ui
