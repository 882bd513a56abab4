#include "plan/weight_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "format/dtype_table.h"
#include "model/gpu_panel.h"
#include "plan/device_rules.h"
#include "plan/plan_options.h"
#include "plan/prompt_speed.h"
#include "plan/speed.h"

namespace headroom {
namespace {

// Predictions are off by so much: streaming has to be this many times as fast as the CPU before it is chosen.
constexpr double kWorthStreaming = 1.25;

constexpr std::array kUp{TensorRole::kFfnNorm, TensorRole::kGate, TensorRole::kUp};
constexpr std::array kDown{TensorRole::kDown, TensorRole::kFfnPostNorm};
// The weights of kMoeUp are uploaded with those of kMoeRoute, the op before it.
constexpr std::array kRoute{TensorRole::kFfnNorm, TensorRole::kRouter, TensorRole::kExpertGate, TensorRole::kExpertUp};
constexpr std::array kExpertDown{TensorRole::kExpertDown, TensorRole::kFfnPostNorm};

// What one layer's FFN reads and multiplies.
struct FfnWork {
  double cpu_bytes = 0, expert_bytes = 0;  // on the CPU: of weights that every row reads, and of experts
  double expert_share = 1;                 // of those that one row reads
  double gpu_bytes = 0;                    // of all its weights
  double products = 0;                     // multiply-adds of one row
};

std::vector<FfnWork> ffn_work(const ModelInfo& model, WeightLayout cpu, WeightLayout gpu) {
  std::vector<FfnWork> work(model.n_layers());
  for (const WeightTensor& weight : model.weights) {
    if (weight.layer < 0 || !role_is_ffn(weight.role)) continue;
    FfnWork& of = work[static_cast<std::size_t>(weight.layer)];
    const bool is_expert = role_is_experts(weight.role);
    if (is_expert) of.expert_share = model.share_read(weight);
    (is_expert ? of.expert_bytes : of.cpu_bytes) += static_cast<double>(weight_bytes(weight, cpu));
    of.gpu_bytes += static_cast<double>(weight_bytes(weight, gpu));
    if (!role_is_matrix(weight.role)) continue;
    const double n_weights = static_cast<double>(weight.n_matrices) * static_cast<double>(weight.n_rows) *
                             static_cast<double>(weight.n_cols);
    of.products += n_weights * model.share_read(weight);
  }
  return work;
}

class StreamTimes {
 public:
  StreamTimes(const FfnWork& work, const DeviceSpeed& cpu, const DeviceSpeed& gpu, double row_bytes)
      : work_(work), cpu_(cpu), gpu_(gpu), row_bytes_(row_bytes) {}

  // Of experts it reads those that the rows go through; a GPU is given all of them.
  double on_cpu(double n_rows) const {
    const double bytes = work_.cpu_bytes + work_.expert_bytes * share_touched(work_.expert_share, n_rows);
    return std::max(bytes / cpu_.read_bytes_per_s, products(n_rows) / cpu_.products_per_s);
  }
  // The time of the upload or of the products, whichever is longer, since both happen at once; and of the residual,
  // which may have to go to the GPU and back.
  double streamed(double n_rows) const {
    const double upload = work_.gpu_bytes / std::min(gpu_.copy_bytes_per_s, cpu_.copy_bytes_per_s);
    return std::max(upload, products(n_rows) / gpu_.products_per_s) +
           2 * (kCrossingSeconds + n_rows * row_bytes_ / gpu_.copy_bytes_per_s);
  }
  bool pays(double n_rows) const { return streamed(n_rows) * kWorthStreaming < on_cpu(n_rows); }

 private:
  double products(double n_rows) const { return n_rows * work_.products / kProductShare; }

