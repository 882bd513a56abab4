#include "app/quit_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QSocketNotifier>
#include <cerrno>
#include <csignal>

namespace headroom::app {
namespace {

constexpr int kSignals[] = {SIGTERM, SIGINT, SIGHUP};

volatile std::sig_atomic_t writtenTo = -1;

void hear(int /*signal*/) {
  const int before = errno;
  const char byte = 0;
  [[maybe_unused]] const auto n = ::write(writtenTo, &byte, 1);  // where that fails, the pipe is full of such bytes
  errno = before;
}

// What whoever started the program has it ignore, as nohup does, stays so.
void setUnlessIgnored(int signal, const struct sigaction& action) {
  struct sigaction now {};
  if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
}

}  // namespace

QuitSignals::QuitSignals(QObject* parent) : QObject(parent) {
  if (::pipe(m_ends) != 0) return;  // then signals end the process as ever
  for (const int end : m_ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  ::fcntl(m_ends[1], F_SETFL, O_NONBLOCK);
  writtenTo = m_ends[1];
  auto* notifier = new QSocketNotifier(m_ends[0], QSocketNotifier::Read, this);
  connect(notifier, &QSocketNotifier::activated, this, [notifier] {
    notifier->setEnabled(false);
    QCoreApplication::quit();
  });
  struct sigaction action {};
  action.sa_handler = hear;
  action.sa_flags = SA_RESTART | SA_RESETHAND;
  for (const int signal : kSignals) setUnlessIgnored(signal, action);
}

QuitSignals::~QuitSignals() {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (const int signal : kSignals) setUnlessIgnored(signal, usual);
  for (const int end : m_ends) {
    if (end >= 0) ::close(end);
  }
}

}  // namespace headroom::app
