// What a user sends with a question or a bug: hardware, versions, the plan and what became of it. Nothing that was
// written or read in a conversation is given to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/verification.h"
#include "report_files.h"
#include "run/event.h"

namespace headroom {

// The loaded model: model and plan as ModelLoaded tells them.
struct ReportedLoad {
  std::shared_ptr<const ModelInfo> model{};
  std::shared_ptr<const MemoryPlan> plan{};
  std::filesystem::path path{};  // of its file, whose name alone is told
  std::vector<ArenaReport> arenas{};
  double seconds = 0;
  MemoryGrowth grown{};  // since then
};

struct ReportInputs {
  std::string program, version;            // "headroom-cli", "0.9.0"
  std::vector<std::string> libraries{};    // "Qt 6.4.2": those that differ from machine to machine
  std::vector<DeviceInfo> devices{};       // of this machine, with what is known of their checks
  std::vector<Message> refused_devices{};  // as that function of the registry tells them
  std::optional<ReportedLoad> load{};
  std::optional<Verification> verification{};
  VerifyProcess process = VerifyProcess::kEngineAlone;
  std::vector<ReportFile> chart{};                      // chart.svg, chart.csv
  std::vector<std::filesystem::path> hidden_folders{};  // beside the user's home and that of the model
};

// README.txt, report.json and, where there is one, plan.txt, verify.txt and the chart. The paths of hidden folders
// stand in none of them: "~" takes their place.
std::vector<ReportFile> makeReport(const ReportInputs& inputs);

}  // namespace headroom
