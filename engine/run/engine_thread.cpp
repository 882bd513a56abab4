#include "run/engine_thread.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "run/scheduler.h"
#include "run/session.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSampleInterval = std::chrono::milliseconds(200);

struct ReplanRequest {
  std::shared_ptr<const MemoryPlan> plan;
};
struct UnloadRequest {};
struct Command {
  RequestId id = 0;
  std::variant<LoadRequest, ReplanRequest, UnloadRequest, GenerateRequest> body;
  StopToken stop;
};

Bytes mapped_bytes(const MemoryReport& report) {
  Bytes total = 0;
  for (const ArenaReport& arena : report.arenas) total += arena.mapped_bytes;
  return total;
}

Bytes session_bytes(const MemoryPlan& plan) {
  Bytes total = 0;
  for (const ArenaPlan& arena : plan.arenas) total += arena.lifetime == Lifetime::kSession ? arena.size : 0;
  return total;
}

}  // namespace

struct EngineThread::Impl {
  Impl(std::function<void(Event)> on_event, BackendFactory make_backend);
  ~Impl();

  // Any thread.
  template <class Body>
  RequestId post(Body body);
  void stop(RequestId request);

  // The engine thread.
  void run();
  std::deque<Command> take_commands();
  void handle(Command command);
  void load(RequestId id, const LoadRequest& request, const StopToken& stop);
  Status make_room(RequestId id, const MemoryPlan& plan);
  void replan(RequestId id, const std::shared_ptr<const MemoryPlan>& plan);
  void give_up_model(RequestId id);
  void adopt(RequestId id, std::shared_ptr<const LoadedModel> loaded, std::unique_ptr<Session> opened);
  void end_session();
  void sample_when_due(Backend& backend);
  void emit(RequestId id, EventBody body) { on_event({id, std::move(body)}); }
  void forget(RequestId id);
  bool ends_stopping(RequestId id);

  const std::function<void(Event)> on_event;
  const BackendFactory make_backend;
  const Scheduler::EventSink scheduler_sink;

  std::mutex mutex;  // guards the four below
  std::condition_variable changed;
  std::deque<Command> commands;
  std::map<RequestId, StopSource> stop_sources;
  RequestId last_id = 0;
  bool quitting = false;

  std::shared_ptr<const LoadedModel> model;
  std::unique_ptr<Session> session;
  std::unique_ptr<Scheduler> scheduler;  // null when no session is open
  Clock::time_point sampled;

  std::thread thread;  // last: it uses all of the above
};

EngineThread::Impl::Impl(std::function<void(Event)> on_event_, BackendFactory make_backend_)
    : on_event(std::move(on_event_)),
      make_backend(std::move(make_backend_)),
      scheduler_sink([this](Event event) {
        const bool is_last =
            !std::holds_alternative<TextDelta>(event.body) && !std::holds_alternative<PrefillProgress>(event.body);
        if (is_last) forget(event.request);
        on_event(std::move(event));
      }),
      thread([this] { run(); }) {}

EngineThread::Impl::~Impl() {
  {
    const std::lock_guard lock(mutex);
    quitting = true;
    for (auto& [id, source] : stop_sources) source.request_stop();
  }
  changed.notify_one();
  thread.join();
}

template <class Body>
RequestId EngineThread::Impl::post(Body body) {
  RequestId id = 0;
  {
    const std::lock_guard lock(mutex);
    id = ++last_id;
    commands.push_back({id, std::move(body), stop_sources[id].token()});
  }
  changed.notify_one();
  return id;
}

void EngineThread::Impl::stop(RequestId request) {
  const std::lock_guard lock(mutex);
  if (const auto found = stop_sources.find(request); found != stop_sources.end()) found->second.request_stop();
}

void EngineThread::Impl::forget(RequestId id) {
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
  while (true) {
    std::deque<Command> taken = take_commands();
    {
      const std::lock_guard lock(mutex);
      if (quitting) break;
    }
    for (Command& command : taken) handle(std::move(command));
    if (scheduler && !scheduler->is_idle()) scheduler->advance();
    if (model) sample_when_due(*model->backend);
  }
  end_session();
  model.reset();
}

std::deque<Command> EngineThread::Impl::take_commands() {
  std::unique_lock lock(mutex);
  const auto has_work = [this] { return quitting || !commands.empty(); };
  if (scheduler && !scheduler->is_idle()) return std::exchange(commands, {});
  if (model) {
    changed.wait_until(lock, sampled + kSampleInterval, has_work);
  } else {
    changed.wait(lock, has_work);
  }
  return std::exchange(commands, {});
}

void EngineThread::Impl::handle(Command command) {
  const RequestId id = command.id;
  if (auto* generate = std::get_if<GenerateRequest>(&command.body)) {
    if (scheduler) return scheduler->add(id, std::move(*generate), std::move(command.stop));
    emit(id, Failed{{ErrorCode::kUsage, "no model is loaded"}});
  } else if (command.stop.stop_requested()) {
    emit(id, Failed{{ErrorCode::kCancelled, "cancelled before it began"}});
  } else if (const auto* wanted = std::get_if<LoadRequest>(&command.body)) {
    load(id, *wanted, command.stop);
  } else if (const auto* again = std::get_if<ReplanRequest>(&command.body)) {
    replan(id, again->plan);
  } else {
    give_up_model(id);
  }
  forget(id);
}

