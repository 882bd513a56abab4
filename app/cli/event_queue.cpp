#include "event_queue.h"

#include <utility>

namespace headroom::cli {
void EventQueue::push(Event event) {
  {
    const std::lock_guard lock(m_mutex);
    m_events.push_back(std::move(event));
  }
  m_changed.notify_one();
}

std::optional<Event> EventQueue::pop(std::chrono::milliseconds wait) {
  std::unique_lock lock(m_mutex);
  if (!m_changed.wait_for(lock, wait, [this] { return !m_events.empty(); })) return std::nullopt;
  Event event = std::move(m_events.front());
  m_events.pop_front();
  return event;
}

}  // namespace headroom::cli
