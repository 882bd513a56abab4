// One function per subcommand: adds its options to the program and returns what runs it. Each lives in its own file.
#pragma once

#include "command.h"

namespace headroom::cli {

Command addInspect(CLI::App& program);
Command addDevices(CLI::App& program);
Command addPlan(CLI::App& program);
Command addSolve(CLI::App& program);
Command addRun(CLI::App& program);
Command addTokenize(CLI::App& program);
Command addDetokenize(CLI::App& program);
Command addRender(CLI::App& program);
Command addLogits(CLI::App& program);
Command addKld(CLI::App& program);
Command addBench(CLI::App& program);
Command addTour(CLI::App& program);

}  // namespace headroom::cli
