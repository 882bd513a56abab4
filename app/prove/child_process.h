// A program of ours that is started to do something that may end it.
#pragma once

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace headroom {

// What it writes to its standard output is read line by line; what it writes to the standard error goes nowhere.
// Killed, and waited for, when destroyed.
class ChildProcess {
 public:
  // The first word is a path. kResource when it cannot be started.
  static Result<ChildProcess> start(const std::vector<std::string>& command);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  struct Line {
    std::string text;
  };
  struct Silence {};  // nothing came for so long
  struct End {
    int status = 0;  // of exit()
    int signal = 0;  // that ended it; 0: none
  };
  using Event = std::variant<Line, Silence, End>;
  Event wait(std::chrono::milliseconds limit);

 private:
  ChildProcess(int pid, int output) : pid_(pid), output_(output) {}
  End reap();

  int pid_ = -1, output_ = -1;
  std::string read_;  // behind the last whole line
};

}  // namespace headroom
