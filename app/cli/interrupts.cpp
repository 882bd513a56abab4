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
StopSource* const stopSource = new StopSource;
std::array<int, 2> wakePipe{-1, -1};
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

extern "C" void onInterrupt(int) {
  const int kept = errno;
  if (!isHeard || wasAsked.exchange(true)) {
    constexpr std::string_view kNote = "headroom-cli: interrupted\n";
    [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, kNote.data(), kNote.size());
    _exit(kNoResource);
  }
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
  sigaction(SIGINT, &action, nullptr);
}

Interrupts::~Interrupts() {
  std::signal(SIGINT, SIG_DFL);
  isHeard = false;
  take();
  for (int& end : wakePipe) {
    ::close(end);
    end = -1;
  }
}

void Interrupts::hear() { isHeard = true; }

bool Interrupts::isAsked() const { return wasAsked; }

bool Interrupts::take() {
  if (!wasAsked) return false;
  char woken = 0;
  while (::read(wakePipe[0], &woken, 1) > 0) {
  }
  stopSource->withdraw();
  wasAsked = false;  // last: until here a second interrupt ends the process and asks for nothing that would be undone
  return true;
}

StopToken Interrupts::token() const { return stopSource->token(); }

int Interrupts::wakeDescriptor() const { return wakePipe[0]; }

}  // namespace headroom::cli
