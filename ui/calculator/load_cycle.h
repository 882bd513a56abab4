// The life of a load as values: what is on its way, what the engine holds, and a pure function from an event to the
// next state and what is to be done. No Qt object, no engine: tested for every event in every state.
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "ui/engine_port.h"
#include "ui/stale_model_filter.h"

namespace headroom::ui {

// What the window waits for: the newest request alone. Older ones that are still on their way change `held` when they
// end, and nothing else.
namespace load_stage {
struct Settled {};
struct Loading {
  quint64 request = 0;
  std::shared_ptr<const MemoryPlan> arriving;  // whose weights are being read; null: none are, only the session is new
  Bytes bytesDone = 0, bytesTotal = 0;
  bool isCancelling = false;
};
struct Closing {
  quint64 request = 0;
};
}  // namespace load_stage
using LoadStage = std::variant<load_stage::Settled, load_stage::Loading, load_stage::Closing>;

struct HeldModel {  // by the engine
  LoadedModel model;
  MemoryGrowth grown{};  // since the load
  quint32 kvTokensUsed = 0;
  bool isLost = false;  // a device of it went away: it answers nothing until it is loaded again
};

struct LoadCycle {
  LoadStage stage;
  std::optional<HeldModel> held;
  StaleModelFilter order;  // of what changed `held`
};

namespace load_event {
struct Started {  // by the user: the engine was just asked, with this id
  quint64 request = 0;
  std::shared_ptr<const MemoryPlan> arriving;
};
struct CloseAsked {  // likewise
  quint64 request = 0;
};
struct CancelAsked {};
struct Progressed {
  quint64 request = 0;
  Bytes bytesDone = 0, bytesTotal = 0;
};
struct Loaded {
  quint64 request = 0;
  LoadedModel model;
};
struct Unloaded {
  quint64 request = 0;
};
struct Failed {
  quint64 request = 0;
  Error error;
};
struct Counted {
  MemoryGrowth grown{};  // since the load
  quint32 kvTokensUsed = 0;
};
}  // namespace load_event
using LoadEvent =
    std::variant<load_event::Started, load_event::CloseAsked, load_event::CancelAsked, load_event::Progressed,
                 load_event::Loaded, load_event::Unloaded, load_event::Failed, load_event::Counted>;

namespace load_effect {
struct StopRequest {  // ask the engine to end it
  quint64 request = 0;
};
struct TellCancelled {};
struct TellFailed {
  Error error;
};
struct TellReleased {};  // what the user closed is gone
}  // namespace load_effect
using LoadEffect = std::variant<load_effect::StopRequest, load_effect::TellCancelled, load_effect::TellFailed,
                                load_effect::TellReleased>;

// Changes `cycle` by one event; returns what is to be done, in order.
std::vector<LoadEffect> react(LoadCycle& cycle, const LoadEvent& event);

}  // namespace headroom::ui
