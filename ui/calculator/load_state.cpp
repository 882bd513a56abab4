#include "ui/calculator/load_state.h"

#include <utility>

#include "base/overloaded.h"

namespace headroom::ui {
LoadState::LoadState(EnginePort& engine, QObject* parent) : QObject(parent), m_engine(engine) {
  connect(&engine, &EnginePort::loadProgressed, this, [this](quint64 request, quint64 done, quint64 total) {
    handleEvent(load_event::Progressed{request, done, total});
  });
  connect(&engine, &EnginePort::modelLoaded, this, [this](quint64 request, const LoadedModel& loaded) {
    noteRead(request);
    handleEvent(load_event::Loaded{request, loaded});
  });
  connect(&engine, &EnginePort::modelUnloaded, this,
          [this](quint64 request) { handleEvent(load_event::Unloaded{request}); });
  connect(&engine, &EnginePort::failed, this, [this](quint64 request, const Error& error) {
    m_reading.erase(request);
    handleEvent(load_event::Failed{request, error});
  });
  connect(&engine, &EnginePort::memoryRead, this, [this](const MemoryReading& reading) {
    if (reading.grown == grown() && reading.kvTokensUsed == kvTokensUsed()) return;
    react(m_cycle, load_event::Counted{reading.grown, reading.kvTokensUsed});
    emit countersChanged();
  });
}

void LoadState::load(const QString& path, std::shared_ptr<const MemoryPlan> plan) {
  const bool reads = needs(path, *plan) == ReloadNeed::kModel;
  const quint64 request = reads ? m_engine.load(path, plan) : m_engine.replan(plan);
  if (reads) m_reading[request] = m_opened;
  handleEvent(load_event::Started{request, reads ? std::move(plan) : nullptr});
}

void LoadState::noteRead(quint64 request) {
  const auto read = m_reading.find(request);
  if (read != m_reading.end()) m_read = read->second;
  m_reading.erase(m_reading.begin(), m_reading.upper_bound(request));  // what older ones tell now is not believed
}

void LoadState::setOpened(const QString& path, const QDateTime& changed) { m_opened = {path, changed}; }

bool LoadState::isReplaced(const QString& path) const {
  return m_opened.path == path && m_read.path == path && m_opened.changed != m_read.changed;
}

void LoadState::cancel() { handleEvent(load_event::CancelAsked{}); }
void LoadState::unload() { handleEvent(load_event::CloseAsked{m_engine.unload()}); }

// The state is whole before anyone hears of it: who hears may start the next load.
void LoadState::handleEvent(const LoadEvent& event) {
  const std::vector<LoadEffect> effects = react(m_cycle, event);
  for (const LoadEffect& effect : effects) {
    if (const auto* stop = std::get_if<load_effect::StopRequest>(&effect)) m_engine.stop(stop->request);
  }
  emit changed();
  for (const LoadEffect& effect : effects) {
    std::visit(Overloaded{[](const load_effect::StopRequest&) {},
                          [this](const load_effect::TellCancelled&) { emit loadCancelled(); },
                          [this](const load_effect::TellFailed& failed) { emit loadFailed(failed.error); },
                          [this](const load_effect::TellReleased&) { emit released(); }},
               effect);
  }
}

Bytes LoadState::heldOn(const std::string& deviceId) const {
  if (loaded() == nullptr) return 0;
  Bytes held = 0;
  for (const ArenaFigures& arena : loaded()->arenas) {
    if (arena.device.toStdString() == deviceId) held += arena.mappedBytes;
  }
  const MemoryPlan& plan = *loaded()->plan;
  for (const DeviceBudget& budget : plan.budgets) held += plan.devices[budget.device].id == deviceId ? budget.heap : 0;
  return held;
}

// While something is on its way nobody knows what will be loaded when this plan's turn comes.
ReloadNeed LoadState::needs(const QString& path, const MemoryPlan& plan) const {
  if (!isSettled() || loaded() == nullptr || isLost() || loaded()->path != path) return ReloadNeed::kModel;
  if (isReplaced(path)) return ReloadNeed::kModel;
  return what_to_load_again(*loaded()->plan, plan);
}

}  // namespace headroom::ui
