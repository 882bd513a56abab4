#include "plan_arguments.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "backend/registry.h"
#include "format/dtype_table.h"
#include "numbers.h"
#include "plan/device_catalogue.h"
#include "plan/plan_options.h"
#include "plan/plan_text.h"

namespace headroom::cli {
namespace {

Result<DType> readKvType(const std::string& option, const std::string& label) {
  const std::optional<DType> dtype = dtype_from_label(label);
  if (dtype && dtype_row(*dtype).is_kv) return *dtype;
  std::string expected;
  for (const DTypeRow& row : kDTypes) {
    if (row.is_kv) expected += fmt::format("{}{}", expected.empty() ? "" : ", ", row.label);
  }
  return Error{ErrorCode::kUsage, fmt::format("{} must be one of {}; found \"{}\"", option, expected, label)};
}

Result<std::int32_t> readGpuLayers(const std::string& text) {
  if (text == "auto") return kAutoLayers;
  std::uint32_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n > 1'000'000) {
    return Error{ErrorCode::kUsage, fmt::format("--gpu-layers must be a number of layers or auto; found \"{}\"", text)};
  }
  return static_cast<std::int32_t>(n);
}

Result<HeadroomRule> readHeadroom(const PlanArguments& arguments) {
  const bool keeps = !arguments.keepFree.empty();
  const std::string& text = keeps ? arguments.keepFree : arguments.atMost;
  if (text.empty()) return HeadroomRule(KeepFree{});
  const std::optional<Bytes> bytes = parse_bytes(text);
  if (!bytes) {
    return Error{ErrorCode::kUsage, fmt::format("{} must be a size such as 6GiB, 512MiB or 4096; found \"{}\"",
                                                keeps ? "--keep-free" : "--at-most", text)};
  }
  return keeps ? HeadroomRule(KeepFree{*bytes}) : HeadroomRule(AtMost{*bytes});
}

// A plan's errors begin with the field that makes no sense; here it is called as the user wrote it.
Error asOption(Error error) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOptions{{{"device", "--device"},
                                                                                   {"kv_k", "--kv-k"},
                                                                                   {"kv_v", "--kv-v"},
                                                                                   {"n_gpu_layers", "--gpu-layers"},
                                                                                   {"n_ctx", "--ctx"}}};
  for (const auto& [field, option] : kOptions) {
    const bool isNamed = error.message.starts_with(field) && error.message.substr(field.size()).starts_with(":");
    if (isNamed) error.message.replace(0, field.size(), option);
  }
  return error;
}

}  // namespace

void addPlanOptions(CLI::App& app, PlanArguments& arguments) {
  const auto group = [](CLI::Option* option) { return option->group("Planning"); };
  group(addNumber(app, "--ctx", arguments.nCtx, {.least = 1},
                  "Context: positions per request; default: the trained context, at most 4096"));
  group(addNumber(app, "--slots", arguments.nSlots, {.least = 1, .most = kMaxBatch},
                  "Parallel requests, each with its own cache"));
  group(addNumber(app, "--batch", arguments.nBatch, {.least = 1, .most = kMaxBatch}, "Prompt tokens in one step"));
  group(app.add_option("--kv-k", arguments.kvK, "Type of cached keys: f16, fp8, q8_0, q4_0; f32, for checking")
            ->capture_default_str());
  group(app.add_option("--kv-v", arguments.kvV, "Type of cached values: f16, fp8, q8_0, q4_0; f32, for checking")
            ->capture_default_str());
  group(app.add_option("--gpu-layers", arguments.gpuLayers, "Layers on the device (0: none), or auto")
            ->capture_default_str());
  group(app.add_option("--device", arguments.device, "cpu, or a catalogue name such as \"RTX 4090\"")
            ->capture_default_str());
  CLI::Option* keep = group(
      app.add_option("--keep-free", arguments.keepFree, "Leave this much free on the device: 1GiB")->check(notEmpty()));
  group(
      app.add_option("--at-most", arguments.atMost, "Never use more than this on the device: 6GiB")->check(notEmpty()))
      ->excludes(keep);
  group(addNumber(app, "--threads", arguments.nThreads, {.least = 1, .most = 1024},
                  "CPU threads; default: one per core"));
}

