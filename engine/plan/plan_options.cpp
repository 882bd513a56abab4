#include "plan/plan_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "format/dtype_table.h"
#include "plan/choose_checkpoints.h"
#include "plan/gpu_rules.h"
#include "plan/weight_stream.h"

namespace headroom {
namespace {

Error usage(Message message) { return Error{ErrorCode::kUsage, std::move(message)}; }

std::string kv_labels(const DeviceInfo& device) {
  std::string labels;
  for (const DType dtype : device.kv_types)
    labels += fmt::format("{}{}", labels.empty() ? "" : ", ", dtype_row(dtype).label);
  return labels.empty() ? "none" : labels;
}

Status check_kv_type(std::string_view option, DType dtype, const DeviceInfo& device) {
  if (std::find(device.kv_types.begin(), device.kv_types.end(), dtype) != device.kv_types.end()) return ok_status();
  return usage(Message::say("{}: expected a KV type with a kernel on {} ({}), found {}", option, device.name,
                            kv_labels(device), dtype_row(dtype).label));
}

// `options`: with a number for n_batch.
Status check_counts(const PlanOptions& options) {
  if (options.n_ctx > kMaxContext)
    return usage(Message::say("n_ctx: expected at most {}, found {}", kMaxContext, options.n_ctx));
  if (options.n_batch > kMaxBatch)
    return usage(Message::say("n_batch: expected auto or 1 to {}, found {}", kMaxBatch, options.n_batch));
  if (options.n_slots < 1 || options.n_slots > kMaxBatch)
    return usage(Message::say("n_slots: expected 1 to {}, found {}", kMaxBatch, options.n_slots));
  if (options.n_checkpoints < kAutoCheckpoints || options.n_checkpoints > kMostCheckpoints) {
    return usage(
        Message::say("n_checkpoints: expected auto or 0 to {}, found {}", kMostCheckpoints, options.n_checkpoints));
  }
  if (const std::uint32_t most = std::min(options.n_batch - 1, kMostDraft); options.n_draft > most) {
    return usage(
        Message::say("n_draft: expected at most {} with n_batch {}, found {}", most, options.n_batch, options.n_draft));
  }
  if (options.n_logit_rows != 0 &&
      (options.n_logit_rows < options.decode_rows() || options.n_logit_rows > options.step_rows())) {
    return usage(
        Message::say("n_logit_rows: expected the rows of a decode step ({}) to those of any step ({}), found {}",
                     options.decode_rows(), options.step_rows(), options.n_logit_rows));
  }
  return ok_status();
}

// A state cannot be taken back by a token.
Status check_drafts(const ModelInfo& model, const PlanOptions& options) {
  if (options.n_draft == 0 || !model.is_recurrent()) return ok_status();
  return usage(Message::say("n_draft: expected 0 for {}, whose recurrent layers cannot take drafts back, found {}",
                            model.name, options.n_draft));
}

Status check_stream_rows(std::int32_t found) {
  if (found == kAutoRows || found == 0 || found >= static_cast<std::int32_t>(kLeastStreamRows)) return ok_status();
  return usage(Message::say("stream_rows: expected auto, 0 (none) or at least {}, found {}", kLeastStreamRows, found));
}

Status check_devices(std::span<const DeviceInfo> devices, const std::vector<DeviceChoice>& choices) {
  for (auto choice = choices.begin(); choice != choices.end(); ++choice) {
    if (choice->device >= devices.size()) {
      return usage(Message::say("device: expected an index below {}, found {}", devices.size(), choice->device));
    }
    if (std::any_of(choices.begin(), choice, [&](const DeviceChoice& c) { return c.device == choice->device; })) {
      return usage(Message::say("device: expected each device once, found {} twice", devices[choice->device].id));
    }
  }
  return ok_status();
}

// Layers of single devices are those of all GPUs together, and the last GPU that has any has all that stand together.
Status check_split(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options) {
  std::int64_t n_said = 0, n_layers = 0, n_gpus = 0, n_last = 0;
  for (const DeviceChoice& choice : options.devices) {
    if (devices[choice.device].kind == DeviceKind::kCpu) continue;
    ++n_gpus;
    n_said += choice.n_layers == kAutoLayers ? 0 : 1;
    n_layers += std::max(choice.n_layers, 0);
    if (choice.n_layers > 0) n_last = choice.n_layers;
  }
  const std::uint32_t n_together = model.n_layers_together();
  if (n_said > 0 && n_last > 0 && n_last < n_together) {
    return usage(
        Message::say("device: expected at least {} layers on the last GPU, since some of them read caches of "
                     "others, found {}",
                     n_together, n_last));
  }
  if (n_said == 0 || (n_said == n_gpus && n_layers == options.n_gpu_layers)) return ok_status();
  return usage(Message::say("device: expected layers for each of {} GPUs, {} together, or for none, found {} for {}",
                            n_gpus, options.n_gpu_layers, n_layers, n_said));
}

Status check_layers(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options) {
  const std::int32_t n_gpu_layers = options.n_gpu_layers, n_cpu_ffn = options.n_cpu_ffn;
  const bool has_gpu = !gpus_of(options, devices).empty();
  for (const auto& [option, found] : {std::pair{std::string_view("n_gpu_layers"), n_gpu_layers},
                                      std::pair{std::string_view("n_cpu_ffn"), n_cpu_ffn}}) {
    if (found == kAutoLayers) continue;
    if (!has_gpu && found != 0) {
      return usage(Message::say("{}: expected 0 or auto on the device {}, which is not a GPU, found {}", option,
                                devices[options.main_device()].id, found));
    }
    if (found < 0 || static_cast<std::uint32_t>(found) > model.n_layers()) {
      return usage(Message::say("{}: expected 0 to {} (the layers of {}) or auto, found {}", option, model.n_layers(),
                                model.name, found));
    }
  }
  if (Status split = check_split(model, devices, options); !split) return split;
  if (n_gpu_layers != kAutoLayers && n_cpu_ffn > n_gpu_layers) {
    return usage(
        Message::say("n_cpu_ffn: expected 0 to {} (the layers on GPUs) or auto, found {}", n_gpu_layers, n_cpu_ffn));
  }
  return ok_status();
}

// Beyond this the load would succeed, and the first long prompt fail.
Status check_rows(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options) {
  const std::uint32_t most = most_step_rows(model, devices, options), found = options.step_rows();
  if (found <= most) return ok_status();
  return usage(Message::say(
      "n_batch {} with n_slots {}: expected steps of at most {} rows of {} on {}, found {}; lower "
      "n_batch or n_slots",
      options.n_batch, options.n_slots, most, model.name, device_names(gpus_of(options, devices), devices), found));
}

}  // namespace

std::uint32_t most_step_rows(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options) {
  std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  if (options.n_gpu_layers == 0 && options.stream_rows == 0) return most;
  for (const DeviceIndex gpu : gpus_of(options, devices))
    most = std::min(most, gpu_most_rows(model, devices[gpu].traits.max_groups));
  return most;
}

Bytes limit_under(const HeadroomRule& rule, Bytes free_bytes, Bytes held) {
  if (const KeepFree* keep = std::get_if<KeepFree>(&rule)) return free_bytes - std::min(free_bytes, keep->bytes);
  const Bytes most = std::get<AtMost>(rule).bytes;
  return std::min(most - std::min(most, held), free_bytes);
}

std::vector<DeviceIndex> gpus_of(const PlanOptions& options, std::span<const DeviceInfo> devices) {
  std::vector<DeviceIndex> gpus;
  for (const DeviceChoice& choice : options.devices) {
    if (devices[choice.device].kind != DeviceKind::kCpu) gpus.push_back(choice.device);
  }
  return gpus;
}

Message device_names(std::span<const DeviceIndex> which, std::span<const DeviceInfo> devices) {
  std::vector<Message> names;
  for (const DeviceIndex device : which) names.push_back(Message::plain(devices[device].name));
  return Message::listed(std::move(names));
}

Result<DeviceIndex> find_cpu(std::span<const DeviceInfo> devices) {
  for (DeviceIndex i = 0; i < devices.size(); ++i) {
    if (devices[i].kind == DeviceKind::kCpu) return i;
  }
  return usage(Message::say("devices: expected the CPU among them, found {} others", devices.size()));
}

Result<PlanOptions> resolve_options(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                    const PlanOptions& options) {
  PlanOptions resolved = options;
  if (resolved.devices.empty()) resolved.devices.emplace_back();
  if (Status named = check_devices(devices, resolved.devices); !named) return named.error();
  if (model.layers.empty()) return usage(Message::say("model {}: expected at least one layer, found none", model.name));
  Result<DeviceIndex> cpu = find_cpu(devices);
  if (!cpu) return cpu.error();
  if (resolved.n_batch == kAutoBatch)
    resolved.n_batch = std::min(kLeastAutoBatch, most_step_rows(model, devices, resolved));
  if (Status counts = check_counts(resolved); !counts) return counts.error();
  if (Status drafts = check_drafts(model, resolved); !drafts) return drafts.error();
  if (Status rows = check_stream_rows(options.stream_rows); !rows) return rows.error();
  if (Status layers = check_layers(model, devices, resolved); !layers) return layers.error();
  if (Status rows = check_rows(model, devices, resolved); !rows) return rows.error();
  // Layers that stay on the CPU need the kernel there too; it has all of them, but a caller may have narrowed its list.
  std::vector<DeviceIndex> holders;
  for (const DeviceChoice& choice : resolved.devices) holders.push_back(choice.device);
  holders.push_back(*cpu);
  for (const DeviceIndex holder : holders) {
    if (Status keys = check_kv_type("kv_k", options.kv_k, devices[holder]); !keys) return keys.error();
    if (Status values = check_kv_type("kv_v", options.kv_v, devices[holder]); !values) return values.error();
  }
  if (resolved.n_ctx == 0)
    resolved.n_ctx = model.n_ctx_trained == 0 ? kDefaultCtxLimit : std::min(model.n_ctx_trained, kDefaultCtxLimit);
  if (resolved.n_logit_rows == 0) resolved.n_logit_rows = resolved.decode_rows();
  resolved.n_checkpoints = least_checkpoints(model, resolved);
  return resolved;
}

}  // namespace headroom
