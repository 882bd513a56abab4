#include "event_queue.h"

#include <csignal>
#include <utility>

namespace headroom::cli {
namespace {

// A signal handler can only write to a variable of static storage.
volatile std::sig_atomic_t interrupted = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

extern "C" void noteInterrupt(int) { interrupted = 1; }

}  // namespace

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

InterruptGuard::InterruptGuard() {
  interrupted = 0;
  struct sigaction action {};
  action.sa_handler = noteInterrupt;  // without SA_RESTART: a waiting getline() ends too
  sigaction(SIGINT, &action, nullptr);
}

InterruptGuard::~InterruptGuard() { std::signal(SIGINT, SIG_DFL); }

bool InterruptGuard::wasInterrupted() { return std::exchange(interrupted, 0) != 0; }

}  // namespace headroom::cli
