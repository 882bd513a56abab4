#include "app/cli/cli_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "base/check.h"

namespace headroom::test {
namespace {

std::string readWhole(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

pid_t spawn(const std::vector<std::string>& arguments, const posix_spawn_file_actions_t& actions) {
  std::vector<std::string> words{HEADROOM_CLI};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  CHECK(posix_spawn(&pid, HEADROOM_CLI, &actions, nullptr, argv.data(), environ) == 0,
        "headroom-cli cannot be started");
  return pid;
}

}  // namespace

CliProcess::CliProcess(const std::vector<std::string>& arguments, const CliStreams& streams) {
  const std::string in = m_folder.path() / "in", out = m_folder.path() / "out", err = m_folder.path() / "err";
  std::ofstream(in, std::ios::binary) << streams.input;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (streams.in >= 0) {
    posix_spawn_file_actions_adddup2(&actions, streams.in, STDIN_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
  }
  if (streams.out >= 0) {
    posix_spawn_file_actions_adddup2(&actions, streams.out, STDOUT_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  }
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  for (const int closed : streams.closed) posix_spawn_file_actions_addclose(&actions, closed);
  if (!streams.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, streams.folder.c_str());
  m_pid = spawn(arguments, actions);
  posix_spawn_file_actions_destroy(&actions);
}

void CliProcess::interrupt(int signal) const { kill(m_pid, signal); }

CliResult CliProcess::wait() const {
  int status = 0;
  waitpid(m_pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), readWhole(m_folder.path() / "out"),
          readWhole(m_folder.path() / "err")};
}

CliResult runCli(const std::vector<std::string>& arguments, const std::string& input) {
  return runCli(arguments, CliStreams{.input = input});
}

CliResult runCli(const std::vector<std::string>& arguments, const CliStreams& streams) {
  return CliProcess(arguments, streams).wait();
}

CliResult runCliWithoutReader(const std::vector<std::string>& arguments) {
  int ends[2];
  CHECK(pipe2(ends, O_CLOEXEC) == 0, "no pipe");
  close(ends[0]);
  const CliResult result = runCli(arguments, CliStreams{.out = ends[1]});
  close(ends[1]);
  return result;
}

}  // namespace headroom::test
