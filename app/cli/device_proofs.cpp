#include "device_proofs.h"

#include <fmt/format.h>

#include <algorithm>

#include "../prove/prove_in_child.h"
#include "../prove/verdict_store.h"
#include "../resources.h"
#include "output.h"

namespace headroom::cli {
namespace {

std::filesystem::path verdictFile() { return findDataFolder() / kVerdictFile; }

bool isNamed(const DeviceInfo& device, std::span<const std::string> named) {
  return std::ranges::find(named, device.id) != named.end();
}

void tellEnd(const DeviceInfo& device, const ProofOfChild& proof) {
  switch (proof.kind) {
    case ProofOfChild::Kind::kPassed:
      return printNote(
          fmt::format("{}: {}: checked in {:.1f} s, computes as the CPU does", device.id, device.name, proof.seconds));
    case ProofOfChild::Kind::kFailed:
      return printNote(
          fmt::format("{}: {} failed its check and is used only by name: {}", device.id, device.name, proof.what));
    case ProofOfChild::Kind::kNoJudgement:
      return printNote(fmt::format("{}: {} could not be checked: {}", device.id, device.name, proof.what));
  }
}

}  // namespace

void knowProofs(std::span<DeviceInfo> devices) { VerdictStore::read(verdictFile()).fill(devices); }

void proveFirst(std::span<DeviceInfo> devices, std::span<const std::string> named, const StopToken& stop) {
  knowProofs(devices);
  for (const DeviceInfo& device : devices_to_prove(devices)) {
    if (stop.stop_requested()) break;
    if (!named.empty() && !isNamed(device, named)) continue;
    printNote(fmt::format("{}: checking {} once, before it is used", device.id, device.name));
    tellEnd(device, prove_and_keep(verdictFile(), device, proofCommand(device.id), stop, [](const ProofProgress&) {}));
  }
  knowProofs(devices);
}

std::string doubtOf(const DeviceInfo& device) {
  if (device.is_proved() || device.is_software) return {};
  if (device.proof == Proof::kFailed) return fmt::format("{} failed its check: {}", device.id, device.proof_note);
  return fmt::format("{} has not been checked (headroom-cli prove {})", device.id, device.id);
}

std::vector<std::string> proofCommand(const std::string& deviceId) {
  return {"/proc/self/exe", "prove", deviceId, "--tell"};
}

}  // namespace headroom::cli
