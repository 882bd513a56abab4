#include <fmt/format.h>

#include <algorithm>

#include "backend/registry.h"
#include "format/dtype_table.h"
#include "options.h"
#include "plan_arguments.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

struct Options {
  bool presentOnly = false, asJson = false;
};

// Before anything of ours is loaded, what is not free is others'.
Bytes othersBytes(const DeviceInfo& device) {
  return device.account.others.value_or(device.total_bytes - std::min(device.total_bytes, device.free_bytes));
}

const char* proofName(Proof proof) {
  switch (proof) {
    case Proof::kNotNeeded: return "not needed";
    case Proof::kMissing: return "missing";
    case Proof::kRunning: return "running";
    case Proof::kPassed: return "passed";
    case Proof::kFailed: break;
  }
  return "failed";
}

// Whether it is used without being named; of what is used so anyway nothing.
std::string proofText(const DeviceInfo& device) {
  switch (device.proof) {
    case Proof::kPassed: return "checked: computes as the CPU does";
    case Proof::kMissing:
      return device.is_software ? "" : fmt::format("not checked yet: headroom-cli prove {}", device.id);
    case Proof::kRunning: return "is being checked by another program";
    case Proof::kFailed: return fmt::format("failed its check, used only when it is named: {}", device.proof_note);
    case Proof::kNotNeeded: break;
  }
  return {};
}

Json deviceJson(const DeviceInfo& device) {
  Json kvTypes = Json::array();
  for (const DType dtype : device.kv_types) kvTypes.push_back(dtype_row(dtype).label);
  Json json{{"id", device.id},
            {"name", device.name},
            {"vendor", device.vendor},
            {"kind", device_kind_name(device.kind)},
            {"is_present", device.is_present},
            {"has_unified_memory", device.has_unified_memory},
            {"is_software", device.is_software},
            {"total_bytes", device.total_bytes},
            {"free_bytes", device.free_bytes},
            {"driver_bytes", device.driver_bytes},
            {"driver_measured", device.driver_measured},
            {"driver", device.driver},
            {"read_bytes_per_s", device.speed.read_bytes_per_s},
            {"n_threads", device.n_threads},
            {"kernels", device.kernels},
            {"kernel_note", device.kernel_note},
            {"proof", proofName(device.proof)},
            {"proof_note", device.proof_note},
            {"kv_types", kvTypes}};
  if (device.max_arena_bytes > 0) json["max_arena_bytes"] = device.max_arena_bytes;
  if (device.max_binding_bytes > 0) json["max_binding_bytes"] = device.max_binding_bytes;
  if (device.is_present) {
    json["others_bytes"] = othersBytes(device);
    json["others_confidence"] = memory_confidence_name(device.account.confidence);
    json["others_doubt"] = device.account.doubt;
    json["spilled_bytes"] = device.account.spilled;
  }
  return json;
}

// "other programs hold 1.20 GiB (measured)"; where a driver takes its share, that too.
void printAccount(const DeviceInfo& device) {
  const MemoryAccount& account = device.account;
  std::string line = fmt::format("other programs hold {} ({})", format_bytes(othersBytes(device)),
                                 memory_confidence_name(account.confidence));
  if (account.confidence == MemoryConfidence::kAssumed) line = "what other programs hold is not known";
  if (device.has_unified_memory) line = "shares the CPU's memory";
  if (device.driver_bytes > 0) {
    line += fmt::format(", the driver takes {} ({})", format_bytes(device.driver_bytes),
                        device.driver_measured ? "measured" : "assumed");
  }
  printLine(fmt::format("{:<28} {}", "", line));
  if (!account.doubt.empty()) printLine(fmt::format("note: {}: {}", device.id, account.doubt.text()));
}

void printDevice(const DeviceInfo& device) {
  if (device.is_present) {
    printLine(fmt::format("{:<28} {:>9} free of {:>9}  {}", device.id, format_bytes(device.free_bytes),
                          format_bytes(device.total_bytes), device.name));
    printAccount(device);
    if (device.is_software)
      printLine(fmt::format("{:<28} computes on the CPU, slower than \"cpu\": used only when it is named", ""));
    if (!device.kernels.empty())
      printLine(
          fmt::format("{:<28} kernels {}{}", "", device.kernels, device.kind == DeviceKind::kCpu ? ", checked" : ""));
    if (const std::string proof = proofText(device); !proof.empty()) printLine(fmt::format("{:<28} {}", "", proof));
    if (!device.kernel_note.empty()) printLine(fmt::format("note: {}", device.kernel_note.text()));
  } else {
    printLine(fmt::format("{:<28} {:>9}{}", device.name, format_bytes(device.total_bytes),
                          device.has_unified_memory ? "  shared with the CPU" : ""));
  }
}

ExitCode devices(const Options& options) {
  const Result<std::vector<DeviceInfo>> all = plannableDevices(0, false, {});
  if (!all) return report(all.error(), options.asJson);
  Json json = Json::array();
  bool inCatalogue = false;
  for (const DeviceInfo& device : *all) {
    if (options.presentOnly && !device.is_present) continue;
    if (options.asJson) {
      json.push_back(deviceJson(device));
      continue;
    }
    if (!device.is_present && !inCatalogue) printLine("\nNot in this machine; can be planned for:");
    inCatalogue = !device.is_present;
    printDevice(device);
  }
  const std::vector<std::string> refused = texts_of(refused_devices(true));
  if (options.asJson) {
    printJson({{"devices", json}, {"refused", refused}});
  } else if (!refused.empty()) {
    printLine("");
    for (const std::string& sentence : refused) printLine(fmt::format("note: {}", sentence));
  }
  return kDone;
}

}  // namespace

Command addDevices(CLI::App& program) {
  CLI::App* app =
      addSubcommand(program, "devices", "What can be planned for: this machine's devices and the catalogue");
  auto options = std::make_shared<Options>();
  addFlag(*app, "--present", options->presentOnly, "Only devices of this machine");
  addJsonOption(*app, options->asJson);
  addExample(*app, "devices --present");
  return {app, [options] { return devices(*options); }};
}

}  // namespace headroom::cli
