#include "plan_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "backend/registry.h"
#include "device_proofs.h"
#include "device_speeds.h"
#include "devices/device_catalogue.h"
#include "format/dtype_table.h"
#include "options.h"
#include "plan/choose_devices.h"
#include "plan/plan_options.h"
#include "plan/plan_text.h"
#include "run/load_model.h"

namespace headroom::cli {
namespace {

constexpr const char* kGroup = "Planning";  // where --help lists these options

Result<DType> readKvType(const std::string& option, const std::string& label) {
  const std::optional<DType> dtype = dtype_from_label(label);
  if (dtype && dtype_row(*dtype).is_kv) return *dtype;
  std::string expected;
  for (const DTypeRow& row : kDTypes) {
    if (row.is_kv) expected += fmt::format("{}{}", expected.empty() ? "" : ", ", row.label);
  }
  return Error{ErrorCode::kUsage,
               Message::plain(fmt::format("{} must be one of {}; found \"{}\"", option, expected, label))};
}

// A plan's errors begin with the field that makes no sense; here it is called as the user wrote it.
Error asOption(Error error) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOptions{{{"device", "--device"},
                                                                                   {"kv_k", "--kv-k"},
                                                                                   {"kv_v", "--kv-v"},
                                                                                   {"n_gpu_layers", "--gpu-layers"},
                                                                                   {"n_cpu_ffn", "--cpu-ffn"},
                                                                                   {"stream_rows", "--stream-rows"},
                                                                                   {"n_batch", "--batch"},
                                                                                   {"n_checkpoints", "--checkpoints"},
                                                                                   {"n_ctx", "--ctx"}}};
  for (const auto& [field, option] : kOptions) {
    std::string message = error.message.text();
    if (!message.starts_with(std::string(field) + ":")) continue;
    error.message = Message::plain(message.replace(0, field.size(), option));
  }
  return error;
}

static_assert(kAutoLayers == kAutoRows);

// Of `what`: "layers".
Result<std::int32_t> readNumberOrAuto(const char* option, const char* what, const std::string& text) {
  if (text == "auto") return kAutoLayers;
  std::uint32_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n > 1'000'000) {
    return Error{ErrorCode::kUsage,
                 Message::plain(fmt::format("{} must be a number of {} or auto; found \"{}\"", option, what, text))};
  }
  return static_cast<std::int32_t>(n);
}

Status readBatch(const PlanArguments& arguments, PlanOptions& options) {
  const Result<std::int32_t> batch = readNumberOrAuto("--batch", "tokens", arguments.batch);
  if (!batch) return batch.error();
  if (*batch == 0) return Error{ErrorCode::kUsage, Message::plain("--batch: expected auto or at least 1, found 0")};
  options.n_batch = *batch == kAutoLayers ? kAutoBatch : static_cast<std::uint32_t>(*batch);
  if (arguments.mostRowsWithLogits == 0) return ok_status();
  if (options.n_batch == kAutoBatch) options.n_batch = kLeastAutoBatch;
  options.n_batch = std::min(options.n_batch, arguments.mostRowsWithLogits);
  options.n_logit_rows = std::max(options.n_slots, options.n_batch);
  return ok_status();
}

// The device that "cuda:1=512MiB" speaks of, or the first one: one that --device names, or the CPU, which every plan
// has.
Result<DeviceIndex> readRuledDevice(const char* option, const std::string& name, const PlanInputs& inputs) {
  const Result<DeviceIndex> device = find_device(inputs.devices, name);
  if (!device) {
    std::string message = device.error().message.text();  // "device: expected ..."
    return Error{ErrorCode::kUsage, Message::plain(message.replace(0, std::string_view("device").size(), option))};
  }
  std::string named;
  for (const DeviceChoice& choice : inputs.options.devices) {
    if (choice.device == *device) return *device;
    named += fmt::format("{}{}", named.empty() ? "" : ", ", inputs.devices[choice.device].id);
  }
  if (inputs.devices[*device].kind == DeviceKind::kCpu) return *device;
  return Error{ErrorCode::kUsage,
               Message::plain(fmt::format("{}: expected a device that --device names ({}) or cpu, found {}", option,
                                          named, inputs.devices[*device].id))};
}

