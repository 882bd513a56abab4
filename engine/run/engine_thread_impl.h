// The engine thread from within: its queue (engine_thread.cpp), and the model that it has (engine_thread_model.cpp).
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <variant>

#include "run/engine_thread.h"
#include "run/prompt_reader.h"
#include "run/scheduler.h"
#include "run/session.h"

namespace headroom {

struct ReplanRequest {
  std::shared_ptr<const MemoryPlan> plan;
};
struct UnloadRequest {};
struct MeasureRequest {
  std::vector<DeviceInfo> devices;
};
struct VerifyRequest {};
struct Command {
  RequestId id = 0;
  std::variant<LoadRequest, ReplanRequest, UnloadRequest, MeasureRequest, VerifyRequest, GenerateRequest> body;
  StopToken stop;
};

struct EngineThread::Impl {
  Impl(std::function<void(Event)> on_event, BackendFactory make_backend);

  // Any thread.
  template <class Body>
  RequestId post(Body body);
  void stop(RequestId request);
  void set_watched(bool now);
  void end(std::chrono::milliseconds limit);

  // The engine thread.
  void run();
  void work();
  std::deque<Command> take_commands();
  void handle(Command command);
  void load(RequestId id, const LoadRequest& request, const StopToken& stop);
  Status make_room(RequestId id, const LoadedModel& wanted);
  Status check_replan(const MemoryPlan& plan);
  void replan(RequestId id, const std::shared_ptr<const MemoryPlan>& plan, const StopToken& stop);
  void measure(RequestId id, const std::vector<DeviceInfo>& devices);
  void verify(RequestId id, const StopToken& stop);
  Bytes room_to_measure(const DeviceInfo& device) const;
  void generate(RequestId id, GenerateRequest request, StopToken stop);
  void advance();
  void give_up_model(RequestId id);
  void adopt(RequestId id, std::shared_ptr<const LoadedModel> loaded, std::unique_ptr<Session> opened);
  void end_session();
  void show_prompt_parts();
  void sample_when_due(const Backends& backends);
  void read_memory();
  template <class Work>
  void guard(RequestId id, Work work);
  void emit(RequestId id, EventBody body) { tell({id, std::move(body)}); }
  void tell(Event event);
  void forget(RequestId id);
  bool ends_stopping(RequestId id);

  const std::function<void(Event)> on_event;
  const BackendFactory make_backend;
  const Scheduler::EventSink scheduler_sink;

  std::mutex telling;  // held while an event is told; guards the next
  bool is_silent = false;

  std::mutex mutex;  // guards all up to the model
  std::condition_variable changed;
  std::deque<Command> commands;
  std::deque<std::pair<RequestId, PromptOutcome>> prompts_read;
  std::map<RequestId, StopSource> stop_sources;
  std::optional<PromptParts> prompt_parts;  // while a session is open
  RequestId last_id = 0;
  bool stop_is_asked = false;  // since the scheduler last looked
  bool is_watched = true;      // see EngineThread::set_watched()
  bool quitting = false, has_ended = false, is_left_behind = false;

  std::shared_ptr<const LoadedModel> model;
  std::unique_ptr<Session> session;
  std::unique_ptr<Scheduler> scheduler;  // null when no session is open
  std::chrono::steady_clock::time_point sampled;

  PromptReader reader;
  std::thread thread;  // runs from the start of the EngineThread on
};

}  // namespace headroom
