#include "report.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/c_locale.h"
#include "base/cpu_features.h"
#include "plan/plan_json.h"
#include "plan/plan_text.h"
#include "verification_text.h"

namespace headroom {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kReadme =
    "A report of Headroom: what the machine is, what was planned for the loaded model, and what it took.\n"
    "\n"
    "report.json  versions, system, devices with drivers and checks, the plan, and what was mapped and measured\n"
    "plan.txt     the plan in words, where a model is loaded\n"
    "verify.txt   what \"verify\" found, where it was run\n"
    "chart.*      the chart of memory over time, from the window\n"
    "\n"
    "No text of a conversation, no prompt, no system prompt and no text of the model is in it. The model's file is\n"
    "named without its folder, and the path of your home folder is written as \"~\". Every file can be read with a\n"
    "text editor before you send it.\n";

const char* proofName(Proof proof) {
  switch (proof) {
    case Proof::kNotNeeded: return "not_needed";
    case Proof::kMissing: return "missing";
    case Proof::kRunning: return "running";
    case Proof::kPassed: return "passed";
    case Proof::kFailed: return "failed";
  }
  return "unknown";
}

// The name that a distribution gives itself.
std::string distribution() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kKey = "PRETTY_NAME=";
    if (!line.starts_with(kKey)) continue;
    std::string name = line.substr(kKey.size());
    std::erase(name, '"');
    return name;
  }
  return {};
}

// Without the name of the machine.
Json systemJson() {
  utsname names{};
  Json system = Json::object();
  if (uname(&names) == 0) system = {{"kernel", names.sysname}, {"release", names.release}, {"machine", names.machine}};
  system["distribution"] = distribution();
  system["instruction_set"] = isa_name(detected_isa());
  Json can_run_json = Json::array();
  for (const Isa isa : kIsas) {
    if (can_run(isa)) can_run_json.push_back(isa_name(isa));
  }
  system["instruction_sets"] = can_run_json;
  return system;
}

Json buildJson() {
#ifdef NDEBUG
  const char* kind = "release";
#else
  const char* kind = "debug";
#endif
  return {{"compiler", __VERSION__}, {"kind", kind}};
}

Json deviceJson(const DeviceInfo& device) {
  return {{"device", device.id},
          {"name", device.name},
          {"kind", device_kind_name(device.kind)},
          {"driver", device.driver},
          {"kernels", device.kernels},
          {"kernel_note", device.kernel_note},
          {"n_threads", device.n_threads},
          {"has_unified_memory", device.has_unified_memory},
          {"is_software", device.is_software},
          {"total_bytes", device.total_bytes},
          {"free_bytes", device.free_bytes},
          {"driver_bytes", device.driver_bytes},
          {"driver_is_measured", device.driver_measured},
          {"memory_is", memory_confidence_name(device.account.confidence)},
          {"memory_doubt", device.account.doubt},
          {"read_bytes_per_s", device.speed.read_bytes_per_s},
          {"proof", proofName(device.proof)},
          {"proof_note", device.proof_note}};
}

Json loadJson(const ReportedLoad& load) {
  Json arenas = Json::array();
  for (const ArenaReport& arena : load.arenas) {
    arenas.push_back({{"device", arena.device},
                      {"lifetime", lifetime_name(arena.lifetime)},
                      {"planned_bytes", arena.planned_bytes},
                      {"mapped_bytes", arena.mapped_bytes}});
  }
  return {{"file", load.path.filename().string()},
          {"name", load.model->name},
          {"seconds", load.seconds},
          {"arenas", arenas},
          {"taken_after_load", growthJson(load.grown)},
          {"plan", Json::parse(plan_json(*load.model, *load.plan, {}))}};
}

std::string utcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  std::string text(32, '\0');
  if (gmtime_r(&now, &utc) == nullptr) return {};
  text.resize(c_strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", utc));
  return text;
}

Json reportJson(const ReportInputs& inputs) {
  Json devices = Json::array();
  for (const DeviceInfo& device : inputs.devices) devices.push_back(deviceJson(device));
  Json report{{"program", inputs.program},
              {"version", inputs.version},
              {"made_at", utcNow()},
              {"build", buildJson()},
              {"libraries", inputs.libraries},
              {"system", systemJson()},
              {"devices", devices},
              {"refused_devices", texts_of(inputs.refused_devices)}};
  report["loaded"] = inputs.load ? loadJson(*inputs.load) : Json(nullptr);
  report["verification"] = inputs.verification ? verificationJson(*inputs.verification, inputs.process) : Json(nullptr);
  return report;
}

// Longest first, so that a folder within another one goes whole.
std::vector<std::string> hiddenPaths(const ReportInputs& inputs) {
  std::vector<fs::path> folders = inputs.hidden_folders;
  if (const char* home = std::getenv("HOME"); home != nullptr) folders.emplace_back(home);
  if (inputs.load) folders.push_back(inputs.load->path.parent_path());
  std::vector<std::string> paths;
  for (const fs::path& folder : folders) {
    std::string path = folder.lexically_normal().string();
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (path.size() > 1 && folder.is_absolute()) paths.push_back(std::move(path));
  }
  std::ranges::sort(paths, std::ranges::greater(), &std::string::size);
  return paths;
}

void hide(std::string& text, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at + 1))
      text.replace(at, path.size(), "~");
  }
}

}  // namespace

std::vector<ReportFile> makeReport(const ReportInputs& inputs) {
  std::vector<ReportFile> files{{"README.txt", kReadme}};
  constexpr int kIndent = 2;
  files.push_back({"report.json", reportJson(inputs).dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n"});
  if (inputs.load) files.push_back({"plan.txt", plan_text(*inputs.load->model, *inputs.load->plan, {})});
  if (inputs.verification) files.push_back({"verify.txt", verificationText(*inputs.verification, inputs.process)});
  files.insert(files.end(), inputs.chart.begin(), inputs.chart.end());
  const std::vector<std::string> paths = hiddenPaths(inputs);
  for (ReportFile& file : files) hide(file.bytes, paths);
  return files;
}

}  // namespace headroom