// Sets the rule of one device from "1GiB" or "cuda:1=512MiB"; `ruled` are those that have one already.
Status readHeadroom(const char* option, const std::string& text, bool keeps, std::vector<DeviceIndex>& ruled,
                    PlanInputs& inputs) {
  const std::size_t equals = text.rfind('=');
  const std::string size = equals == std::string::npos ? text : text.substr(equals + 1);
  const std::optional<Bytes> bytes = parse_bytes(size);
  if (!bytes) {
    return Error{ErrorCode::kUsage,
                 Message::plain(fmt::format(
                     "{} must be a size such as 6GiB, 512MiB or 4096, or DEVICE=SIZE; found \"{}\"", option, text))};
  }
  DeviceIndex device = inputs.options.main_device();
  if (equals != std::string::npos) {
    const Result<DeviceIndex> named = readRuledDevice(option, text.substr(0, equals), inputs);
    if (!named) return named.error();
    device = *named;
  }
  if (std::find(ruled.begin(), ruled.end(), device) != ruled.end()) {
    return Error{ErrorCode::kUsage,
                 Message::plain(fmt::format("{}: expected one of --keep-free and --at-most for {}, found a second",
                                            option, inputs.devices[device].id))};
  }
  ruled.push_back(device);
  inputs.options.set_headroom(device, keeps ? HeadroomRule(KeepFree{*bytes}) : HeadroomRule(AtMost{*bytes}));
  return ok_status();
}

// Those that are named, else those of this machine that are best for the model.
Status readDevices(const PlanArguments& arguments, const ModelInfo& model, PlanInputs& inputs) {
  for (const std::string& name : arguments.devices) {
    const Result<DeviceIndex> device = find_device(inputs.devices, name);
    if (!device) return asOption(device.error());
    inputs.options.devices.push_back({*device, KeepFree{}});
  }
  if (arguments.devices.empty()) {
    DevicesChosen chosen = choose_devices(model, inputs.devices, inputs.options,
                                          [](const DeviceInfo&) { return HeadroomRule(KeepFree{}); });
    inputs.whyTheseDevices = std::move(chosen.reason);
    for (const DeviceIndex gpu : chosen.gpus) inputs.options.devices.push_back({gpu, KeepFree{}});
    const Result<DeviceIndex> cpu = find_cpu(inputs.devices);
    if (!cpu) return cpu.error();
    if (chosen.gpus.empty()) inputs.options.devices.push_back({*cpu, KeepFree{}});
  }
  std::vector<DeviceIndex> ruled;
  for (const std::string& text : arguments.keepFree) {
    if (Status read = readHeadroom("--keep-free", text, true, ruled, inputs); !read) return read;
  }
  for (const std::string& text : arguments.atMost) {
    if (Status read = readHeadroom("--at-most", text, false, ruled, inputs); !read) return read;
  }
  return ok_status();
}

}  // namespace

void addPlanOptions(CLI::App& app, PlanArguments& arguments) {
  const auto text = [&](const char* name, std::string& value, const char* description) {
    putInGroup(addText(app, name, value, description, {.showsDefault = true}), kGroup);
  };
  const auto number = [&](const char* name, std::uint32_t& value, std::uint32_t most, const char* description) {
    putInGroup(addNumber(app, name, value, {.least = 1, .most = most}, description), kGroup);
  };
  number("--ctx", arguments.nCtx, kMaxContext,
         "Context: positions per request; default: the trained context, at most 4096");
  number("--slots", arguments.nSlots, kMaxBatch, "Parallel requests, each with its own cache");
  text("--batch", arguments.batch,
       "Prompt tokens in one step, or auto: 256, or as many more as a GPU has room for and is faster with");
  text("--kv-k", arguments.kvK, "Type of cached keys: f16, fp8, q8_0, q4_0; f32, for checking");
  text("--kv-v", arguments.kvV, "Type of cached values: f16, fp8, q8_0, q4_0; f32, for checking");
  text("--gpu-layers", arguments.gpuLayers, "Layers on the GPUs (0: none), or auto");
  text("--cpu-ffn", arguments.cpuFfn, "Of how many of these layers the FFN stands on the CPU, or auto: what is faster");
  text("--stream-rows", arguments.streamRows,
       "Steps of at least so many tokens stream FFN weights from the CPU to a GPU (0: none do), or auto: where that is "
       "faster");
  text("--checkpoints", arguments.checkpoints,
       "Of models with states or windows: copies of each slot's, from which a changed conversation goes on (0: none), "
       "or auto: by what is free");
  CLI::Option* device = addRepeatable(
      app, "--device", arguments.devices,
      "cpu, vulkan:0, or a catalogue name such as \"RTX 4090\"; several in the order in which they get layers");
  showDefault(device, "the fastest of this machine");
  putInGroup(device, kGroup);
  putInGroup(
      addRepeatable(app, "--keep-free", arguments.keepFree,
                    "Leave this much free on the first device: 1GiB; or on another: cpu=1GiB", {.isNotEmpty = true}),
      kGroup);
  putInGroup(addRepeatable(app, "--at-most", arguments.atMost,
                           "Never use more than this on the first device: 6GiB; or on another: cpu=6GiB",
                           {.isNotEmpty = true}),
             kGroup);
  number("--threads", arguments.nThreads, 1024, "CPU threads; default: one per core");
}

void addPlainKvOption(CLI::App& app, PlanArguments& arguments) {
  putInGroup(addFlag(app, "--plain-kv", arguments.plainKv,
                     "The baseline: quantized KV without rotation, searched scales and exact ends"),
             kGroup);
}

