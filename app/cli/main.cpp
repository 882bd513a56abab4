#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <sstream>
#include <string_view>

#include "run/engine_thread.h"
#include "standard_streams.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 1 the answer is no (does not fit, prompt too long), 2 usage, 3 bad or unsupported file, 4 "
    "resource, interrupted, or the output cannot be written.\n"
    "Sizes are written 6GiB, 512MiB or in bytes; KV types f16, fp8, q8_0, q4_0, and f32 for checking.\n"
    "Devices are cpu, one of this machine such as vulkan:0 or cuda:0, or a catalogue name such as \"RTX 4090\".\n"
    "headroom-cli SUBCOMMAND --help tells the options of one.";

// The parser's own words, except where the subcommand is what is wrong: these would not name it.
std::string whatIsWrong(std::span<const Command> commands, std::span<const char* const> words,
                        const CLI::ParseError& error) {
  std::string names;
  for (const Command& command : commands)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", command.app->get_name());
  const auto given =
      std::find_if(words.begin(), words.end(), [](std::string_view word) { return !word.starts_with('-'); });
  if (given == words.end()) return fmt::format("expected a subcommand: one of {}", names);
  const bool isKnown = std::any_of(commands.begin(), commands.end(),
                                   [&](const Command& command) { return command.app->get_name() == *given; });
  return isKnown ? error.what() : fmt::format("there is no subcommand \"{}\": expected one of {}", *given, names);
}

// What a command found, unless it was interrupted or its answer reached nobody.
ExitCode exitCodeAfter(ExitCode found, const Interrupts& interrupts) {
  if (found != kDone && found != kNo) return found;
  if (interrupts.isAsked()) {
    printNote("interrupted");
    return kNoResource;
  }
  return outputIsLost() ? kNoResource : found;
}

int runProgram(int argc, char** argv) {
  Interrupts interrupts;
  CLI::App program("See exactly what memory a local model takes, load it, chat.", "headroom-cli");
  program.footer(kExitCodes);
  program.require_subcommand(1);
  program.set_version_flag("--version", std::string("headroom-cli " HEADROOM_VERSION));
  const std::vector<Command> commands{addInspect(program),
                                      addDevices(program),
                                      addPlan(program, interrupts),
                                      addSolve(program, interrupts),
                                      addRun(program, interrupts),
                                      addTokenize(program),
                                      addDetokenize(program),
                                      addRender(program),
                                      addLogits(program, interrupts),
                                      addKld(program, interrupts),
                                      addBench(program, interrupts),
                                      addVerify(program, interrupts),
                                      addProve(program, interrupts),
                                      addTour(program, interrupts),
                                      addCompletion(program),
                                      addManual(program)};
  const std::span<const char* const> words(argv + 1, argc > 0 ? static_cast<std::size_t>(argc - 1) : 0);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    std::ostringstream text;
    program.exit(wanted, text, text);
    printLine(text.str().substr(0, text.str().find_last_not_of('\n') + 1));
    return exitCodeAfter(kDone, interrupts);
  } catch (const CLI::ParseError& error) {
    const bool asJson = std::find(words.begin(), words.end(), std::string_view("--json")) != words.end();
    return report({ErrorCode::kUsage,
                   Message::plain(fmt::format("{} (see headroom-cli --help)", whatIsWrong(commands, words, error)))},
                  asJson);
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return exitCodeAfter(command.run(), interrupts);
  }
  return kBadUsage;
}

}  // namespace
}  // namespace headroom::cli

int main(int argc, char** argv) {
  headroom::openMissingStreams();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of a write: it is told, and work ends
  const int status = headroom::cli::runProgram(argc, argv);
  if (headroom::EngineThread::n_left_behind() == 0) return status;
  // A device that does not answer keeps nobody from leaving.
  std::fflush(nullptr);
  std::_Exit(status);
}
