// Runs the answers of all slots side by side: one prefill chunk at a time, one decode step for all that are past it.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "run/generation.h"

namespace headroom {

// Belongs to one session and its thread. A request whose slot is busy waits for it; requests of one slot are answered
// in order.
class Scheduler {
 public:
  using EventSink = std::function<void(Event)>;

  // `session` and `on_event` outlive the scheduler.
  Scheduler(Session& session, const EventSink& on_event);

  void add(RequestId id, GenerateRequest request, StopToken stop);
  bool is_idle() const { return running_.empty() && waiting_.empty(); }

  // One step: at most one prefill chunk and one decode step. Emits PrefillProgress, TextDelta (about 30 Hz each), and
  // for each request exactly one of GenerationFinished, PromptTooLong and Failed.
  void advance();

  // Ends all answers with kStopped, those that wait too.
  void stop_all();
  // Ends them all with Failed; their slots start over.
  void fail_all(const Error& error);

 private:
  struct Running {
    RequestId id = 0;
    std::unique_ptr<Generation> generation;
    std::chrono::steady_clock::time_point told;
  };
  struct Waiting {
    RequestId id = 0;
    GenerateRequest request;
    StopToken stop;
  };
  void start_waiting();
  void start(Waiting next);
  void finish_stopped();
  void prefill();
  void decode();
  Status decode_and_sample(const StopToken& stop);
  void tell(Running& running);
  void remove_finished();
  void fail(const Running& running, const Error& error);
  void end_unstarted(const Waiting& waiting);

  Session& session_;
  const EventSink& on_event_;
  std::vector<Running> running_;  // at most one per slot, ascending in slot
  std::deque<Waiting> waiting_;
  std::vector<SlotRows> step_parts_;
  std::vector<Running*> step_running_;
  std::vector<SampledRow> step_rows_;
};

}  // namespace headroom
