// The table of a run of check.sh, and its JSON.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "backend/host/host_memory.h"
#include "base/usable_cores.h"
#include "gpu/gpu_check.h"

namespace headroom::check {
namespace {

namespace fs = std::filesystem;

// What timeout(1) and shells say of an ended program, and check.sh of a step that it left out.
constexpr int kTimedOut = 124, kLeftOut = 77, kSignal = 128, kKilled = 9;

struct Step {
  std::string name, title, result, figure;
  int status = 0;
  double seconds = 0;
  std::vector<std::string> failures;
  Json data;  // null: it left none
  bool passed() const { return status == 0 && failures.empty(); }
};

Json read_json(const fs::path& path) {
  std::ifstream stream(path);
  Json json = Json::parse(stream, nullptr, false);
  return json.is_discarded() ? Json(nullptr) : json;
}

Result<std::vector<Step>> read_steps(const fs::path& path) {
  std::ifstream stream(path);
  std::vector<Step> steps;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream fields(line);
    Step step;
    std::getline(fields, step.name, '\t');
    std::getline(fields, step.title, '\t');
    if (!(fields >> step.status >> step.seconds)) {
      return Error{ErrorCode::kBadFile,
                   Message::plain(fmt::format("{}: expected name, title, exit status and seconds, found \"{}\"",
                                              path.string(), line))};
    }
    steps.push_back(std::move(step));
  }
  if (steps.empty())
    return Error{ErrorCode::kBadFile, Message::plain(fmt::format("{}: expected steps, found none", path.string()))};
  return steps;
}

// `headroom-cli devices`: whether the device is there, and what it is.
void take_devices(const std::string& id, Step& step) {
  const Json found = std::exchange(step.data, Json(nullptr));
  for (const Json& device : found.value("devices", Json::array())) {
    if (device.value("id", "") != id) continue;
    step.data = device;
    step.figure = fmt::format("{}, {}, {}, {} free of {}", device.value("name", ""), device.value("driver", ""),
                              device.value("kernels", ""), format_bytes(device.value("free_bytes", Bytes{0})),
                              format_bytes(device.value("total_bytes", Bytes{0})));
    for (const char* why : {"kernel_note", "others_doubt"}) {
      if (const std::string note = device.value(why, ""); !note.empty()) step.figure += "\n" + note;
    }
    return;
  }
  std::string sentence = fmt::format("expected {} among the devices, found none", id);
  for (const Json& refused : found.value("refused", Json::array())) sentence += "; " + refused.get<std::string>();
  step.failures.push_back(sentence);
}

// `headroom-cli prove`.
void take_proof(Step& step) {
  if (step.data.value("passed", false)) {
    step.figure = fmt::format("computes as the CPU does, in {:.2f} s", step.data.value("seconds", 0.0));
  } else {
    step.failures.push_back(step.data.value("what_failed", "expected a verdict, found none"));
  }
}

// `headroom-cli bench`.
void take_bench(Step& step) {
  const auto share = [&](const char* name, const char* of) {
    const Json& value = step.data[name];
    return value.is_number() ? fmt::format(", {:.0f} % of {}", 100 * value.get<double>(), of) : "";
  };
  step.figure = fmt::format("decode {:.1f} tokens/s{}", step.data.value("decode_tokens_per_s", 0.0),
                            share("decode_share", "the read rate"));
  const Json& predicted = step.data["predicted_tokens_per_s"];
  if (predicted.is_number()) step.figure += fmt::format(" (predicted {:.1f})", predicted.get<double>());
  step.figure += fmt::format("\nprefill {:.1f} tokens/s{}", step.data.value("prefill_tokens_per_s", 0.0),
                             share("prefill_share", "the peak"));
  // Of two are those whose names say what is done about FFNs on the CPU.
  const std::size_t n_devices = step.name.starts_with("bench_ffn") ? 2 : 1;
  if (step.data["devices"].size() != n_devices)
    step.failures.push_back(
        fmt::format("expected weights on {} devices, found them on {}", n_devices, step.data["devices"].size()));
  for (const Json& device : step.data["devices"]) {
    step.figure += fmt::format("\nlimits of {}: {:.1f} GB/s", device.value("device", ""),
                               device.value("read_bandwidth_bytes_per_s", 0.0) * 1e-9);
    for (const char* peak : {"int8", "tile", "f16", "f32"}) {
      const double rate = device.value(fmt::format("{}_peak_ops_per_s", peak), 0.0);
      if (rate > 0) step.figure += fmt::format(", {} {:.2f} Top/s", peak, rate * 1e-12);
    }
  }
}

// What GoogleTest's programs left: contract.0.json and so on.
void take_tests(const fs::path& folder, Step& step) {
  std::uint64_t n_tests = 0, n_failed = 0, n_files = 0;
  Json failed = Json::array();
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(step.name + ".") || entry.path().extension() != ".json") continue;
    const Json json = read_json(entry.path());
    if (!json.is_object()) continue;
    ++n_files;
    for (const Json& suite : json.value("testsuites", Json::array())) {
      for (const Json& test : suite.value("testsuite", Json::array())) {
        if (test.value("status", "") != "RUN") continue;
        ++n_tests;
        if (!test.contains("failures")) continue;
        ++n_failed;
        failed.push_back(suite.value("name", "") + "." + test.value("name", ""));
      }
    }
  }
  step.figure = fmt::format("{} tests, {} failed", n_tests, n_failed);
  if (n_tests == 0) step.failures.push_back("expected tests, found none that ran");
  for (const Json& name : failed) step.failures.push_back(name.get<std::string>());
  step.data = {{"n_tests", n_tests}, {"n_failed", n_failed}, {"n_programs", n_files}, {"failed", failed}};
}