void addPlainKvOption(CLI::App& app, PlanArguments& arguments) {
  app.add_flag("--plain-kv", arguments.plainKv,
               "The baseline: quantized KV without rotation, searched scales and exact ends")
      ->group("Planning");
}

std::string_view kvSchemeName(const PlanArguments& arguments) { return arguments.plainKv ? "plain" : "rotated"; }

Result<std::vector<DeviceInfo>> plannableDevices(std::uint32_t nThreads) {
  Result<std::vector<DeviceInfo>> devices = probe_devices(nThreads);
  if (!devices) return devices;
  Result<std::vector<DeviceInfo>> catalogue = built_in_device_catalogue();
  if (!catalogue) return catalogue;
  devices->insert(devices->end(), catalogue->begin(), catalogue->end());
  return devices;
}

Result<PlanInputs> readPlanArguments(const PlanArguments& arguments) {
  PlanInputs inputs;
  PlanOptions& options = inputs.options;
  options.n_ctx = arguments.nCtx;
  options.n_slots = arguments.nSlots;
  options.n_batch = arguments.nBatch;
  options.n_logit_rows = arguments.nLogitRows;
  const Result<DType> kvK = readKvType("--kv-k", arguments.kvK);
  if (!kvK) return kvK.error();
  options.kv_k = *kvK;
  const Result<DType> kvV = readKvType("--kv-v", arguments.kvV);
  if (!kvV) return kvV.error();
  options.kv_v = *kvV;
  options.kv_scheme = arguments.plainKv ? KvScheme::kPlain : KvScheme::kRotated;
  const Result<std::int32_t> gpuLayers = readGpuLayers(arguments.gpuLayers);
  if (!gpuLayers) return gpuLayers.error();
  options.n_gpu_layers = *gpuLayers;
  const Result<HeadroomRule> headroom = readHeadroom(arguments);
  if (!headroom) return headroom.error();
  options.headroom = *headroom;
  Result<std::vector<DeviceInfo>> devices = plannableDevices(arguments.nThreads);
  if (!devices) return devices.error();
  const Result<DeviceIndex> device = find_device(*devices, arguments.device);
  if (!device) return asOption(device.error());
  options.device = *device;
  inputs.devices = std::move(*devices);
  return inputs;
}

Result<PlannedModel> planModel(const std::string& path, const PlanArguments& arguments) {
  Result<PlanInputs> inputs = readPlanArguments(arguments);
  if (!inputs) return inputs.error();
  Result<ModelFile> file = open_model_file(path);
  if (!file) return file.error();
  Result<ModelInfo> info = read_model_info(*file);
  if (!info) return info.error();
  Result<MemoryPlan> plan = plan_memory(*info, inputs->devices, inputs->options);
  if (!plan) return asOption(plan.error());
  return PlannedModel{std::move(*file), std::make_shared<const ModelInfo>(std::move(*info)), std::move(*inputs),
                      std::make_shared<const MemoryPlan>(std::move(*plan))};
}

Result<PlannedModel> planToLoad(const std::string& path, const PlanArguments& arguments) {
  Result<PlannedModel> planned = planModel(path, arguments);
  if (!planned) return planned;
  const DeviceInfo& device = planned->plan->devices[planned->plan->options.device];
  if (!device.is_present) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} is not in this machine: it can be planned for, not loaded on", device.name)};
  }
  if (!planned->plan->fits()) return Error{ErrorCode::kDoesNotFit, verdict_text(*planned->plan)};
  for (const DeviceInfo& each : planned->plan->devices) {
    if (!each.kernel_note.empty()) printNote(each.kernel_note);
  }
  return planned;
}

}  // namespace headroom::cli
