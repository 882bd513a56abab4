#include "ui/calculator/load_cycle.h"

#include "base/overloaded.h"

namespace headroom::ui {

namespace {

using namespace load_stage;
using Effects = std::vector<LoadEffect>;

Effects stopWhatLoads(const LoadStage& stage) {
  const auto* loading = std::get_if<Loading>(&stage);
  if (loading == nullptr || loading->isCancelling) return {};
  return {load_effect::StopRequest{loading->request}};
}

// The request that the window waits for; 0: none.
quint64 awaited(const LoadStage& stage) {
  return std::visit(Overloaded{[](const Settled&) -> quint64 { return 0; },
                               [](const auto& waiting) -> quint64 { return waiting.request; }},
                    stage);
}

Effects on(LoadCycle& cycle, const load_event::Started& event) {
  Effects effects = stopWhatLoads(cycle.stage);
  cycle.stage = Loading{event.request, event.arriving, 0, 0, false};
  return effects;
}

Effects on(LoadCycle& cycle, const load_event::CloseAsked& event) {
  Effects effects = stopWhatLoads(cycle.stage);
  cycle.stage = Closing{event.request};
  return effects;
}

Effects on(LoadCycle& cycle, const load_event::CancelAsked&) {
  Effects effects = stopWhatLoads(cycle.stage);
  if (auto* loading = std::get_if<Loading>(&cycle.stage)) loading->isCancelling = true;
  return effects;
}

Effects on(LoadCycle& cycle, const load_event::Progressed& event) {
  auto* loading = std::get_if<Loading>(&cycle.stage);
  if (loading == nullptr || loading->request != event.request) return {};
  loading->bytesDone = event.bytesDone;
  loading->bytesTotal = event.bytesTotal;
  return {};
}

Effects on(LoadCycle& cycle, const load_event::Loaded& event) {
  if (!cycle.order.isLoadedNews(event.request)) return {};
  cycle.order.loaded(event.request);
  cycle.held = HeldModel{event.model, 0, 0, false};
  if (event.request >= awaited(cycle.stage)) cycle.stage = Settled{};
  return {};
}

// A load tells this of itself, too, when the old model has to go before the new one has room: it goes on then.
Effects on(LoadCycle& cycle, const load_event::Unloaded& event) {
  if (!cycle.order.isUnloadedNews(event.request)) return {};
  cycle.order.unloaded(event.request);
  cycle.held.reset();
  const bool isItsOwnLoad = std::holds_alternative<Loading>(cycle.stage) && event.request == awaited(cycle.stage);
  if (isItsOwnLoad || event.request < awaited(cycle.stage)) return {};
  const bool wasClosing = std::holds_alternative<Closing>(cycle.stage);
  cycle.stage = Settled{};
  return wasClosing ? Effects{load_effect::TellReleased{}} : Effects{};
}

// Answers fail, too; what they tell of the device concerns the model.
Effects on(LoadCycle& cycle, const load_event::Failed& event) {
  if (cycle.held && event.error.code == ErrorCode::kDeviceLost) cycle.held->isLost = true;
  if (event.request == 0 || event.request != awaited(cycle.stage)) return {};
  const bool wasCancelled = event.error.code == ErrorCode::kCancelled;
  cycle.stage = Settled{};
  if (wasCancelled) return {load_effect::TellCancelled{}};
  return {load_effect::TellFailed{event.error}};
}

Effects on(LoadCycle& cycle, const load_event::Counted& event) {
  if (!cycle.held) return {};
  cycle.held->grown = event.grown;
  cycle.held->kvTokensUsed = event.kvTokensUsed;
  return {};
}

}  // namespace

std::vector<LoadEffect> react(LoadCycle& cycle, const LoadEvent& event) {
  return std::visit([&cycle](const auto& happened) { return on(cycle, happened); }, event);
}

}  // namespace headroom::ui
