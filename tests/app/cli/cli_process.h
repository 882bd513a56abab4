// Runs the real headroom-cli and keeps what it said.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace headroom::test {

struct CliResult {
  int exitCode = -1;  // 128 and more: ended by a signal
  std::string out, err;
  nlohmann::json json() const {
    return nlohmann::json::parse(out, nullptr, false);
  }  // discarded when `out` is not JSON
};

// `input` is what it reads on stdin.
CliResult runCli(const std::vector<std::string>& arguments, const std::string& input = {});

// The same with its stdout closed at the other end, as `| true` does.
CliResult runCliWithoutReader(const std::vector<std::string>& arguments);

}  // namespace headroom::test
