// Waits for the engine thread's answers on the main thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "run/event.h"

namespace headroom::cli {

// Events go in on the engine thread and come out on the main one.
class EventQueue {
 public:
  void push(Event event);
  // The next event, or nothing after `wait`: time to look whether the user interrupted.
  std::optional<Event> pop(std::chrono::milliseconds wait);

 private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::deque<Event> m_events;
};

}  // namespace headroom::cli
