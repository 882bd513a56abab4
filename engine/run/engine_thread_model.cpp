// What the engine thread does with a model: loads it, gives it up, plans it anew, measures, verifies, reads its memory.
#include <algorithm>
#include <new>
#include <utility>

#include "base/heap.h"
#include "plan/plan_options.h"
#include "plan/prompt_memory.h"
#include "run/engine_thread_impl.h"
#include "run/memory_request.h"
#include "run/verify_plan.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSampleInterval = std::chrono::milliseconds(200);

// What a session has mapped on a device, by its id: two plans may know the same device under other indices.
struct MappedBytes {
  Bytes weights = 0, session = 0;
};
MappedBytes mapped_on(const MemoryReport& report, std::string_view device_id) {
  MappedBytes sum;
  for (const ArenaReport& arena : report.arenas) {
    if (arena.device != device_id) continue;
    (arena.lifetime == Lifetime::kSession ? sum.session : sum.weights) += arena.mapped_bytes;
  }
  return sum;
}

Bytes session_bytes(const MemoryPlan& plan, DeviceIndex device) {
  Bytes total = 0;
  for (const ArenaPlan& arena : plan.arenas)
    total += arena.device == device && arena.lifetime == Lifetime::kSession ? arena.size : 0;
  return total;
}

// Model and plan are told with the heap's share as it was measured.
ModelLoaded as_told(const LoadedModel& model, const Session& session) {
  const MemoryReport report = session.memory_report();
  const ThinkingChoices choices = model.chat_prompt ? model.chat_prompt->thinking_choices() : ThinkingChoices{};
  if (report.heap_bytes == 0) {  // nobody could tell: the estimate stays
    return {model.info, session.shared_plan(), report, model.seconds, model.template_problem, choices};
  }
  auto info = std::make_shared<ModelInfo>(*model.info);
  info->heap_bytes = report.heap_bytes;
  info->heap_is_measured = true;
  auto plan = std::make_shared<MemoryPlan>(session.plan());
  for (DeviceBudget& budget : plan->budgets) {
    if (plan->devices[budget.device].kind != DeviceKind::kCpu) continue;
    budget.heap = report.heap_bytes;
    budget.heap_is_measured = true;
    budget.prompts = most_prompt_bytes(*info, plan->options);
  }
  return {std::move(info), std::move(plan), report, model.seconds, model.template_problem, choices};
}

}  // namespace

void EngineThread::Impl::load(RequestId id, const LoadRequest& request, const StopToken& stop) {
  const auto refuse = [&](const Error& error) { emit(id, Failed{error}); };
  if (request.plan == nullptr) return refuse({ErrorCode::kUsage, Message::say("a load needs a plan")});
  const Result<ModelFile> file = open_model_file(request.path);
  if (!file) return refuse(file.error());
  Result<ModelInfo> info = describe_model(*file);
  if (!info) return refuse(info.error());
  const LoadInputs inputs{std::make_shared<const ModelInfo>(std::move(*info)), request.plan, make_backend};
  Result<std::shared_ptr<LoadedModel>> loaded = prepare_model(*file, inputs, stop);
  if (!loaded) return refuse(loaded.error());
  if (stop.stop_requested()) return refuse({ErrorCode::kCancelled, Message::say("loading was cancelled")});
  if (Status room = make_room(id, **loaded); !room) return refuse(room.error());

  LoadMeter meter(bytes_to_load(*inputs.info, *request.plan) + bytes_to_open(*request.plan),
                  [&](LoadProgress progress) {
                    emit(id, progress);
                    sample_when_due((*loaded)->backends);
                  });
  const Advance advance = [&](Bytes bytes) { meter.advance(bytes); };
  if (Status filled = fill_model(**loaded, *file, stop, advance); !filled) return refuse(filled.error());
  Result<std::unique_ptr<Session>> opened = Session::open(*loaded, request.plan, stop, advance);
  if (!opened) return refuse(opened.error());
  meter.finish();
  // Binding takes its time, and little of it looks at the token.
  if (!ends_stopping(id)) return refuse({ErrorCode::kCancelled, Message::say("loading was cancelled")});
  adopt(id, std::move(*loaded), std::move(*opened));
}

