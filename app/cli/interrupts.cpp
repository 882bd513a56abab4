#include "interrupts.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "base/check.h"
#include "command.h"

namespace headroom::cli {
namespace {

// A signal handler reaches only what has static storage; nothing here is ever destroyed, because a signal may come
// while the program ends.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<bool> isHeard = false;
std::atomic<bool> wasAsked = false;
std::atomic<bool> mustEnd = false;  // by SIGTERM or SIGHUP
StopSource* const stopSource = new StopSource;
std::array<int, 2> wakePipe{-1, -1};
std::array<struct sigaction, 3> actionsBefore{};  // of kSignals
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)
constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
// What hangs in a driver or on a disk looks at no token: then the alarm ends the process.
constexpr unsigned kSecondsToEnd = 10;

extern "C" void onInterrupt(int number) {
  const int kept = errno;
  const bool isEnd = number != SIGINT;
  if (isEnd) mustEnd = true;
  if (!isHeard || (wasAsked.exchange(true) && !isEnd)) {
    constexpr std::string_view kNote = "headroom-cli: interrupted\n";
    [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, kNote.data(), kNote.size());
    _exit(kNoResource);
  }
  if (isEnd) alarm(kSecondsToEnd);
  stopSource->request_stop();
  [[maybe_unused]] const ssize_t woken = ::write(wakePipe[1], "", 1);
  errno = kept;
}

}  // namespace

Interrupts::Interrupts() {
  CHECK(wakePipe[0] < 0, "one object hears interrupts");
  CHECK(pipe2(wakePipe.data(), O_CLOEXEC | O_NONBLOCK) == 0, "no pipe can be made");
  struct sigaction action {};
  action.sa_handler = onInterrupt;
  action.sa_flags = SA_RESTART;  // output that waits for its reader is no error; who waits for input polls
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &action, &actionsBefore[i]);
    // Under nohup.
    if (kSignals[i] == SIGHUP && actionsBefore[i].sa_handler == SIG_IGN) sigaction(SIGHUP, &actionsBefore[i], nullptr);
  }
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &actionsBefore[i], nullptr);
  if (mustEnd) alarm(0);
  isHeard = mustEnd = false;
  take();
  for (int& end : wakePipe) {
    ::close(end);
    end = -1;
  }
}

void Interrupts::hear() { isHeard = true; }

bool Interrupts::isAsked() const { return wasAsked; }

bool Interrupts::take() {
  if (!wasAsked || mustEnd) return wasAsked;
  char woken = 0;
  while (::read(wakePipe[0], &woken, 1) > 0) {
  }
  stopSource->withdraw();
  wasAsked = false;  // last: until here a second interrupt ends the process and asks for nothing that would be undone
  if (mustEnd) {     // it came meanwhile, and all that it asked for is undone
    wasAsked = true;
    stopSource->request_stop();
    [[maybe_unused]] const ssize_t again = ::write(wakePipe[1], "", 1);
  }
  return true;
}

StopToken Interrupts::token() const { return stopSource->token(); }

int Interrupts::wakeDescriptor() const { return wakePipe[0]; }

}  // namespace headroom::cli
