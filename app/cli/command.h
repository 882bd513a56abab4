// What every subcommand shares: exit codes, errors, output.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "text/tokenizer.h"

namespace headroom::cli {

using Json = nlohmann::ordered_json;

enum ExitCode : int {
  kDone = 0,
  kNo = 1,          // the question was answered with no: does not fit, the prompt is too long
  kBadUsage = 2,    // the command line makes no sense
  kBadModel = 3,    // a file is damaged, missing, or needs what this build lacks
  kNoResource = 4,  // the machine refused, or the user interrupted
};
ExitCode exitCodeOf(ErrorCode code);

// A subcommand ready to run once the command line was parsed.
struct Command {
  CLI::App* app = nullptr;
  std::function<ExitCode()> run;
};

// One line on stderr, "headroom-cli: ..."; under --json also {"error": {"code", "message"}} on stdout, so that a script
// reads one place.
ExitCode report(const Error& error, bool asJson);

void print(const std::string& text);  // to stdout; a reader that went away is no error
void printLine(const std::string& text);
void printJson(const Json& json);                                     // indented, bytes that are not UTF-8 replaced
void printNote(const std::string& text);                              // to stderr, on one line
Status writeFile(const std::string& path, const std::string& bytes);  // kResource
Result<std::string> readTextFile(const std::string& path);            // kBadFile; at most 256 MiB

// "1,2 3" to ids; kUsage names what is not a number.
Result<std::vector<TokenId>> parseTokens(const std::string& text);

// Adds the option --json, as every subcommand that prints data has it.
void addJsonOption(CLI::App& app, bool& asJson);

// The end of a --help text.
void addExample(CLI::App& app, const std::string& example);

}  // namespace headroom::cli
