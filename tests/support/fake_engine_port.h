// An engine port without an engine: keeps what was asked; the test sends the answers.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "ui/engine_port.h"

namespace headroom::test {

class FakeEnginePort : public ui::EnginePort {
  Q_OBJECT
 public:
  struct LoadCall {
    quint64 id = 0;
    QString path;
    std::shared_ptr<const MemoryPlan> plan;
  };
  struct GenerateCall {
    quint64 id = 0;
    ui::ChatRequest request;
  };

  quint64 load(const QString& path, std::shared_ptr<const MemoryPlan> plan) override {
    loads.push_back({++lastId, path, std::move(plan)});
    return lastId;
  }
  quint64 replan(std::shared_ptr<const MemoryPlan> plan) override {
    replans.push_back({++lastId, {}, std::move(plan)});
    return lastId;
  }
  quint64 unload() override {
    ++unloads;
    return ++lastId;
  }
  quint64 generate(const ui::ChatRequest& request) override {
    generates.push_back({++lastId, request});
    return lastId;
  }
  void stop(quint64 request) override { stops.push_back(request); }
  quint64 count(const ui::CountRequest& request) override {
    counts.push_back(request);
    return counts.size();
  }
  void setWatched(bool now) override { isWatched = now; }

  // A model of this name and context is loaded now, by `request` or by one that nobody made.
  void sendLoaded(const char* name, quint32 nCtx, const QString& templateProblem = {}, quint64 request = 0,
                  quint32 nSlots = 1) {
    auto model = std::make_shared<ModelInfo>();
    model->name = name;
    auto plan = std::make_shared<MemoryPlan>();
    plan->options.n_ctx = nCtx;
    plan->options.n_slots = nSlots;
    ui::LoadedModel loaded;
    loaded.path = QStringLiteral("/models/%1.gguf").arg(QLatin1StringView(name));
    loaded.model = std::move(model);
    loaded.plan = std::move(plan);
    loaded.templateProblem = templateProblem.isEmpty() ? Message() : Message::plain(templateProblem.toStdString());
    emit modelLoaded(request != 0 ? request : ++lastId, loaded);
  }
  void sendUnloaded() { emit modelUnloaded(++lastId); }
  // The newest load() or replan() is done: every arena mapped as planned, `surplus` more in the first.
  void sendLoadDone(const std::shared_ptr<const ModelInfo>& model, Bytes surplus = 0) {
    const LoadCall& last = !replans.empty() && replans.back().id > loads.back().id ? replans.back() : loads.back();
    ui::LoadedModel loaded{loads.back().path, model, last.plan, {}, 1.25, {}};
    for (const ArenaPlan& arena : last.plan->arenas) {
      loaded.arenas.push_back({QString::fromStdString(last.plan->devices[arena.device].id),
                               arena.lifetime == Lifetime::kSession, arena.size,
                               arena.size + (loaded.arenas.empty() ? surplus : 0)});
    }
    emit modelLoaded(last.id, loaded);
  }
  // The newest generate() is answered with this text.
  void sendAnswer(const QString& text, ui::ChatEnd end = ui::ChatEnd::EndOfTurn, const ui::ChatFigures& figures = {}) {
    const quint64 id = generates.back().id;
    emit textArrived(id, text);
    emit generationFinished(id, end, figures);
  }

  // The newest count() is answered: the prompt has so many tokens, and the texts have these.
  void sendCounts(quint32 promptTokens, quint32 contextLength, std::vector<quint32> texts = {}) {
    emit tokensCounted(counts.size(), {promptTokens, contextLength, false, std::move(texts)});
  }

  quint64 lastId = 0;
  std::vector<LoadCall> loads, replans;
  std::vector<GenerateCall> generates;
  std::vector<quint64> stops;
  bool isWatched = true;
  std::vector<ui::CountRequest> counts;  // the first has the id 1
  int unloads = 0;
};

}  // namespace headroom::test
