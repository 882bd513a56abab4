#include "prove_here.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "backend/device_wait.h"
#include "backend/registry.h"
#include "proof_lines.h"

namespace headroom {
namespace {

constexpr std::chrono::milliseconds kBetweenLines{100};

ProofSize wanted_size() {
  const char* setting = std::getenv(kProofSizeVariable);
  if (setting == nullptr) return ProofSize::kFull;
  if (std::string_view(setting) == "brief") return ProofSize::kBrief;
  return std::string_view(setting) == "quick" ? ProofSize::kQuick : ProofSize::kFull;
}

bool tell_line(const ProofLine& line) {
  return std::puts(write_proof_line(line).c_str()) >= 0 && std::fflush(stdout) == 0;
}

}  // namespace

Result<ProofReport> prove_here(const std::string& device_id, const std::filesystem::path& kernel_folder,
                               const StopToken& stop, const std::function<void(const ProofProgress&)>& tell) {
  const Result<std::vector<DeviceInfo>> devices = probe_devices(0, true);
  if (!devices) return devices.error();
  const auto device = std::ranges::find(*devices, device_id, &DeviceInfo::id);
  if (device == devices->end() || device->proof_key.empty()) {
    return Error{ErrorCode::kUsage,
                 Message::say("device: expected a GPU of this machine such as vulkan:0, found \"{}\"", device_id)};
  }
  device_wait_limit() = device->is_software ? kSoftwareProofWaitLimit : kProofWaitLimit;
  ProofInputs inputs;
  inputs.cpu = devices->front();
  inputs.device = *device;
  inputs.make_backend = keeping_kernels_in(kernel_folder);
  for (auto& [name, make] : backend_variants(*device)) inputs.variants.push_back({name, make});
  inputs.size = wanted_size();
  inputs.stop = stop;
  inputs.tell = tell;
  return prove_device(inputs);
}

int prove_and_tell(const std::string& device_id, const std::filesystem::path& kernel_folder) {
  StopSource lost;
  std::string last;
  std::chrono::steady_clock::time_point told{};
  const auto tell = [&](const ProofProgress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (progress.what == last && now - told < kBetweenLines) return;
    last = progress.what;
    told = now;
    if (!tell_line(progress)) lost.request_stop();  // nobody is left who would read the end
  };
  const Result<ProofReport> report = prove_here(device_id, kernel_folder, lost.token(), tell);
  return tell_line(report ? ProofLine(*report) : ProofLine(NoJudgement{report.error().message.text()})) ? 0 : 1;
}

}  // namespace headroom
