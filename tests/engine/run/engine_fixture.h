// An engine thread and a random model on disk, for tests of what it tells.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

#include "engine/run/loaded_fixture.h"
#include "run/engine_thread.h"

namespace headroom::test {

// "Failed (...)" and so on for an event after which its request has nothing more to tell but that a model went.
inline std::string end_of_request(const EventBody& body) {
  if (const auto* failed = std::get_if<Failed>(&body)) return "Failed (" + failed->error.message.text() + ")";
  if (std::holds_alternative<ModelLoaded>(body)) return "ModelLoaded";
  if (std::holds_alternative<Verified>(body)) return "Verified";
  if (std::holds_alternative<PromptTooLong>(body)) return "PromptTooLong";
  if (std::holds_alternative<GenerationFinished>(body)) return "GenerationFinished";
  return {};
}

// An engine thread whose events are kept, and waiting for the one that ends a request.
class Engine {
 public:
  explicit Engine(BackendFactory make = make_backend, std::chrono::milliseconds end_limit = kEndLimit)
      : engine_(
            [this](Event event) {
              before_event(event);
              const std::lock_guard lock(mutex_);
              events_.push_back(std::move(event));
              changed_.notify_all();
            },
            std::move(make), end_limit) {}

  // On the engine thread; to be set while nothing is asked of it.
  std::function<void(const Event&)> before_event = [](const Event&) {};

  EngineThread& operator*() { return engine_; }
  EngineThread* operator->() { return &engine_; }

  // None, with a failure that says so, when `limit` is over or soon after the request has ended otherwise.
  template <class Body>
  std::optional<Body> wait_for(RequestId id, std::chrono::milliseconds limit = std::chrono::minutes(2)) {
    constexpr std::chrono::seconds kAfterItsEnd{5};  // a model may be given up still
    std::unique_lock lock(mutex_);
    std::optional<Body> found;
    std::string end;
    const auto has = [&] {
      for (const Event& event : events_) {
        if (event.request != id) continue;
        if (!found && std::holds_alternative<Body>(event.body)) found = std::get<Body>(event.body);
        if (std::string ended = end_of_request(event.body); !ended.empty()) end = std::move(ended);
      }
      return found.has_value();
    };
    changed_.wait_for(lock, limit, [&] { return has() || !end.empty(); });
    if (!found && !end.empty()) changed_.wait_for(lock, std::min<std::chrono::milliseconds>(limit, kAfterItsEnd), has);
    if (!found) {
      ADD_FAILURE() << "request " << id << " told nothing of what was expected, but "
                    << (end.empty() ? "goes on" : "ended with " + end);
    }
    return found;
  }
  template <class Body>
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    std::size_t n = 0;
    for (const Event& event : events_) n += std::holds_alternative<Body>(event.body) ? 1 : 0;
    return n;
  }
  std::string text(RequestId id) {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const Event& event : events_) {
      if (const auto* delta = std::get_if<TextDelta>(&event.body); delta != nullptr && event.request == id)
        text += delta->text;
    }
    return text;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    events_.clear();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Event> events_;
  EngineThread engine_;  // last: its thread uses the above
};

struct OnDisk {
  explicit OnDisk(const RandomModelSpec& spec = {})
      : path(make_random_model(spec, folder.path())), opened(open_or_die(path)) {}
  LoadRequest request(const PlanOptions& options, std::uint32_t n_threads = 2) const {
    return {path, plan_or_die(*opened.info, options, n_threads)};
  }
  TempFolder folder;
  std::filesystem::path path;
  OpenedFile opened;
};

inline PlanOptions context_of(std::uint32_t n_ctx) {
  PlanOptions options;
  options.n_ctx = n_ctx;
  options.n_batch = 32;
  return options;
}

inline GenerateRequest ask(const std::string& prompt, std::uint32_t max_tokens = 0) {
  GenerateRequest request;
  request.prompt.raw_text = prompt;
  request.max_tokens = max_tokens;
  request.sampler.seed = 7;
  return request;
}

}  // namespace headroom::test
