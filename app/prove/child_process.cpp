#include "child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

extern char** environ;

namespace headroom {

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command) {
  const auto refused = [&](int reason) {
    return Error{ErrorCode::kResource,
                 Message::say("{} cannot be started: {}", command.front(), std::string(std::strerror(reason)))};
  };
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return refused(errno);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // In a group of its own: what a terminal sends to this program is for this program to hear.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int failed = ::posix_spawn(&pid, words.front(), &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  ::close(ends[1]);
  if (failed != 0) {
    ::close(ends[0]);
    return refused(failed);
  }
  return ChildProcess(pid, ends[0]);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), output_(std::exchange(other.output_, -1)), read_(std::move(other.read_)) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    reap();
  }
  if (output_ >= 0) ::close(output_);
}

ChildProcess::End ChildProcess::reap() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

ChildProcess::Event ChildProcess::wait(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    if (const std::size_t at = read_.find('\n'); at != std::string::npos) {
      Line line{read_.substr(0, at)};
      read_.erase(0, at + 1);
      return line;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return Silence{};
    pollfd ready{output_, POLLIN, 0};
    const int n_ready = ::poll(&ready, 1, static_cast<int>(left.count()));
    if (n_ready < 0 && errno == EINTR) continue;
    if (n_ready == 0) return Silence{};
    std::array<char, 4096> bytes;
    const ssize_t n_read = ::read(output_, bytes.data(), bytes.size());
    if (n_read < 0 && errno == EINTR) continue;
    if (n_read <= 0) return reap();
    read_.append(bytes.data(), static_cast<std::size_t>(n_read));
  }
}

}  // namespace headroom
