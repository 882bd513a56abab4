#include "run/scheduler.h"

#include <algorithm>
#include <new>
#include <utility>

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kTextInterval = std::chrono::milliseconds(33);

}  // namespace

Scheduler::Scheduler(Session& session, const EventSink& on_event)
    : session_(session), on_event_(on_event), slots_(session.cache().n_slots()) {
  running_.reserve(slots_.size());
  shares_.reserve(slots_.size());
  parts_.reserve(slots_.size());
  in_step_.reserve(slots_.size());
  sampled_.reserve(slots_.size());
}

Status Scheduler::check(const GenerateRequest& request) const {
  if (queue_.is_full()) {
    return Error{ErrorCode::kResource,
                 Message::say("the queue is full: {} requests wait for an answer, and no more than {} may",
                              queue_.size(), kMostWaitingRequests)};
  }
  if (request.n_top_logprobs > kMostTopLogprobs) {
    return Error{ErrorCode::kUsage, Message::say("the probabilities of {} tokens were asked for, at most {} are told",
                                                 request.n_top_logprobs, kMostTopLogprobs)};
  }
  return check_sampler_settings(request.sampler);
}

bool Scheduler::add(RequestId id, GenerateRequest request, StopToken stop) {
  if (Status sane = check(request); !sane) {
    on_event_({id, Failed{sane.error()}});
    return false;
  }
  queue_.push({id, std::move(request), std::move(stop), n_steps_, std::nullopt});
  return true;
}

void Scheduler::prompt_read(RequestId id, PromptOutcome outcome) {
  WaitingRequest* const waiting = queue_.find(id);
  if (waiting == nullptr) return;
  if (auto* prompt = std::get_if<ReadPrompt>(&outcome)) {
    waiting->prompt = std::move(*prompt);
    waiting->since_step = n_steps_;
    return;
  }
  (void)queue_.take_if([&](const WaitingRequest& one) { return one.id == id; });
  if (const auto* too_long = std::get_if<PromptTooLong>(&outcome)) return on_event_({id, *too_long});
  on_event_({id, Failed{std::get<Error>(outcome)}});
}

bool Scheduler::has_work() const {
  return !running_.empty() || queue_.has_stopped() ||
         queue_.has_next([this](ConversationId conversation) { return is_busy(conversation); });
}

void Scheduler::advance() {
  for (const WaitingRequest& waiting :
       queue_.take_if([](const WaitingRequest& one) { return one.stop.stop_requested(); }))
    end_unstarted(waiting);
  start_waiting();
  finish_stopped();
  step();
  for (Running& running : running_) tell(running);
  remove_finished();
}

void Scheduler::stop_all() {
  for (const WaitingRequest& waiting : queue_.take_if([](const WaitingRequest&) { return true; }))
    end_unstarted(waiting);
  for (Running& running : running_) running.generation->finish_stopped();
  for (Running& running : running_) tell(running);
  remove_finished();
}

void Scheduler::fail_all(const Error& error) {
  for (const WaitingRequest& waiting : queue_.take_if([](const WaitingRequest&) { return true; }))
    on_event_({waiting.id, Failed{error}});
  while (!running_.empty()) fail(running_.front().id, error);
}

bool Scheduler::is_busy(ConversationId conversation) const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [&](const SlotUse& use) { return use.is_busy && use.conversation == conversation; });
}

void Scheduler::start_waiting() {
  const auto is_free = [](const SlotUse& use) { return !use.is_busy; };
  while (std::any_of(slots_.begin(), slots_.end(), is_free)) {
    std::optional<WaitingRequest> next =
        queue_.take_next([this](ConversationId conversation) { return is_busy(conversation); });
    if (!next) return;
    const RequestId id = next->id;
    const std::uint32_t slot = *choose_slot(session_.cache(), slots_, next->request.conversation, next->prompt->tokens);
    try {
      start(std::move(*next), slot);
    } catch (const std::bad_alloc&) {
      const Error error{ErrorCode::kResource, Message::say("the system refused memory for this answer")};
      const bool is_running = std::ranges::any_of(running_, [id](const Running& one) { return one.id == id; });
      if (is_running) return fail(id, error);
      on_event_({id, Failed{error}});
    }
  }
}

void Scheduler::start(WaitingRequest next, std::uint32_t slot) {
  const SlotUse& use = slots_[slot];
  const auto n_held = static_cast<std::uint32_t>(session_.cache().tokens(slot).size());
  const PromptBefore before{n_held, session_.cache().n_shared(slot, next.prompt->tokens),
                            n_held > 0 && use.conversation != next.request.conversation};
  const Result<std::uint32_t> n_reused = session_.begin_prompt(slot, next.prompt->tokens, next.stop);
  if (!n_reused && n_reused.error().code == ErrorCode::kCancelled) return end_unstarted(next);
  if (!n_reused) return on_event_({next.id, Failed{n_reused.error()}});
  auto generation = std::make_unique<Generation>(session_, slot, next.request, std::move(*next.prompt), *n_reused,
                                                 before, std::move(next.stop));
  generation->waited(n_steps_ - next.since_step);
  const auto after = std::find_if(running_.begin(), running_.end(),
                                  [&](const Running& running) { return running.generation->slot() > slot; });
  const auto started = running_.insert(after, Running{next.id, std::move(generation), Clock::now(), n_steps_});
  slots_[slot] = {next.request.conversation, ++n_started_, true};
  on_event_({next.id, started->generation->prefill_progress()});
}

