#include "run/scheduler.h"

#include <algorithm>
#include <new>
#include <utility>

#include "run/prompt.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kTextInterval = std::chrono::milliseconds(33);

}  // namespace

Scheduler::Scheduler(Session& session, const EventSink& on_event) : session_(session), on_event_(on_event) {
  running_.reserve(session.cache().n_slots());
  step_parts_.reserve(session.cache().n_slots());
  step_running_.reserve(session.cache().n_slots());
  step_rows_.reserve(session.cache().n_slots());
}

void Scheduler::add(RequestId id, GenerateRequest request, StopToken stop) {
  waiting_.push_back({id, std::move(request), std::move(stop)});
}

void Scheduler::advance() {
  start_waiting();
  finish_stopped();
  prefill();
  decode();
  for (Running& running : running_) tell(running);
  remove_finished();
}

void Scheduler::stop_all() {
  for (const Waiting& waiting : std::exchange(waiting_, {})) end_unstarted(waiting);
  for (Running& running : running_) running.generation->finish_stopped();
  for (Running& running : running_) tell(running);
  remove_finished();
}

void Scheduler::fail_all(const Error& error) {
  for (const Waiting& waiting : std::exchange(waiting_, {})) on_event_({waiting.id, Failed{error}});
  while (!running_.empty()) fail(running_.front(), error);
}

void Scheduler::start_waiting() {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    const std::uint32_t slot = next->request.slot;
    const auto uses_slot = [slot](const Running& running) { return running.generation->slot() == slot; };
    if (std::any_of(running_.begin(), running_.end(), uses_slot)) {
      ++next;
      continue;
    }
    const RequestId id = next->id;
    Waiting started = std::move(*next);
    next = waiting_.erase(next);
    try {  // a prompt is rendered and tokenized here, however long it is
      start(std::move(started));
    } catch (const std::bad_alloc&) {
      on_event_({id, Failed{{ErrorCode::kResource, "the system refused memory for this answer"}}});
    }
  }
}

void Scheduler::start(Waiting next) {
  if (next.stop.stop_requested()) return end_unstarted(next);
  const auto refuse = [&](const Error& error) { on_event_({next.id, Failed{error}}); };
  if (Status sane = check_sampler_settings(next.request.sampler); !sane) return refuse(sane.error());
  Result<std::vector<TokenId>> tokens = request_tokens(session_.model(), next.request);
  if (!tokens) return refuse(tokens.error());
  std::vector<TokenId> prompt = std::move(*tokens);
  const std::uint32_t n_ctx = session_.cache().n_ctx();
  if (next.request.slot < session_.cache().n_slots() && prompt.size() >= n_ctx) {
    return on_event_({next.id, PromptTooLong{static_cast<std::uint32_t>(prompt.size()), n_ctx}});
  }
  const Result<std::uint32_t> n_reused = session_.begin_prompt(next.request.slot, prompt);
  if (!n_reused) return refuse(n_reused.error());
  auto generation =
      std::make_unique<Generation>(session_, next.request, std::move(prompt), *n_reused, std::move(next.stop));
  on_event_({next.id, generation->prefill_progress()});
  const auto after = std::find_if(running_.begin(), running_.end(), [&](const Running& running) {
    return running.generation->slot() > generation->slot();
  });
  running_.insert(after, Running{next.id, std::move(generation), Clock::now()});
}

void Scheduler::finish_stopped() {
  for (Running& running : running_) {
    if (running.generation->stop_token().stop_requested()) running.generation->finish_stopped();
  }
}

// One chunk of the oldest request that still reads its prompt, so that answers under way go on between the chunks.
void Scheduler::prefill() {
  Running* oldest = nullptr;
  for (Running& running : running_) {
    if (running.generation->phase() == Generation::Phase::kPrefill && (oldest == nullptr || running.id < oldest->id))
      oldest = &running;
  }
  if (oldest == nullptr) return;
  const Status done = oldest->generation->prefill_chunk();
  if (!done && done.error().code != ErrorCode::kCancelled) return fail(*oldest, done.error());
  if (!done) oldest->generation->finish_stopped();
  on_event_({oldest->id, oldest->generation->prefill_progress()});
}

void Scheduler::decode() {
  step_parts_.clear();
  step_running_.clear();
  for (Running& running : running_) {
    if (running.generation->phase() != Generation::Phase::kDecode) continue;
    step_parts_.push_back(running.generation->next_rows());
    step_running_.push_back(&running);
  }
  if (step_parts_.empty()) return;
  // A step of several slots is short and shared: only a lone answer may break it off.
  const StopToken stop = step_running_.size() == 1 ? step_running_.front()->generation->stop_token() : StopToken();
  const Clock::time_point start = Clock::now();
  const Status done = decode_and_sample(stop);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!done && done.error().code == ErrorCode::kCancelled) return step_running_.front()->generation->finish_stopped();
  if (!done) {
    const Error error = done.error();
    std::vector<RequestId> failed;
    for (const Running* running : step_running_) failed.push_back(running->id);
    for (const RequestId id : failed) {
      fail(*std::find_if(running_.begin(), running_.end(), [id](const Running& running) { return running.id == id; }),
           error);
    }
    return;
  }
  for (std::size_t i = 0; i < step_running_.size(); ++i)
    step_running_[i]->generation->decoded(step_rows_[i].token, seconds);
}

// Computes step_parts_, and chooses into step_rows_ the token that follows each.
Status Scheduler::decode_and_sample(const StopToken& stop) {
  if (Status done = session_.step(step_parts_, stop); !done) return done;
  step_rows_.clear();
  for (std::uint32_t i = 0; i < step_running_.size(); ++i)
    step_rows_.push_back(step_running_[i]->generation->sampled_row(i));
  return session_.sample(step_rows_);
}

void Scheduler::tell(Running& running) {
  if (!running.generation->has_text()) return;
  const Clock::time_point now = Clock::now();
  if (running.generation->phase() != Generation::Phase::kFinished && now - running.told < kTextInterval) return;
  running.told = now;
  on_event_({running.id, TextDelta{running.generation->take_text()}});
}

void Scheduler::remove_finished() {
  for (const Running& running : running_) {
    if (running.generation->phase() == Generation::Phase::kFinished)
      on_event_({running.id, running.generation->finished()});
  }
  std::erase_if(running_,
                [](const Running& running) { return running.generation->phase() == Generation::Phase::kFinished; });
}

// What a failed step left in the cache is unknown: the slot starts over.
void Scheduler::fail(const Running& running, const Error& error) {
  const RequestId id = running.id;
  session_.take_back(running.generation->slot(), 0);
  std::erase_if(running_, [id](const Running& other) { return other.id == id; });
  on_event_({id, Failed{error}});
}

void Scheduler::end_unstarted(const Waiting& waiting) {
  GenerationFinished end{FinishReason::kStopped, {}, {}};
  end.stats.n_ctx = session_.cache().n_ctx();
  on_event_({waiting.id, end});
}

}  // namespace headroom