// Ends running answers, and gives the old model up when the new one does not fit beside it. An error means that nothing
// was given up; so only what surely comes back is counted, and of the heap that is not what drivers have compiled.
Status EngineThread::Impl::make_room(RequestId id, const LoadedModel& wanted) {
  if (!model) return ok_status();
  const MemoryPlan& plan = *wanted.plan;
  const MemoryReport report = session->memory_report();
  const auto asked = [&](DeviceIndex device) { return plan.peak_bytes(device); };
  const auto driver = [&](DeviceIndex device) { return plan.devices[device].driver_bytes; };
  const auto held = [&](DeviceIndex device) {
    const MappedBytes mapped = mapped_on(report, plan.devices[device].id);
    return mapped.weights + mapped.session;
  };
  Result<std::vector<MemoryRequest>> asks = read_memory_requests(wanted.backends, asked, held, driver);
  if (!asks) return asks.error();
  const bool fits_beside = check_fits_now(plan, *asks).ok();
  if (!fits_beside) {
    give_back(
        plan,
        [&](DeviceIndex device) {
          return held(device) + (plan.devices[device].kind == DeviceKind::kCpu ? model->text_bytes : 0);
        },
        *asks);
    for (MemoryRequest& ask : *asks) ask.held = ask.driver;
    if (Status fits = check_fits_now(plan, *asks); !fits) return fits;
  }
  scheduler->stop_all();
  if (!fits_beside) give_up_model(id);
  return ok_status();
}

// Whether the session arenas of a plan fit once those of the open session are gone.
Status EngineThread::Impl::check_replan(const MemoryPlan& plan) {
  const MemoryReport report = session->memory_report();
  const auto mapped = [&](DeviceIndex device) { return mapped_on(report, plan.devices[device].id); };
  Result<std::vector<MemoryRequest>> asks = read_memory_requests(
      model->backends, [&](DeviceIndex device) { return session_bytes(plan, device); },
      [&](DeviceIndex device) { return mapped(device).weights; });
  if (!asks) return asks.error();
  give_back(
      plan, [&](DeviceIndex device) { return mapped(device).session; }, *asks);
  return check_fits_now(plan, *asks);
}

void EngineThread::Impl::replan(RequestId id, const std::shared_ptr<const MemoryPlan>& plan, const StopToken& stop) {
  const auto refuse = [&](const Error& error) { emit(id, Failed{error}); };
  if (plan == nullptr) return refuse({ErrorCode::kUsage, Message::say("a replan needs a plan")});
  if (!model) return refuse({ErrorCode::kUsage, Message::say("no model is loaded")});
  if (Status same = Session::check_same_weights(*model, *plan); !same) return refuse(same.error());
  if (Status fits = check_replan(*plan); !fits) return refuse(fits.error());
  const std::shared_ptr<const MemoryPlan> old_plan = session->shared_plan();
  end_session();
  Result<std::unique_ptr<Session>> opened = Session::open(model, plan, stop);
  if (opened && ends_stopping(id)) return adopt(id, model, std::move(*opened));
  if (opened)
    opened =
        Error{ErrorCode::kCancelled, Message::say("planning anew was cancelled")};  // and its arenas are given back
  refuse(opened.error());
  Result<std::unique_ptr<Session>> restored = Session::open(model, old_plan);
  if (!restored) return give_up_model(id);
  session = std::move(*restored);
  scheduler = std::make_unique<Scheduler>(*session, scheduler_sink);
  show_prompt_parts();
}

void EngineThread::Impl::show_prompt_parts() {
  std::optional<PromptParts> parts;
  if (session) parts = PromptParts{model->text(), session->plan().options};
  const std::lock_guard lock(mutex);
  prompt_parts.swap(parts);
}