void Scheduler::finish_stopped() {
  for (Running& running : running_) {
    if (running.generation->stop_token().stop_requested()) running.generation->finish_stopped();
  }
}

// A row of each answer, and of the prompts what they share.
void Scheduler::compose() {
  using Phase = Generation::Phase;
  const auto count = [&](Phase phase) {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(running_, [&](const Running& running) { return running.generation->phase() == phase; }));
  };
  shares_.clear();
  for (const Running& running : running_) {
    if (running.generation->phase() == Phase::kPrefill)
      shares_.push_back({running.generation->prompt_rows_left(), running.served_at});
  }
  share_rows(most_prompt_rows(session_.plan().options, count(Phase::kDecode)), shares_);
  parts_.clear();
  in_step_.clear();
  n_prompt_rows_ = 0;
  auto share = shares_.begin();
  for (Running& running : running_) {
    const Phase phase = running.generation->phase();
    if (phase == Phase::kFinished) continue;
    const std::uint32_t n_rows = phase == Phase::kPrefill ? share++->n_rows : 0;
    if (phase == Phase::kPrefill && n_rows == 0) continue;
    n_prompt_rows_ += n_rows;
    parts_.push_back(phase == Phase::kDecode ? running.generation->answer_row()
                                             : running.generation->prompt_rows(n_rows));
    in_step_.push_back(&running);
  }
}

void Scheduler::step() {
  compose();
  if (parts_.empty()) return;
  ++n_steps_;
  const Clock::time_point start = Clock::now();
  const bool is_alone = parts_.size() == 1;
  // A step that breaks off leaves no state that could be gone on from: a single token is computed to its end, so that a
  // stop in the middle of an answer keeps what was said.
  const bool breaks_off = is_alone && (n_prompt_rows_ > 0 || !session_.model().info->is_recurrent());
  const Status done = run_step(breaks_off ? in_step_.front()->generation->stop_token() : StopToken());
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!done && done.error().code == ErrorCode::kCancelled) return in_step_.front()->generation->finish_stopped();
  if (!done) {
    std::vector<RequestId> failed;
    for (const Running* running : in_step_) failed.push_back(running->id);
    for (const RequestId id : failed) fail(id, done.error());
    return;
  }
  auto sampled = sampled_.begin();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Running& running = *in_step_[i];
    const bool is_prompt = running.generation->phase() == Generation::Phase::kPrefill;
    const auto n_own = is_prompt ? static_cast<std::uint32_t>(parts_[i].tokens.size()) : 0;
    running.served_at = n_steps_;
    running.generation->stepped({seconds, n_prompt_rows_ - n_own, !is_alone});
    if (is_prompt) tell_progress(running, parts_[i].n_logit_rows > 0);
    if (parts_[i].n_logit_rows > 0) running.generation->take(*sampled++);
  }
}

// Computes parts_, and chooses into sampled_ the token that follows each part with logits. A step of several is
// shared: only one that is alone in it may break it off.
Status Scheduler::run_step(const StopToken& stop) {
  sampled_.clear();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].n_logit_rows > 0)
      sampled_.push_back(in_step_[i]->generation->sampled_row(static_cast<std::uint32_t>(sampled_.size())));
  }
  return session_.step_and_sample(parts_, sampled_, stop);
}

void Scheduler::tell(Running& running) {
  if (!running.generation->has_delta()) return;
  const Clock::time_point now = Clock::now();
  if (running.generation->phase() != Generation::Phase::kFinished && now - running.told < kTextInterval) return;
  running.told = now;
  on_event_({running.id, running.generation->take_delta()});
}

void Scheduler::tell_progress(Running& running, bool is_read) {
  const Clock::time_point now = Clock::now();
  if (!is_read && now - running.told < kTextInterval) return;
  running.told = now;
  on_event_({running.id, running.generation->prefill_progress()});
}

void Scheduler::remove_finished() {
  for (auto running = running_.begin(); running != running_.end();) {
    if (running->generation->phase() != Generation::Phase::kFinished) {
      ++running;
      continue;
    }
    const Event end{running->id, running->generation->finished()};
    slots_[running->generation->slot()].is_busy = false;
    running = running_.erase(running);
    on_event_(end);
  }
}

// What a failed step left in the cache is unknown: the slot starts over.
void Scheduler::fail(RequestId id, const Error& error) {
  const auto running = std::ranges::find_if(running_, [id](const Running& one) { return one.id == id; });
  const std::uint32_t slot = running->generation->slot();
  session_.clear(slot);
  slots_[slot] = {};
  running_.erase(running);
  on_event_({id, Failed{error}});
}

void Scheduler::end_unstarted(const WaitingRequest& waiting) {
  GenerationFinished end{FinishReason::kStopped, {}, {}};
  end.stats.n_ctx = session_.cache().n_ctx();
  on_event_({waiting.id, end});
}

}  // namespace headroom
