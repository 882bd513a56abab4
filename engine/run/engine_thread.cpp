#include "run/engine_thread.h"

#include <atomic>
#include <new>
#include <utility>

#include "base/heap.h"
#include "run/engine_thread_impl.h"

namespace headroom {
namespace {

constexpr auto kIdleSampleInterval = std::chrono::milliseconds(1000);

std::atomic<std::size_t>& left_behind() {
  static std::atomic<std::size_t> n = 0;
  return n;
}

}  // namespace

EngineThread::Impl::Impl(std::function<void(Event)> on_event_, BackendFactory make_backend_)
    : on_event(std::move(on_event_)),
      make_backend(std::move(make_backend_)),
      scheduler_sink([this](Event event) {
        const bool is_last =
            !std::holds_alternative<TextDelta>(event.body) && !std::holds_alternative<PrefillProgress>(event.body);
        if (is_last) forget(event.request);
        tell(std::move(event));
      }),
      reader([this](RequestId id, PromptOutcome outcome) {
        {
          const std::lock_guard lock(mutex);
          prompts_read.emplace_back(id, std::move(outcome));
        }
        changed.notify_all();
      }) {}

void EngineThread::Impl::end(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex);
  quitting = true;
  for (auto& [id, source] : stop_sources) source.request_stop();
  changed.notify_all();
  const bool in_time = changed.wait_for(lock, limit, [&] { return has_ended; });
  is_left_behind = !in_time;
  if (is_left_behind) ++left_behind();
  lock.unlock();
  if (in_time) return thread.join();
  thread.detach();
  const std::lock_guard told(telling);
  is_silent = true;
}

void EngineThread::Impl::tell(Event event) {
  const std::lock_guard lock(telling);
  if (!is_silent) on_event(std::move(event));
}

template <class Body>
RequestId EngineThread::Impl::post(Body body) {
  RequestId id = 0;
  {
    const std::lock_guard lock(mutex);
    id = ++last_id;
    commands.push_back({id, std::move(body), stop_sources[id].token()});
  }
  changed.notify_all();
  return id;
}

void EngineThread::Impl::stop(RequestId request) {
  {
    const std::lock_guard lock(mutex);
    const auto found = stop_sources.find(request);
    if (found == stop_sources.end()) return;
    found->second.request_stop();
    stop_is_asked = true;
  }
  reader.drop(request);
  changed.notify_all();  // one that waits ends at once
}

void EngineThread::Impl::set_watched(bool now) {
  {
    const std::lock_guard lock(mutex);
    is_watched = now;
  }
  changed.notify_all();
}

void EngineThread::Impl::forget(RequestId id) {
  reader.drop(id);
  const std::lock_guard lock(mutex);
  stop_sources.erase(id);
}

// From here on a stop of the request comes too late and is ignored; whether none came before.
bool EngineThread::Impl::ends_stopping(RequestId id) {
  const std::lock_guard lock(mutex);
  const auto source = stop_sources.extract(id);
  return !source.empty() && !source.mapped().token().stop_requested();
}

void EngineThread::Impl::run() {
  work();
  const std::lock_guard lock(mutex);
  has_ended = true;
  changed.notify_all();
  if (is_left_behind) --left_behind();
}

void EngineThread::Impl::work() {
  while (true) {
    std::deque<Command> taken = take_commands();
    std::deque<std::pair<RequestId, PromptOutcome>> read;
    {
      const std::lock_guard lock(mutex);
      if (quitting) break;
      read.swap(prompts_read);
    }
    for (auto& [id, outcome] : read) {
      if (scheduler) scheduler->prompt_read(id, std::move(outcome));
    }
    for (Command& command : taken) {
      const RequestId id = command.id;
      guard(id, [&] { handle(std::move(command)); });
    }
    if (scheduler && scheduler->has_work()) advance();
    if (model) read_memory();
  }
  end_session();
  model.reset();
}

std::deque<Command> EngineThread::Impl::take_commands() {
  std::unique_lock lock(mutex);
  const auto has_work = [this, was_watched = is_watched] {
    return quitting || stop_is_asked || !commands.empty() || !prompts_read.empty() || is_watched != was_watched;
  };
  if (std::exchange(stop_is_asked, false) || (scheduler && scheduler->has_work())) return std::exchange(commands, {});
  if (model && is_watched) {
    changed.wait_until(lock, sampled + kIdleSampleInterval, has_work);
  } else {
    changed.wait(lock, has_work);
  }
  stop_is_asked = false;
  return std::exchange(commands, {});
}

