#include <csignal>
#include <iostream>

#include "subcommands.h"

namespace headroom::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 1 the answer is no (does not fit, prompt too long), 2 usage, 3 bad or unsupported file, 4 resource or interrupted.\n"
    "Sizes are written 6GiB, 512MiB or in bytes; KV types f16, fp8, q8_0, q4_0; devices cpu, or a catalogue name such as \"RTX 4090\".\n"
    "headroom-cli SUBCOMMAND --help tells the options of one.";

int runProgram(int argc, char** argv) {
  CLI::App program("See exactly what memory a local model takes, load it, chat.", "headroom-cli");
  program.footer(kExitCodes);
  program.require_subcommand(1);
  program.set_version_flag("--version", std::string("headroom-cli " HEADROOM_VERSION));
  const std::vector<Command> commands{addInspect(program), addDevices(program),  addPlan(program),       addSolve(program),
                                      addRun(program),     addTokenize(program), addDetokenize(program), addRender(program),
                                      addLogits(program),  addKld(program),      addBench(program),      addTour(program)};
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return program.exit(wanted);
  } catch (const CLI::ParseError& error) {
    printNote(std::string(error.what()) + " (see headroom-cli --help)");
    return kBadUsage;
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  return kBadUsage;
}

}  // namespace
}  // namespace headroom::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // `headroom-cli ... | head` ends quietly
  return headroom::cli::runProgram(argc, argv);
}
