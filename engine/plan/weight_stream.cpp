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
constexpr std::array kRoute{TensorRole::kFfnNorm,      TensorRole::kRouter,     TensorRole::kExpertGate,
                            TensorRole::kExpertUp,     TensorRole::kRouterNorm, TensorRole::kExpertNorm,
                            TensorRole::kExpertScale,  TensorRole::kRouterBias, TensorRole::kExpertGateBias,
                            TensorRole::kExpertUpBias, TensorRole::kChoiceBias};
constexpr std::array kExpertDown{TensorRole::kExpertDown, TensorRole::kExpertPostNorm, TensorRole::kExpertDownBias};
// The norm that kSharedUp reads has come with kMoeRoute, and stays until the next layer's comes.
constexpr std::array kSharedUp{TensorRole::kGate, TensorRole::kUp, TensorRole::kSharedGate};
constexpr std::array kInputUp{TensorRole::kInputGate};
constexpr std::array kInputDown{TensorRole::kInputOut, TensorRole::kInputPostNorm};
constexpr std::array kSharedDown{TensorRole::kDown, TensorRole::kSharedPostNorm, TensorRole::kFfnPostNorm};

// A model of one layer that has only this FFN: what is left to time is what the FFN takes.
ModelInfo only_ffn(const ModelInfo& model, std::size_t layer) {
  ModelInfo one;
  one.d_model = model.d_model;
  one.layers = {model.layers[layer]};
  one.layers.front().n_heads = 0;
  one.layers.front().delta_net.reset();
  one.layers.front().short_conv.reset();
  for (const WeightTensor& weight : model.weights) {
    if (weight.layer != static_cast<std::int32_t>(layer) || !role_is_ffn(weight.role)) continue;
    one.weights.push_back(weight);
    one.weights.back().layer = 0;
  }
  return one;
}

// The layer with most bytes of FFN weights.
std::size_t largest_ffn(const ModelInfo& model, WeightLayout layout) {
  std::vector<Bytes> bytes(model.n_layers());
  for (const WeightTensor& weight : model.weights) {
    if (weight.layer >= 0 && role_is_ffn(weight.role))
      bytes[static_cast<std::size_t>(weight.layer)] += weight_bytes(weight, layout);
  }
  return static_cast<std::size_t>(std::ranges::max_element(bytes) - bytes.begin());
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
    case OpKind::kSharedUp: return kSharedUp;
    case OpKind::kMoeDown: return kExpertDown;
    case OpKind::kSharedDown: return kSharedDown;
    case OpKind::kInputUp: return kInputUp;
    case OpKind::kInputDown: return kInputDown;
    case OpKind::kEmbed:
    case OpKind::kLayerEmbed:
    case OpKind::kLayerInputs:
    case OpKind::kQkvRope:
    case OpKind::kAttend:
    case OpKind::kAttnOut:
    case OpKind::kConvMix:
    case OpKind::kDeltaMix:
    case OpKind::kDeltaRule:
    case OpKind::kDeltaOut:
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
                 Message::say("{}: expected rows of which {} are at most {} to stream them, found {}", weight.name,
                              kGpuPanelRows, amount(kStreamPartBytes), amount(at_once))};
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
  if (gpu == gpus.end() || !check_streams(model) || model.layers.empty()) return 0;
  const ModelInfo ffn = only_ffn(model, largest_ffn(model, devices[*gpu].traits.weight_layout));
  // The residual may have to go to the GPU and back.
  const Placement on_cpu{.layers = {{cpu, cpu}}, .embed_device = cpu, .head_device = cpu};
  const WeightStreaming streamed{.ffn_device = {*gpu}, .least_rows = 1};
  const auto pays = [&](std::uint32_t n_rows) {
    const PlanOptions step{.n_batch = n_rows, .kv_k = options.kv_k, .kv_v = options.kv_v};
    const std::optional<double> resident = prompt_seconds(ffn, devices, on_cpu, {}, step, n_rows, 0),
                                there = prompt_seconds(ffn, devices, on_cpu, streamed, step, n_rows, 0);
    return resident && there && *there * kWorthStreaming < *resident;
  };
  // Up to where the GPU's products or the residual's copies take over, more rows make it pay more: checking the largest
  // step and halving the range is enough.
  std::uint32_t enough = options.step_rows(), less = kLeastStreamRows - 1;
  if (enough <= less || !pays(enough)) return 0;
  while (enough - less > 1) {
    const std::uint32_t middle = less + (enough - less) / 2;
    (pays(middle) ? enough : less) = middle;
  }
  return enough;
}

}  // namespace headroom
