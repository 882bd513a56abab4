// What every subcommand shares: exit codes, errors, output.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "output.h"
#include "text/tokenizer.h"

namespace CLI {
class App;
}  // namespace CLI

namespace headroom::cli {

enum ExitCode : int {
  kDone = 0,
  kNo = 1,          // the question was answered with no: does not fit, the prompt is too long
  kBadUsage = 2,    // the command line makes no sense
  kBadModel = 3,    // a file is damaged, missing, or needs what this build lacks
  kNoResource = 4,  // the machine refused, also to take the output, or the user interrupted
};
ExitCode exitCodeOf(ErrorCode code);

// A subcommand ready to run once the command line was parsed.
struct Command {
  CLI::App* app = nullptr;
  std::function<ExitCode()> run;
};

// The message of an error with its details on one line.
std::string messageLine(const std::string& message);

// One line on stderr, "headroom-cli: ..."; under --json also {"error": {"code", "message"}} on stdout, so that a script
// reads one place. Work that stopped because stdout was lost has told so already.
ExitCode report(const Error& error, bool asJson);

// All of a text file, pipe or device; an empty one is an empty text. kBadFile; at most 256 MiB.
Result<std::string> readTextFile(const std::string& path);

// Whether results still have a reader: kCancelled once stdout is lost. Asked between steps of long work.
Status stillWanted();

// "1,2 3" to ids; kUsage names `option` and what is not a number.
Result<std::vector<TokenId>> parseTokens(std::string_view option, const std::string& text);

}  // namespace headroom::cli
