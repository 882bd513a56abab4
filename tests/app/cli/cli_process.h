// Runs the real headroom-cli and keeps what it said.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/temp_folder.h"

namespace headroom::test {

struct CliResult {
  int exitCode = -1;  // 128 and more: ended by a signal
  std::string out, err;
  nlohmann::json json() const {
    return nlohmann::json::parse(out, nullptr, false);
  }  // discarded when `out` is not JSON
};

// What the program is started with.
struct CliStreams {
  std::string input = {};        // what it reads on stdin
  int in = -1, out = -1;         // descriptors in place of `input` and of what CliResult::out keeps
  std::vector<int> closed = {};  // of 0, 1 and 2
  std::string folder = {};       // where it runs; empty: here
};

// One that runs; wait() ends it. Not copied: it is one process.
class CliProcess {
 public:
  CliProcess(const std::vector<std::string>& arguments, const CliStreams& streams);
  CliProcess(const CliProcess&) = delete;
  CliProcess& operator=(const CliProcess&) = delete;

  void interrupt(int signal = SIGINT) const;  // Ctrl-C, or another one
  CliResult wait() const;

 private:
  TempFolder m_folder;
  pid_t m_pid = 0;
};

CliResult runCli(const std::vector<std::string>& arguments, const std::string& input = {});
CliResult runCli(const std::vector<std::string>& arguments, const CliStreams& streams);

// The same with its stdout closed at the other end, as `| true` does.
CliResult runCliWithoutReader(const std::vector<std::string>& arguments);

}  // namespace headroom::test