void EngineThread::Impl::load(RequestId id, const LoadRequest& request, const StopToken& stop) {
  const auto refuse = [&](const Error& error) { emit(id, Failed{error}); };
  if (request.plan == nullptr) return refuse({ErrorCode::kUsage, "a load needs a plan"});
  const Result<ModelFile> file = open_model_file(request.path);
  if (!file) return refuse(file.error());
  Result<ModelInfo> info = read_model_info(*file);
  if (!info) return refuse(info.error());
  if (Status room = make_room(id, *request.plan); !room) return refuse(room.error());

  const LoadInputs inputs{std::make_shared<const ModelInfo>(std::move(*info)), request.plan, make_backend};
  const auto observe = [&](LoadProgress progress, Backend& backend) {
    emit(id, progress);
    sample_when_due(backend);
  };
  Result<std::shared_ptr<const LoadedModel>> loaded = load_model(*file, inputs, stop, observe);
  if (!loaded) return refuse(loaded.error());
  Result<std::unique_ptr<Session>> opened = Session::open(*loaded, request.plan);
  if (!opened) return refuse(opened.error());
  // Mapping and preparing the session takes its time, and no part of it looks at the token.
  if (!ends_stopping(id)) return refuse({ErrorCode::kCancelled, "loading was cancelled"});
  adopt(id, std::move(*loaded), std::move(*opened));
}

// Ends running answers, and gives the old model up when the new one does not fit beside it. An error means that nothing
// was given up.
Status EngineThread::Impl::make_room(RequestId id, const MemoryPlan& plan) {
  if (!model || plan.arenas.empty()) return ok_status();
  const DeviceInfo& device = plan.devices[plan.arenas.front().device];
  const Bytes held = mapped_bytes(session->memory_report());
  const Bytes asked = plan.planned_bytes(plan.arenas.front().device) + device.driver_bytes;
  Result<MemorySample> now = model->backend->sample_memory();
  if (!now) return now.error();
  const bool fits_beside = check_fits_now(device, plan.options.headroom, asked, held, *now).ok();
  if (!fits_beside) {
    MemorySample after = *now;
    after.free = std::min(after.total, after.free + std::min(held, after.ours));
    if (Status fits = check_fits_now(device, plan.options.headroom, asked, 0, after); !fits) return fits;
  }
  scheduler->stop_all();
  if (!fits_beside) give_up_model(id);
  return ok_status();
}

void EngineThread::Impl::replan(RequestId id, const std::shared_ptr<const MemoryPlan>& plan) {
  const auto refuse = [&](const Error& error) { emit(id, Failed{error}); };
  if (plan == nullptr) return refuse({ErrorCode::kUsage, "a replan needs a plan"});
  if (!model) return refuse({ErrorCode::kUsage, "no model is loaded"});
  if (Status same = Session::check_same_weights(*model, *plan); !same) return refuse(same.error());
  Result<MemorySample> now = model->backend->sample_memory();
  if (!now) return refuse(now.error());
  const std::shared_ptr<const MemoryPlan> old_plan = session->shared_plan();
  const Bytes old_bytes = session_bytes(*old_plan);
  const Bytes held = mapped_bytes(session->memory_report()) - old_bytes;
  now->free = std::min(now->total, now->free + old_bytes);
  if (Status fits =
          check_fits_now(model->backend->device_info(), plan->options.headroom, session_bytes(*plan), held, *now);
      !fits) {
    return refuse(fits.error());
  }
  end_session();
  Result<std::unique_ptr<Session>> opened = Session::open(model, plan);
  if (opened) return adopt(id, model, std::move(*opened));
  refuse(opened.error());
  Result<std::unique_ptr<Session>> restored = Session::open(model, old_plan);
  if (!restored) return give_up_model(id);
  session = std::move(*restored);
  scheduler = std::make_unique<Scheduler>(*session, scheduler_sink);
}

void EngineThread::Impl::adopt(RequestId id, std::shared_ptr<const LoadedModel> loaded,
                               std::unique_ptr<Session> opened) {
  end_session();
  model = std::move(loaded);
  session = std::move(opened);
  scheduler = std::make_unique<Scheduler>(*session, scheduler_sink);
  emit(id, ModelLoaded{model->info, session->shared_plan(), session->memory_report(), model->seconds,
                       model->template_problem});
  sampled = {};
}

void EngineThread::Impl::give_up_model(RequestId id) {
  end_session();
  model.reset();
  emit(id, ModelUnloaded{});
}

void EngineThread::Impl::end_session() {
  if (scheduler) scheduler->stop_all();
  scheduler.reset();
  session.reset();
}

void EngineThread::Impl::sample_when_due(Backend& backend) {
  const Clock::time_point now = Clock::now();
  if (now - sampled < kSampleInterval) return;
  sampled = now;
  const Result<MemorySample> sample = backend.sample_memory();
  if (!sample) return;  // a reading that is missing leaves a gap in the chart; the load or answer goes on
  MemoryReading reading;
  reading.devices.emplace_back(backend.device_info().id, *sample);
  if (session) {
    reading.kv_tokens_used = session->cache().n_tokens_in_all();
    reading.allocations_after_load = session->n_allocations_after_open();
  }
  emit(0, std::move(reading));
}

EngineThread::EngineThread(std::function<void(Event)> on_event, BackendFactory make_backend)
    : impl_(std::make_unique<Impl>(std::move(on_event), std::move(make_backend))) {}
EngineThread::~EngineThread() = default;

RequestId EngineThread::load(LoadRequest request) { return impl_->post(std::move(request)); }
RequestId EngineThread::replan(std::shared_ptr<const MemoryPlan> plan) {
  return impl_->post(ReplanRequest{std::move(plan)});
}
RequestId EngineThread::unload() { return impl_->post(UnloadRequest{}); }
RequestId EngineThread::generate(GenerateRequest request) { return impl_->post(std::move(request)); }
void EngineThread::stop(RequestId request) { impl_->stop(request); }

}  // namespace headroom
