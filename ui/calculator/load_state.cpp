#include "ui/calculator/load_state.h"

#include <algorithm>

namespace headroom::ui {
namespace {

bool sameArena(const ArenaPlan& a, const ArenaPlan& b) {
  return a.device == b.device && a.size == b.size && a.regions.size() == b.regions.size() &&
         std::equal(a.regions.begin(), a.regions.end(), b.regions.begin(), [](const Region& x, const Region& y) {
           return x.offset == y.offset && x.size == y.size && x.weight == y.weight;
         });
}

std::vector<const ArenaPlan*> modelArenas(const MemoryPlan& plan) {
  std::vector<const ArenaPlan*> arenas;
  for (const ArenaPlan& arena : plan.arenas) {
    if (arena.lifetime == Lifetime::kModel) arenas.push_back(&arena);
  }
  return arenas;
}

}  // namespace

LoadState::LoadState(EnginePort& engine, QObject* parent) : QObject(parent), m_engine(engine) {
  connect(&engine, &EnginePort::loadProgressed, this, [this](quint64 request, quint64 done, quint64 total) {
    if (request != m_request) return;
    m_bytesDone = done;
    m_bytesTotal = total;
    emit changed();
  });
  connect(&engine, &EnginePort::modelLoaded, this, [this](quint64 request, const LoadedModel& loaded) {
    if (m_request != 0 && request != m_request) return;
    finishLoad(loaded);
  });
  connect(&engine, &EnginePort::modelUnloaded, this, [this](quint64) {
    m_loaded.reset();
    emit changed();
  });
  connect(&engine, &EnginePort::failed, this, [this](quint64 request, const Error& error) {
    if (m_request == 0 || request != m_request) return;
    m_request = 0;
    m_cancelling = false;
    m_arriving.reset();
    emit changed();
    if (error.code == ErrorCode::kCancelled) {
      emit loadCancelled();
    } else {
      emit loadFailed(error);
    }
  });
  connect(&engine, &EnginePort::memoryRead, this, [this](const MemoryReading& reading) {
    if (!m_loaded || (reading.allocationsAfterLoad == m_allocationsSinceLoad && reading.kvTokensUsed == m_kvTokensUsed))
      return;
    m_allocationsSinceLoad = reading.allocationsAfterLoad;
    m_kvTokensUsed = reading.kvTokensUsed;
    emit countersChanged();
  });
}

void LoadState::load(const QString& path, std::shared_ptr<const MemoryPlan> plan) {
  m_cancelling = false;
  m_bytesDone = m_bytesTotal = 0;
  m_arriving = keepsWeights(path, *plan) ? nullptr : plan;
  m_request = m_arriving ? m_engine.load(path, std::move(plan)) : m_engine.replan(std::move(plan));
  emit changed();
}

void LoadState::cancel() {
  if (m_request == 0 || m_cancelling) return;
  m_cancelling = true;
  m_engine.stop(m_request);
  emit changed();
}

void LoadState::unload() {
  if (m_request != 0) cancel();
  m_engine.unload();
}

void LoadState::finishLoad(const LoadedModel& loaded) {
  m_request = 0;
  m_cancelling = false;
  m_arriving.reset();
  m_loaded = loaded;
  m_allocationsSinceLoad = 0;
  m_kvTokensUsed = 0;
  emit changed();
}

Bytes LoadState::mappedOn(const std::string& deviceId) const {
  if (!m_loaded) return 0;
  Bytes mapped = 0;
  for (const ArenaFigures& arena : m_loaded->arenas) {
    if (arena.device.toStdString() == deviceId) mapped += arena.mappedBytes;
  }
  return mapped;
}

bool LoadState::keepsWeights(const QString& path, const MemoryPlan& plan) const {
  if (!m_loaded || m_loaded->path != path || !(m_loaded->plan->placement == plan.placement)) return false;
  const auto old = modelArenas(*m_loaded->plan), fresh = modelArenas(plan);
  return old.size() == fresh.size() &&
         std::equal(old.begin(), old.end(), fresh.begin(),
                    [](const ArenaPlan* a, const ArenaPlan* b) { return sameArena(*a, *b); });
}

}  // namespace headroom::ui
