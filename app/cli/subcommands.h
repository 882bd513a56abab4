// One function per subcommand: adds its options to the program and returns what runs it. Each lives in its own file.
// Those that may compute for long hear interrupts.
#pragma once

#include "command.h"
#include "interrupts.h"

namespace headroom::cli {

Command addInspect(CLI::App& program);
Command addDevices(CLI::App& program);
Command addPlan(CLI::App& program, Interrupts& interrupts);
Command addSolve(CLI::App& program, Interrupts& interrupts);
Command addRun(CLI::App& program, Interrupts& interrupts);
Command addTokenize(CLI::App& program);
Command addDetokenize(CLI::App& program);
Command addRender(CLI::App& program);
Command addLogits(CLI::App& program, Interrupts& interrupts);
Command addKld(CLI::App& program, Interrupts& interrupts);
Command addBench(CLI::App& program, Interrupts& interrupts);
Command addVerify(CLI::App& program, Interrupts& interrupts);
Command addProve(CLI::App& program, Interrupts& interrupts);
Command addTour(CLI::App& program, Interrupts& interrupts);
// These two describe the whole program, which must outlive them.
Command addManual(CLI::App& program);
Command addCompletion(CLI::App& program);

}  // namespace headroom::cli
