#include <fmt/format.h>

#include <algorithm>

#include "../prove/prove_here.h"
#include "../prove/prove_in_child.h"
#include "../resources.h"
#include "backend/registry.h"
#include "device_proofs.h"
#include "options.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

struct Options {
  std::string device;
  bool tells = false, asJson = false;
};

ExitCode prove(const Options& options, Interrupts& interrupts) {
  const std::filesystem::path data = findDataFolder();
  if (options.tells) return prove_and_tell(options.device, data / kKernelFolder) == 0 ? kDone : kNoResource;
  const Result<std::vector<DeviceInfo>> devices = probe_devices(0, true);
  if (!devices) return report(devices.error(), options.asJson);
  const auto device = std::ranges::find(*devices, options.device, &DeviceInfo::id);
  if (device == devices->end() || device->proof_key.empty()) {
    std::string found;
    for (const DeviceInfo& each : *devices) {
      if (!each.proof_key.empty()) found += (found.empty() ? "" : ", ") + each.id;
    }
    return report(
        {ErrorCode::kUsage, Message::plain(fmt::format("DEVICE: expected a GPU of this machine ({}), found \"{}\"",
                                                       found.empty() ? "there is none" : found, options.device))},
        options.asJson);
  }
  interrupts.hear();
  ProgressLine line;
  const ProofOfChild proof = prove_and_keep(
      data / kVerdictFile, *device, proofCommand(device->id), interrupts.token(), [&](const ProofProgress& progress) {
        line.show(100 * progress.n_done / std::max(progress.n_steps, 1U), progress.what);
      });
  line.clear();
  if (proof.kind == ProofOfChild::Kind::kNoJudgement)
    return report({ErrorCode::kResource, Message::plain(fmt::format("{}: {}", device->id, proof.what))},
                  options.asJson);
  const bool hasPassed = proof.kind == ProofOfChild::Kind::kPassed;
  if (options.asJson) {
    printJson({{"device", device->id},
               {"name", device->name},
               {"driver", device->driver},
               {"kernels", device->kernels},
               {"passed", hasPassed},
               {"what_failed", proof.what},
               {"seconds", proof.seconds}});
  } else if (hasPassed) {
    printLine(fmt::format("{}: {} computes as the CPU does: all weight formats and cache types, in {:.1f} s",
                          device->id, device->name, proof.seconds));
  } else {
    printLine(fmt::format("{}: {} failed: {}", device->id, device->name, proof.what));
  }
  return hasPassed ? kDone : kNo;
}

}  // namespace

Command addProve(CLI::App& program, Interrupts& interrupts) {
  CLI::App* app = addSubcommand(program, "prove", "Check that a GPU computes what the CPU computes");
  auto options = std::make_shared<Options>();
  addText(*app, "DEVICE", options->device, "vulkan:0 or cuda:0, as devices lists them", {.isRequired = true});
  addFlag(*app, "--tell", options->tells, "Write a line of JSON for each step: for programs that started this one");
  addJsonOption(*app, options->asJson);
  addExample(*app, "prove vulkan:0");
  return {app, [options, &interrupts] { return prove(*options, interrupts); }};
}

}  // namespace headroom::cli