// What the rules of the loaded model's plan leave now on a device, and on the host where that has the same memory; a
// measurement takes no more.
Bytes EngineThread::Impl::room_to_measure(const DeviceInfo& device) const {
  Bytes room = kMostMeasureBytes;
  if (!model) return room;
  const MemoryPlan& plan = session->plan();
  const MemoryReport report = session->memory_report();
  for (DeviceIndex i = 0; i < model->backends.size(); ++i) {
    const bool is_same =
        plan.devices[i].id == device.id || (device.has_unified_memory && plan.devices[i].kind == DeviceKind::kCpu);
    if (model->backends[i] == nullptr || !is_same) continue;
    const Result<MemorySample> now = model->backends[i]->sample_memory();
    if (!now) return 0;
    const MappedBytes held = mapped_on(report, plan.devices[i].id);
    room = std::min(room, limit_under(plan.options.headroom_of(i), now->free, held.weights + held.session));
  }
  return room;
}

// With backends of their own: those of the loaded model are bound to it.
void EngineThread::Impl::measure(RequestId id, const std::vector<DeviceInfo>& devices) {
  DevicesMeasured measured;
  for (const DeviceInfo& device : devices) {
    const Bytes room = room_to_measure(device);
    if (room < kLeastMeasureBytes) continue;
    if (const Result<DeviceMeasurement> found = measure_device(device, make_backend, room))
      measured.devices.emplace_back(device.id, *found);
  }
  emit(id, std::move(measured));
}

void EngineThread::Impl::verify(RequestId id, const StopToken& stop) {
  const auto refuse = [&](const Error& error) { emit(id, Failed{error}); };
  if (!model) return refuse({ErrorCode::kUsage, Message::say("no model is loaded")});
  if (!scheduler->is_idle())
    return refuse(
        {ErrorCode::kUsage, Message::say("an answer is being written: a plan is verified while nothing is answered")});
  Clock::time_point told;
  const Result<Verification> found = verify_plan(*session, stop, [&](const VerifyProgress& progress) {
    if (const Clock::time_point now = Clock::now(); now - told >= kSampleInterval) {
      told = now;
      emit(id, progress);
    }
    read_memory();
  });
  sampled = {};
  read_memory();  // as it is left, however short that was
  if (!found) return refuse(found.error());
  emit(id, Verified{*found});
}

void EngineThread::Impl::adopt(RequestId id, std::shared_ptr<const LoadedModel> loaded,
                               std::unique_ptr<Session> opened) {
  // Whatever takes memory comes first: without it the old model stays.
  ModelLoaded told = as_told(*loaded, *opened);
  auto schedules = std::make_unique<Scheduler>(*opened, scheduler_sink);
  end_session();
  model = std::move(loaded);
  session = std::move(opened);
  scheduler = std::move(schedules);
  show_prompt_parts();
  emit(id, std::move(told));
  sampled = {};
}

void EngineThread::Impl::give_up_model(RequestId id) {
  end_session();
  model.reset();
  return_free_heap();  // a load that made room is about to look for it
  emit(id, ModelUnloaded{});
}

void EngineThread::Impl::end_session() {
  if (scheduler) scheduler->stop_all();
  scheduler.reset();
  session.reset();
  show_prompt_parts();
}

void EngineThread::Impl::sample_when_due(const Backends& backends) {
  const Clock::time_point now = Clock::now();
  if (now - sampled < kSampleInterval) return;
  sampled = now;
  MemoryReading reading;
  for (const auto& backend : backends) {
    if (backend == nullptr) continue;
    const Result<MemorySample> sample = backend->sample_memory();
    // A reading that is missing leaves a gap in the chart; the load or answer goes on.
    if (sample) reading.devices.emplace_back(backend->device_info().id, *sample);
  }
  if (reading.devices.empty()) return;
  if (session) {
    reading.kv_tokens_used = session->cache().n_tokens_in_all();
    reading.grown = session->growth();
  }
  emit(0, std::move(reading));
}

// Without memory for a reading the chart has a gap.
void EngineThread::Impl::read_memory() {
  try {
    sample_when_due(model->backends);
  } catch (const std::bad_alloc&) {
    sampled = Clock::now();
  }
}

}  // namespace headroom
