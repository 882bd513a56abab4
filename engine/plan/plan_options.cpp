#include "plan/plan_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/dtype_table.h"

namespace headroom {
namespace {

Error usage(std::string message) { return Error{ErrorCode::kUsage, std::move(message)}; }

std::string kv_labels(const DeviceInfo& device) {
  std::string labels;
  for (const DType dtype : device.kv_types)
    labels += fmt::format("{}{}", labels.empty() ? "" : ", ", dtype_row(dtype).label);
  return labels.empty() ? "none" : labels;
}

Status check_kv_type(const char* option, DType dtype, const DeviceInfo& device) {
  if (std::find(device.kv_types.begin(), device.kv_types.end(), dtype) != device.kv_types.end()) return ok_status();
  return usage(fmt::format("{}: expected a KV type with a kernel on {} ({}), found {}", option, device.name,
                           kv_labels(device), dtype_row(dtype).label));
}

Status check_counts(const PlanOptions& options) {
  if (options.n_batch < 1 || options.n_batch > kMaxBatch)
    return usage(fmt::format("n_batch: expected 1 to {}, found {}", kMaxBatch, options.n_batch));
  if (options.n_slots < 1 || options.n_slots > kMaxBatch)
    return usage(fmt::format("n_slots: expected 1 to {}, found {}", kMaxBatch, options.n_slots));
  if (options.n_logit_rows != 0 &&
      (options.n_logit_rows < options.n_slots || options.n_logit_rows > options.step_rows())) {
    return usage(fmt::format("n_logit_rows: expected n_slots ({}) to the rows of a step ({}), found {}",
                             options.n_slots, options.step_rows(), options.n_logit_rows));
  }
  return ok_status();
}

Status check_gpu_layers(const ModelInfo& model, const DeviceInfo& device, std::int32_t n_gpu_layers) {
  if (n_gpu_layers == kAutoLayers) return ok_status();
  if (device.kind == DeviceKind::kCpu && n_gpu_layers != 0) {
    return usage(fmt::format("n_gpu_layers: expected 0 or auto on the device {}, which is not a GPU, found {}",
                             device.id, n_gpu_layers));
  }
  if (n_gpu_layers < 0 || static_cast<std::uint32_t>(n_gpu_layers) > model.n_layers()) {
    return usage(fmt::format("n_gpu_layers: expected 0 to {} (the layers of {}) or auto, found {}", model.n_layers(),
                             model.name, n_gpu_layers));
  }
  return ok_status();
}

}  // namespace

Result<DeviceIndex> find_cpu(std::span<const DeviceInfo> devices) {
  for (DeviceIndex i = 0; i < devices.size(); ++i) {
    if (devices[i].kind == DeviceKind::kCpu) return i;
  }
  return usage(fmt::format("devices: expected the CPU among them, found {} others", devices.size()));
}

Result<PlanOptions> resolve_options(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                    const PlanOptions& options) {
  if (options.device >= devices.size()) {
    return usage(fmt::format("device: expected an index below {}, found {}", devices.size(), options.device));
  }
  if (model.layers.empty()) return usage(fmt::format("model {}: expected at least one layer, found none", model.name));
  const DeviceInfo& device = devices[options.device];
  Result<DeviceIndex> cpu = find_cpu(devices);
  if (!cpu) return cpu.error();
  if (Status counts = check_counts(options); !counts) return counts.error();
  if (Status layers = check_gpu_layers(model, device, options.n_gpu_layers); !layers) return layers.error();
  // Layers that stay on the CPU need the kernel there too; it has all of them, but a caller may have narrowed its list.
  for (const DeviceInfo* holder : {&device, &devices[*cpu]}) {
    if (Status keys = check_kv_type("kv_k", options.kv_k, *holder); !keys) return keys.error();
    if (Status values = check_kv_type("kv_v", options.kv_v, *holder); !values) return values.error();
  }
  PlanOptions resolved = options;
  if (resolved.n_ctx == 0)
    resolved.n_ctx = model.n_ctx_trained == 0 ? kDefaultCtxLimit : std::min(model.n_ctx_trained, kDefaultCtxLimit);
  if (resolved.n_logit_rows == 0) resolved.n_logit_rows = resolved.n_slots;
  return resolved;
}

}  // namespace headroom
