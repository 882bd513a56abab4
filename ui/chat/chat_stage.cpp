#include "ui/chat/chat_stage.h"

#include <utility>

#include "base/overloaded.h"

namespace headroom::ui {

namespace {

using namespace chat_stage;
using namespace chat_effect;
using Effects = std::vector<ChatEffect>;

// In this order. Not an initializer list, which copies each of them, and of whose variants GCC 12 takes parts for
// uninitialized.
template <class... Each>
Effects effectsOf(Each... each) {
  Effects effects;
  effects.reserve(sizeof...(each));
  (effects.emplace_back(std::move(each)), ...);
  return effects;
}

TurnState stateAfter(ChatEnd end) {
  switch (end) {
    case ChatEnd::EndOfTurn:
    case ChatEnd::StopString: return TurnState::Done;
    case ChatEnd::MaxTokens: return TurnState::LimitHit;
    case ChatEnd::Stopped: return TurnState::Stopped;
    case ChatEnd::ContextFull: return TurnState::ContextFull;
  }
  return TurnState::Done;
}

// The running stage of this kind and request, or null: events of requests that are no longer waited for do nothing.
template <class Running>
Running* running(ChatStage& stage, quint64 request) {
  auto* found = std::get_if<Running>(&stage);
  return found != nullptr && found->request == request ? found : nullptr;
}

bool hasNothing(const Answering& answer) { return answer.isNewTurn && answer.writtenChars == 0; }

ChatEffect endWithout(const Answering& answer, TurnState state) {
  if (hasNothing(answer)) return DropTurn{answer.turnId};
  return FinishTurn{answer.turnId, state, answer.writtenChars, std::nullopt};
}

// Ends without waiting for the engine: the answer keeps the text it has, its late events find nothing.
Effects leave(ChatStage& stage, TurnState state = TurnState::Stopped) {
  const ChatStage left = std::exchange(stage, Resting{});
  return std::visit(Overloaded{[](const Resting&) { return Effects{}; },
                               [state](const Answering& answer) {
                                 return effectsOf(StopRequest{answer.request},
                                                  FinishTurn{answer.turnId, state, answer.writtenChars, std::nullopt});
                               },
                               [](const Summarising& summary) { return effectsOf(StopRequest{summary.request}); }},
                    left);
}

Effects on(ChatStage& stage, const chat_event::AnswerStarted& event) {
  Effects effects = leave(stage);
  stage = Answering{event.request, event.turnId, event.questionId, event.isNewTurn, event.sentChars, 0, false, false, 0,
                    false};
  return effects;
}

Effects on(ChatStage& stage, const chat_event::SummaryStarted& event) {
  Effects effects = leave(stage);
  stage = Summarising{event.request, event.cutId, event.trouble, event.sentChars, {}, false, false};
  return effects;
}

// Who asks a second time does not wait any longer for the engine to agree.
Effects on(ChatStage& stage, const chat_event::StopAsked&) {
  if (auto* answer = std::get_if<Answering>(&stage); answer != nullptr && !answer->isStopping) {
    answer->isStopping = true;
    return effectsOf(StopRequest{answer->request});
  }
  if (auto* summary = std::get_if<Summarising>(&stage)) {
    if (!std::exchange(summary->isStopping, true)) return effectsOf(StopRequest{summary->request});
    const Trouble trouble = summary->trouble;
    Effects effects = leave(stage);
    effects.emplace_back(TellTrouble{trouble});
    return effects;
  }
  return std::holds_alternative<Answering>(stage) ? leave(stage) : Effects{};
}

Effects on(ChatStage& stage, const chat_event::Deleted&) { return leave(stage); }

Effects on(ChatStage& stage, const chat_event::Ended&) { return leave(stage, TurnState::Interrupted); }

Effects on(ChatStage& stage, const chat_event::ReadingProgressed& event) {
  if (auto* summary = running<Summarising>(stage, event.request)) summary->hasStarted = true;
  if (auto* answer = running<Answering>(stage, event.request)) {
    answer->hasStarted = true;
    answer->readPercent = event.percent;
  }
  return {};
}

Effects on(ChatStage& stage, const chat_event::TextArrived& event) {
  auto* summary = running<Summarising>(stage, event.request);
  if (summary != nullptr) summary->hasStarted = true;
  if (summary != nullptr && event.kind == TextKind::kAnswer) summary->text += event.text;
  auto* answer = running<Answering>(stage, event.request);
  if (answer == nullptr || event.text.isEmpty()) return {};
  answer->hasStarted = answer->isWriting = true;
  answer->writtenChars += event.text.size();
  return effectsOf(AppendText{answer->turnId, event.text, event.kind, event.contextUsed});
}

Effects on(ChatStage& stage, const chat_event::Finished& event) {
  if (const auto* found = running<Summarising>(stage, event.request)) {
    const Summarising summary = *found;
    stage = Resting{};
    const QString text = summary.text.trimmed();
    if (event.end == ChatEnd::Stopped || summary.isStopping || text.isEmpty())
      return effectsOf(TellTrouble{summary.trouble});
    return effectsOf(CutAndResume{summary.cutId, text, summary.trouble.resumeId});
  }
  const auto* found = running<Answering>(stage, event.request);
  if (found == nullptr) return {};
  const QString turnId = found->turnId;
  Effects effects = effectsOf(
      Count{event.figures.promptTokens + event.figures.generatedTokens, found->sentChars + found->writtenChars},
      FinishTurn{turnId, stateAfter(event.end), found->writtenChars, event.figures});
  stage = Resting{};
  if (event.end == ChatEnd::ContextFull) effects.emplace_back(TellFull{event.figures.contextLength, turnId});
  return effects;
}

Effects on(ChatStage& stage, const chat_event::TooLong& event) {
  if (const auto* summary = running<Summarising>(stage, event.request)) {
    const TellTooLong told{event.promptTokens, event.contextLength, true, summary->trouble.resumeId, event.isAtLeast};
    const Count counted{event.promptTokens, summary->sentChars, event.isAtLeast};
    stage = Resting{};
    return effectsOf(counted, told);
  }
  const auto* found = running<Answering>(stage, event.request);
  if (found == nullptr) return {};
  const Answering answer = *found;
  stage = Resting{};
  return effectsOf(Count{event.promptTokens, answer.sentChars, event.isAtLeast},
                   endWithout(answer, TurnState::ContextFull),
                   TellTooLong{event.promptTokens, event.contextLength, false,
                               hasNothing(answer) ? answer.questionId : answer.turnId, event.isAtLeast});
}

Effects on(ChatStage& stage, const chat_event::Failed& event) {
  const bool wasCancelled = event.error.code == ErrorCode::kCancelled;
  if (const auto* summary = running<Summarising>(stage, event.request)) {
    const Summarising ended = *summary;
    stage = Resting{};
    if (wasCancelled) return effectsOf(TellTrouble{ended.trouble});
    return effectsOf(TellFailed{event.error, true, ended.trouble.resumeId, ended.sentChars});
  }
  const auto* found = running<Answering>(stage, event.request);
  if (found == nullptr) return {};
  const Answering answer = *found;
  stage = Resting{};
  const TurnState state = wasCancelled                                 ? TurnState::Stopped
                          : event.error.code == ErrorCode::kDoesNotFit ? TurnState::ContextFull
                                                                       : TurnState::Interrupted;
  Effects effects = effectsOf(endWithout(answer, state));
  if (!wasCancelled)
    effects.emplace_back(
        TellFailed{event.error, false, hasNothing(answer) ? answer.questionId : answer.turnId, answer.sentChars});
  return effects;
}

// The engine ends what runs before it tells of another model, and answers with that one what was asked later: a
// question that was sent while a model was being loaded goes on waiting.
Effects on(ChatStage& stage, const chat_event::ModelChanged& event) {
  const quint64 request = requestOf(stage);
  return request != 0 && request < event.request ? leave(stage, TurnState::Interrupted) : Effects{};
}

}  // namespace

quint64 requestOf(const ChatStage& stage) {
  return std::visit(Overloaded{[](const Resting&) -> quint64 { return 0; },
                               [](const auto& waiting) -> quint64 { return waiting.request; }},
                    stage);
}

std::vector<ChatEffect> react(ChatStage& stage, const ChatEvent& event) {
  return std::visit([&stage](const auto& happened) { return on(stage, happened); }, event);
}

}  // namespace headroom::ui
