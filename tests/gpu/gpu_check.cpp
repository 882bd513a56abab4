// One step of check.sh, or its report. A step prints JSON (figure, failures, data) and ends with 0, with 1 when
// something is not as it has to be, or with 2 when it could not be looked at.
#include "gpu/gpu_check.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "backend/registry.h"
#include "run/load_model.h"

namespace headroom::check {

bool has_fault(const std::string& name) {
  const char* asked = std::getenv(kFaultVariable);
  return asked != nullptr && name == asked;
}

Result<DeviceInfo> device_now(const std::string& id) {
  Result<std::vector<DeviceInfo>> devices = probe_devices();
  if (!devices) return devices.error();
  for (DeviceInfo& device : *devices) {
    if (device.id == id) return std::move(device);
  }
  std::string message = fmt::format("device: expected one of this machine, found {}", id);
  for (const Message& refused : refused_devices()) message += "; " + refused.text();
  return Error{ErrorCode::kUsage, Message::plain(message)};
}

bool is_counted(const DeviceInfo& device) {
  return !device.has_unified_memory && device.account.confidence != MemoryConfidence::kAssumed;
}

cli::PlanArguments arguments_for(const std::string& device, std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) {
  cli::PlanArguments arguments;
  arguments.devices = {device};
  arguments.gpuLayers = std::to_string(n_gpu_layers);
  arguments.cpuFfn = std::to_string(n_cpu_ffn);
  arguments.nCtx = 1024;
  arguments.batch = "128";
  return arguments;
}

Result<std::uint32_t> n_layers_of(const std::string& model) {
  const Result<ModelFile> file = open_model_file(model);
  if (!file) return file.error();
  const Result<ModelInfo> info = describe_model(*file);
  if (!info) return info.error();
  return static_cast<std::uint32_t>(info->n_layers());
}

namespace {

constexpr const char* kUsage =
    "usage: gpu_check models FOLDER DEVICE [tiny|1B|8B]\n"
    "       gpu_check plan|offload MODEL DEVICE\n"
    "       gpu_check chat MODEL DEVICE TURNS\n"
    "       gpu_check report FOLDER DEVICE\n";

void print(const Outcome& outcome) {
  const Json json{{"figure", outcome.figure}, {"failures", outcome.failures}, {"data", outcome.data}};
  std::puts(json.dump(1, ' ', false, Json::error_handler_t::replace).c_str());
}

int tell(const Result<Outcome>& outcome) {
  if (!outcome) {
    print({.figure = {}, .failures = {outcome.error().message.text()}});
    return 2;
  }
  print(*outcome);
  for (const std::string& failure : outcome->failures) fmt::print(stderr, "{}\n", failure);
  return outcome->failures.empty() ? 0 : 1;
}

int report(const std::string& folder, const std::string& device) {
  const Result<bool> all_passed = write_report(folder, device);
  if (all_passed) return *all_passed ? 0 : 1;
  fmt::print(stderr, "gpu_check: {}\n", all_passed.error().message.text());
  return 2;
}

int run(const std::vector<std::string>& words) {
  const auto is = [&](const char* step, std::size_t n_words) { return words.size() == n_words && words[0] == step; };
  if (is("models", 3)) return tell(make_models(words[1], words[2], ""));
  if (is("models", 4)) return tell(make_models(words[1], words[2], words[3]));
  if (is("plan", 3)) return tell(check_plan(words[1], words[2]));
  if (is("offload", 3)) return tell(check_offload(words[1], words[2]));
  if (is("report", 3)) return report(words[1], words[2]);
  if (is("chat", 4)) {
    std::uint32_t n_turns = 0;
    const std::string& number = words[3];
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), n_turns);
    if (error == std::errc() && end == number.data() + number.size())
      return tell(check_chat(words[1], words[2], n_turns));
  }
  std::fputs(kUsage, stderr);
  return 2;
}

}  // namespace
}  // namespace headroom::check

int main(int argc, char** argv) { return headroom::check::run({argv + 1, argv + argc}); }
