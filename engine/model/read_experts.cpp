#include "model/read_experts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "model/tensor_roles.h"

namespace headroom {

namespace {

constexpr std::uint32_t kMaxExperts = 1U << 12;

// Numbers of expert_gating_func. 0 is written for "as the architecture has it".
constexpr std::uint32_t kSoftmaxFunction = 1, kSigmoidFunction = 2;
constexpr std::array<std::string_view, 5> kFunctionNames{"", "softmax", "sigmoid", "softmax over the chosen experts",
                                                         "root of softplus"};

// "4 (root of softplus)"
std::string function_text(std::uint32_t function) {
  return function < kFunctionNames.size() ? fmt::format("{} ({})", function, kFunctionNames[function])
                                          : fmt::format("{}", function);
}

RouterKind read_router(const ArchRow& row, KeyReader& keys) {
  if (!row.has_router_keys) return *row.router;
  constexpr std::string_view kKey = "expert_gating_func";
  const std::uint32_t function = keys.count(kKey, std::numeric_limits<std::uint32_t>::max(), 0);
  if (function > kSigmoidFunction) {
    keys.fail(ErrorCode::kUnsupported,
              Message::say("metadata '{}' is {}, expected {} or {}: this version chooses experts by no other function",
                           keys.full_key(kKey), function_text(function), function_text(kSoftmaxFunction),
                           function_text(kSigmoidFunction)));
  }
  const bool by_sigmoid = function == 0 ? is_sigmoid(*row.router) : function == kSigmoidFunction;
  if (keys.flag("expert_weights_norm", divides_by_sum(*row.router)))
    return by_sigmoid ? RouterKind::kSigmoidNormed : RouterKind::kSoftmaxNormed;
  return by_sigmoid ? RouterKind::kSigmoid : RouterKind::kSoftmax;
}

// 0 is written for "not scaled".
float read_weight_scale(const ArchRow& row, KeyReader& keys) {
  constexpr std::string_view kKey = "expert_weights_scale";
  const auto scale = static_cast<float>(row.has_router_keys ? keys.number(kKey, 1.0) : 1.0);
  if (!keys.failed() && !(scale >= 0 && std::isfinite(scale)))
    keys.fail(ErrorCode::kBadFile,
              Message::say("metadata '{}' is {}, expected a finite number of 0 or more", keys.full_key(kKey), scale));
  return scale == 0 ? 1.0F : scale;
}

// The width that the tensors of the first layer with experts have.
std::optional<std::uint32_t> width_of_tensors(const ModelFile& file, std::uint32_t n_blocks, std::uint32_t max_width) {
  for (std::uint32_t i = 0; i < n_blocks; ++i) {
    const TensorInfo* down = file.find_tensor(role_tensor_name(TensorRole::kExpertDown, static_cast<std::int32_t>(i)));
    if (down == nullptr || down->shape.empty()) continue;
    if (down->shape.front() > max_width) return std::nullopt;
    return static_cast<std::uint32_t>(down->shape.front());
  }
  return std::nullopt;
}

// An entry of 0 is of a layer without experts.
std::uint32_t read_expert_width(const ModelFile& file, const ArchRow& row, std::uint32_t n_blocks,
                                std::uint32_t max_width, KeyReader& keys) {
  if (keys.failed()) return 0;
  if (!keys.has(row.expert_width))
    return keys.positive(row.expert_width, max_width, width_of_tensors(file, n_blocks, max_width));
  const std::vector<std::uint32_t> widths = keys.per_layer(row.expert_width, n_blocks, max_width, {}, 0);
  if (keys.failed()) return 0;
  const std::uint32_t most = std::ranges::max(widths);
  if (most == 0) {
    keys.fail(ErrorCode::kBadFile, Message::say("metadata '{}' is {}, expected {} to {}",
                                                keys.full_key(row.expert_width), most, 1, max_width));
  }
  for (const std::uint32_t width : widths) {
    if (width == 0 || width == most) continue;
    keys.fail(ErrorCode::kUnsupported,
              Message::say("metadata '{}' is {} in one layer and {} in another: this version has experts of one width",
                           keys.full_key(row.expert_width), width, most));
  }
  return most;
}

std::uint32_t read_shared_width(const SharedExpertRow& shared, std::uint32_t expert_d_ff, std::uint32_t max_width,
                                KeyReader& keys) {
  constexpr std::string_view kWidth = "expert_shared_feed_forward_length", kCount = "expert_shared_count";
  if (shared.is_named_as_dense) return 0;
  if (shared.is_optional) return keys.count(kWidth, max_width, 0);
  if (!shared.is_counted) return keys.positive(kWidth, max_width);
  const std::uint64_t width = std::uint64_t{keys.count(kCount, kMaxExperts, 0)} * expert_d_ff;
  if (width <= max_width) return static_cast<std::uint32_t>(width);
  keys.fail(ErrorCode::kBadFile, Message::say("metadata '{}' times the width of an expert is {}, expected at most {}",
                                              keys.full_key(kCount), width, max_width));
  return 0;
}

}  // namespace

void refuse_experts(const ArchRow& row, KeyReader& keys) {
  if (row.router) return;
  const std::uint32_t n_experts = keys.count("expert_count", std::numeric_limits<std::uint32_t>::max(), 0);
  if (keys.failed() || n_experts == 0) return;
  keys.fail(ErrorCode::kUnsupported,
            Message::say("metadata '{}' is {}, expected 0: how a mixture of experts of this architecture chooses "
                         "them is not known to this version",
                         keys.full_key("expert_count"), n_experts));
}

LayerSpec read_experts(const ModelFile& file, const ArchRow& row, std::uint32_t n_blocks, std::uint32_t max_width,
                       KeyReader& keys) {
  LayerSpec layer;
  if (!row.router) return layer;
  if (row.may_lack_experts && keys.count("expert_count", kMaxExperts, 0) == 0) return layer;
  layer.router = read_router(row, keys);
  layer.expert_weight_scale = read_weight_scale(row, keys);
  layer.n_experts = keys.positive("expert_count", kMaxExperts);
  layer.n_experts_used = keys.positive("expert_used_count", kMaxExperts);
  layer.expert_d_ff = read_expert_width(file, row, n_blocks, max_width, keys);
  layer.has_branch_norms = row.has_branch_norms;
  if (row.shared_expert) {
    layer.d_ff = read_shared_width(*row.shared_expert, layer.expert_d_ff, max_width, keys);
    layer.has_shared_gate = row.shared_expert->has_gate;
  }
  if (layer.n_experts_used > layer.n_experts) {
    keys.fail(ErrorCode::kBadFile,
              Message::say("metadata '{}' is {}, expected at most '{}', {}", keys.full_key("expert_used_count"),
                           layer.n_experts_used, keys.full_key("expert_count"), layer.n_experts));
  }
  if (const std::uint64_t width = std::uint64_t{layer.n_experts_used} * layer.expert_d_ff; width > max_width) {
    keys.fail(ErrorCode::kBadFile,
              Message::say("metadata '{}' times '{}' is {}, expected at most {}", keys.full_key("expert_used_count"),
                           keys.full_key(row.expert_width), width, max_width));
  }
  return layer;
}

std::vector<bool> read_expert_layers(const ArchRow& row, const LayerSpec& experts, std::uint32_t n_layers,
                                     KeyReader& keys) {
  std::vector<bool> has_experts(n_layers, experts.has_experts());
  if (!experts.has_experts() || !row.may_mix_dense) return has_experts;
  const std::uint32_t n_dense = keys.count("leading_dense_block_count", kMaxPositions, 0),
                      step = keys.positive("interleave_moe_layer_step", kMaxPositions, 1);
  for (std::uint32_t i = 0; i < n_layers && !keys.failed(); ++i) has_experts[i] = i >= n_dense && (i + 1) % step == 0;
  return has_experts;
}

}  // namespace headroom
