// The life of a download as values: a state, and a pure function from an event to the next state and what is to be
// done. No Qt object, no network: tested for every event in every state.
#pragma once

#include <variant>
#include <vector>

#include "ui/library/transfer.h"

namespace headroom::ui {

namespace download_stage {
struct Queued {};  // until fewer others run
struct AskingSpace {
  quint64 run = 0;
  int nTries = 0;  // that brought nothing, one after the other
};
struct Running {
  quint64 run = 0;
  int nTries = 0;
};
struct Waiting {  // then it is tried again
  int nTries = 0;
  Sentence sentence;  // why
  int ms = 0;         // how long
};
struct Paused {
  Sentence sentence;  // why, where it was not the user
};
struct Verifying {
  quint64 run = 0;
};
struct Done {};
struct Failed {
  Sentence sentence;
  bool needsToken = false;
};
}  // namespace download_stage
using DownloadStage =
    std::variant<download_stage::Queued, download_stage::AskingSpace, download_stage::Running, download_stage::Waiting,
                 download_stage::Paused, download_stage::Verifying, download_stage::Done, download_stage::Failed>;

namespace download_event {
struct Turn {  // it may run now
  quint64 run = 0;
};
struct SpaceFound {
  quint64 run = 0;
};
struct BytesCame {
  quint64 run = 0;
};
struct VerifyBegan {
  quint64 run = 0;
};
struct Ended {
  quint64 run = 0;
  TransferEnd end;
};
struct WaitOver {
  quint64 run = 0;  // of the run that begins
};
struct PauseAsked {};
struct ResumeAsked {};  // also: try again
}  // namespace download_event
using DownloadEvent = std::variant<download_event::Turn, download_event::SpaceFound, download_event::BytesCame,
                                   download_event::VerifyBegan, download_event::Ended, download_event::WaitOver,
                                   download_event::PauseAsked, download_event::ResumeAsked>;

namespace download_effect {
struct StartTransfer {
  quint64 run = 0;
};
struct StopTransfer {};
struct StartWaiting {
  int ms = 0;
};
struct StopWaiting {};
struct TellDone {};
}  // namespace download_effect
using DownloadEffect =
    std::variant<download_effect::StartTransfer, download_effect::StopTransfer, download_effect::StartWaiting,
                 download_effect::StopWaiting, download_effect::TellDone>;

// How often and after how long a broken download is tried again. Bytes that came begin the count anew.
struct RetryRule {
  int mostTries = 5;
  int firstWaitMs = 1000;  // doubled each time
};

// Changes `stage` by one event; returns what is to be done, in order.
std::vector<DownloadEffect> react(DownloadStage& stage, const DownloadEvent& event, const RetryRule& rule);

// Whether it takes one of the places of downloads that run at once.
bool isActive(const DownloadStage& stage);

}  // namespace headroom::ui
