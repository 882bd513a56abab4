// Runs the answers of all slots side by side: each round is one step of all that decode and of prompts that are read.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "run/generation.h"
#include "run/prompt.h"
#include "run/request_queue.h"
#include "run/share_rows.h"
#include "run/slot_choice.h"

namespace headroom {

// Belongs to one session and its thread. It gives every request a slot (slot_choice.h), in fair order
// (request_queue.h). A step of the session has one row of each answer and beside them rows of prompts: a token of an
// answer never waits for a step without it, and never behind more than kPromptRowsBesideAnswers rows of prompts.
class Scheduler {
 public:
  using EventSink = std::function<void(Event)>;

  // `session` and `on_event` outlive the scheduler.
  Scheduler(Session& session, const EventSink& on_event);

  // Takes a request into the queue; its prompt is read elsewhere, and told by prompt_read(). False when it is refused:
  // that is told (Failed), and the request is forgotten.
  bool add(RequestId id, GenerateRequest request, StopToken stop);
  // What is no request of the queue, any more, is ignored.
  void prompt_read(RequestId id, PromptOutcome outcome);

  bool is_idle() const { return running_.empty() && queue_.empty(); }
  bool has_work() const;  // advance() would do something: not while all that waits are prompts to be read

  // One round: at most one step. Emits PrefillProgress and TextDelta (about 30 Hz each), and for each request exactly
  // one of GenerationFinished, PromptTooLong and Failed. A stop takes effect here, of requests that wait too: only the
  // step of a request that is alone in it is broken off.
  void advance();

  // Ends all answers with kStopped, those that wait too.
  void stop_all();
  // Ends them all with Failed; their slots start over.
  void fail_all(const Error& error);

 private:
  struct Running {
    RequestId id = 0;
    std::unique_ptr<Generation> generation;
    std::chrono::steady_clock::time_point told;  // text, or before that how far the prompt is
    std::uint64_t served_at = 0;                 // the step in which it last had rows
  };
  Status check(const GenerateRequest& request) const;
  bool is_busy(ConversationId conversation) const;
  void start_waiting();
  void start(WaitingRequest next, std::uint32_t slot);
  void finish_stopped();
  void step();
  void compose();
  Status run_step(const StopToken& stop);
  void tell(Running& running);
  void tell_progress(Running& running, bool is_read);
  void remove_finished();
  void fail(RequestId id, const Error& error);
  void end_unstarted(const WaitingRequest& waiting);

  Session& session_;
  const EventSink& on_event_;
  std::vector<Running> running_;  // at most one per slot, ascending in slot
  std::vector<SlotUse> slots_;
  RequestQueue queue_;
  std::uint64_t n_steps_ = 0, n_started_ = 0;
  // Of the step that is composed, each with room for all slots.
  std::vector<PromptShare> shares_;
  std::vector<SlotRows> parts_;
  std::vector<Running*> in_step_;  // of each part
  std::vector<SampledRow> sampled_;
  std::uint32_t n_prompt_rows_ = 0;
};

}  // namespace headroom