void EngineThread::Impl::handle(Command command) {
  const RequestId id = command.id;
  if (auto* asked = std::get_if<GenerateRequest>(&command.body)) {
    if (scheduler) return generate(id, std::move(*asked), std::move(command.stop));
    emit(id, Failed{{ErrorCode::kUsage, Message::say("no model is loaded")}});
  } else if (command.stop.stop_requested()) {
    emit(id, Failed{{ErrorCode::kCancelled, Message::say("cancelled before it began")}});
  } else if (const auto* wanted = std::get_if<LoadRequest>(&command.body)) {
    load(id, *wanted, command.stop);
    return_free_heap();  // the header's texts are gone, and perhaps a model
  } else if (const auto* again = std::get_if<ReplanRequest>(&command.body)) {
    replan(id, again->plan, command.stop);
  } else if (const auto* unmeasured = std::get_if<MeasureRequest>(&command.body)) {
    measure(id, unmeasured->devices);
  } else if (std::holds_alternative<VerifyRequest>(command.body)) {
    verify(id, command.stop);
  } else {
    give_up_model(id);
  }
  forget(id);
}

void EngineThread::Impl::generate(RequestId id, GenerateRequest request, StopToken stop) {
  PromptText prompt = std::exchange(request.prompt, {});
  if (!scheduler->add(id, std::move(request), std::move(stop))) return;
  const PlanOptions& options = session->plan().options;
  try {
    if (std::optional<PromptOutcome> refused = refuse_by_bytes(model->text(), prompt, options))
      return scheduler->prompt_read(id, std::move(*refused));
    if (Status taken = reader.read(id, model->text(), std::move(prompt), options); !taken)
      scheduler->prompt_read(id, taken.error());
  } catch (const std::bad_alloc&) {  // nobody would read it: it leaves the queue
    scheduler->prompt_read(id, Error{ErrorCode::kResource, Message::say("the system refused memory for this prompt")});
  }
}

// The host has no memory for what a request needs beside the plan: the request ends, the thread does not.
template <class Work>
void EngineThread::Impl::guard(RequestId id, Work work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    emit(id, Failed{{ErrorCode::kResource, Message::say("the system refused memory for this request")}});
    if (model && !scheduler) give_up_model(id);  // it came between two sessions
    forget(id);
  }
}

// A round of the scheduler is of many requests: when it cannot have memory, all of them end.
void EngineThread::Impl::advance() {
  try {
    scheduler->advance();
  } catch (const std::bad_alloc&) {
    scheduler->fail_all({ErrorCode::kResource, Message::say("the system refused memory for this answer")});
  }
}

EngineThread::EngineThread(std::function<void(Event)> on_event, BackendFactory make_backend,
                           std::chrono::milliseconds end_limit)
    : end_limit_(end_limit), impl_(std::make_shared<Impl>(std::move(on_event), std::move(make_backend))) {
  impl_->thread = std::thread([impl = impl_] { impl->run(); });
}
EngineThread::~EngineThread() { impl_->end(end_limit_); }
std::size_t EngineThread::n_left_behind() { return left_behind(); }

RequestId EngineThread::load(LoadRequest request) { return impl_->post(std::move(request)); }
RequestId EngineThread::replan(std::shared_ptr<const MemoryPlan> plan) {
  return impl_->post(ReplanRequest{std::move(plan)});
}
RequestId EngineThread::unload() { return impl_->post(UnloadRequest{}); }
RequestId EngineThread::measure(std::vector<DeviceInfo> devices) {
  return impl_->post(MeasureRequest{std::move(devices)});
}
RequestId EngineThread::verify() { return impl_->post(VerifyRequest{}); }
RequestId EngineThread::generate(GenerateRequest request) { return impl_->post(std::move(request)); }
void EngineThread::stop(RequestId request) { impl_->stop(request); }
void EngineThread::set_watched(bool is_watched) { impl_->set_watched(is_watched); }
std::optional<PromptParts> EngineThread::prompt_parts() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->prompt_parts;
}

}  // namespace headroom
