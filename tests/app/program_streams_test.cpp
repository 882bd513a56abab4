// The real program with streams that are missing when it starts.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/check.h"
#include "support/temp_folder.h"

namespace headroom::test {
namespace {

// The program without a display, with its settings in `folder` and the first three descriptors closed.
pid_t startWithoutStreams(const std::filesystem::path& folder) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {0, 1, 2}) posix_spawn_file_actions_addclose(&actions, descriptor);
  std::vector<std::string> variables{"QT_QPA_PLATFORM=offscreen", "HOME=" + folder.string(),
                                     "XDG_DATA_HOME=" + (folder / "data").string(),
                                     "XDG_CONFIG_HOME=" + (folder / "config").string()};
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  std::string name = HEADROOM_PROGRAM, model = HEADROOM_SOURCE_DIR "/tests/golden/models/llama-gqa.gguf";
  std::vector<char*> arguments{name.data(), model.data(), nullptr};
  pid_t pid = 0;
  CHECK(posix_spawn(&pid, HEADROOM_PROGRAM, &actions, nullptr, arguments.data(), environment.data()) == 0,
        "headroom cannot be started");
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

std::string openedAs(pid_t pid, int descriptor) {
  std::error_code absent;
  const std::filesystem::path link =
      std::filesystem::path("/proc") / std::to_string(pid) / "fd" / std::to_string(descriptor);
  return std::filesystem::read_symlink(link, absent).string();
}

TEST(ProgramStreams, missing_ones_are_null_before_anything_is_opened) {
  const TempFolder folder;
  const pid_t pid = startWithoutStreams(folder.path());
  const auto areNull = [&] {
    return openedAs(pid, 0) == "/dev/null" && openedAs(pid, 1) == "/dev/null" && openedAs(pid, 2) == "/dev/null";
  };
  // The program opens them first of all; a wait as long as this only ends a test that fails.
  for (int look = 0; look < 2000 && !areNull() && waitpid(pid, nullptr, WNOHANG) == 0; ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(areNull()) << openedAs(pid, 0) << ", " << openedAs(pid, 1) << ", " << openedAs(pid, 2);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace headroom::test