  const FfnWork& work_;
  const DeviceSpeed &cpu_, &gpu_;
  double row_bytes_;
};

bool is_known(const DeviceSpeed& speed) {
  return speed.read_bytes_per_s > 0 && speed.copy_bytes_per_s > 0 && speed.products_per_s > 0;
}

}  // namespace

WeightStreaming stream_weights(std::span<const DeviceInfo> devices, DeviceIndex cpu, const Placement& placement,
                               std::uint32_t least_rows) {
  if (least_rows == 0) return {};
  const auto first =
      std::ranges::find_if(placement.layers, [&](const LayerPlacement& at) { return at.attention != cpu; });
  WeightStreaming streaming{.ffn_device = {}, .least_rows = least_rows};
  bool is_any = false;
  for (const LayerPlacement& at : placement.layers) {
    DeviceIndex device = at.ffn;
    if (at.ffn == cpu && first != placement.layers.end()) {
      const DeviceIndex gpu = at.attention != cpu ? at.attention : first->attention;
      if (devices[gpu].takes_streams()) device = gpu;
    }
    is_any |= device != at.ffn;
    streaming.ffn_device.push_back(device);
  }
  return is_any ? streaming : WeightStreaming{};
}

ExecutionMode execution_mode_of(const WeightStreaming& streaming, std::size_t n_rows) {
  return streaming.is_used() && n_rows >= streaming.least_rows ? ExecutionMode::kStreamed : ExecutionMode::kResident;
}

Placement placement_of(const Placement& placement, const WeightStreaming& streaming, std::size_t n_rows) {
  Placement at = placement;
  if (execution_mode_of(streaming, n_rows) == ExecutionMode::kResident) return at;
  for (std::size_t i = 0; i < at.layers.size(); ++i) at.layers[i].ffn = streaming.ffn_device[i];
  return at;
}

bool is_streamed_to(const Placement& placement, const WeightStreaming& streaming, DeviceIndex device) {
  for (std::size_t i = 0; i < streaming.ffn_device.size(); ++i) {
    if (streaming.ffn_device[i] == device && placement.layers[i].ffn != device) return true;
  }
  return false;
}

bool is_streamed_to(const MemoryPlan& plan, const WeightTensor& weight, DeviceIndex device) {
  if (!plan.streaming.is_used() || weight.layer < 0 || !role_is_ffn(weight.role)) return false;
  const auto layer = static_cast<std::size_t>(weight.layer);
  return plan.streaming.ffn_device[layer] == device && plan.placement.layers[layer].ffn != device;
}

std::span<const TensorRole> streamed_roles(OpKind kind) {
  switch (kind) {
    case OpKind::kFfnUp: return kUp;
    case OpKind::kFfnDown: return kDown;
    case OpKind::kMoeRoute: return kRoute;
    case OpKind::kMoeDown: return kExpertDown;
    case OpKind::kEmbed:
    case OpKind::kQkvRope:
    case OpKind::kAttend:
    case OpKind::kAttnOut:
    case OpKind::kMoeUp:
    case OpKind::kLogits:
    case OpKind::kTransfer: return {};
  }
  CHECK(false, "a kind of op that is not there");
}

std::vector<StreamedRole> streamed_role_sizes(const ModelInfo& model, WeightLayout layout) {
  std::array<Bytes, kNTensorRoles> most{};
  for (const WeightTensor& weight : model.weights) {
    if (weight.layer < 0 || !role_is_ffn(weight.role)) continue;
    Bytes& bytes = most[static_cast<std::size_t>(weight.role)];
    bytes = std::max(bytes, weight_bytes(weight, layout));
  }
  std::vector<StreamedRole> roles;
  for (std::size_t role = 0; role < most.size(); ++role) {
    if (most[role] > 0) roles.push_back({static_cast<TensorRole>(role), most[role]});
  }
  return roles;
}

Status check_streams(const ModelInfo& model) {
  for (const WeightTensor& weight : model.weights) {
    if (weight.layer < 0 || !role_is_ffn(weight.role)) continue;
    const Bytes at_once =
        role_is_matrix(weight.role) ? gpu_panel(weight.dtype, weight.n_cols).bytes() : weight.n_cols * kF32Bytes;
    if (at_once <= kStreamPartBytes) continue;
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{}: expected rows of which {} are at most {} to stream them, found {}", weight.name,
                             kGpuPanelRows, format_bytes(kStreamPartBytes), format_bytes(at_once))};
  }
  return ok_status();
}

std::string streamed_name(TensorRole role) { return fmt::format("streamed {}", role_name(role)); }

Bytes panel_row_bytes(const ModelInfo& model) {
  Bytes most = 0;
  for (const WeightTensor& weight : model.weights) {
    if (weight.layer >= 0 && role_is_ffn(weight.role) && role_is_matrix(weight.role))
      most = std::max(most, kGpuPanelRows * row_bytes(weight.dtype, weight.n_cols));
  }
  return round_up(most, 64);
}

double upload_rate(std::span<const DeviceInfo> devices, const DeviceSpeed& gpu) {
  const Result<DeviceIndex> cpu = find_cpu(devices);
  return cpu ? std::min(gpu.copy_bytes_per_s, devices[*cpu].speed.copy_bytes_per_s) : 0;
}

std::uint32_t choose_stream_rows(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                 const PlanOptions& options, DeviceIndex cpu) {
  const std::vector<DeviceIndex> gpus = gpus_of(options, devices);
  const auto gpu = std::ranges::find_if(gpus, [&](DeviceIndex device) { return devices[device].takes_streams(); });
  if (gpu == gpus.end() || !check_streams(model) || !is_known(devices[cpu].speed) || !is_known(devices[*gpu].speed))
    return 0;
  const std::vector<FfnWork> work =
      ffn_work(model, devices[cpu].traits.weight_layout, devices[*gpu].traits.weight_layout);
  const auto largest = std::ranges::max_element(work, {}, &FfnWork::gpu_bytes);
  if (largest == work.end()) return 0;
  const StreamTimes times(*largest, devices[cpu].speed, devices[*gpu].speed,
                          static_cast<double>(model.d_model * kF32Bytes));
  // Up to where the GPU's products or the residual's copies take over, more rows make it pay more: checking the largest
  // step and halving the range is enough.
  std::uint32_t pays = options.step_rows(), less = kLeastStreamRows - 1;
  if (pays <= less || !times.pays(pays)) return 0;
  while (pays - less > 1) {
    const std::uint32_t middle = less + (pays - less) / 2;
    (times.pays(middle) ? pays : less) = middle;
  }
  return pays;
}

}  // namespace headroom