void take_step(const fs::path& folder, const std::string& device, Step& step) {
  if (step.status == kLeftOut) return;
  step.data = read_json(folder / (step.name + ".json"));
  if (step.name == "contract") return take_tests(folder, step);
  if (!step.data.is_object()) {
    if (step.status == 0) step.failures.emplace_back("expected figures, found none");
    return;
  }
  if (step.name == "devices") return take_devices(device, step);
  if (step.name == "prove") return take_proof(step);
  if (step.data.contains("decode_tokens_per_s")) return take_bench(step);
  const Json outcome = std::exchange(step.data, Json(nullptr));
  step.figure = outcome.value("figure", "");
  step.failures = outcome.value("failures", std::vector<std::string>{});
  step.data = outcome.value("data", Json::object());
}

std::string result_words(const Step& step) {
  if (step.passed()) return "passed";
  if (step.status == kLeftOut) return "not run";
  if (step.status == kTimedOut) return "timed out";
  if (step.status == kSignal + kKilled) return "killed";
  if (step.status > kSignal) return fmt::format("signal {}", step.status - kSignal);
  return "failed";
}

std::string table(const std::vector<Step>& steps) {
  std::size_t width = 0;
  for (const Step& step : steps) width = std::max(width, step.title.size());
  std::string text;
  for (const Step& step : steps) {
    std::string beginning = fmt::format("{:<{}}  {:<9}  {:>6.1f} s  ", step.title, width, step.result, step.seconds);
    const auto add_line = [&](const std::string& line) {
      text += beginning + line + "\n";
      beginning = std::string(beginning.size(), ' ');
    };
    std::istringstream figures(step.figure);
    for (std::string line; std::getline(figures, line);) add_line(line);
    for (const std::string& failure : step.failures) add_line(failure);
    if (step.figure.empty() && step.failures.empty()) add_line("");
  }
  return text;
}

}  // namespace

Result<bool> write_report(const fs::path& folder, const std::string& device) {
  Result<std::vector<Step>> steps = read_steps(folder / "steps.tsv");
  if (!steps) return steps.error();
  bool all_passed = true, is_software = false;
  Json whole{{"device", nullptr}, {"host", host_cpu_name()}, {"host_threads", usable_cores()}}, list = Json::array();
  double seconds = 0;
  for (Step& step : *steps) {
    take_step(folder, device, step);
    step.result = result_words(step);
    all_passed &= step.passed();
    seconds += step.seconds;
    if (step.name == "devices" && step.passed()) whole["device"] = step.data;
    if (step.name == "models" && step.data.is_object()) is_software = step.data.value("is_software", false);
    list.push_back({{"name", step.name},
                    {"result", step.result},
                    {"exit_status", step.status},
                    {"seconds", step.seconds},
                    {"figure", step.figure},
                    {"failures", step.failures},
                    {"data", step.data}});
  }
  whole["is_software"] = is_software;
  whole["passed"] = all_passed;
  whole["seconds"] = seconds;
  whole["steps"] = std::move(list);
  const fs::path path = folder / "check.json";
  std::ofstream stream(path);
  if (!(stream << whole.dump(1, ' ', false, Json::error_handler_t::replace) << '\n').flush())
    return Error{ErrorCode::kResource, Message::plain(fmt::format("{}: the system did not take it", path.string()))};
  fmt::print("\n{}\n{:.0f} s; {}\n", table(*steps), seconds, path.string());
  if (is_software)
    fmt::print("The device is a driver that computes on the CPU: no speed here says anything of a card.\n");
  return all_passed;
}

}  // namespace headroom::check
