#include "app/cli/cli_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "base/check.h"
#include "support/temp_folder.h"

namespace headroom::test {
namespace {

std::string readWhole(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

int spawnAndWait(const std::vector<std::string>& arguments, const posix_spawn_file_actions_t& actions) {
  std::vector<std::string> words{HEADROOM_CLI};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  CHECK(posix_spawn(&pid, HEADROOM_CLI, &actions, nullptr, argv.data(), environ) == 0,
        "headroom-cli cannot be started");
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// `outDescriptor` below 0: stdout is kept.
CliResult runWith(const std::vector<std::string>& arguments, const std::string& input, int outDescriptor) {
  const TempFolder folder;
  const std::string in = folder.path() / "in", out = folder.path() / "out", err = folder.path() / "err";
  std::ofstream(in, std::ios::binary) << input;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
  if (outDescriptor >= 0) {
    posix_spawn_file_actions_adddup2(&actions, outDescriptor, STDOUT_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  }
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  CliResult result;
  result.exitCode = spawnAndWait(arguments, actions);
  posix_spawn_file_actions_destroy(&actions);
  result.out = readWhole(out);
  result.err = readWhole(err);
  return result;
}

}  // namespace

CliResult runCli(const std::vector<std::string>& arguments, const std::string& input) {
  return runWith(arguments, input, -1);
}

CliResult runCliWithoutReader(const std::vector<std::string>& arguments) {
  int ends[2];
  CHECK(pipe2(ends, O_CLOEXEC) == 0, "no pipe");
  close(ends[0]);
  CliResult result = runWith(arguments, {}, ends[1]);
  close(ends[1]);
  return result;
}

}  // namespace headroom::test
