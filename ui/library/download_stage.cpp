#include "ui/library/download_stage.h"

#include <algorithm>

#include "base/overloaded.h"

namespace headroom::ui {

namespace {

using namespace download_stage;
using DownloadEffects = std::vector<DownloadEffect>;

// The run that is under way; 0: none.
quint64 runOf(const DownloadStage& stage) {
  return std::visit(
      Overloaded{[](const AskingSpace& asking) { return asking.run; },
                 [](const Running& running) { return running.run; },
                 [](const Verifying& verifying) { return verifying.run; }, [](const auto&) { return quint64{0}; }},
      stage);
}

int triesOf(const DownloadStage& stage) {
  return std::visit(Overloaded{[](const AskingSpace& asking) { return asking.nTries; },
                               [](const Running& running) { return running.nTries; },
                               [](const Waiting& waiting) { return waiting.nTries; }, [](const auto&) { return 0; }},
                    stage);
}

DownloadEffects react(DownloadStage& stage, const download_event::Turn& event, const RetryRule&) {
  if (!std::holds_alternative<Queued>(stage)) return {};
  stage = AskingSpace{event.run, 0};
  return {download_effect::StartTransfer{event.run}};
}

DownloadEffects react(DownloadStage& stage, const download_event::SpaceFound& event, const RetryRule&) {
  const auto* asking = std::get_if<AskingSpace>(&stage);
  if (asking != nullptr && asking->run == event.run) stage = Running{event.run, asking->nTries};
  return {};
}

DownloadEffects react(DownloadStage& stage, const download_event::BytesCame& event, const RetryRule&) {
  auto* running = std::get_if<Running>(&stage);
  if (running != nullptr && running->run == event.run) running->nTries = 0;
  return {};
}

DownloadEffects react(DownloadStage& stage, const download_event::VerifyBegan& event, const RetryRule&) {
  if (runOf(stage) == event.run) stage = Verifying{event.run};
  return {};
}

DownloadEffects react(DownloadStage& stage, const download_event::Ended& event, const RetryRule& rule) {
  // Who pauses while the file gets its name has it: what is done is done.
  const bool isDoneAllTheSame =
      event.end.kind == TransferEnd::Kind::Done && std::holds_alternative<Paused>(stage) && event.run != 0;
  if (!isDoneAllTheSame && (runOf(stage) != event.run || event.run == 0)) return {};
  const Sentence& sentence = event.end.sentence;
  switch (event.end.kind) {
    case TransferEnd::Kind::Done: stage = Done{}; return {download_effect::TellDone{}};
    case TransferEnd::Kind::Stopped: stage = Paused{}; return {};
    case TransferEnd::Kind::NoSpace: stage = Paused{sentence}; return {};
    case TransferEnd::Kind::NeedsToken: stage = Failed{sentence, true}; return {};
    case TransferEnd::Kind::Refused:
    case TransferEnd::Kind::WrongChecksum: stage = Failed{sentence, false}; return {};
    case TransferEnd::Kind::Cut:
    case TransferEnd::Kind::AskedToWait: break;
  }
  const int nTries = triesOf(stage) + 1;
  if (nTries > rule.mostTries) {
    stage = Failed{sentence, false};
    return {};
  }
  const int waitMs = std::max(event.end.waitMs, rule.firstWaitMs << std::min(nTries - 1, 10));
  stage = Waiting{nTries, sentence, waitMs};
  return {download_effect::StartWaiting{waitMs}};
}

DownloadEffects react(DownloadStage& stage, const download_event::WaitOver& event, const RetryRule&) {
  const auto* waiting = std::get_if<Waiting>(&stage);
  if (waiting == nullptr) return {};
  stage = AskingSpace{event.run, waiting->nTries};
  return {download_effect::StartTransfer{event.run}};
}

DownloadEffects react(DownloadStage& stage, const download_event::PauseAsked&, const RetryRule&) {
  if (std::holds_alternative<Queued>(stage)) {
    stage = Paused{};
    return {};
  }
  if (std::holds_alternative<Waiting>(stage)) {
    stage = Paused{};
    return {download_effect::StopWaiting{}};
  }
  if (runOf(stage) == 0) return {};
  stage = Paused{};
  return {download_effect::StopTransfer{}};
}

DownloadEffects react(DownloadStage& stage, const download_event::ResumeAsked&, const RetryRule&) {
  if (std::holds_alternative<Paused>(stage) || std::holds_alternative<Failed>(stage)) stage = Queued{};
  return {};
}

}  // namespace

std::vector<DownloadEffect> react(DownloadStage& stage, const DownloadEvent& event, const RetryRule& rule) {
  return std::visit([&](const auto& which) { return react(stage, which, rule); }, event);
}

bool isActive(const DownloadStage& stage) { return runOf(stage) != 0 || std::holds_alternative<Waiting>(stage); }

}  // namespace headroom::ui