std::string_view kvSchemeName(const PlanArguments& arguments) { return arguments.plainKv ? "plain" : "rotated"; }

Result<std::vector<DeviceInfo>> plannableDevices(std::uint32_t nThreads, bool proves, const StopToken& stop,
                                                 std::span<const std::string> named) {
  Result<std::vector<DeviceInfo>> devices = probe_devices(nThreads, true);
  if (!devices) return devices;
  if (proves) {
    proveFirst(*devices, named, stop);
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, Message::plain("interrupted before it was planned")};
  } else {
    knowProofs(*devices);
  }
  knowSpeeds(*devices, named);
  Result<std::vector<DeviceInfo>> catalogue = built_in_device_catalogue();
  if (!catalogue) return catalogue;
  devices->insert(devices->end(), catalogue->begin(), catalogue->end());
  return devices;
}

Result<PlanInputs> readPlanArguments(const PlanArguments& arguments, const ModelInfo& model, const StopToken& stop) {
  PlanInputs inputs;
  PlanOptions& options = inputs.options;
  options.n_ctx = arguments.nCtx;
  options.n_slots = arguments.nSlots;
  if (Status read = readBatch(arguments, options); !read) return read.error();
  const Result<DType> kvK = readKvType("--kv-k", arguments.kvK);
  if (!kvK) return kvK.error();
  options.kv_k = *kvK;
  const Result<DType> kvV = readKvType("--kv-v", arguments.kvV);
  if (!kvV) return kvV.error();
  options.kv_v = *kvV;
  options.kv_scheme = arguments.plainKv ? KvScheme::kPlain : KvScheme::kRotated;
  const Result<std::int32_t> gpuLayers = readNumberOrAuto("--gpu-layers", "layers", arguments.gpuLayers);
  if (!gpuLayers) return gpuLayers.error();
  options.n_gpu_layers = *gpuLayers;
  const Result<std::int32_t> cpuFfn = readNumberOrAuto("--cpu-ffn", "layers", arguments.cpuFfn);
  if (!cpuFfn) return cpuFfn.error();
  options.n_cpu_ffn = *cpuFfn;
  const Result<std::int32_t> streamRows = readNumberOrAuto("--stream-rows", "tokens", arguments.streamRows);
  if (!streamRows) return streamRows.error();
  options.stream_rows = *streamRows;
  const Result<std::int32_t> checkpoints = readNumberOrAuto("--checkpoints", "copies", arguments.checkpoints);
  if (!checkpoints) return checkpoints.error();
  options.n_checkpoints = *checkpoints;
  Result<std::vector<DeviceInfo>> devices = plannableDevices(arguments.nThreads, true, stop, arguments.devices);
  if (!devices) return devices.error();
  inputs.devices = std::move(*devices);
  if (Status read = readDevices(arguments, model, inputs); !read) return read.error();
  return inputs;
}

Result<PlannedModel> planModel(const std::string& path, const PlanArguments& arguments, const StopToken& stop) {
  Result<ModelFile> file = open_model_file(path);
  if (!file) return file.error();
  Result<ModelInfo> info = describe_model(*file);
  if (!info) return info.error();
  Result<PlanInputs> inputs = readPlanArguments(arguments, *info, stop);
  if (!inputs) return inputs.error();
  Result<MemoryPlan> plan = plan_memory(*info, inputs->devices, inputs->options);
  if (!plan) return asOption(plan.error());
  if (!inputs->whyTheseDevices.empty()) plan->notes.push_back({inputs->whyTheseDevices});
  return PlannedModel{std::move(*file), std::make_shared<const ModelInfo>(std::move(*info)), std::move(*inputs),
                      std::make_shared<const MemoryPlan>(std::move(*plan))};
}

Result<PlannedModel> planToLoad(const std::string& path, const PlanArguments& arguments, const StopToken& stop) {
  Result<PlannedModel> planned = planModel(path, arguments, stop);
  if (!planned) return planned;
  for (const DeviceChoice& choice : planned->plan->options.devices) {
    const DeviceInfo& device = planned->plan->devices[choice.device];
    if (device.is_present) continue;
    return Error{
        ErrorCode::kUsage,
        Message::plain(fmt::format("{} is not in this machine: it can be planned for, not loaded on", device.name))};
  }
  if (!planned->plan->fits()) return Error{ErrorCode::kDoesNotFit, verdict_words(*planned->plan)};
  if (!planned->inputs.whyTheseDevices.empty()) printNote(planned->inputs.whyTheseDevices.text());
  for (const DeviceBudget& used : planned->plan->budgets) {
    const DeviceInfo& device = planned->plan->devices[used.device];
    if (!device.kernel_note.empty()) printNote(device.kernel_note.text());
    if (const std::string doubt = doubtOf(device); !doubt.empty()) printNote(doubt);
  }
  return planned;
}

}  // namespace headroom::cli
